// --verify of `launch`: what arrays must hold behind it.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "base/npy.h"
#include "cli/launch/buffers.h"
#include "cli/launch/parameters.h"
#include "device/device.h"

namespace ww::cli {

/// Compares arrays with references: NAME=EXPRESSION of NumPy, in which the arguments have their names (arg1,
/// arg2, … where nothing tells them; arrays as they were before the launch), or NAME=FILE.npy.
class LaunchVerification {
 public:
  /// `checks`: the options' texts; `tolerance`: "RELATIVE" or "RELATIVE,ABSOLUTE", "": by the type
  /// (userkernel/agreement.h). Errors: no NAME=…, no such array (with the nearest), no number.
  static Result<LaunchVerification> make(const std::vector<std::string>& checks, const std::string& tolerance,
                                         const std::vector<LaunchArgument>& arguments,
                                         const std::vector<Parameter>& parameters,
                                         const SharedArrays& arrays);

  bool empty() const { return checks_.empty(); }
  /// Before the launch.
  Status keep_inputs(device::Device& device);
  struct Verdict {
    std::string text;  ///< a line for each array
    bool right = true;
  };
  /// Behind it. Errors: of the expression, of the file, arrays of another size.
  Result<Verdict> check(device::Device& device) const;

 private:
  struct One {
    std::string name, reference;
  };
  std::vector<One> checks_;
  double relative_ = -1, absolute_ = -1;
  SharedArrays arrays_;
  std::map<std::string, std::string> words_;
  std::map<std::string, npy::Array> inputs_;
};

}  // namespace ww::cli
