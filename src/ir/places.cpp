#include "ir/places.h"

#include <fmt/format.h>

#include <array>
#include <string_view>

#include "base/text.h"
#include "base/words.h"

namespace ww::ir {

namespace {

/// Files that come with the CUDA toolkit (or with clang, in its place), by parts of their paths.
bool of_the_toolkit(std::string_view file) {
  static constexpr std::array<std::string_view, 17> kParts = {"/targets/x86_64-linux/include/",
                                                              "/usr/local/cuda",
                                                              "/include/cccl/",
                                                              "cuda_pipeline",
                                                              "/cuda/include/",
                                                              "/include/crt/",
                                                              "cuda_runtime",
                                                              "device_atomic_func",
                                                              "_intrinsics.",
                                                              "_atomic_functions.",
                                                              "device_functions.",
                                                              "/cuda/std/",
                                                              "/cooperative_groups",
                                                              "__clang_cuda",
                                                              "cuda_fp16.h",
                                                              "cuda_bf16.h",
                                                              "texture_indirect_func"};
  for (std::string_view part : kParts)
    if (file.find(part) != file.npos) return true;
  return false;
}

}  // namespace

std::vector<Location> inlining_chain(const Module& module, const Function& function, const Place& place) {
  std::vector<Location> chain{location(module, place)};
  // An outer place comes earlier in the list than what was inlined there; the bound is for hostile input.
  for (int outer = place.inlined_at; outer >= 0 && chain.size() < 64;) {
    const Place& p = function.inlined_at[static_cast<size_t>(outer)];
    chain.push_back(location(module, p));
    outer = p.inlined_at;
  }
  return chain;
}

size_t users_place(const std::vector<Location>& chain) {
  for (size_t k = 0; k < chain.size(); ++k)
    if (!of_the_toolkit(chain[k].file)) return k;
  return 0;
}

bool has_users_place(const Module& module, const std::vector<Location>& chain) {
  const Location& place = chain[users_place(chain)];
  return place.file != module.name && !of_the_toolkit(place.file);
}

std::vector<Location> place_before(const Module& module, const Function& function,
                                   const Instruction& instruction) {
  if (!module.debug) return {};
  std::vector<Location> last;
  for (const Block& b : function.blocks)
    for (const Instruction& in : b.instructions) {
      if (&in == &instruction) return last;
      if (in.place.file < 0) continue;
      if (std::vector<Location> chain = inlining_chain(module, function, in.place);
          has_users_place(module, chain))
        last = std::move(chain);
    }
  return {};
}

std::string inlining_text(const std::vector<Location>& chain, std::string_view indent) {
  std::string text;
  if (chain.size() < 2) return text;
  int64_t passed = 0;
  const auto tell_of_passed = [&] {
    if (passed) text += fmt::format("{}through {} of CUDA's headers\n", indent, counted(passed, "line"));
    passed = 0;
  };
  for (size_t k = 0; k < chain.size(); ++k) {
    if (k > 0 && of_the_toolkit(chain[k].file)) {
      ++passed;
      continue;
    }
    tell_of_passed();
    text += fmt::format("{}{} {}:{}\n", indent, k == 0 ? "inlined from" : "at", printable(chain[k].file),
                        chain[k].line);
  }
  tell_of_passed();
  return text;
}

}  // namespace ww::ir
