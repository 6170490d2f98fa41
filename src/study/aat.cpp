// The bank-conflict pair of the C2070 book chapter.
#include "study/studies.h"

namespace ww::study {

Study aat() {
  return {"aat",
          "C = A·Aᵀ: a column of a shared array read with and without bank conflicts",
          {
              {"aat/sequential", {}, {640}, {}, {}},
              {"aat/plain", {{16}, {32}}, {640, 2048}, {}, {}},
              {"aat/padded", {{16}, {32}}, {640, 2048}, {}, {}},
          },
          {
              {"aat/sequential", {}, {256}, {}, {}},
              {"aat/plain", {{16}, {32}}, {256}, {}, {}},
              {"aat/padded", {{16}, {32}}, {256}, {}, {}},
          }};
}

}  // namespace ww::study
