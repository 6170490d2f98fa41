#include "cli/launch/options.h"

#include <CLI/CLI.hpp>
#include <utility>

#include "base/text.h"
#include "cli/compile/compile_options.h"
#include "cli/launch/argument.h"
#include "cli/shared/number_checks.h"
#include "cli/shared/schedule_option.h"
#include "userkernel/own_kernel.h"

namespace ww::cli {

namespace {

constexpr const char* kArgumentWords =
    "Without --grid, --block and --arg all three are guessed. With only some of them, the parameters are "
    "shown.\n"
    "Arguments: 5 has the parameter's type; f32:1.5, s32:-7, u64:0xff have their own; n=5 names the "
    "parameter. Arrays\n"
    "are random:f32[1024], in:FILE.npy, inout:FILE.npy and out:f32[64,32]:FILE.npy (zeros at first); the "
    "kernel gets\n"
    "their address. Structs are p.n=1 p.x=2.5 (by members), {1,2.5} or hex:00ff (their bytes). raw:… skips "
    "the check\n"
    "of the type. Files are written only if the kernel ends well. What nvcc makes of a .cu file is kept for "
    "the next\n"
    "time (in ~/.cache/warpwright/ptx; WARPWRIGHT_PTX_CACHE=off: not).";

}  // namespace

void add_own_launch(CLI::App* c, const std::shared_ptr<LaunchOptions>& o,
                    std::function<int(const LaunchOptions&)> run, int& exit_code) {
  c->add_option("FILE", o->files,
                "A .ptx file, or a .cu file: compiled with nvcc, else with clang; several are linked; "
                "FILE:KERNEL names the kernel")
      ->type_name("");
  c->add_option("--kernel", o->kernel, "The kernel's name (not needed if there is only one)")
      ->type_name("NAME");
  c->add_option("--grid", o->grid, "Blocks of the grid")->type_name("X[,Y[,Z]]");
  c->add_option("--block", o->block, "Threads of a block")->type_name("X[,Y[,Z]]");
  c->add_option("--shared", o->shared, "Dynamic shared memory of a block")
      ->type_name("BYTES")
      ->check(not_negative());
  c->add_option("--arg", o->arguments, "Arguments, in the kernel's order or by name: n=5, p.x=1 (see below)")
      ->type_name("ARG")
      ->take_all();
  c->add_option("--symbol", o->symbols,
                "A __constant__ or __device__ variable that the host sets: scale=f32:2")
      ->type_name("NAME=ARG")
      ->take_all()
      ->allow_extra_args(false);
  c->add_flag("--cooperative", o->cooperative, "All blocks must be resident at once (grid barriers)");
  c->add_option("--seed", o->seed, "Seed of random arguments (default 1)")
      ->type_name("S")
      ->check(not_negative());
  add_schedule_option(*c, o->schedule);
  c->add_option("--timeout", o->timeout,
                "Give up when no block of the grid has ended for this time (default 60; 0: never)")
      ->type_name("SECONDS")
      ->check(not_negative());
  c->add_option("--limit", o->limit, "Backward branches of a warp before it counts as endless (0: no limit)")
      ->type_name("N")
      ->check(not_negative());
  c->add_option("--threads", o->threads, "Host threads (default: all cores)")
      ->type_name("T")
      ->check(CLI::Range(1, 1024));
  if (o->purpose != Purpose::Watch) add_figure_options(*c, o->figures);
  add_compile_options(*c, o->compile);
  add_compiler_option(*c, o->compile.compiler);
  c->footer(kArgumentWords);
  c->callback([o, c, run = std::move(run), &exit_code] {
    o->compiles = compiles(*c);
    // --arg takes all words up to the next option, a file behind it too.
    for (auto it = o->arguments.begin(); it != o->arguments.end();)
      if (userkernel::own_kernel(*it) && !parse_argument(*it)) {
        o->files.push_back(std::move(*it));
        it = o->arguments.erase(it);
      } else {
        ++it;
      }
    if (o->files.empty()) throw CLI::RequiredError("FILE");
    for (std::string& file : o->files)
      if (auto own = userkernel::own_kernel(file); own && !own->kernel.empty())
        file = std::move(own->file), o->kernel = std::move(own->kernel);
    exit_code = run(*o);
  });
}

}  // namespace ww::cli
