// CUDA Driver API: Driver Entry Point Access.
#include "cuda/driver/entry_point.h"

#include <string>

#include "cuda/driver/call.h"
#include "cuda/table/table.h"

namespace ww::cuda {

void* driver_entry(std::string_view name, int version, bool per_thread, bool& too_new) {
  too_new = false;
  const Entry* best = nullptr;
  int best_since = -1;
  // cuMemAlloc means the latest of cuMemAlloc, cuMemAlloc_v2 … that `version` of CUDA has.
  for (const char* suffix : {"", "_v2", "_v3", "_v4"}) {
    const Entry* e = find_driver_entry(std::string(name) + suffix);
    if (!e) continue;
    const int since = driver_entry_since(e->name);
    if (since > version) {
      too_new = true;
      continue;
    }
    if (since >= best_since) best = e, best_since = since;
  }
  if (!best) return nullptr;
  too_new = false;
  if (per_thread)
    for (const char* suffix : {"_ptsz", "_ptds"})
      if (const Entry* e = find_driver_entry(std::string(best->name) + suffix)) return e->function;
  return best->function;
}

}  // namespace ww::cuda

using namespace ww::cuda;

WW_CUDA_API Error cuGetProcAddress_v2(const char* name, void** function, int version,
                                      unsigned long long flags, int* status) {
  if (!name || !function || flags > 3 || flags == 3) return Error::InvalidValue;
  bool too_new = false;
  *function = driver_entry(name, version, flags == 2, too_new);
  if (status) *status = *function ? 0 : too_new ? 2 : 1;
  // Whoever asks for the status reads it there.
  return *function || status ? Error::Success : Error::SymbolNotFound;
}
WW_CUDA_API Error cuGetProcAddress(const char* name, void** function, int version, unsigned long long flags) {
  return cuGetProcAddress_v2(name, function, version, flags, nullptr);
}

// Tables of functions without a manual. NVIDIA's libraries ask for them and mostly go without.
WW_CUDA_API Error cuGetExportTable(const void** table, const Uuid*) {
  if (!table) return Error::InvalidValue;
  *table = nullptr;
  return Error::SymbolNotFound;
}
