// warpwright explain-finding FILE [NUMBER]: what `check --format json` found, at length.
#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <map>
#include <memory>

#include "base/file.h"
#include "base/text.h"
#include "checks/explain.h"
#include "checks/json.h"
#include "cli/commands.h"
#include "cli/shared/number_checks.h"
#include "cli/shared/output.h"

namespace ww::cli {

namespace {

/// Lines of files that lie where they lay when the program was built.
class SourceFiles {
 public:
  std::optional<std::string> line(const std::string& file, int number) {
    const auto [at, fresh] = files_.try_emplace(file);
    if (fresh)
      if (auto text = read_file(file)) {
        size_t from = 0;
        for (size_t end; (end = text->find('\n', from)) != text->npos; from = end + 1)
          at->second.push_back(text->substr(from, end - from));
      }
    if (number < 1 || static_cast<size_t>(number) > at->second.size()) return {};
    return at->second[static_cast<size_t>(number) - 1];
  }

 private:
  std::map<std::string, std::vector<std::string>> files_;
};

int explain_findings(const std::string& file, size_t number) {
  auto text = read_file(file);
  if (!text) return complain(text.error());
  auto findings = checks::read_findings_file(*text, file);
  if (!findings) return complain(findings.error());
  if (number > findings->size())
    return complain({error(fmt::format("{} has {} findings", printable(file), findings->size()))});
  SourceFiles sources;
  const auto line_of = [&](const std::string& f, int n) { return sources.line(f, n); };
  for (size_t k = 0; k < findings->size(); ++k)
    if (!number || number == k + 1)
      fmt::print("{}{}", k && !number ? "\n" : "", checks::explain((*findings)[k], k + 1, line_of));
  if (findings->empty()) fmt::print("no findings\n");
  return 0;
}

}  // namespace

void add_explain_finding(CLI::App& app, int& exit_code) {
  struct Options {
    std::string file;
    size_t number = 0;
  };
  auto o = std::make_shared<Options>();
  auto* c =
      app.add_subcommand("explain-finding", "Show what `check --format json` found, with code and cure");
  c->add_option("FILE", o->file, "What `warpwright check --format json --out FILE` wrote")->required();
  c->add_option("NUMBER", o->number, "Only the finding of this number, from 1")->check(positive());
  c->callback([o, &exit_code] { exit_code = explain_findings(o->file, o->number); });
}

}  // namespace ww::cli
