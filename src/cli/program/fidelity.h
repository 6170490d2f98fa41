// `run --fidelity`: what of a program's run was exact, approximated, stood in for, without effect or refused.
#pragma once

#include <string>

namespace ww::cli {

/// The report, of the rows that the program's processes wrote (cuda/core/fidelity.h); lines that are no such
/// rows are left out.
std::string fidelity_report(const std::string& rows);

}  // namespace ww::cli
