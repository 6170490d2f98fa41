// A study of the user's own kernels, as its file says it (docs/studies.md).
#pragma once

#include <map>
#include <string>
#include <vector>

#include "base/axis.h"
#include "base/json.h"
#include "base/result.h"
#include "study/study.h"
#include "userkernel/compile_options.h"

namespace ww::userkernel {

/// A piece of the file that is worked out for each configuration, with its place.
struct StudyText {
  std::string text;
  Location where;
};

/// "name=random:f32[n*n]".
struct StudyArgument {
  std::string name;  ///< "arg0" where the file has none
  std::string path;  ///< of a struct's member: "x", "in.v[2]"; ""
  StudyText text;
};

/// What an argument must hold after the launch.
struct StudyCheck {
  std::string name;     ///< of the argument
  StudyText reference;  ///< a numpy expression, FILE.npy, or kernel:NAME
};

struct StudyAxis {
  AxisInfo info;
  std::vector<std::string> values, quick;
};

struct StudyKernel {
  std::string name;   ///< in the rows
  std::string file;   ///< as it can be opened
  std::string entry;  ///< "": the only one
  Location where;
  CompileOptions compile;          ///< without the defines
  std::vector<StudyText> defines;  ///< NAME=EXPRESSION
  std::vector<StudyText> grid, block;
  StudyText shared;
  std::vector<StudyArgument> arguments;
  std::vector<StudyText> symbols;
  std::vector<StudyCheck> checks;
  double relative = -1, absolute = -1;  ///< tolerances; negative: by the type (docs/studies.md)
  bool cooperative = false;
  std::string problem;  ///< a word for what it computes: kernels with the same word do the same; ""
  std::map<std::string, std::vector<std::string>> values;  ///< axes of which it takes only these
  std::vector<std::string> axes;                           ///< those that it depends on
  std::vector<StudyKernel> then;                           ///< what runs behind it; these have no checks
};

struct OwnStudy {
  study::Study study;  ///< how it is shown; `full` are kernels of the laboratory to compare with
  std::vector<StudyAxis> axes;
  std::vector<StudyKernel> kernels;
};

/// One kernel with a value for each of its axes.
struct StudyConfiguration {
  const StudyKernel* kernel = nullptr;
  std::map<std::string, std::string> values;
};

/// Whether a JSON file is such a study: it has "kernels".
bool is_own_study(const Json& root);
/// Errors, located in `file`, several at once. Other files are named relative to it.
Result<OwnStudy> read_own_study(const std::string& file, const Json& root);

/// All configurations in the order of the file: kernel by kernel, the first axis slowest. `quick`: with the
/// axes' quick values. `chosen`: values instead of the file's. Errors: an axis or a kernel that does not
/// exist, too many configurations.
Result<std::vector<StudyConfiguration>> configurations(
    const OwnStudy& study, bool quick, const std::vector<std::string>& kernels,
    const std::map<std::string, std::vector<std::string>>& chosen);

}  // namespace ww::userkernel
