// A first study of the kernels of a file, guessed from their PTX and their names.
#pragma once

#include <functional>
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

/// A study file beside `file` ("mine.cu"), which is compiled so (folders of headers as the study file names
/// them). Its launches are those that `launch` guesses (guess_launch), with sizes that follow an axis n;
/// macros that the source lets be overridden (#ifndef NAME, #define NAME 16) become axes. `runs`: gets the
/// text of a study of kTriedFile with one of the kernels. `debug`: PTX with debugging information, which
/// tells the members of structs; or "". Errors: of the PTX; no kernels.
Result<FirstStudy> first_study(const std::string& file, const std::string& ptx, std::string_view source,
                               const CompileOptions& compile, std::string_view debug,
                               const std::function<bool(const std::string&)>& runs);

}  // namespace ww::cli
