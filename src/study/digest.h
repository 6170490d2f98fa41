// A short digest of a text, to tell contents apart; not cryptographic.
#pragma once

#include <string>
#include <string_view>

namespace ww::study {

/// 32 hexadecimal digits: XXH3's 128 bits, as `xxhsum -H2` writes them. Equal texts have equal ones;
/// different texts have different ones but by a chance of about 2^-128 for each pair.
std::string digest(std::string_view text);

}  // namespace ww::study
