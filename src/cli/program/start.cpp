#include "cli/program/start.h"

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <iterator>
#include <memory>
#include <sstream>

#include "base/file.h"
#include "base/text.h"
#include "cli/compile/compile_options.h"
#include "cli/compile/cuda_program.h"
#include "cli/program/program.h"
#include "cli/program/stand_in.h"
#include "cli/shared/schedule_option.h"
#include "gpus/catalog.h"

namespace ww::cli {

namespace {

constexpr const char *kUsualGpu = "h200", *kVariable = "WARPWRIGHT_GPU";

int capability(const gpus::Gpu& gpu) { return 10 * gpu.cc_major + gpu.cc_minor; }

/// The usual GPU if it takes PTX for all these capabilities, else the first later one that does.
std::string fitting_gpu(const Program& program) {
  int needed = 0;
  for (int least : program.capabilities) needed = std::max(needed, least);
  if (auto usual = gpus::find_gpu(kUsualGpu); usual && capability(*usual) >= needed) return kUsualGpu;
  for (const gpus::Gpu& gpu : gpus::known_gpus())
    if (capability(gpu) >= needed) return gpu.id;
  return kUsualGpu;
}

/// The GPU's name for the environment: a file's is made absolute, for the program may go to another folder.
Result<std::string> wanted_gpu(const StartOptions& options, const Program& program) {
  const char* set = std::getenv(kVariable);
  std::string name = !options.gpu.empty() ? options.gpu : set && *set ? set : fitting_gpu(program);
  auto gpu = gpus::find_gpu(name);
  if (!gpu) return gpu.error();
  std::error_code none;
  return name.find('/') != name.npos || name.ends_with(".json")
             ? std::filesystem::absolute(name, none).string()
             : name;
}

std::vector<std::string> words_in(const std::string& text) {
  std::istringstream in(text);
  return {std::istream_iterator<std::string>(in), {}};
}

Status compile(const StartOptions& options, const std::string& gpu_name, const Program& program,
               Start& start) {
  auto gpu = gpus::find_gpu(gpu_name);
  if (!gpu) return gpu.error();
  auto built =
      build_cuda_program(program.path, {capability(*gpu), options.compiler, words_in(options.flags)});
  if (!built) return built.error();
  start.messages += built->messages;
  start.ready = built->ok;
  start.path = built->path;
  return {};
}

class UsageOfProgram : public CLI::Formatter {
 public:
  std::string make_usage(const CLI::App* command, std::string) const override {
    return fmt::format("Usage: warpwright {} [OPTIONS] PROGRAM [ARGUMENTS...]\n", command->get_name());
  }
};

/// What to know before it starts; "" when there is nothing.
std::string note_on(const Program& program, const std::string& shown) {
  if (!program.cuda_possible)
    return fmt::format("warpwright: note: {} contains no CUDA code: it runs as it would without Warpwright\n",
                       shown);
  return {};
}

/// An option of ours behind the program's name is passed to the program, which surprises whoever meant it for
/// us. "" where there is none, or where the program has the same word in it.
std::string note_on_words(const CLI::App& command, const Program& program,
                          const std::vector<std::string>& words) {
  if (program.kind != ProgramKind::CudaSource && !program.cuda_inside) return {};
  for (size_t i = 1; i < words.size() && words[i] != "--"; ++i) {
    const std::string option = words[i].substr(0, words[i].find('='));
    if (!option.starts_with("--") || option == "--help" || !command.get_option_no_throw(option)) continue;
    const auto text = read_file(program.path);
    if (!text || text->find(option.substr(2)) != text->npos) return {};
    return fmt::format(
        "warpwright: note: {} stands behind {} and is passed to it; options of `warpwright {}` stand before "
        "the "
        "program\n",
        option, printable(words[0]), command.get_name());
  }
  return {};
}

}  // namespace

void add_start_options(CLI::App& command, StartOptions& options) {
  options.command = &command;
  command.prefix_command();  // from the program's name on, every word is the program's
  command.formatter(std::make_shared<UsageOfProgram>());
  command.get_formatter()->column_width(26);
  command
      .add_option("--gpu", options.gpu,
                  "The GPU it sees (default: $WARPWRIGHT_GPU, else one that can run its code); `warpwright "
                  "gpus` lists them")
      ->type_name("NAME");
  command
      .add_option("--flags", options.flags,
                  "Compiler flags, if PROGRAM is a .cu file: \"-O2 -I include -lcublas\"")
      ->type_name("FLAGS");
  add_compiler_option(command, options.compiler);
  add_schedule_option(command, options.schedule);
}

Result<Start> prepare_start(const StartOptions& options, const std::vector<std::string>& words) {
  if (words.empty()) return error("which program?", "for example: warpwright run ./app its arguments");
  if (words[0].starts_with("-"))
    return error("no option " + printable(words[0]), "`warpwright run --help` lists the options");
  if (!options.schedule.empty()) {
    if (auto ok = engine::order_of(options.schedule); !ok) return ok.error();
    ::setenv("WARPWRIGHT_SCHEDULE", options.schedule.c_str(), 1);
  }
  auto program = find_cuda_program(words[0]);
  if (!program) return program.error();
  if (!options.flags.empty() && program->kind != ProgramKind::CudaSource)
    return error("--flags applies only to .cu files, and " + printable(words[0]) + " is not one");
  if (!options.compiler.empty() && program->kind != ProgramKind::CudaSource)
    return error("--compiler applies only to .cu files, and " + printable(words[0]) + " is not one");
  auto folder = stand_in_folder();
  if (!folder) return folder.error();
  auto gpu = wanted_gpu(options, *program);
  if (!gpu) return gpu.error();
  Start start;
  start.ready = true;
  start.path = program->path;
  start.gpu = *gpu;
  start.messages = note_on(*program, printable(words[0]));
  if (options.command) start.messages += note_on_words(*options.command, *program, words);
  if (program->kind == ProgramKind::CudaSource)
    if (auto ok = compile(options, *gpu, *program, start); !ok) return ok.error();
  use_stand_ins(*folder);
  ::setenv(kVariable, gpu->c_str(), 1);
  return start;
}

}  // namespace ww::cli
