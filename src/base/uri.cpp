#include "base/uri.h"

#include <fmt/format.h>

namespace ww {

std::string uri_of(std::string_view path) {
  std::string out;
  for (char c : path) {
    const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                       std::string_view("-._~/").find(c) != std::string_view::npos;
    out += plain ? std::string(1, c) : fmt::format("%{:02X}", static_cast<unsigned char>(c));
  }
  return path.starts_with('/') ? "file://" + out : out;
}

}  // namespace ww
