// warpwright init FILE.cu: a first study file beside a file of kernels.
#include <fmt/format.h>

#include <filesystem>
#include <memory>

#include "base/file.h"
#include "base/text.h"
#include "cli/commands.h"
#include "cli/cuda_source.h"
#include "cli/output.h"
#include "cli/own_study/guess.h"
#include "cli/own_study/own_study.h"

namespace ww::cli {

namespace {

struct InitOptions {
  std::string file, out;
  CompileOptions compile;
  bool force = false;
};

int run_init(const InitOptions& o) {
  auto source = read_file(o.file);
  if (!source) return complain(source.error());
  std::string ptx = *source;
  if (o.file.ends_with(".cu")) {
    auto compiled = compile_cuda(o.file, o.compile);
    if (!compiled) return complain(compiled.error());
    fmt::print(stderr, "{}", compiled->messages);
    if (!compiled->ok) return 2;
    ptx = std::move(compiled->ptx);
  } else if (!o.file.ends_with(".ptx")) {
    return complain({error(fmt::format("'{}' is no FILE.cu or FILE.ptx", printable(o.file)))});
  }
  auto text = first_study(o.file, ptx, *source);
  if (!text) return complain(text.error(), ptx);
  const std::string out =
      o.out.empty() ? std::filesystem::path(o.file).replace_extension(".json").string() : o.out;
  std::error_code ignored;
  if (!o.force && std::filesystem::exists(out, ignored))
    return complain({error(fmt::format("'{}' is there already", printable(out)),
                           "--force replaces it, --out names another")});
  if (auto ok = write_file_atomically(out, *text); !ok) return complain(ok.error());
  fmt::print(
      "{}: a first study, guessed. Look at it: sizes of the arrays, what 'n' is, grid and block; then\n"
      "  warpwright study {} --quick\n"
      "What it may say besides ('verify', 'expect', more axes): docs/studies.md\n",
      printable(out), printable(out));
  return 0;
}

}  // namespace

void add_init(CLI::App& app, int& exit_code) {
  auto o = std::make_shared<InitOptions>();
  auto* c = app.add_subcommand("init", "Write a first study file beside a .cu or .ptx file of your own");
  c->add_option("FILE", o->file, "The kernels")->required()->type_name("");
  c->add_option("--out", o->out, "The study file (default: FILE.json)")->type_name("FILE");
  c->add_flag("--force", o->force, "Replace a file that is there");
  c->add_option("--arch", o->compile.arch, "Compute capability that a .cu file is compiled for (default 75)")
      ->type_name("CC");
  c->add_option("-I", o->compile.includes, "A directory with headers")
      ->type_name("DIR")
      ->take_all()
      ->allow_extra_args(false);
  c->add_option("-D", o->compile.defines, "A macro")
      ->type_name("NAME[=VALUE]")
      ->take_all()
      ->allow_extra_args(false);
  c->callback([o, &exit_code] { exit_code = run_init(*o); });
}

}  // namespace ww::cli
