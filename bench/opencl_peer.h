// A kernel on an OpenCL device (PoCL: native code for this machine's cores).
#pragma once

#include <memory>
#include <optional>

#include "base/result.h"
#include "peer_cases.h"

namespace ww::bench {

class OpenClPeer {
 public:
  /// The first device of the first platform. Error: there is none.
  static Result<std::unique_ptr<OpenClPeer>> open();
  virtual ~OpenClPeer() = default;
  virtual std::string name() const = 0;
  /// Builds the kernel from the source and gives the device the arrays.
  virtual Status prepare(const Case& c, const std::string& source) = 0;
  /// Seconds from the launch to its end.
  virtual Result<double> run() = 0;
  /// What argument `index`, an array, holds now.
  virtual Result<std::vector<uint32_t>> read(size_t index) = 0;
};

}  // namespace ww::bench
