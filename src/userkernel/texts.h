// Texts of a study file worked out for one configuration: expressions of its axes become numbers.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "device/device.h"
#include "userkernel/study_file.h"

namespace ww::userkernel {

using AxisValues = std::map<std::string, std::string>;

/// "{tile}" becomes the axis' value wherever an axis of this name exists.
std::string with_values(const std::string& text, const AxisValues& values);

/// A whole number. Errors, located: of the expression; real numbers; less than `least` or more than `most`.
Result<int64_t> whole_number(const StudyText& text, const AxisValues& values, int64_t least, int64_t most);

/// One to three numbers of blocks or threads.
Result<device::Dim3> extent_of(const std::vector<StudyText>& texts, const AxisValues& values);

/// "NAME=tile" as "NAME=16"; "TYPE=type" as "TYPE=float"; what is no expression stays.
Result<std::string> define_of(const StudyText& text, const AxisValues& values);

/// An argument as `launch` takes it: "random:f32[n*n]" as "random:f32[65536]", "n" as "256", files relative
/// to `folder` ("" or ending in '/'); out arrays without a file are written nowhere.
Result<std::string> argument_of(const StudyText& text, const AxisValues& values, const std::string& folder);

/// The axes that a text may depend on, of those that exist.
std::vector<std::string> axes_in(const std::string& text, const std::vector<StudyAxis>& axes);
/// Those that the sizes of its arrays depend on: what is computed, not how.
std::vector<std::string> axes_in_sizes(const std::string& argument, const std::vector<StudyAxis>& axes);

/// An out array that no file is written for has this path.
inline constexpr const char* kNowhere = "/dev/null";

}  // namespace ww::userkernel
