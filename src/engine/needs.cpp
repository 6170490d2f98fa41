#include "engine/needs.h"

#include <set>

#include "engine/decode/program.h"

namespace ww::engine {

namespace {

using isa::Op;

/// Addresses that stand in for those that a device would give.
Layout any_layout(const ir::Module& module) {
  Layout layout;
  u64 global = kGlobalBase;
  for (ir::SymbolId s = 0; s < module.symbols.size(); ++s) {
    if (module.symbols[s].variable < 0) continue;
    ir::Space space = module.variable(s).space;
    if (space == ir::Space::Global) layout[s] = global += 0x10000;
    if (space == ir::Space::Const) layout[s] = 0;
  }
  return layout;
}

bool is_one_of(const std::string& name, std::initializer_list<const char*> names) {
  for (const char* n : names)
    if (name == n) return true;
  return false;
}

void features_of(const ir::Module& module, const ir::Function& f, const ir::Instruction& in,
                 std::set<std::string>& found) {
  const std::string id(in.form().id);
  const std::string& mnemonic = in.form().mnemonic;
  if (id.starts_with("barrier_cluster") || id.starts_with("mapa") || id == "getctarank")
    found.insert("clusters");
  if (id.starts_with("cp_bulk") || id.starts_with("cp_reduce_bulk")) found.insert("bulk copies");
  if (id.starts_with("cp_tensor") || id.starts_with("cp_reduce_tensor")) found.insert("tensor copies");
  if (id.starts_with("mbarrier")) found.insert("mbarriers");
  if (mnemonic == "wgmma") found.insert("warpgroup matrices");
  if (mnemonic == "mma" || (mnemonic == "wmma" && in.form().pipe == isa::Pipe::Tensor))
    found.insert("matrices");
  if (in.form().pipe == isa::Pipe::Texture) found.insert("textures");
  if (in.op == Op::griddepcontrol_wait || in.op == Op::griddepcontrol_launch)
    found.insert("dependent launches");
  for (const ir::Operand& o : in.operands)
    if (o.kind == ir::Operand::Kind::Special) {
      const std::string& name = ir::special_registers()[o.special].name;
      if (is_one_of(name, {"envreg1", "envreg2"})) found.insert("cooperative launch");
    }
  if (in.call < 0) return;
  const ir::Call& call = f.calls[static_cast<size_t>(in.call)];
  if (call.target == ir::kNone) {
    found.insert("calls through pointers");
  } else if (!module.function(call.target).defined) {
    const std::string& name = module.symbols[call.target].name;
    found.insert(name == "vprintf" ? "printf" : name == "__assertfail" ? "assert" : name);
  }
}

}  // namespace

std::vector<KernelNeeds> needs_of(std::shared_ptr<const ir::Module> module) {
  std::vector<KernelNeeds> all;
  const Layout layout = any_layout(*module);
  DecodeOptions options;
  options.lanes = lane_code();
  for (const ir::Function& f : module->functions) {
    if (!f.entry || !f.defined) continue;
    KernelNeeds& n = all.emplace_back();
    n.name = module->symbols[f.symbol].name;
    auto program = decode(module, f, layout, options);
    if (!program) {
      n.refused = program.error();
      continue;
    }
    const Program& p = **program;
    n.params_bytes = p.params_bytes;
    n.shared_bytes = p.shared_bytes;
    n.local_bytes = p.local_bytes;
    n.functions = static_cast<u32>(p.functions.size() - 1);
    n.dynamic_shared = p.dynamic_shared;
    std::set<std::string> features;
    for (const InstInfo& info : p.infos) features_of(*module, *info.function, *info.instruction, features);
    n.features.assign(features.begin(), features.end());
  }
  return all;
}

}  // namespace ww::engine
