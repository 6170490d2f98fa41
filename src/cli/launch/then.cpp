#include "cli/launch/then.h"

#include <CLI/CLI.hpp>
#include <algorithm>

#include "cli/shared/number_checks.h"
#include "cli/shared/output.h"
#include "userkernel/own_kernel.h"

namespace ww::cli {

std::vector<std::vector<std::string>> take_then(std::vector<std::string>& words) {
  std::vector<std::vector<std::string>> out;
  if (words.empty() || words[0] != "launch") return out;
  const auto first = std::find(words.begin(), words.end(), "--then");
  for (auto it = first; it != words.end(); ++it) {
    if (*it == "--then")
      out.emplace_back();
    else
      out.back().push_back(*it);
  }
  words.erase(first, words.end());
  return out;
}

bool add_next(LaunchOptions& first, const std::vector<std::vector<std::string>>& all) {
  for (const std::vector<std::string>& words : all) {
    const LaunchOptions& before = first.next.empty() ? first : first.next.back();
    LaunchOptions o = first;
    o.next.clear();
    o.files = before.files, o.loaded = true;
    o.arguments.clear();
    o.symbols.clear();
    o.verify.clear();
    o.tolerance.clear();
    o.kernel.clear();
    o.cooperative = false;
    o.output = {};
    o.grid = before.grid, o.block = before.block, o.shared = before.shared;
    std::string kernel;
    CLI::App app("", "warpwright launch … --then");
    app.failure_message(CLI::FailureMessage::simple);
    app.add_option("KERNEL", kernel)->required();
    app.add_option("--grid", o.grid);
    app.add_option("--block", o.block);
    app.add_option("--shared", o.shared)->check(not_negative());
    app.add_option("--arg", o.arguments)->take_all();
    app.add_option("--symbol", o.symbols)->take_all()->allow_extra_args(false);
    app.add_option("--verify", o.verify)->take_all()->allow_extra_args(false);
    app.add_option("--tolerance", o.tolerance);
    app.add_flag("--cooperative", o.cooperative);
    try {
      std::vector<std::string> reversed(words.rbegin(), words.rend());  // CLI11 wants the last first
      app.parse(reversed);
    } catch (const CLI::ParseError& e) {
      complain({error(
          std::string("behind --then: ") + e.what(),
          "--then KERNEL [--grid X] [--block X] [--arg …], @NAME is an array of a kernel before; options of "
          "the whole command stand before --then")});
      return false;
    }
    if (auto own = userkernel::own_kernel(kernel)) {
      o.files = {own->file}, o.loaded = false;
      o.kernel = own->kernel;
    } else {
      o.kernel = kernel.starts_with(':') ? kernel.substr(1) : kernel;
    }
    first.next.push_back(std::move(o));
  }
  return true;
}

}  // namespace ww::cli
