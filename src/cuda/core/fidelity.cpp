#include "cuda/core/fidelity.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>

#include "analysis/reach.h"
#include "base/symbol_name.h"
#include "cuda/core/append.h"
#include "ir/print.h"

namespace ww::cuda {

namespace {

/// Calls that do something else than on a card, and what. All others do what the manual says.
struct Different {
  std::string_view name, what;
};
constexpr std::string_view kNoEffect = "without effect: it would change a GPU's time, not its results";
constexpr Different kDifferent[] = {
    {"cudaMemAdvise", kNoEffect},
    {"cudaMemPrefetchAsync", kNoEffect},
    {"cudaMemAdvise_v2", kNoEffect},
    {"cudaMemPrefetchAsync_v2", kNoEffect},
    {"cudaDeviceSetCacheConfig", kNoEffect},
    {"cudaFuncSetCacheConfig", kNoEffect},
    {"cudaDeviceSetSharedMemConfig", kNoEffect},
    {"cudaFuncSetSharedMemConfig", kNoEffect},
    {"cudaCtxResetPersistingL2Cache", kNoEffect},
    {"cudaStreamAttachMemAsync", kNoEffect},
    {"cuMemAdvise", kNoEffect},
    {"cuMemPrefetchAsync", kNoEffect},
    {"cuCtxSetCacheConfig", kNoEffect},
    {"cuFuncSetCacheConfig", kNoEffect},
    {"cudaEventElapsedTime", "the host's time, not a GPU's"},
    {"cudaEventElapsedTime_v2", "the host's time, not a GPU's"},
    {"cuEventElapsedTime", "the host's time, not a GPU's"},
};

constexpr const char kRounded[] =
    "the exact result, rounded; a GPU's last bits differ within the manual's bounds";
constexpr const char kSummed[] = "summed in double precision, then rounded; tensor cores round otherwise";
constexpr const char kOrder[] = "sums in an unspecified order, as on a GPU; last bits may differ";

/// What makes an instruction's result another one than a card's; null: nothing (docs/exactness.md).
const char* approximation(const std::string& name) {
  const auto has = [&](std::string_view part) { return name.find(part) != name.npos; };
  if (has(".approx") || name.starts_with("div.full")) return kRounded;
  const bool matrix =
      name.starts_with("mma.") || name.starts_with("wmma.mma") || name.starts_with("wgmma.mma");
  if (matrix) return has(".s32") || has(".f64") ? nullptr : kSummed;
  if ((name.starts_with("atom") || name.starts_with("red.")) && has(".add") &&
      (has(".f16") || has(".bf16") || has(".f32") || has(".f64")))
    return kOrder;
  return nullptr;
}

}  // namespace

Fidelity* Fidelity::get() {
  static Fidelity* asked = [] {
    const char* file = std::getenv("WARPWRIGHT_FIDELITY");
    return file && *file ? new Fidelity(file) : nullptr;
  }();
  return asked;
}

void Fidelity::write(const std::string& line) {
  {
    std::lock_guard lock(mutex_);
    if (!known_.insert(line).second) return;
  }
  if (!append_to(file_, line + "\n", false)) {
    // Nobody reads it any more.
  }
}

void Fidelity::called() {
  const RawTrace trace = raw_trace();
  if (places_.met(trace)) return;
  std::string name = entry_point(trace);
  if (name == "__cudaLaunchKernel") name.erase(0, 2);  // the same code, which is there once
  if (!name.starts_with("cu")) return;                 // __cudaRegister…: the program did not write them
  const auto* d = std::find_if(std::begin(kDifferent), std::end(kDifferent),
                               [&](const Different& x) { return x.name == name; });
  write(fmt::format("entry\t{}\t{}", name, d == std::end(kDifferent) ? "" : d->what));
}

void Fidelity::library_called() {
  const RawTrace trace = raw_trace();
  if (places_.met(trace)) return;
  if (const std::string name = library_function(trace); !name.empty()) write("library\t" + name + "\t");
}

void Fidelity::launched(const std::string& kernel, const ir::Module& module) {
  const std::string plain = demangled(kernel);
  {
    std::lock_guard lock(mutex_);
    if (!known_.insert("launched " + kernel).second) return;
  }
  for (const ir::Function& entry : module.functions) {
    if (!entry.entry || !entry.defined || module.symbols[entry.symbol].name != kernel) continue;
    std::set<std::string> names;
    for (const ir::Function* f : analysis::reach(module, entry).functions)
      for (const ir::Block& block : f->blocks)
        for (const ir::Instruction& in : block.instructions) names.insert(ir::name_of(in));
    write(fmt::format("kernel\t{}\t{}", plain, names.size()));
    for (const std::string& name : names)
      if (const char* how = approximation(name))
        write(fmt::format("approximated\t{}\t{}\t{}", name, how, plain));
  }
}

void Fidelity::ran(const std::string& kernel, std::string_view back) {
  write(fmt::format("engine\t{}\t{}", demangled(kernel), back));
}

void Fidelity::refused(std::string_view name, std::string_view why) {
  write(fmt::format("refused\t{}\t{}", name, why.substr(0, why.find('\n'))));
}

}  // namespace ww::cuda
