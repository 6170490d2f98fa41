// Which kernels of a study do the same, so that their times may be compared.
#pragma once

#include <map>
#include <string>

#include "userkernel/study_file.h"

namespace ww::userkernel {

/// What a kernel computes, and how that is known.
struct Problem {
  /// Verified: all that are said to do the same have the same references (or one's with the other's). Said:
  /// by the study's file. Arrays: their arrays have the same types and sizes, more is not known.
  enum class Known { Verified, Said, Arrays };
  std::string name;  ///< the file's word for it, else the first kernel that does the same
  Known known = Known::Verified;
  bool operator==(const Problem&) const = default;
};

/// For each kernel. Two do the same if the file has the same word for both; where it has none for either, if
/// their results are compared with the same references, or, where one of them has no reference, if their
/// arrays have the same types and sizes. All have one problem where kernels of the laboratory stand beside
/// them: who chose those says that they do the same.
std::map<std::string, Problem> problems_of(const OwnStudy& study);

/// The value by which a row says that its problem is known otherwise than by verification; "" for those.
std::string known_by(Problem::Known known);

}  // namespace ww::userkernel
