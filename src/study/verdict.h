// What a table says in four answers: what is best, why, what to change, how sure that is.
#pragma once

#include <vector>

#include "base/table.h"
#include "report/page.h"

namespace ww::study {

/// Sentences "verdict.best…", "verdict.why…", "verdict.change…" and "verdict.sure…", in this order; the first
/// of each answer does not go on. About the problem that conclusions() begin with: measured times if there
/// are any, else modelled ones, else published ones; on the first GPU. Every change that is named was tried:
/// both figures are in the table. Where no two rows can be compared, the row of the largest problem: its
/// time, what binds it, the next limit. Empty where no row has a time.
/// `not_so`: expectations of the study that do not hold; the last answer says how many.
std::vector<report::Conclusion> verdict(const Table& table, size_t not_so = 0);

/// Conclusions in the order of their worth to a reader: what is the best and by how much first, then what
/// makes a large difference, then that things are alike. Sentences stay behind the one that they go on from.
std::vector<report::Conclusion> ranked(std::vector<report::Conclusion> conclusions);

}  // namespace ww::study
