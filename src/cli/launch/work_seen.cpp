#include "cli/launch/work_seen.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "analysis/uses.h"
#include "engine/decode/program.h"
#include "ir/accesses.h"

namespace ww::cli {

namespace {

/// The registers of a function that may point into the compiler's own tables (__cudart_i2opi_f: the digits of
/// 2/π that sinf and cosf read for large arguments).
std::set<ir::RegId> table_pointers(const ir::Module& module, const ir::Function& function) {
  std::set<ir::RegId> pointers;
  const auto points = [&](const ir::Operand& o) {
    if (o.reg != ir::kNone && pointers.contains(o.reg)) return true;
    return o.symbol != ir::kNone && module.symbols[o.symbol].name.starts_with("__cudart_");
  };
  for (size_t known = 1; known != pointers.size();) {  // until nothing is new
    known = pointers.size();
    for (const ir::Block& block : function.blocks)
      for (const ir::Instruction& in : block.instructions)
        if (ir::accesses_of(in).empty() && std::any_of(in.operands.begin(), in.operands.end(), points))
          analysis::each_definition(function, in, [&](ir::RegId r) { pointers.insert(r); });
  }
  return pointers;
}

}  // namespace

void WorkSeen::launch_begins(const engine::Program& program, int) {
  std::map<const ir::Function*, std::set<ir::RegId>> tables_of;
  for (uint32_t i = 0; i < program.infos.size(); ++i) {
    const engine::InstInfo& info = program.infos[i];
    if (!info.function->entry) continue;
    const auto accesses = ir::accesses_of(*info.instruction);
    if (std::none_of(accesses.begin(), accesses.end(),
                     [](const ir::Access& a) { return a.space == ir::Space::Global; }))
      continue;
    auto [tables, fresh] = tables_of.try_emplace(info.function);
    if (fresh) tables->second = table_pointers(*program.module, *info.function);
    const auto& operands = info.instruction->operands;
    if (std::any_of(operands.begin(), operands.end(), [&](const ir::Operand& o) {
          return o.kind == ir::Operand::Kind::Memory && tables->second.contains(o.reg);
        }))
      continue;
    const Location at = ir::location(*program.module, info.instruction->place);
    if (at.file.ends_with(".h") || at.file.ends_with(".hpp")) continue;  // of the compiler
    accesses_.emplace_back(i, fmt::format("{}:{}", at.file.substr(at.file.rfind('/') + 1), at.line));
  }
}

void WorkSeen::memory(int, const events::Memory& e) {
  constexpr size_t kMostAddresses = 1 << 20;
  if (e.space != ir::Space::Global) return;
  reached.insert(e.instruction);
  if (warps_.insert({e.block, e.warp}).second) ++busy;
  if (!e.store()) loading.insert(e.block);
  if (e.load()) {
    for (uint32_t lane = 0; lane < 32 && loaded_.size() < kMostAddresses; ++lane)
      if (e.mask >> lane & 1) loaded_.insert(e.first + static_cast<uint64_t>(e.offsets[lane]));
    return;
  }
  storing.insert(e.block);
  for (uint32_t lane = 0; lane < 32; ++lane) {
    if (!(e.mask >> lane & 1)) continue;
    ++written;
    if (e.atomic() || writer_.size() > kMostAddresses) continue;
    const uint64_t address = e.first + static_cast<uint64_t>(e.offsets[lane]);
    const auto [it, first] = writer_.try_emplace(address, e.block);
    if (!first && it->second != e.block) ++covered;
  }
}

std::vector<std::string> WorkSeen::never_reached() const {
  std::set<std::string> ran;  // the compiler may have copied some accesses of a line
  for (const auto& [instruction, line] : accesses_)
    if (reached.contains(instruction)) ran.insert(line);
  std::vector<std::string> lines;
  for (const auto& [instruction, line] : accesses_)
    if (!ran.contains(line) && std::find(lines.begin(), lines.end(), line) == lines.end())
      lines.push_back(line);
  return lines;
}

}  // namespace ww::cli
