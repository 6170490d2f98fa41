// The page of a recording, and the values that it needs when the user gave none.
#pragma once

#include <string>
#include <vector>

#include "report/page.h"
#include "watch/watch.h"

namespace ww::cli {

/// Axes that were not given: the smallest block that the kernel was compiled for and that makes no more than
/// 64 blocks, r = 1, the usual k, and the smallest n that shows something.
void complete_for_watching(kernels::Config& config, const kernels::Case& chosen);

/// Takes the cells' values out of the recording if the page would be larger than kMostPageBytes with them.
/// Error: it is larger without them, too.
Result<std::string> watch_page(watch::Recording& recording, const std::string& language);
/// Writes the recording as JSON or as a page, says what it is, and returns the exit code. `out` empty: JSON
/// to the terminal, the page to watch.html.
int deliver_watch(watch::Recording& recording, bool json, const std::string& out,
                  const std::string& language);
/// The same for two recordings side by side.
int deliver_beside(std::vector<watch::Recording>& recordings, const std::string& out,
                   const std::string& language);
inline constexpr size_t kMostPageBytes = 5'000'000;

/// Writes a picture of each of the page's kernels at a small size, as the table's first GPU does it, into
/// `folder` (which ends in '/') and names it in the kernel's listing. A kernel that cannot be shown gets
/// none. Error: a file cannot be written.
Status add_pictures(report::Page& page, const std::string& folder);

/// "watch.html: 33 steps, 528 accesses of 16 warps".
std::string summary(const watch::Recording& recording, const std::string& file);

}  // namespace ww::cli
