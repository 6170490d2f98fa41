// Expressions that the user's Python works out with NumPy.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "base/npy.h"
#include "base/result.h"

namespace ww::cli {

/// A folder of this process in the system's place for temporary files, gone with it.
class TemporaryFolder {
 public:
  TemporaryFolder();
  ~TemporaryFolder();
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  /// Ends in '/'; "" where none could be made.
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

/// The value of a Python expression, in which `np` is NumPy and these are known: numbers (and words) by their
/// texts, and arrays. The interpreter is python3 in PATH. Errors: none there, no NumPy, what Python says of
/// the expression, an element type that .npy files of ours do not have.
Result<npy::Array> numpy_value(const std::string& expression, const std::map<std::string, std::string>& words,
                               const std::map<std::string, npy::Array>& arrays);

}  // namespace ww::cli
