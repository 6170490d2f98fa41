#include <fmt/format.h>
#include <fmt/ranges.h>
#include <CLI/CLI.hpp>

#include <algorithm>
#include <cstdlib>
#include <string_view>

#include "base/text.h"
#include "cli/commands.h"
#include "cli/launch/then.h"
#include "cli/shared/guard.h"
#include "cli/shared/interrupt.h"
#include "cli/shared/output.h"
#include "cli/watch/beside.h"
#include "engine/compile/compile.h"
#include "userkernel/own_kernel.h"

namespace ww::cli {

namespace {

/// The first word, where it is no command: the parser only says that there must be one.
bool unknown_command(const CLI::App& app, const std::vector<std::string>& words) {
  if (words.empty() || words[0].starts_with('-')) return false;
  std::vector<std::string> names;
  for (const CLI::App* command : app.get_subcommands({})) {
    if (command->get_name() == words[0]) return false;
    if (!command->get_group().empty()) names.push_back(command->get_name());
  }
  const std::string near = nearest(words[0], names);
  complain({error(fmt::format("there is no command '{}'", printable(words[0])),
                  near.empty() ? fmt::format("there are {}", fmt::join(names, ", "))
                               : fmt::format("did you mean '{}'?", near))});
  return true;
}

/// Whether the command is about a kernel of the user's own, FILE.cu or FILE.ptx.
bool about_own_kernel(int argc, char** argv) {
  return argc > 2 && std::any_of(argv + 2, argv + argc, [](const char* word) {
           return word[0] != '-' && userkernel::own_kernel(word).has_value();
         });
}

/// How kernels are run is the same question wherever they are; the answer reaches the programs that are
/// started as well.
void add_engine_option(CLI::App& command) {
  command
      .add_option_function<std::string>(
          "--engine",
          [](const std::string& word) {
            const auto back = engine::back_of(word);
            if (!back || word.empty())
              throw CLI::ValidationError("--engine", "auto, interpreter or compiled, not '" + word + "'");
            std::string why;
            if (*back == engine::Back::Compiled && !engine::can_compile(*engine::lane_code(), why))
              throw CLI::ValidationError("--engine", "kernels cannot be compiled here: " + why);
            setenv("WARPWRIGHT_ENGINE", word.c_str(), 1);
          },
          "How kernels run on the CPU: auto (default: compiled when it pays), interpreter, compiled")
      ->type_name("NAME");
}

/// What the parser says of wrong words, in the form of all other errors.
std::string wrong_usage(const CLI::App* app, const CLI::Error& e) {
  std::string command = "warpwright";
  for (const CLI::App* chosen = app; !chosen->get_subcommands().empty();) {
    chosen = chosen->get_subcommands()[0];
    command += " " + chosen->get_name();
  }
  std::string text = e.what(), hint = fmt::format("see `{} --help`", command);
  // A check of ours may have rendered a diagnostic, behind the option's name.
  constexpr std::string_view kError = "error: ", kHint = "\n  hint: ";
  while (text.ends_with('\n')) text.pop_back();
  if (const size_t at = text.find(kHint); at != text.npos) {
    hint = text.substr(at + kHint.size());
    text.resize(at);
  }
  if (const size_t at = text.find(kError); at != text.npos) text.erase(at, kError.size());
  return render(error(text, hint));
}

int run_program(int argc, char** argv) {
  CLI::App app("Warpwright: a CUDA device that lives on the CPU, and a laboratory of kernels on it.",
               "warpwright");
  app.require_subcommand(1);
  app.set_version_flag("--version", "warpwright " WW_VERSION);
  app.failure_message(wrong_usage);
  app.footer("`warpwright COMMAND --help` describes a command.");
  app.get_formatter()->column_width(26);
  int exit_code = 0;
  std::vector<std::string> words(argv + 1, argv + argc);
  if (argc > 1 && words[0] == "help") {  // `help launch`, as other programs have it
    words.erase(words.begin());
    words.resize(std::min<size_t>(words.size(), 1));
    words.emplace_back("--help");
  }
  if (const auto code = watch_beside(argc, argv)) return *code;
  const bool own = about_own_kernel(argc, argv);
  add_run(app, exit_code);
  add_profile(app, exit_code);
  add_check(app, exit_code);
  add_explain_finding(app, exit_code);
  add_study(app, exit_code);
  add_init(app, exit_code);
  add_tune(app, exit_code);
  add_exercise(app, exit_code);
  add_report(app, exit_code);
  add_compare(app, exit_code);
  add_history(app, exit_code);
  add_kernels(app, exit_code);
  add_launch(app, exit_code, take_then(words));
  add_ptx(app, exit_code);
  add_gpus(app, exit_code);
  add_occupancy(app, exit_code);
  (own ? add_explain_own : add_explain)(app, exit_code);
  (own ? add_watch_own : add_watch)(app, exit_code, nullptr);
  add_theory(app, exit_code);
  add_devices(app, exit_code);
  add_verify_published(app, exit_code);
  add_calibrate(app, exit_code);
  add_run_once(app, exit_code);
  for (const char* name : {"run", "profile", "check", "study", "launch"})
    add_engine_option(*app.get_subcommand(name));
  if (unknown_command(app, words)) return 2;
  try {
    std::reverse(words.begin(), words.end());  // as CLI11 wants them
    app.parse(std::move(words));
  } catch (const CLI::ParseError& e) {
    return app.exit(e) == 0 ? 0 : 2;  // --help and --version are good, everything else is wrong usage
  }
  return interrupted() ? interrupted_exit_code() : exit_code;
}

}  // namespace

}  // namespace ww::cli

int main(int argc, char** argv) {
  ww::cli::prepare_process();
  return ww::cli::guarded([&] { return ww::cli::run_program(argc, argv); });
}
