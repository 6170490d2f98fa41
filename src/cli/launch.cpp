// warpwright launch, explain and watch of FILE: commands for kernels of the user's own.
#include <CLI/CLI.hpp>
#include <memory>

#include "cli/commands.h"
#include "cli/launch/options.h"
#include "cli/launch/run.h"
#include "cli/launch/then.h"
#include "cli/watch/beside.h"

namespace ww::cli {

void add_explain_own(CLI::App& app, int& exit_code) {
  auto o = std::make_shared<LaunchOptions>();
  o->purpose = Purpose::Explain;
  auto* c =
      app.add_subcommand("explain", "What limits a kernel of your own on a GPU, and which changes help");
  add_own_launch(c, o, run_launches, exit_code);
}

void add_watch_own(CLI::App& app, int& exit_code, std::vector<watch::Recording>* collect) {
  auto o = std::make_shared<LaunchOptions>();
  o->picture.collect = collect;
  o->purpose = Purpose::Watch;
  o->figures.gpus = "h200";
  auto* c =
      app.add_subcommand("watch", "A picture of what a kernel of your own reads and writes, step by step");
  add_own_launch(c, o, run_launches, exit_code);
  c->add_option("--gpu", o->figures.gpus,
                "A GPU's id, or a JSON file: whose transactions and banks are shown")
      ->type_name("G")
      ->capture_default_str();
  c->add_option("--out", o->picture.out, "The file (default: watch.html; JSON: stdout)")->type_name("FILE");
  c->add_option("--format", o->picture.format, "html or json (default: by the file's name, else html)")
      ->type_name("F")
      ->check(CLI::IsMember({"html", "json"}));
  c->add_option("--lang", o->picture.language, "Language of the page: en, pl, cs, ru; readers can change it")
      ->type_name("L")
      ->capture_default_str();
  add_beside_option(*c);
}

void add_launch(CLI::App& app, int& exit_code, std::vector<std::vector<std::string>> then) {
  auto o = std::make_shared<LaunchOptions>();
  auto* c = app.add_subcommand("launch", "Run one kernel of a PTX or CUDA C++ file and count what it does");
  add_own_launch(
      c, o,
      [o, then = std::move(then)](const LaunchOptions&) { return add_next(*o, then) ? run_launches(*o) : 2; },
      exit_code);
  c->add_option("--verify", o->verify,
                "What an array must hold afterwards: NAME=FILE.npy, or a NumPy expression, 'out=factor*in' "
                "(exit code 1 if it does not)")
      ->type_name("NAME=REFERENCE")
      ->take_all()
      ->allow_extra_args(false);
  c->add_option("--tolerance", o->tolerance,
                "Tolerance of --verify, relative and absolute (default: depends on the type)")
      ->type_name("R[,A]");
  c->add_option(
       "--then",
       "Then run another kernel on the same arrays, called @NAME: --then scan --block 32 --arg @out 5")
      ->type_name("KERNEL …");
  c->add_option("--check", o->checks,
                "Find its mistakes: all (default without NAMES), or a comma-separated list (`warpwright "
                "check --help`)")
      ->type_name("NAMES")
      ->expected(0, 1)
      ->default_str("all");
  c->add_flag("--no-count{false}", o->count, "Only run, without counting: faster");
  c->add_flag("--count", o->count, "Count (the default)")->group("");
  c->add_option("--lang", o->picture.language, "Language of the page: en, pl, cs, ru; readers can change it")
      ->type_name("L");
  c->add_option("--repeat", o->repeat, "Launch it N times on the same data; show least and median seconds")
      ->type_name("N")
      ->check(CLI::Range(1, 1000000));
  add_output(*c, o->output,
             "Write the counters to this file (.json, .csv or .txt), or a page to this folder (DIR/)");
}

}  // namespace ww::cli
