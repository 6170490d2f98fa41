#include "study/study.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cassert>

#include "base/file.h"
#include "base/text.h"
#include "study/embedded.h"

namespace ww::study {

namespace {
constexpr uint64_t kMaxStudyFile = 1 << 20;  // bytes
}

const std::vector<Study>& all_studies() {
  static const std::vector<Study> kAll = [] {
    std::vector<Study> all;
    for (const Embedded& file : embedded_files()) {
      auto study = read_study(std::string(file.name), file.text);
      assert(study.ok());  // a test reads every built-in file
      if (study) all.push_back(std::move(*study));
    }
    return all;
  }();
  return kAll;
}

const std::vector<std::string>& headline_metrics() {
  static const std::vector<std::string> kAll = {"verified",
                                                "error_of_bound",
                                                "time|wall_time",
                                                "warp_instructions|",
                                                "flop|",
                                                "global_load_requests|",
                                                "global_store_requests|",
                                                "shared_load_requests|",
                                                "shared_store_requests|"};
  return kAll;
}

std::vector<std::string> shown_metrics(const Study& study) {
  std::vector<std::string> tags;
  for (const auto& tag : study.metrics.empty() ? headline_metrics() : study.metrics) {
    tags.push_back(tag);
    const std::string first = tag.substr(0, tag.find('|'));
    tags.push_back(first + "_of_published|");
    if (first == "time") tags.insert(tags.end(), {"time_low|", "time_high|", "not_modelled|"});
  }
  return tags;
}

Result<const Study*> find_study(std::string_view name) {
  std::vector<std::string> names;
  for (const Study& study : all_studies()) {
    if (study.name == name) return &study;
    names.push_back(study.name);
  }
  const std::string near = nearest(name, names);
  return error(fmt::format("there is no study \"{}\"", printable(name)),
               near.empty() ? fmt::format("the studies are {}; or a file: FILE.json", fmt::join(names, ", "))
                            : fmt::format("did you mean \"{}\"?", near));
}

Result<Study> open_study(const std::string& name) {
  if (name.ends_with(".json") || name.find('/') != name.npos) {
    auto text = read_file(name, kMaxStudyFile);
    if (!text) return text.error();
    return read_study(name, *text);
  }
  auto found = find_study(name);
  if (!found) return found.error();
  return **found;
}

}  // namespace ww::study
