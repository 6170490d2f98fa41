#include "cli/commands.h"

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <algorithm>
#include <memory>

#include "base/file.h"
#include "base/symbol_name.h"
#include "base/text.h"
#include "cli/compile/kernel_name.h"
#include "cli/shared/output.h"
#include "engine/needs.h"
#include "ir/print.h"
#include "ir/verify.h"
#include "ptx/parser.h"

namespace ww::cli {

namespace {

struct PtxOptions {
  std::string file, after = "parse";
  bool quiet = false, kernels = false;
};

/// "kernel: runs; 24 bytes of parameters, …" or "kernel: refused, line 12: …".
std::string line_of(const engine::KernelNeeds& k) {
  std::string text = demangled(k.name) + ": ";
  if (!k.refused.empty()) {
    const Diagnostic& why = k.refused[0];
    text += fmt::format("refused, line {}: {}", why.where.line, why.message);
    return k.refused.size() > 1 ? text + fmt::format(" (and {} more)", k.refused.size() - 1) : text;
  }
  text += fmt::format("runs; {} bytes of parameters", k.params_bytes);
  if (k.shared_bytes) text += fmt::format(", {} bytes of shared memory", k.shared_bytes);
  if (k.dynamic_shared) text += ", dynamic shared memory";
  if (k.local_bytes) text += fmt::format(", {} bytes of local memory per thread", k.local_bytes);
  if (k.functions) text += fmt::format(", calls {} function{}", k.functions, k.functions == 1 ? "" : "s");
  if (!k.features.empty()) text += fmt::format("; {}", fmt::join(k.features, ", "));
  return text;
}

/// Everything that stands in the way of a kernel or function, once, in the order of the text.
Diagnostics refusals(const ir::Module& module, const std::vector<engine::KernelNeeds>& kernels) {
  Diagnostics all;
  auto add = [&](const Diagnostics& some) {
    for (const Diagnostic& d : some)
      if (std::none_of(all.begin(), all.end(), [&](const Diagnostic& seen) {
            return seen.where == d.where && seen.message == d.message;
          }))
        all.push_back(d);
  };
  for (const ir::Function& f : module.functions) add(f.refused);
  for (const auto& k : kernels) add(k.refused);
  std::stable_sort(all.begin(), all.end(), [](const Diagnostic& a, const Diagnostic& b) {
    return std::pair(a.where.line, a.where.column) < std::pair(b.where.line, b.where.column);
  });
  return all;
}

int run(const PtxOptions& options) {
  auto source = read_file(options.file == "-" ? "/dev/stdin" : options.file);
  if (!source) return complain(source.error());
  const std::string& text = *source;
  auto parsed = ptx::parse(options.file, text);
  if (!parsed && options.file.ends_with(".cu"))
    return complain({error(fmt::format("{} is CUDA C++, this command takes PTX", printable(options.file)),
                           "`nvcc -ptx` makes PTX of it; `warpwright launch` takes it as it is")});
  Diagnostics wrong = parsed ? ir::verify(*parsed) : parsed.error();
  if (!wrong.empty()) return complain(wrong, text);
  auto module = std::make_shared<const ir::Module>(std::move(parsed).value());
  auto kernels = engine::needs_of(module);
  if (options.kernels)
    for (const auto& k : kernels) fmt::print("{}\n", line_of(k));
  else if (!options.quiet)
    fmt::print("{}", ir::print(*module));
  std::fflush(stdout);
  Diagnostics refused = refusals(*module, kernels);
  if (refused.empty()) return 0;
  complain(refused, text);
  return 1;
}

}  // namespace

void add_ptx(CLI::App& app, int& exit_code) {
  auto options = std::make_shared<PtxOptions>();
  CLI::App* command =
      app.add_subcommand("ptx", "Check a PTX file, decode its kernels and print its intermediate form");
  command->add_option("file", options->file, "PTX file ('-': standard input)")->required();
  command->add_option("--after", options->after, "Print the form after this pass")
      ->check(CLI::IsMember({"parse"}));
  command->add_flag("--kernels", options->kernels, "List the kernels: what each needs, or why it cannot run");
  command->add_flag("--quiet", options->quiet, "Only check; print nothing if every kernel runs");
  command->footer("Exit code: 0 every kernel runs; 1 some are refused; 2 the file is not PTX.");
  command->callback([options, &exit_code] { exit_code = run(*options); });
}

}  // namespace ww::cli
