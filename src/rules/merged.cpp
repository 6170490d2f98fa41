#include "rules/merged.h"

#include <map>

#include "ptxas/merge_shared.h"

namespace ww::rules {

std::vector<MergedAccess> merged_accesses(const engine::Program& program, Capability cc) {
  std::map<const ir::Instruction*, u32> index;
  for (u32 i = 0; i < program.infos.size(); ++i) index[program.infos[i].instruction] = i;
  std::vector<MergedAccess> out;
  for (const auto& code : program.functions) {
    const ir::Function& f = *code->function;
    for (const ptxas::Merge& merge : ptxas::merge_shared(*program.module, f, cc).merges) {
      MergedAccess m{{}, static_cast<u32>(merge.bytes)};
      for (const auto& at : merge.accesses)
        if (auto it = index.find(&f.blocks[at.block].instructions[at.index]); it != index.end())
          m.instructions.push_back(it->second);
      if (m.instructions.size() > 1) out.push_back(std::move(m));
    }
  }
  return out;
}

}  // namespace ww::rules
