#include "cli/study/list.h"

#include "study/study.h"

namespace ww::cli {

namespace {

Value count(const char* tag, const study::Study& study, bool quick, const char* description) {
  const auto items = study::select(study, {.quick = quick});
  return {tag, static_cast<int64_t>(items ? items->size() : 0), "", Provenance::Input, description};
}

}  // namespace

Table list_studies() {
  Table table{
      "Studies",
      {},
      {"warpwright study NAME runs one, warpwright study FILE.json one of your own (docs/studies.md)"}};
  for (const study::Study& study : study::all_studies()) {
    Row row;
    row[Axis::Study] = study.name;
    row.values.push_back(count("full", study, false, "configurations"));
    row.values.push_back(count("quick", study, true, "configurations with --quick"));
    row.values.push_back({"summary", study.summary, "", Provenance::Input, "what it is about"});
    table.rows.push_back(std::move(row));
  }
  return table;
}

}  // namespace ww::cli
