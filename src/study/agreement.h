// Where two origins of one number agree, and where they begin to differ.
#pragma once

#include <vector>

#include "base/table.h"
#include "report/page.h"

namespace ww::study {

/// A sentence for each metric that rows of one configuration have twice, once as reference (measured, else
/// published) and once as modelled, counted or theory: how far they differ in the middle, and where most. At
/// most eight, those with most values.
void add_agreement(const Table& table, std::vector<report::Conclusion>& out);

}  // namespace ww::study
