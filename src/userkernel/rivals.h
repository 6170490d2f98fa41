// Which kernels of a study do the same, so that their times may be compared.
#pragma once

#include <map>
#include <string>

#include "userkernel/study_file.h"

namespace ww::userkernel {

/// For each kernel the name of the first that does the same. Two do the same if their results are compared
/// with the same references (or one's with the other's), or, where one of them has no reference, if their
/// arrays have the same types and sizes. All have the first kernel's name where kernels of the laboratory
/// stand beside them: who chose those says that they do the same.
std::map<std::string, std::string> problems_of(const OwnStudy& study);

}  // namespace ww::userkernel
