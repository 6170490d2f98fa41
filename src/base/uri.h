// Paths as URI references.
#pragma once

#include <string>
#include <string_view>

namespace ww {

/// A path as a URI reference (RFC 3986): what may not stand in one is written %XX.
std::string uri_of(std::string_view path);

}  // namespace ww
