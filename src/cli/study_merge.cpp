#include "cli/study_merge.h"

#include <fmt/format.h>

#include <memory>

#include "base/file.h"
#include "base/text.h"
#include "cli/gpu_option.h"
#include "cli/output.h"
#include "cli/report_folder.h"
#include "report/json.h"
#include "study/shard.h"

namespace ww::cli {

namespace {

constexpr uint64_t kLargest = uint64_t{1} << 30;  // bytes of a part

struct MergeOptions {
  std::vector<std::string> files;
  report::Format format = report::Format::Table;
  std::string out;
};

int run_merge(const MergeOptions& o) {
  if (names_folder(o.out) && o.format != report::Format::Table)
    return complain(
        {error(fmt::format("'{}' is a folder: it gets index.html, results.csv and results.json", o.out),
               "leave out --format, or name a file")});
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
  if (names_folder(o.out))
    ok = write_report(page_of(std::move(merged->table), std::move(merged->page), "en"), o.out);
  else if (o.format == report::Format::Json)
    ok = deliver_text(report::write_json(merged->table, &merged->page), o.out);
  else
    ok = deliver(merged->table, o.format, o.out);
  return ok ? wrong : complain(ok.error());
}

}  // namespace

CLI::App* add_merge(CLI::App& study, int& exit_code) {
  auto o = std::make_shared<MergeOptions>();
  auto* c = study.add_subcommand("merge", "Join the parts that study --shard wrote");
  c->add_option("PARTS", o->files, "Their files")->required()->type_name("");
  add_format(*c, o->format);
  c->add_option("--out", o->out,
                "Write into this file instead of the terminal (.json and .csv as such); into a folder "
                "(DIR/): the report")
      ->type_name("FILE");
  c->footer(
      "Runs that are missing or there twice are named. Exit code: 0 complete; 1 not, or a run went wrong; 2 "
      "wrong input.");
  c->callback([o, c, &exit_code] {
    if (c->count("--format") == 0) o->format = format_of(o->out);
    exit_code = run_merge(*o);
  });
  return c;
}

}  // namespace ww::cli
