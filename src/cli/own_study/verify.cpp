// Whether the arrays of a configuration hold what its study says.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/text.h"
#include "cli/own_study/prepared.h"
#include "userkernel/agreement.h"
#include "userkernel/numpy.h"
#include "userkernel/texts.h"

namespace ww::cli {

Result<npy::Array> OwnRunner::output_of(const std::string& name, const std::string& argument,
                                        const AxisValues& values) {
  const auto kernel = std::find_if(study_.kernels.begin(), study_.kernels.end(),
                                   [&](const StudyKernel& k) { return k.name == name; });
  if (kernel == study_.kernels.end()) {
    std::vector<std::string> names;
    for (const StudyKernel& k : study_.kernels) names.push_back(k.name);
    return error(fmt::format("the study has no kernel '{}'", printable(name)),
                 fmt::format("it has {}", fmt::join(names, ", ")));
  }
  AxisValues own;  // where it has axes of its own, the first values
  for (const StudyAxis& axis : study_.axes) {
    if (std::find(kernel->axes.begin(), kernel->axes.end(), axis.info.name) == kernel->axes.end()) continue;
    const auto limited = kernel->values.find(axis.info.name);
    const auto given = values.find(axis.info.name);
    const auto& all = limited == kernel->values.end() ? axis.values : limited->second;
    const bool taken =
        given != values.end() &&
        (limited == kernel->values.end() || std::find(all.begin(), all.end(), given->second) != all.end());
    own[axis.info.name] = taken ? given->second : all.front();
  }
  auto prepared = prepare(*kernel, own);
  if (!prepared) return prepared.error();
  const std::string key = prepared->key + argument;
  if (key == output_key_) return output_;
  auto ran = launch(*prepared, false, nullptr);
  if (!ran) return ran.error();
  const Chain& chain = **ran;
  if (chain.fault()) return error(fmt::format("{}: {}", name, chain.fault()->message));
  const auto at = chain.arrays.find(argument);
  if (at == chain.arrays.end())
    return error(fmt::format("'{}' has no array '{}'", printable(name), printable(argument)));
  output_ = {at->second.dtype, at->second.shape, std::vector<std::byte>(at->second.bytes)};
  if (auto ok = device_.read(at->second.address, output_.bytes); !ok) return ok.error();
  output_key_ = key;
  return output_;
}

Result<npy::Array> OwnRunner::reference_of(const StudyCheck& check, const StudyConfiguration& configuration,
                                           const Prepared& prepared, const Chain& chain) {
  std::string text = userkernel::with_values(check.reference.text, configuration.values);
  if (text.starts_with("kernel:")) return output_of(text.substr(7), check.name, configuration.values);
  if (text.ends_with(".npy")) return npy::read(text.starts_with('/') ? text : folder_ + text);
  if (is_numpy(text)) text = text.substr(6);
  return userkernel::numpy_value(text, prepared.words, chain.inputs);
}

Status OwnRunner::verify(const StudyConfiguration& configuration, const Prepared& prepared,
                         const Chain& chain, Row& row) {
  const StudyKernel& kernel = *prepared.kernel;
  bool right = true;
  double max_error = 0, of_bound = 0;
  std::string wrong;
  size_t checked = 0;
  for (const StudyCheck& check : kernel.checks) {
    if (check.reference.text == "kernel:" + kernel.name) continue;  // says nothing
    ++checked;
    const auto located = [&](const Diagnostics& why) {
      return error_at(check.reference.where, fmt::format("{}: {}", check.name, why[0].message), why[0].hint);
    };
    const auto at = chain.arrays.find(check.name);
    if (at == chain.arrays.end())
      return error_at(check.reference.where, fmt::format("{} is not an array", check.name));
    npy::Array found{at->second.dtype, at->second.shape, std::vector<std::byte>(at->second.bytes)};
    if (auto ok = device_.read(at->second.address, found.bytes); !ok) return ok;
    auto reference = reference_of(check, configuration, prepared, chain);
    if (!reference) return located(reference.error());
    auto agreement = userkernel::compare_arrays(found, *reference, kernel.relative, kernel.absolute);
    if (!agreement) return located(agreement.error());
    max_error = std::isnan(agreement->max_error) ? NAN : std::max(max_error, agreement->max_error);
    of_bound = std::max(of_bound, agreement->of_bound);
    if (agreement->wrong == 0) continue;
    right = false;
    wrong += fmt::format("{}{}: {} of {} elements; first: {}", wrong.empty() ? "" : "; ", check.name,
                         agreement->wrong, agreement->elements, agreement->first);
  }
  if (checked == 0) return {};
  row.values.push_back({"verified", int64_t{right}, "", Provenance::Measured,
                        "1 if every element lies within its tolerance of the reference"});
  row.values.push_back(
      {"max_error", max_error, "", Provenance::Measured, "largest absolute difference from the reference"});
  row.values.push_back({"error_of_bound", of_bound, "", Provenance::Measured,
                        "largest difference from the reference as a part of its tolerance"});
  if (!right) row.values.push_back({"wrong", wrong, "", Provenance::Measured, "what the verification found"});
  return {};
}

}  // namespace ww::cli
