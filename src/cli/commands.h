// All subcommands, a file for each. Every function adds one; its callback prints and sets the exit code:
// 0 good, 1 a finding or failed verification, 2 wrong usage or input.
#pragma once

#include <string>
#include <vector>

#include "cli/shared/app.h"

namespace ww::watch {
struct Recording;
}

namespace ww::cli {

void add_run(CLI::App& app, int& exit_code);
void add_check(CLI::App& app, int& exit_code);
void add_profile(CLI::App& app, int& exit_code);
void add_study(CLI::App& app, int& exit_code);
void add_init(CLI::App& app, int& exit_code);
void add_tune(CLI::App& app, int& exit_code);
void add_exercise(CLI::App& app, int& exit_code);
void add_report(CLI::App& app, int& exit_code);
void add_compare(CLI::App& app, int& exit_code);
void add_history(CLI::App& app, int& exit_code);
void add_kernels(CLI::App& app, int& exit_code);
/// `then`: the words of each kernel behind --then (cli/launch_then.h).
void add_launch(CLI::App& app, int& exit_code, std::vector<std::vector<std::string>> then);
void add_ptx(CLI::App& app, int& exit_code);
void add_gpus(CLI::App& app, int& exit_code);
void add_occupancy(CLI::App& app, int& exit_code);
void add_explain(CLI::App& app, int& exit_code);
void add_explain_finding(CLI::App& app, int& exit_code);
/// explain for FILE.cu or FILE.ptx, with the options of launch.
void add_explain_own(CLI::App& app, int& exit_code);
/// watch for them. `collect`: where the recording goes instead of a page.
void add_watch_own(CLI::App& app, int& exit_code, std::vector<watch::Recording>* collect = nullptr);
void add_watch(CLI::App& app, int& exit_code, std::vector<watch::Recording>* collect = nullptr);
void add_theory(CLI::App& app, int& exit_code);
void add_devices(CLI::App& app, int& exit_code);
void add_verify_published(CLI::App& app, int& exit_code);
void add_calibrate(CLI::App& app, int& exit_code);
void add_run_once(CLI::App& app, int& exit_code);

}  // namespace ww::cli
