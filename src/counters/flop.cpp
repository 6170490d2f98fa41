#include <map>

#include "counters/counters.h"
#include "counters/products.h"

namespace ww::counters {

namespace {

/// Operations that one lane's execution is; 0 for what is not counted.
int flop_of_form(const isa::Form& form) {
  using isa::Pipe;
  if (form.pipe != Pipe::Fp32 && form.pipe != Pipe::Fp64 && form.pipe != Pipe::Half) return 0;
  if (form.mnemonic == "add" || form.mnemonic == "sub" || form.mnemonic == "mul") return 1;
  if (form.mnemonic == "fma" || form.mnemonic == "mad") return 2;
  return 0;
}

/// Operations of one warp's part in a product of matrices of floating-point numbers.
uint64_t flop_of_product(const ir::Instruction& in) {
  return isa::is_float(in.type(isa::Slot::dtype)) ? 2 * multiply_adds(in) : 0;
}

bool is_pair(isa::Type type) {
  return type == isa::Type::f16x2 || type == isa::Type::bf16x2 || type == isa::Type::f32x2;
}

uint64_t flop_of_products(const engine::RunResult& run) {
  uint64_t all = 0;
  for (size_t k = 0; k < run.executions.size(); ++k)
    all += flop_of_product(*run.program->infos[k].instruction) * run.executions[k].warps;
  return all;
}

}  // namespace

int64_t flop_of(const engine::RunResult& run) {
  uint64_t all = 0;
  for (size_t k = 0; k < run.executions.size(); ++k) {
    const ir::Instruction& in = *run.program->infos[k].instruction;
    if (const int flop = flop_of_form(in.form()))
      all += static_cast<uint64_t>(flop) * run.executions[k].threads * (is_pair(in.type()) ? 2 : 1);
  }
  all += flop_of_products(run);
  return static_cast<int64_t>(all);
}

void count_flop(const engine::RunResult& run, std::vector<Value>& out) {
  std::map<std::string, uint64_t> by_type{{"f32", 0}};
  std::map<std::string, uint64_t> by_operation{{"add", 0}, {"mul", 0}, {"fma", 0}};
  for (size_t k = 0; k < run.executions.size(); ++k) {
    const ir::Instruction& in = *run.program->infos[k].instruction;
    uint64_t flop = static_cast<uint64_t>(flop_of_form(in.form()));
    if (flop == 0) continue;
    isa::Type type = in.type();
    if (type == isa::Type::f32)
      by_operation[flop == 2                     ? "fma"
                   : in.form().mnemonic == "mul" ? "mul"
                                                 : "add"] += run.executions[k].threads;
    const bool pair = is_pair(type);
    flop *= run.executions[k].threads * (pair ? 2 : 1);
    std::string name(isa::name(type));
    if (pair) name.resize(name.size() - 2);
    by_type[name] += flop;
  }
  out.push_back(
      {"flop", flop_of(run), "flop", Provenance::Counted, "floating-point operations of all types"});
  for (const auto& [type, flop] : by_type)
    out.push_back(
        {"flop_" + type, static_cast<int64_t>(flop), "flop", Provenance::Counted, "of these, on " + type});
  if (const uint64_t products = flop_of_products(run))
    out.push_back({"flop_tensor", static_cast<int64_t>(products), "flop", Provenance::Counted,
                   "of these, by matrix instructions (mma, wmma, wgmma)"});
  for (const auto& [name, count] : by_operation)
    out.push_back({"thread_f" + name, static_cast<int64_t>(count), "inst", Provenance::Counted,
                   "float32 " + name + " instructions, counted per thread"});
}

}  // namespace ww::counters
