#include "study/digest.h"

#include <fmt/format.h>

#define XXH_INLINE_ALL  // nothing to link: the program also runs where the library is not installed
#include <xxhash.h>

namespace ww::study {

std::string digest(std::string_view text) {
  const XXH128_hash_t hash = XXH3_128bits(text.data(), text.size());
  return fmt::format("{:016x}{:016x}", hash.high64, hash.low64);
}

}  // namespace ww::study
