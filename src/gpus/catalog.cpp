#include "gpus/catalog.h"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>
#include <tuple>

#include "base/file.h"
#include "base/text.h"
#include "gpus/embedded.h"

namespace ww::gpus {

namespace {

bool ends_with_json(std::string_view name) {
  return name.size() > 5 && name.substr(name.size() - 5) == ".json";
}

// The part between the last '/' and ".json".
std::string stem(std::string_view path) {
  path = path.substr(path.rfind('/') + 1);
  return std::string(ends_with_json(path) ? path.substr(0, path.size() - 5) : path);
}

Result<Gpu> load(const std::string& path) {
  auto text = read_file(path, kMaxGpuFile);
  if (!text) return text.error();
  return read_gpu(stem(path), path, *text);
}

std::vector<std::string_view> words(std::string_view text) {
  std::vector<std::string_view> out;
  for (size_t begin = 0; begin < text.size();) {
    const size_t end = std::min(text.find_first_of(" -,", begin), text.size());
    if (end > begin) out.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return out;
}

/// The first word with a digit: "H200", "1080", "4090".
std::string_view model(std::string_view name) {
  for (std::string_view word : words(name))
    if (word.find_first_of("0123456789") != word.npos) return word;
  return name;
}

}  // namespace

const std::vector<Gpu>& known_gpus() {
  static const std::vector<Gpu> kAll = [] {
    std::vector<Gpu> all;
    for (const auto& file : embedded_files()) {
      if (!ends_with_json(file.name)) continue;
      auto gpu = read_gpu(stem(file.name), std::string(file.name), file.text);
      assert(gpu.ok());  // a test reads every built-in file
      if (gpu) all.push_back(std::move(*gpu));
    }
    std::sort(all.begin(), all.end(), [](const Gpu& a, const Gpu& b) {
      return std::tie(a.cc_major, a.cc_minor, a.id) < std::tie(b.cc_major, b.cc_minor, b.id);
    });
    return all;
  }();
  return kAll;
}

const Gpu* find_product(std::string_view product, int cc_major, int cc_minor, int64_t sm_count) {
  const auto of_product = words(product);
  for (const Gpu& gpu : known_gpus())
    if (gpu.cc_major == cc_major && gpu.cc_minor == cc_minor && gpu.sm_count == sm_count &&
        std::find(of_product.begin(), of_product.end(), model(gpu.name)) != of_product.end())
      return &gpu;
  return nullptr;
}

Result<Gpu> find_gpu(const std::string& name) {
  if (ends_with_json(name) || name.find('/') != name.npos) return load(name);
  std::vector<std::string> ids;
  for (const auto& gpu : known_gpus()) {
    if (gpu.id == name) return gpu;
    ids.push_back(gpu.id);
  }
  std::string near = nearest(name, ids);
  return error(
      fmt::format("unknown GPU '{}'", printable(name)),
      fmt::format("{}known: {}; or a file: --gpu FILE.json",
                  near.empty() ? "" : fmt::format("did you mean '{}'? ", near), fmt::join(ids, " ")));
}

}  // namespace ww::gpus
