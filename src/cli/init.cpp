// warpwright init FILE.cu: a first study file beside a file of kernels.
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <CLI/CLI.hpp>

#include <filesystem>
#include <memory>

#include "base/file.h"
#include "base/json.h"
#include "base/private_directory.h"
#include "base/text.h"
#include "cli/commands.h"
#include "cli/compile/compile_options.h"
#include "cli/compile/cuda_source.h"
#include "cli/own_study/guess.h"
#include "cli/own_study/run.h"
#include "cli/shared/output.h"
#include "cli/shared/shell.h"
#include "device/engine_device.h"
#include "userkernel/study_file.h"

namespace ww::cli {

namespace {

struct InitOptions {
  std::string file, out;
  CompileOptions compile;
  bool force = false, compiles = false;
};

/// The warp instructions of the smallest run of a study of `ptx`; nothing where it does not go through or
/// stores nothing.
std::optional<double> instructions_of(const std::string& text, const std::string& ptx) {
  constexpr double kPatience = 10, kStandstill = 1;    // seconds
  constexpr uint64_t kMostMemory = uint64_t{1} << 29;  // a first study shall run anywhere
  const PrivateDirectory folder;
  if (!folder) return {};
  const std::string path = folder.file("");
  if (!write_file_atomically(path + kTriedFile, ptx)) return {};
  auto root = parse_json(text, "tried");
  if (!root) return {};
  auto own = userkernel::read_own_study(path + "tried.json", *root);
  if (!own) return {};
  auto all = userkernel::configurations(*own, true, {}, {});
  if (!all || all->empty()) return {};
  engine::Settings settings;
  settings.patience = kPatience;
  settings.standstill = kStandstill;
  settings.memory_limit = kMostMemory;
  auto device = device::make_engine_device(settings);
  OwnRunner runner(*own, *device, {}, nullptr, path, 1);
  bool known = false, stores = false;
  double instructions = 0;
  for (const Row& row : runner.rows_of(all->front(), known)) {
    const Value* verified = row.find("verified");
    if (!row.refused.empty() || (verified && verified->number() != 1)) return {};
    for (const Value& v : row.values) {
      if (v.tag == "warp_instructions") instructions = v.number();
      stores |= v.tag.starts_with("global_") && v.tag.ends_with("_requests") &&
                v.tag.find("load") == v.tag.npos && v.number() > 0;
    }
  }
  return stores ? std::optional(instructions) : std::nullopt;
}

/// A path as the study file names it: from its own folder.
std::string from_study(const InitOptions& o, const std::string& path) {
  namespace fs = std::filesystem;
  const fs::path study = fs::absolute(o.out.empty() ? o.file : o.out).parent_path();
  std::error_code ignored;
  const fs::path there = fs::proximate(fs::absolute(path), study, ignored);
  return there.empty() ? path : there.string();
}

/// Folders of headers as the study file names them.
CompileOptions beside(const InitOptions& o) {
  CompileOptions out = o.compile;
  for (std::string& path : out.includes)
    if (!path.starts_with('/')) path = from_study(o, path);
  return out;
}

/// The PTX with debugging information, where a kernel takes a struct whose members it tells; else "".
std::string with_members(const InitOptions& o, const std::string& ptx) {
  if (ptx.find(".debug_info") != ptx.npos) return ptx;
  if (!o.file.ends_with(".cu") || ptx.find(".param .align") == ptx.npos) return {};
  CompileOptions options = o.compile;
  options.debug = true;
  auto compiled = compile_cuda_for(o.file, options, "");
  return compiled && compiled->ok ? std::move(compiled->ptx) : std::string();
}

int run_init(const InitOptions& o) {
  if (o.compiles && !o.file.ends_with(".cu"))
    return complain({error("-I, -D, --std, --arch, --flag and --compiler are for the compiler of a .cu file",
                           fmt::format("'{}' is none", printable(o.file)))});
  auto source = read_file(o.file);
  if (!source) return complain(source.error());
  std::string ptx = *source;
  if (o.file.ends_with(".cu")) {
    auto compiled = compile_cuda_for(o.file, o.compile, "");
    if (!compiled) return complain(compiled.error());
    fmt::print(stderr, "{}", compiled->messages);
    if (!compiled->ok) return 2;
    ptx = std::move(compiled->ptx);
  } else if (!o.file.ends_with(".ptx")) {
    return complain({error(fmt::format("'{}' is not a FILE.cu or FILE.ptx", printable(o.file)))});
  }
  const std::string debug = with_members(o, ptx);
  StudyTrials trials;
  trials.run = [&](const std::string& text) { return instructions_of(text, debug.empty() ? ptx : debug); };
  trials.with_macro = [&](const std::string& macro, uint64_t value) {
    CompileOptions options = o.compile;
    options.defines.push_back(fmt::format("{}={}", macro, value));
    auto compiled = compile_cuda_for(o.file, options, "");
    return compiled && compiled->ok ? std::move(compiled->ptx) : std::string();
  };
  const auto study = first_study({o.file, from_study(o, o.file), *source, ptx, debug, beside(o)}, trials);
  if (!study) return complain(study.error(), ptx);
  const std::string out =
      o.out.empty() ? std::filesystem::path(o.file).replace_extension(".json").string() : o.out;
  std::error_code ignored;
  if (!o.force && std::filesystem::exists(out, ignored))
    return complain({error(fmt::format("'{}' is there already", printable(out)),
                           "--force replaces it, --out names another")});
  if (auto ok = write_file_atomically(out, study->text); !ok) return complain(ok.error());
  fmt::print("{}: a first study. The sizes of the arrays and the meaning of 'n' are guessed; check them.\n",
             printable(out));
  std::vector<int> tried = {study->quick};
  for (const int n : study->sizes)
    if (n != study->quick) tried.push_back(n);
  if (study->not_run.empty())
    fmt::print("Its launches were tried at n = {}: all kernels run and store something.\n",
               fmt::join(tried, ", "));
  for (const std::string& kernel : study->not_run)
    fmt::print("{}: no launch that was tried ran and stored something; set one in the file.\n",
               printable(kernel));
  fmt::print(stderr, "{}", render(study->notes));
  fmt::print(
      "  warpwright study {} --quick\n"
      "What else it may contain ('verify', 'expect', more axes): docs/studies.md\n",
      printable(file_in_shell(out)));
  return 0;
}

}  // namespace

void add_init(CLI::App& app, int& exit_code) {
  auto o = std::make_shared<InitOptions>();
  auto* c = app.add_subcommand("init", "Write a first study file beside a .cu or .ptx file of your own");
  c->add_option("FILE", o->file, "The kernels")->required()->type_name("");
  c->add_option("--out", o->out, "The study file (default: FILE.json)")->type_name("FILE");
  c->add_flag("--force", o->force, "Replace an existing file");
  add_compile_options(*c, o->compile);
  add_compiler_option(*c, o->compile.compiler);
  c->callback([o, c, &exit_code] {
    o->compiles = compiles(*c);
    exit_code = run_init(*o);
  });
}

}  // namespace ww::cli
