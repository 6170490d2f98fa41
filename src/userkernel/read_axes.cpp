#include "userkernel/read_axes.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.h"
#include "report/axes.h"
#include "userkernel/texts.h"

namespace ww::userkernel {

std::vector<std::string> AxesReader::values_at(const Json& json, const std::string& axis) {
  std::vector<std::string> out;
  for (const Json* one : JsonReader::items(json)) {
    if (const auto* whole = one->get<int64_t>())
      out.push_back(std::to_string(*whole));
    else if (const auto* real = one->get<double>())
      out.push_back(fmt::format("{}", *real));
    else if (const auto* word = one->get<std::string>(); word && !word->empty())
      out.push_back(*word);
    else
      reader_.complain(*one, fmt::format("a value of '{}' is a number or a word, not {}", axis, one->kind()));
    if (!out.empty() && std::count(out.begin(), out.end(), out.back()) > 1)
      reader_.complain(*one, fmt::format("'{}' is there twice", printable(out.back())));
  }
  if (out.empty()) reader_.complain(json, fmt::format("the axis '{}' has no values", printable(axis)));
  return out;
}

void AxesReader::read(const Json& root) {
  const Json* json = root.find("axes");
  if (!json) return;
  const auto* object = json->get<Json::Object>();
  if (!object) {
    reader_.complain(*json, fmt::format("'axes' must be an object, not {}", json->kind()),
                     "for example {\"n\": [256, 1024], \"tile\": [16, 32]}");
    return;
  }
  for (const JsonMember& member : *object) read_axis(member);
  if (const Json* quick = root.find("quick")) read_quick(*quick);
}

void AxesReader::read_axis(const JsonMember& member) {
  if (!report::is_declarable(member.key)) {
    const Status why = report::check_axis_name(member.key);
    reader_.complain(member.where(reader_.file()), why.error()[0].message, why.error()[0].hint);
    return;
  }
  StudyAxis axis;
  axis.info.name = member.key;
  const Json& json = member.value;
  if (!json.get<Json::Object>()) {
    axis.values = values_at(json, member.key);
  } else if (reader_.members(json, "an axis", {"values", "quick", "label", "unit", "problem"})) {
    axis.info.label = reader_.text(json, "label");
    axis.info.unit = reader_.text(json, "unit");
    if (const Json* problem = json.find("problem")) {
      reader_.flag(*problem, "problem", axis.info.problem);
      said_problem_.push_back(member.key);
    }
    if (const Json* values = json.find("values"))
      axis.values = values_at(*values, member.key);
    else
      reader_.complain(json, "'values' is missing");
    if (const Json* quick = json.find("quick")) axis.quick = values_at(*quick, member.key);
  }
  axes_.push_back(std::move(axis));
  places_.push_back(member.where(reader_.file()));
}

void AxesReader::read_quick(const Json& quick) {
  const auto* object = quick.get<Json::Object>();
  if (!object) {
    reader_.complain(quick,
                     fmt::format("'quick' must be an object of axes and their values, not {}", quick.kind()));
    return;
  }
  for (const JsonMember& member : *object)
    if (StudyAxis* axis = axis_of(member.key, member.where(reader_.file())))
      axis->quick = values_at(member.value, member.key);
}

StudyAxis* AxesReader::axis_of(const std::string& name, const Location& where) {
  std::vector<std::string> names;
  for (StudyAxis& axis : axes_) {
    if (axis.info.name == name) return &axis;
    names.push_back(axis.info.name);
  }
  reader_.unknown(where, "axis", name, names);
  return nullptr;
}

void AxesReader::finish(const std::vector<StudyKernel>& kernels) {
  for (size_t i = 0; i < axes_.size() && reader_.errors.empty(); ++i) {
    StudyAxis& axis = axes_[i];
    const std::string& name = axis.info.name;
    const bool used = std::any_of(kernels.begin(), kernels.end(), [&](const StudyKernel& k) {
      return std::find(k.axes.begin(), k.axes.end(), name) != k.axes.end();
    });
    if (!used)
      reader_.complain(places_[i], fmt::format("no kernel depends on the axis '{}'", name),
                       "name it in 'grid', 'block', 'args', 'define', …");
    if (std::find(said_problem_.begin(), said_problem_.end(), name) != said_problem_.end()) continue;
    for (const StudyKernel& kernel : kernels)
      for (const StudyArgument& argument : kernel.arguments) {
        const auto names = axes_in_sizes(argument.text.text, axes_);
        axis.info.problem |= std::find(names.begin(), names.end(), name) != names.end();
      }
  }
}

}  // namespace ww::userkernel
