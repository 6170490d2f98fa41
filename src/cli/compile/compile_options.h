// How a .cu file is compiled, as options of commands that take one.
#pragma once

#include "cli/compile/cuda_source.h"
#include "cli/shared/app.h"

namespace ww::cli {

/// -I, -D, --std, --arch, --flag.
void add_compile_options(CLI::App& command, CompileOptions& options);
/// --compiler.
void add_compiler_option(CLI::App& command, std::string& compiler);
/// Whether one of all these was given.
bool compiles(const CLI::App& command);

}  // namespace ww::cli
