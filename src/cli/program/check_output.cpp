#include "cli/program/check_output.h"

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <filesystem>
#include <map>

#include "base/file.h"
#include "base/text.h"
#include "base/words.h"
#include "checks/findings.h"
#include "checks/json.h"
#include "checks/sarif.h"
#include "checks/text.h"
#include "cli/shared/output.h"

namespace ww::cli {

void add_findings_output(CLI::App& command, FindingsOutput& options) {
  command
      .add_option("--format", options.format,
                  "text, json or sarif (default: as the name after --out ends, else text)")
      ->type_name("NAME")
      ->check(CLI::IsMember({"text", "json", "sarif"}));
  command.add_option("--out", options.out, "Write the findings to this file")->type_name("FILE");
}

Status settle(FindingsOutput& o) {
  if (o.out.ends_with('/'))
    return error(fmt::format("findings are one file, and '{}' is a folder", printable(o.out)),
                 "--out findings.json, .sarif or .txt; `warpwright explain-finding findings.json` shows them "
                 "with code");
  const std::string ending = std::filesystem::path(o.out).extension();
  const std::string said = ending == ".json" ? "json" : ending == ".sarif" ? "sarif" : "";
  // SARIF is JSON: "findings.sarif.json" is as good a name.
  if (!o.format.empty() && !said.empty() && o.format != said && !(o.format == "sarif" && said == "json"))
    return error(fmt::format("--format {} contradicts the name '{}'", o.format, printable(o.out)));
  if (o.format.empty()) o.format = !said.empty() ? said : "text";
  return o.out.empty() ? Status() : check_can_write(o.out);
}

Result<std::vector<checks::Finding>> read_findings(const std::string& path) {
  auto text = read_file(path);
  if (!text) return text.error();
  std::map<std::pair<std::string, uint64_t>, checks::Finding> latest;
  for (size_t at = 0, end; (end = text->find('\n', at)) != text->npos; at = end + 1) {
    const std::string_view line = std::string_view(*text).substr(at, end - at);
    const size_t tab = line.find('\t');
    if (tab == line.npos) return error("the program's findings have been damaged");
    auto finding = checks::read_json(line.substr(tab + 1), "a finding of the program");
    if (!finding) return finding.error();
    const uint64_t id = finding->id;
    latest.insert_or_assign({std::string(line.substr(0, tab)), id}, std::move(*finding));
  }
  checks::Findings all;
  for (auto& [key, finding] : latest) all.add(std::move(finding));
  return all.all();
}

std::string findings_members(const std::vector<checks::Finding>& findings) {
  std::string list;
  for (const checks::Finding& f : findings) list += (list.empty() ? "\n  " : ",\n  ") + checks::write_json(f);
  return "\"format\":\"warpwright findings 1\",\"findings\":[" + list + "]";
}

Status deliver_findings(const std::vector<checks::Finding>& findings, const FindingsOutput& options,
                        bool to_its_end) {
  const std::string nothing =
      fmt::format("warpwright: nothing wrong was found{}\n", to_its_end ? "" : " until then");
  std::string text;
  if (options.format == "sarif") {
    text = checks::write_sarif(findings);
  } else if (options.format == "json") {
    text = "{" + findings_members(findings) + "}\n";
  } else {
    text = findings.empty() ? nothing : checks::render(findings);
    if (options.out.empty()) {
      std::fflush(stdout);
      fmt::print(stderr, "{}", text);
      return {};
    }
  }
  if (auto ok = deliver_text(text, options.out); !ok || options.out.empty()) return ok;
  // A log must tell a check that found nothing from one that did not run.
  if (findings.empty())
    fmt::print(stderr, "{}", nothing);
  else
    fmt::print(stderr, "warpwright: {} in {}\n", counted(static_cast<int64_t>(findings.size()), "finding"),
               printable(options.out));
  return {};
}

}  // namespace ww::cli
