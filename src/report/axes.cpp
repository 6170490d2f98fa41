#include "report/axes.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.h"

namespace ww::report {

namespace {

bool has_axis(const std::vector<Axis>& axes, Axis axis) {
  return std::find(axes.begin(), axes.end(), axis) != axes.end();
}

}  // namespace

const std::vector<Axis>& common_axes() {
  static const std::vector<Axis> kAxes = {Axis::Study, Axis::Kernel, Axis::Gpu,  Axis::Device, Axis("n"),
                                          Axis::Block, Axis("rx"),   Axis("ry"), Axis("r"),    Axis("k")};
  return kAxes;
}

std::vector<Axis> axes_of(const Table& table) {
  std::vector<Axis> axes = common_axes();
  for (const AxisInfo& info : table.axes)
    if (const Axis axis = axis_named(info.name); !has_axis(axes, axis)) axes.push_back(axis);
  for (const Row& row : table.rows)
    for (const auto& [axis, value] : row.axes)
      if (!value.empty() && !has_axis(axes, axis)) axes.push_back(axis);
  return axes;
}

std::vector<AxisInfo> own_axes(const Table& table) {
  std::vector<AxisInfo> own;
  for (const AxisInfo& info : table.axes)  // what the study says of axes that all results have
    if (has_axis(common_axes(), axis_named(info.name))) own.push_back(info);
  const std::vector<Axis> axes = axes_of(table);
  for (size_t a = common_axes().size(); a < axes.size(); ++a) {
    AxisInfo& info = own.emplace_back(AxisInfo{std::string(axes[a].name()), "", "", false});
    for (const AxisInfo& known : table.axes)
      if (known.name == info.name) info = known;
  }
  return own;
}

bool is_declarable(const std::string& name) {
  const Axis axis = axis_named(name);
  const bool place = axis == Axis::Study || axis == Axis::Kernel || axis == Axis::Gpu || axis == Axis::Device;
  return check_axis_name(name).ok() || (has_axis(common_axes(), axis) && !place);
}

Status check_axis_name(const std::string& name) {
  const auto letter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; };
  const auto inside = [&](char c) { return letter(c) || (c >= '0' && c <= '9'); };
  if (name.empty() || name.size() > 40 || !letter(name[0]) || !std::all_of(name.begin(), name.end(), inside))
    return error(fmt::format("'{}' is no name for an axis", printable(name)),
                 "letters, digits and '_', no digit first, at most 40");
  for (const char* taken : {"metric", "value", "unit", "provenance", "refused"})
    if (name == taken)
      return error(fmt::format("an axis cannot be called '{}'", name), "results have a column of that name");
  if (has_axis(common_axes(), axis_named(name)))
    return error(fmt::format("'{}' is an axis that all results have", name));
  return {};
}

}  // namespace ww::report
