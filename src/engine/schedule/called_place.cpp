#include "engine/schedule/called_place.h"

#include <fmt/format.h>

#include <algorithm>

#include "engine/schedule/launch_state.h"
#include "ir/places.h"

namespace ww::engine {

namespace {

using Chain = std::vector<Location>;

/// Whether its address is taken anywhere: then it may be called through it.
bool has_address(const Program& program, ir::SymbolId function) {
  for (const InstInfo& info : program.infos) {
    if (!info.instruction) continue;
    for (const ir::Operand& o : info.instruction->operands)
      if (o.kind == ir::Operand::Kind::Address && o.symbol == function) return true;
  }
  for (const ir::Variable& v : program.module->variables)
    for (const ir::Relocation& r : v.relocations)
      if (r.symbol == function) return true;
  return false;
}

/// The only place of the user's from which a function of the program is called, maybe through others of
/// CUDA's headers; empty: there is none, or there are several.
Chain only_call(const Program& program, const ir::Function& function) {
  const ir::Module& module = *program.module;
  std::vector<const ir::Function*> called{&function};
  Chain only;
  for (size_t k = 0; k < called.size(); ++k) {
    if (has_address(program, called[k]->symbol)) return {};
    for (const InstInfo& info : program.infos) {
      if (!info.instruction || info.instruction->call < 0) continue;
      const ir::SymbolId target = info.function->calls[static_cast<size_t>(info.instruction->call)].target;
      if (target != called[k]->symbol) continue;
      Chain chain = ir::inlining_chain(module, *info.function, info.instruction->place);
      if (!ir::has_users_place(module, chain))
        chain = ir::place_before(module, *info.function, *info.instruction);
      if (chain.empty()) {
        if (std::find(called.begin(), called.end(), info.function) == called.end())
          called.push_back(info.function);
        continue;
      }
      if (!only.empty() && only[ir::users_place(only)] != chain[ir::users_place(chain)]) return {};
      only = std::move(chain);
    }
  }
  return only;
}

}  // namespace

std::vector<Location> chain_with_call(const Program& program, u32 index) {
  const ir::Module& module = *program.module;
  const InstInfo& info = program.infos[index];
  Chain chain = ir::inlining_chain(module, *info.function, info.instruction->place);
  if (module.files.empty() || ir::has_users_place(module, chain)) return chain;
  Chain call = ir::place_before(module, *info.function, *info.instruction);
  if (call.empty()) call = only_call(program, *info.function);
  if (call.empty()) return chain;
  if (chain[0].file == module.name) chain.clear();  // a line of the PTX text is no place to look at
  chain.insert(chain.end(), call.begin(), call.end());
  return chain;
}

Location users_line(const Program& program, u32 index) {
  const auto chain = chain_with_call(program, index);
  return chain[ir::users_place(chain)];
}

std::string place_text(const Program& program, u32 index) {
  const InstInfo& info = program.infos[index];
  const Location where = users_line(program, index);
  std::string text = fmt::format("{}:{}", where.file, where.line);
  if (where.file != program.module->name)
    text += fmt::format(" (PTX line {})", info.instruction->place.ptx_line);
  return text;
}

std::string place_with_calls(const Program& program, u32 instruction) {
  const auto chain = chain_with_call(program, instruction);
  std::string text = place_text(program, instruction);
  for (size_t k = ir::users_place(chain) + 1; k < chain.size(); ++k)
    text += fmt::format(", called at {}:{}", chain[k].file, chain[k].line);
  return text;
}

}  // namespace ww::engine
