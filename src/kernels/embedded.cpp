#include "kernels/embedded.h"

namespace ww::kernels {

const Embedded* find_embedded(std::string_view name) {
  for (const Embedded& e : embedded())
    if (e.name == name) return &e;
  return nullptr;
}

std::string_view embedded_ptx(std::string_view name) {
  const Embedded* found = find_embedded(name);
  return found ? found->ptx : std::string_view();
}

std::string_view source_text(std::string_view path) {
  for (const Source& s : sources())
    if (s.path == path) return s.text;
  return {};
}

std::string_view source_line(std::string_view path, int line) {
  std::string_view rest = source_text(path);
  for (; line > 1 && !rest.empty(); --line) {
    const size_t end = rest.find('\n');
    rest.remove_prefix(end == rest.npos ? rest.size() : end + 1);
  }
  return line == 1 ? rest.substr(0, rest.find('\n')) : std::string_view();
}

std::string_view cuda_min_header() { return source_text("src/kernels/cuda_min.h"); }

}  // namespace ww::kernels
