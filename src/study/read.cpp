// A study from its JSON file: strict, every complaint with its place.
#include <fmt/format.h>

#include "base/text.h"
#include "gpus/catalog.h"
#include "report/plot_json.h"
#include "study/read_shown.h"
#include "study/read_sweep.h"
#include "study/study.h"

namespace ww::study {

namespace {

/// "/home/me/mine.json" is "mine".
std::string stem(std::string_view path) {
  path = path.substr(path.rfind('/') + 1);
  return std::string(path.substr(0, path.rfind('.')));
}

/// Ids, files relative to the study's own, or "all".
std::vector<std::string> read_gpus(const Json& list, JsonReader& reader) {
  std::vector<std::string> gpus;
  for (const Json* one : JsonReader::items(list)) {
    const auto* given = one->get<std::string>();
    if (!given || given->empty()) {
      reader.complain(
          *one, fmt::format("a GPU is named by a string, not {}", given ? "an empty one" : one->kind()));
      continue;
    }
    std::string id = *given;
    const size_t slash = reader.file().rfind('/');
    if (id.ends_with(".json") && id[0] != '/' && slash != std::string::npos)
      id = reader.file().substr(0, slash + 1) + id;
    gpus.push_back(id);
    if (id == "all") continue;
    if (auto gpu = gpus::find_gpu(id); !gpu)
      reader.complain(*one, gpu.error()[0].message, gpu.error()[0].hint);
  }
  return gpus;
}

}  // namespace

const std::vector<std::string>& shown_keys() {
  static const std::vector<std::string> kKeys = {"name",    "summary", "text",  "gpus",  "sample",
                                                 "metrics", "theory",  "plots", "expect"};
  return kKeys;
}

void read_shown(const Json& root, const std::vector<AxisInfo>& own, JsonReader& reader, Study& study) {
  study.name = reader.text(root, "name");
  if (study.name.empty()) study.name = printable(stem(reader.file()));
  study.summary = reader.text(root, "summary");
  if (study.summary.empty()) study.summary = study.name;
  study.text = reader.text(root, "text");
  if (const Json* sample = root.find("sample")) reader.flag(*sample, "sample", study.sample);
  study.metrics = reader.words(root, "metrics");
  study.theory = reader.words(root, "theory");
  if (const Json* gpus = root.find("gpus")) study.gpus = read_gpus(*gpus, reader);
  study.plots = report::read_plots(root, own, reader);
  study.expect = read_expectations(root, reader);
}

Result<Study> read_study(const std::string& file, std::string_view text) {
  auto root = parse_json(text, file);
  if (!root) return root.error();
  JsonReader reader(file);
  std::vector<std::string> keys = shown_keys();
  keys.insert(keys.begin() + 3, {"full", "quick"});
  if (!reader.members(*root, "a study file", keys)) return reader.errors;
  Study study;
  if (const Json* full = root->find("full"))
    study.full = read_sweeps(*full, "full", reader);
  else
    reader.complain(*root, "'full' is missing", "the list of what to run: {\"kernel\": …, \"n\": …}");
  study.quick = root->find("quick") ? read_sweeps(*root->find("quick"), "quick", reader) : study.full;
  read_shown(*root, {}, reader, study);
  if (!reader.errors.empty()) return reader.errors;
  return study;
}

}  // namespace ww::study
