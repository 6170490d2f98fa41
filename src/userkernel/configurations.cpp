// Every kernel of a study with every combination of the axes that it depends on.
#include <fmt/format.h>

#include <algorithm>

#include "base/text.h"
#include "userkernel/study_file.h"

namespace ww::userkernel {

namespace {

constexpr size_t kMostConfigurations = 100000;

}  // namespace

Result<std::vector<StudyConfiguration>> configurations(
    const OwnStudy& study, bool quick, const std::vector<std::string>& kernels,
    const std::map<std::string, std::vector<std::string>>& chosen) {
  Diagnostics wrong;
  std::vector<std::string> kernel_names, axis_names;
  for (const StudyKernel& kernel : study.kernels) kernel_names.push_back(kernel.name);
  for (const StudyAxis& axis : study.axes) axis_names.push_back(axis.info.name);
  const auto check = [&](const char* what, const std::string& name, const std::vector<std::string>& known) {
    if (std::find(known.begin(), known.end(), name) != known.end()) return;
    const std::string near = nearest(name, known);
    wrong.push_back(error(fmt::format("the study has no {} '{}'", what, printable(name)),
                          near.empty() ? fmt::format("it has {}", fmt::join(known, ", "))
                                       : fmt::format("did you mean '{}'?", near)));
  };
  for (const std::string& name : kernels) check("kernel", name, kernel_names);
  for (const auto& [name, values] : chosen) check("axis", name, axis_names);
  if (!wrong.empty()) return wrong;

  std::vector<StudyConfiguration> out;
  for (const StudyKernel& kernel : study.kernels) {
    if (!kernels.empty() && std::find(kernels.begin(), kernels.end(), kernel.name) == kernels.end()) continue;
    std::vector<StudyConfiguration> all = {{&kernel, {}}};
    for (const StudyAxis& axis : study.axes) {
      if (std::find(kernel.axes.begin(), kernel.axes.end(), axis.info.name) == kernel.axes.end()) continue;
      std::vector<std::string> values = quick && !axis.quick.empty() ? axis.quick : axis.values;
      if (const auto it = chosen.find(axis.info.name); it != chosen.end()) values = it->second;
      if (const auto own = kernel.values.find(axis.info.name); own != kernel.values.end())
        std::erase_if(values, [&](const std::string& v) {
          return std::find(own->second.begin(), own->second.end(), v) == own->second.end();
        });
      std::vector<StudyConfiguration> more;
      for (const StudyConfiguration& c : all)
        for (const std::string& value : values) {
          if (more.size() + out.size() >= kMostConfigurations)
            return error(fmt::format("the study has more than {} configurations", kMostConfigurations));
          more.push_back(c);
          more.back().values[axis.info.name] = value;
        }
      all = std::move(more);
    }
    out.insert(out.end(), all.begin(), all.end());
  }
  if (out.empty()) return error("no kernel of the study has these values of its axes");
  return out;
}

}  // namespace ww::userkernel
