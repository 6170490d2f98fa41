#include "cli/study/merge.h"

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <memory>

#include "base/file.h"
#include "base/text.h"
#include "cli/shared/destination.h"
#include "cli/shared/output.h"
#include "cli/shared/report_folder.h"
#include "report/json.h"
#include "study/shard.h"

namespace ww::cli {

namespace {

constexpr uint64_t kLargest = uint64_t{1} << 30;  // bytes of a part

struct MergeOptions {
  std::vector<std::string> files;
  OutputOptions output;
};

int run_merge(const MergeOptions& o) {
  const auto to = destination(o.output, true);
  if (!to) return complain(to.error());
  std::vector<study::Part> parts;
  for (const auto& file : o.files) {
    auto text = read_file(file, kLargest);
    if (!text) return complain(text.error());
    auto part = study::read_part(*text, file);
    if (!part) return complain(part.error(), *text);
    parts.push_back(std::move(*part));
  }
  auto merged = study::merge(parts);
  if (!merged) return complain(merged.error());
  for (const auto& run : merged->missing) fmt::print(stderr, "missing: {}\n", printable(run));
  for (const auto& run : merged->doubled) fmt::print(stderr, "twice: {}\n", printable(run));
  bool wrong = !merged->missing.empty() || !merged->doubled.empty();
  for (const Row& row : merged->table.rows)
    if (const Value* v = row.find("verified")) wrong |= v->number() != 1;
  Status ok;
  if (to->folder)
    ok = write_report(page_of(std::move(merged->table), std::move(merged->page), "en"), to->out);
  else if (to->format == report::Format::Json)
    ok = deliver_text(report::write_json(merged->table, &merged->page), to->out);
  else
    ok = deliver(merged->table, to->format, to->out);
  return ok ? wrong : complain(ok.error());
}

}  // namespace

CLI::App* add_merge(CLI::App& study, int& exit_code) {
  auto o = std::make_shared<MergeOptions>();
  auto* c = study.add_subcommand("merge", "Join the parts that study --shard wrote");
  c->add_option("PARTS", o->files, "The files of the parts")->required()->type_name("");
  add_output(
      *c, o->output,
      "Write to this file (.json, .csv or .txt) instead of the terminal, or the report to a folder (DIR/)");
  c->footer(
      "Missing and repeated runs are named. Exit code: 0 complete; 1 incomplete, or a run went wrong; 2 "
      "wrong input.");
  c->callback([o, &exit_code] { exit_code = run_merge(*o); });
  return c;
}

}  // namespace ww::cli
