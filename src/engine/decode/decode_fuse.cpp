// Which instructions run together.
#include "engine/decode/decode.h"

#include "analysis/uses.h"

namespace ww::engine {

/// Registers that are written once and read once, the reading later in the block of the writing.
std::vector<bool> FunctionDecoder::read_once() const {
  struct Seen {
    int writes = 0, reads = 0;
    ir::BlockId block = ir::kNone;  ///< of the first writing
    bool behind = false;            ///< the first reading is in that block, after it
  };
  const ir::Function& f = function();
  std::vector<Seen> seen(f.registers.size());
  for (ir::BlockId b = 0; b < f.blocks.size(); ++b)
    for (const ir::Instruction& in : f.blocks[b].instructions) {
      analysis::each_use(f, in, [&](ir::RegId r) {
        if (seen[r].reads++ == 0) seen[r].behind = seen[r].block == b;
      });
      analysis::each_definition(f, in, [&](ir::RegId r) {
        if (seen[r].writes++ == 0) seen[r].block = b;
      });
    }
  for (const auto* list : {&f.params, &f.results})
    for (const ir::Param& p : *list)
      if (p.reg != ir::kNone) ++seen[p.reg].writes, ++seen[p.reg].reads;
  std::vector<bool> once(seen.size());
  for (size_t r = 0; r < seen.size(); ++r)
    once[r] = seen[r].writes == 1 && seen[r].reads == 1 && seen[r].behind;
  return once;
}

/// Lets handlers carry on with instructions behind their own. Not over the start of a block: lanes may come
/// from elsewhere there.
void FunctionDecoder::fuse() {
  std::vector<Inst>& code = code_.code;
  std::vector<bool> once = read_once();
  // The operands of a product are looked at again where it is chosen.
  for (const auto& [choice, products] : index_products_.chosen)
    for (const analysis::ChosenProduct& chosen : products)
      analysis::each_use(function(), *chosen.product, [&](ir::RegId r) { once[r] = false; });
  for (Inst& i : code) {
    const ir::Instruction* made_from = code_.instruction(i);
    if (!made_from) continue;
    const ir::Instruction& in = *made_from;
    if (in.guard != ir::kNone || in.operands.empty() || in.operands[0].kind != ir::Operand::Kind::Register)
      continue;
    i.read_once = once[in.operands[0].reg] && slots_[in.operands[0].reg] == i.dst;
  }
  for (const Inst& i : code) code_.plain.push_back(i.full), code_.masked.push_back(i.masked);
  for (size_t b = 0; b < block_start_.size(); ++b) {
    const size_t end = b + 1 < block_start_.size() ? block_start_[b + 1] : code.size();
    // Forwards: what stands behind still has the handlers that it was decoded with.
    for (size_t k = block_start_[b]; k < end; ++k)
      if (Handler fused = options_.lanes->fuse(&code[k], static_cast<int>(end - k))) code[k].full = fused;
  }
  for (const Inst& i : code) code_.fused.push_back(i.full);
}

}  // namespace ww::engine
