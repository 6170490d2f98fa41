// What each source line costs on a GPU and should not, in sentences that quote its counters.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "base/said.h"
#include "base/table.h"
#include "gpus/gpu.h"

namespace ww::model {

/// The text of a source line, without its end; "" where it is not known.
using SourceLine = std::function<std::string(const std::string& file, int line)>;

/// Of all that a GPU does, what less than this part concerns is not worth a sentence.
inline constexpr double kWorthTelling = 0.05;

/// A sentence and what it concerns (ms, bytes, warps: the same for all that are ranked together).
struct Finding {
  double weight;
  Said said;
  const char* kind = "";   ///< of a line: "uncoalesced access", "bank conflicts", "divergence"
  std::string place = {};  ///< of a line: "file.cu:12"
  double part = 0;         ///< of a line: its weight over all that the GPU does of that
};

/// `lines`: a row for each line, named "file:12" on the axis kernel, with the counters that the GPU has
/// (counters::line_table). Told are: global loads and stores that take more 32-byte sectors (1.x:
/// transactions) than the bytes they ask for fill, shared accesses with bank conflicts and their degree, and
/// lines that run with few of a warp's lanes; of each kind the worst three, as far as they concern at least a
/// twentieth of all of it.
std::vector<Finding> line_findings(const gpus::Gpu& gpu, const Table& lines, const SourceLine& source);
/// What they say.
std::vector<Said> explain_lines(const gpus::Gpu& gpu, const Table& lines, const SourceLine& source);

}  // namespace ww::model
