// The best configurations at the other sizes of a problem.
#pragma once

#include <vector>

#include "base/table.h"
#include "study/contest.h"

namespace ww::study {

/// Sentences that go on from the one about `main`: the sizes n at which one configuration (kernel, block,
/// tile, k) is the best are one sentence, with the figures at the first and the last of them. At most four,
/// those of most sizes; `main` alone is none. `all` are contests of the same metric and origin.
void add_sizes(const Table& table, const std::vector<Contest>& all, const Contest& main,
               std::vector<report::Conclusion>& out);

}  // namespace ww::study
