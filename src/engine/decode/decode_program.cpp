// From an entry to a program: which functions it reaches, where its variables lie, then each function's code.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>

#include "analysis/reach.h"
#include "base/round.h"
#include "engine/decode/decode.h"

namespace ww::engine {

namespace {

/// Whether a function takes memory from the stack as it runs.
bool uses_alloca(const ir::Function& f) {
  for (const auto& b : f.blocks)
    for (const auto& in : b.instructions)
      if (in.op == isa::Op::alloca) return true;
  return false;
}

/// Gives each instruction its InstInfo, and each block and what follows a call in it a counter.
Numbers number(Program& program, const ir::Function& f) {
  Numbers n;
  const auto counter = [&] { return program.counted ? program.counters++ : 0; };
  for (ir::BlockId b = 0; b < f.blocks.size(); ++b) {
    n.first.push_back(static_cast<u32>(program.infos.size()));
    u32 reached = counter();
    n.counter.push_back(reached);
    for (const ir::Instruction& in : f.blocks[b].instructions) {
      const auto index = static_cast<u32>(program.infos.size());
      program.infos.push_back({&f, &in, b, in.guard == ir::kNone ? reached : counter()});
      if (in.op == isa::Op::call) n.behind[index] = reached = counter();
    }
  }
  return n;
}

/// The most local memory a chain of calls from f needs; ~0 if functions are recursive or called through
/// pointers.
/// `known`: of functions seen before; those on the way here have none yet.
u32 deepest(const Program& program, const FunctionCode& f,
            std::map<const FunctionCode*, std::optional<u32>>& known) {
  if (auto [it, fresh] = known.try_emplace(&f); !fresh) return it->second.value_or(~u32{0});
  u32 below = 0;
  for (size_t c = 0; c < f.function->calls.size() && below != ~u32{0}; ++c) {
    const ir::Call& call = f.function->calls[c];
    if (f.inlined && f.inlined->passes[c].callee != ir::kNone) continue;
    const int number = call.target == ir::kNone ? -1 : program.module->symbols[call.target].function;
    if (call.target == ir::kNone)
      below = ~u32{0};
    else if (const FunctionCode* g = number < 0 ? nullptr : program.by_number[static_cast<size_t>(number)])
      below = std::max(below, deepest(program, *g, known));
  }
  const u32 all = below == ~u32{0} ? below : below + f.local_bytes;
  known[&f] = all;
  return all;
}

void inline_calls(Program& program) {
  auto inlined = std::make_shared<analysis::Inlined>(analysis::inlined(*program.module, *program.entry));
  if (inlined->parts.empty()) return;
  FunctionCode& entry = *program.functions[0];
  entry.function = &inlined->function;
  entry.inlined = std::move(inlined);
}

}  // namespace

Result<std::unique_ptr<Program>> decode(std::shared_ptr<const ir::Module> module, const ir::Function& entry,
                                        const Layout& globals, const DecodeOptions& options) {
  auto program = std::make_unique<Program>();
  program->module = module;
  program->entry = &entry;
  program->counted = options.counted;
  const analysis::Reach found = analysis::reach(*module, entry);

  Layout layout = globals;
  const auto place = [&](ir::SymbolId s, u32 at) {
    const auto bytes = static_cast<u32>(module->variable(s).bytes);
    layout[s] = at;
    program->shared.push_back({s, at, bytes});
    program->shared_bytes = at + bytes;
  };
  // Static arrays first. The dynamic ones (without a size) all start at one place behind them; what is left
  // free before it counts as static, as ptxas has it.
  std::vector<ir::SymbolId> dynamic;
  u32 alignment = 16;
  for (ir::SymbolId s : found.shared) {
    const ir::Variable& v = module->variable(s);
    if (v.bytes > 0) {
      place(s, round_up(program->shared_bytes, std::max<u32>(1, v.alignment)));
    } else {
      dynamic.push_back(s);
      alignment = std::max(alignment, v.alignment);
    }
  }
  for (ir::SymbolId s : dynamic) place(s, round_up(program->shared_bytes, alignment));
  program->dynamic_shared = !dynamic.empty();
  for (const auto& [symbol, at] : globals)
    if (const ir::Variable& v = module->variable(symbol); v.space == ir::Space::Const)
      program->constants.push_back({symbol, static_cast<u32>(at), static_cast<u32>(v.bytes)});
  std::sort(program->constants.begin(), program->constants.end(),
            [](const auto& a, const auto& b) { return a.offset < b.offset; });
  for (const auto& p : entry.params) {
    const ir::Variable& v = module->variable(p.symbol);
    u32 at = round_up(program->params_bytes, std::max<u32>(1, v.alignment));
    layout[p.symbol] = at;
    program->params.push_back({at, static_cast<u32>(v.bytes)});
    program->params_bytes = at + static_cast<u32>(v.bytes);
  }

  program->by_number.resize(module->functions.size());
  for (const ir::Function* f : found.functions) {
    auto code = std::make_unique<FunctionCode>();
    code->function = f;
    code->id = static_cast<u32>(program->functions.size());
    program->by_number[static_cast<size_t>(module->symbols[f->symbol].function)] = code.get();
    program->functions.push_back(std::move(code));
  }
  Diagnostics problems;
  for (const ir::Function* f : found.functions)
    problems.insert(problems.end(), f->refused.begin(), f->refused.end());
  for (ir::SymbolId s : found.undefined)
    problems.push_back(
        error_at({module->name, module->symbols[s].place.ptx_line, 1, 1},
                 fmt::format("external variable {} is not defined anywhere", module->symbols[s].name)));
  NumbersOf numbers;
  for (const ir::Function* f : found.functions) numbers[f] = number(*program, *f);
  if (options.inlines) inline_calls(*program);
  std::vector<std::unique_ptr<FunctionDecoder>> decoders;
  for (auto& f : program->functions) {
    decoders.push_back(std::make_unique<FunctionDecoder>(*program, *f, layout, options, numbers, problems));
    decoders.back()->prepare();
  }
  for (auto& d : decoders) d->run();
  if (!problems.empty()) return problems;
  std::map<const FunctionCode*, std::optional<u32>> known;
  u32 local = deepest(*program, *program->functions[0], known);
  program->recursive = local == ~u32{0} || std::any_of(found.functions.begin(), found.functions.end(),
                                                       [](auto* f) { return uses_alloca(*f); });
  program->local_bytes = program->recursive ? options.stack_bytes : local;
  return program;
}

}  // namespace ww::engine
