// What can be read off a PTX text without compiling it: version, target, kernels and their parameters.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace ww::device::driver {

struct PtxEntry {
  std::string name;
  std::vector<uint64_t> parameter_bytes;  ///< size of each parameter
};

struct PtxHeader {
  std::string version;  ///< "9.0"
  std::string target;   ///< "sm_90a"
  std::vector<PtxEntry> entries;

  const PtxEntry* find(std::string_view kernel) const;
};

/// Reads what is there; a text that is not PTX gives an empty header (the driver's compiler then says why).
PtxHeader read_ptx_header(std::string_view ptx);

}  // namespace ww::device::driver
