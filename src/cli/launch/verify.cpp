#include "cli/launch/verify.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cstdlib>

#include "base/text.h"
#include "userkernel/agreement.h"
#include "userkernel/numpy.h"

namespace ww::cli {

namespace {

Result<npy::Array> array_of(device::Device& device, const LaunchBuffers::Placed& at) {
  npy::Array out{at.dtype, at.shape, std::vector<std::byte>(at.bytes)};
  if (auto ok = device.read(at.address, out.bytes); !ok) return ok.error();
  return out;
}

Status parse_tolerance(const std::string& text, double& relative, double& absolute) {
  if (text.empty()) return {};
  const char* begin = text.c_str();
  char* end = nullptr;
  relative = std::strtod(begin, &end);
  bool good = end != begin && relative >= 0;
  absolute = 0;
  if (good && *end == ',') {
    begin = end + 1;
    absolute = std::strtod(begin, &end);
    good = end != begin && absolute >= 0;
  }
  if (good && *end == '\0') return {};
  return error(fmt::format("--tolerance {} is none", printable(text)),
               "for example 1e-5, or 1e-5,1e-8 (relative, absolute)");
}

}  // namespace

Result<LaunchVerification> LaunchVerification::make(const std::vector<std::string>& checks,
                                                    const std::string& tolerance,
                                                    const std::vector<LaunchArgument>& arguments,
                                                    const std::vector<Parameter>& parameters,
                                                    const SharedArrays& arrays) {
  LaunchVerification out;
  if (auto ok = parse_tolerance(tolerance, out.relative_, out.absolute_); !ok) return ok.error();
  if (checks.empty() && !tolerance.empty())
    return error("--tolerance is for --verify", "--verify 'out=in.T'");
  out.arrays_ = arrays;
  out.words_ = numbers_of(arguments, parameters);
  for (const std::string& text : checks) {
    const size_t equals = text.find('=');
    if (equals == text.npos || equals == 0 || equals + 1 == text.size())
      return error(fmt::format("--verify '{}' is not NAME=REFERENCE", printable(shortened(text, 100))),
                   "for example --verify 'out=factor*in' or --verify out=expected.npy");
    const std::string name = text.substr(0, equals);
    if (!out.arrays_.contains(name)) {
      std::vector<std::string> names;
      for (const auto& [known, at] : out.arrays_) names.push_back(known);
      const std::string near = nearest(name, names);
      return error(fmt::format("--verify: no array is called '{}'", printable(name)),
                   near.empty() ? fmt::format("there are {}", fmt::join(names, ", "))
                                : fmt::format("did you mean '{}'?", near));
    }
    const LaunchBuffers::Placed& at = out.arrays_.at(name);
    if (at.bfloat || at.table)
      return error(fmt::format(
          "--verify: {} {}", printable(name),
          at.bfloat ? "has elements of bf16, which NumPy does not know" : "is a table of pointers"));
    out.checks_.push_back({name, text.substr(equals + 1)});
  }
  return out;
}

Status LaunchVerification::keep_inputs(device::Device& device) {
  if (checks_.empty()) return {};
  for (const auto& [name, at] : arrays_) {
    auto array = array_of(device, at);
    if (!array) return array.error();
    inputs_[name] = std::move(*array);
  }
  return {};
}

Result<LaunchVerification::Verdict> LaunchVerification::check(device::Device& device) const {
  Verdict out;
  for (const One& one : checks_) {
    auto found = array_of(device, arrays_.at(one.name));
    if (!found) return found.error();
    auto reference = one.reference.ends_with(".npy")
                         ? npy::read(one.reference)
                         : userkernel::numpy_value(one.reference, words_, inputs_);
    const auto named = [&](const Diagnostics& why) {
      return error(fmt::format("--verify {}: {}", one.name, why[0].message), why[0].hint);
    };
    if (!reference) return named(reference.error());
    auto agreement = userkernel::compare_arrays(*found, *reference, relative_, absolute_);
    if (!agreement) return named(agreement.error());
    const bool right = agreement->wrong == 0;
    out.right &= right;
    out.text += right ? fmt::format("{}: all {} elements agree with {} (largest difference {:.3g})\n",
                                    one.name, agreement->elements, one.reference, agreement->max_error)
                      : fmt::format("{}: {} of {} elements differ from {}; first: {}\n", one.name,
                                    agreement->wrong, agreement->elements, one.reference, agreement->first);
  }
  return out;
}

}  // namespace ww::cli
