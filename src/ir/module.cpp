#include "ir/module.h"

namespace ww::ir {

const Function* Module::find_function(const std::string& name) const {
  for (const Function& f : functions)
    if (symbols[f.symbol].name == name) return &f;
  return nullptr;
}

Space space_of(Mod mod) {
  switch (mod) {
    case Mod::global: return Space::Global;
    case Mod::const_: return Space::Const;
    case Mod::local: return Space::Local;
    case Mod::param:
    case Mod::param_entry:
    case Mod::param_func: return Space::Param;
    case Mod::shared:
    case Mod::shared_cta:
    case Mod::shared_cluster: return Space::Shared;
    default: return Space::None;
  }
}

Space space_of(const Instruction& instruction) {
  for (Mod mod : instruction.chosen)
    if (Space space = space_of(mod); space != Space::None) return space;
  return Space::None;
}

Location location(const Module& module, const Place& place) {
  if (auto it = module.files.find(place.file); it != module.files.end() && place.line > 0)
    return {it->second, place.line, 0, 1};
  return {module.name, place.ptx_line, place.ptx_column, 1};
}

}  // namespace ww::ir
