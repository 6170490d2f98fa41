// A first study of the kernels of a file, guessed from their PTX and their names.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "cli/compile/cuda_source.h"

namespace ww::cli {

/// What a study that is only tried names as its file: the PTX.
inline constexpr const char* kTriedFile = "tried.ptx";

struct FirstStudy {
  std::string text;                  ///< the study file
  std::vector<std::string> not_run;  ///< kernels for which no guess ran and stored something
  std::vector<Diagnostic> notes;     ///< on what the guesses of the others leave out
  int quick = 256;                   ///< the n with which they were tried first
  std::vector<int> sizes;            ///< the others: all those that ran do so with each of them
};

/// What a guess is tried with.
struct StudyTrials {
  /// Gets the text of a study of kTriedFile with one of the kernels and runs its smallest case: how many warp
  /// instructions that took; nothing where it does not end well or stores nothing.
  std::function<std::optional<double>(const std::string& text)> run;
  /// The PTX with another value of a macro; "" where that cannot be had.
  std::function<std::string(const std::string& macro, uint64_t value)> with_macro;
};

/// The file of kernels that a study is written for.
struct StudySource {
  std::string file;        ///< its path
  std::string named;       ///< the same as the study file names it: from the folder that this lies in
  std::string_view text;   ///< what it holds
  std::string ptx;         ///< the same as PTX
  std::string debug;       ///< PTX with debugging information, which tells the members of structs; or ""
  CompileOptions compile;  ///< folders of headers as the study file names them
};

/// A study of a file's kernels. Its launches are those that `launch` guesses (guess_launch), with sizes that
/// follow an axis n; macros that the source lets be overridden (#ifndef NAME, #define NAME 16) become axes,
/// and blocks cover as many elements for each thread as such a macro says. Errors: of the PTX; no kernels.
Result<FirstStudy> first_study(const StudySource& source, const StudyTrials& trials);

}  // namespace ww::cli
