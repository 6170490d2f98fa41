// The axes of a study file.
#pragma once

#include <string>
#include <vector>

#include "base/json_reader.h"
#include "userkernel/study_file.h"

namespace ww::userkernel {

/// Complaints go to the reader.
class AxesReader {
 public:
  explicit AxesReader(JsonReader& reader) : reader_(reader) {}

  /// 'axes' and 'quick'.
  void read(const Json& root);
  /// Numbers and words as texts; an empty list is wrong.
  std::vector<std::string> values_at(const Json& json, const std::string& axis);
  /// Null, with a complaint, where there is none of this name.
  StudyAxis* axis_of(const std::string& name, const Location& where);
  /// An axis that no kernel depends on is a mistake. One that sizes depend on is part of the problem.
  void finish(const std::vector<StudyKernel>& kernels);

  std::vector<StudyAxis>& axes() { return axes_; }
  const std::vector<StudyAxis>& axes() const { return axes_; }

 private:
  void read_axis(const JsonMember& member);
  void read_quick(const Json& quick);

  JsonReader& reader_;
  std::vector<StudyAxis> axes_;
  std::vector<Location> places_;           // of the axes
  std::vector<std::string> said_problem_;  // axes of which the file says whether they are part of the problem
};

}  // namespace ww::userkernel
