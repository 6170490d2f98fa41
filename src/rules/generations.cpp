#include "rules/generations.h"

namespace ww::rules {

Capability same_rules_from(Capability cc) {
  for (Capability first : {70, 50, 30, 20, 12})
    if (cc >= first) return first;
  return 10;
}

}  // namespace ww::rules
