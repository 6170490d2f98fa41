// How many shared accesses of each width a kernel has: as the pass says, and as
// tests/data/shared_accesses.ptx notes.
#pragma once

#include <map>
#include <sstream>
#include <string>

#include "ir/module.h"
#include "ptxas/merge_shared.h"

namespace ww::ptxas {

using Widths = std::map<std::string, int>;  ///< "LDS.128" → count

inline Widths predicted_widths(const ir::Module& module, const ir::Function& function, int sm) {
  Merges merges = merge_shared(module, function, sm);
  Widths out;
  for (const Merge& merge : merges.merges)
    ++out[(merge.store ? "STS." : "LDS.") + std::to_string(8 * merge.bytes)];
  for (ir::BlockId b = 0; b < function.blocks.size(); ++b)
    for (uint32_t i = 0; i < function.blocks[b].instructions.size(); ++i) {
      const ir::Instruction& in = function.blocks[b].instructions[i];
      bool store = in.op == ir::Op::st;
      if ((in.op != ir::Op::ld && !store) || ir::space_of(in) != ir::Space::Shared || merges.find({b, i}))
        continue;
      const auto& value = in.operands[store ? 1 : 0];
      size_t count = value.elements.empty() ? 1 : value.elements.size();
      ++out[(store ? "STS." : "LDS.") + std::to_string(8 * isa::bytes(in.type()) * static_cast<int>(count))];
    }
  return out;
}

inline Widths widths_of(const std::string& text) {
  std::istringstream words(text);
  Widths out;
  for (std::string word; words >> word;) out[word.substr(word.find('x') + 1)] = std::stoi(word);
  return out;
}

/// The kernels of shared_accesses.ptx with what is expected of them for that compute capability.
inline std::map<std::string, Widths> expected_widths(const std::string& ptx, int sm) {
  std::istringstream lines(ptx);
  std::map<std::string, Widths> out;
  std::string expected;
  for (std::string line; std::getline(lines, line);) {
    static const std::string kMark = "// expect: ", kLater = " from 90: ", kEntry = ".visible .entry ";
    if (line.compare(0, kMark.size(), kMark) == 0) {
      size_t later = line.find(kLater);
      expected = later == line.npos ? line.substr(kMark.size())
                 : sm >= 90         ? line.substr(later + kLater.size())
                                    : line.substr(kMark.size(), later - kMark.size());
    } else if (line.compare(0, kEntry.size(), kEntry) == 0) {
      out[line.substr(kEntry.size(), line.find('(') - kEntry.size())] = widths_of(expected);
    }
  }
  return out;
}

}  // namespace ww::ptxas
