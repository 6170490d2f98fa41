#include "cli/launch/kernel_shape.h"

#include <algorithm>
#include <bit>
#include <map>
#include <optional>
#include <set>

namespace ww::cli {

namespace {

using OperandKind = ir::Operand::Kind;

const std::string& special_name(const ir::Operand& o) {
  static const std::string kNone;
  return o.kind == OperandKind::Special ? ir::special_registers()[o.special].name : kNone;
}

template <class F>
void each_instruction(const ir::Function& f, const F& visit) {
  for (const ir::Block& block : f.blocks)
    for (const ir::Instruction& in : block.instructions) visit(in);
}

/// The directions that some of the registers tid.*, ctaid.* ask for.
uint64_t directions(const ir::Function& f, const std::string& what) {
  uint64_t out = 1;
  each_instruction(f, [&](const ir::Instruction& in) {
    for (const ir::Operand& o : in.operands) {
      if (special_name(o) == what + ".y") out = std::max<uint64_t>(out, 2);
      if (special_name(o) == what + ".z") out = 3;
    }
  });
  return out;
}

/// What an integer is multiplied by, where the instruction is such a product of 32 bits: a constant, or a
/// register.
struct Factor {
  ir::RegId of = ir::kNone, by = ir::kNone;
  uint64_t constant = 0;
};

std::vector<Factor> factors(const ir::Instruction& in) {
  const bool shift = in.op == isa::Op::shl;
  if (!shift && in.op != isa::Op::mul_lo && in.op != isa::Op::mad_lo) return {};
  if (in.operands.size() < 3 || isa::bytes(in.type()) != 4) return {};
  const ir::Operand &a = in.operands[1], &b = in.operands[2];
  std::vector<Factor> out;
  const auto add = [&](const ir::Operand& x, const ir::Operand& y) {
    if (x.kind != OperandKind::Register) return;
    if (y.kind == OperandKind::Immediate && (!shift || y.bits < 16))
      out.push_back({x.reg, ir::kNone, shift ? uint64_t{1} << y.bits : y.bits & 0xffffffff});
    if (y.kind == OperandKind::Register && !shift) out.push_back({x.reg, y.reg, 0});
  };
  add(a, b);
  if (!shift) add(b, a);
  return out;
}

/// The registers that hold a special one, as moves have it.
std::map<ir::RegId, std::string> held_specials(const ir::Function& f) {
  std::map<ir::RegId, std::string> out;
  each_instruction(f, [&](const ir::Instruction& in) {
    if (in.op != isa::Op::mov || in.operands.size() < 2 || in.operands[0].kind != OperandKind::Register)
      return;
    if (const std::string& name = special_name(in.operands[1]); !name.empty()) out[in.operands[0].reg] = name;
  });
  return out;
}

/// The constant that the number of the block in one direction is multiplied by; 0 where there is none, or the
/// size of the block is one of its factors. The compiler may have multiplied by a size first.
uint64_t tile_of(const ir::Function& f, const std::map<ir::RegId, std::string>& held, char direction) {
  constexpr uint64_t kLeast = 4, kMost = 1024;
  const std::string block = std::string("ctaid.") + direction, threads = std::string("ntid.") + direction;
  std::set<ir::RegId> number;
  for (const auto& [reg, name] : held)
    if (name == block) number.insert(reg);
  uint64_t found = 0;
  bool by_threads = false;
  const auto look = [&](std::set<ir::RegId>& next) {
    each_instruction(f, [&](const ir::Instruction& in) {
      for (const Factor& factor : factors(in)) {
        if (!number.contains(factor.of)) continue;
        const auto it = held.find(factor.by);
        by_threads |= it != held.end() && it->second == threads;
        if (factor.by == ir::kNone && factor.constant >= kLeast && factor.constant <= kMost)
          found = std::max(found, factor.constant);
        if (factor.by != ir::kNone && in.op == isa::Op::mul_lo) next.insert(in.operands[0].reg);
      }
    });
  };
  std::set<ir::RegId> products, ignored;
  look(products);
  if (found == 0 && !by_threads) {
    number = products;
    look(ignored);
  }
  return by_threads ? 0 : found;
}

/// The bytes of an element of shared arrays, where indices are multiplied by something that is no alignment.
std::set<uint64_t> element_sizes(const ir::Function& f) {
  constexpr uint64_t kMost = 64;
  std::set<uint64_t> out;
  each_instruction(f, [&](const ir::Instruction& in) {
    for (const Factor& factor : factors(in))
      if (factor.constant > 1 && factor.constant <= kMost) out.insert(factor.constant);
  });
  return out;
}

}  // namespace

KernelShape kernel_shape(const ir::Module& module, const std::string& kernel) {
  KernelShape out;
  const ir::Function* f = module.find_function(kernel);
  if (!f) return out;
  out.grid = directions(*f, "ctaid");
  out.threads = directions(*f, "tid");
  const auto held = held_specials(*f);
  for (size_t d = 0; d < 3; ++d) out.tile[d] = tile_of(*f, held, "xyz"[d]);
  if (f->max_threads[0] > 0)
    out.most_threads =
        uint64_t{f->max_threads[0]} * std::max(f->max_threads[1], 1u) * std::max(f->max_threads[2], 1u);
  const std::set<uint64_t> sizes = element_sizes(*f);
  const auto owner = static_cast<int>(f - module.functions.data());
  for (const ir::Variable& v : module.variables) {
    if (v.space != ir::Space::Shared || v.bytes == 0 || (v.owner >= 0 && v.owner != owner)) continue;
    const uint64_t word = std::max(v.alignment, 1u);
    // Vectors of 2 and 4 are aligned so; other powers of two are rows.
    for (const uint64_t size : sizes)
      if (size > word && size % word == 0 && !std::has_single_bit(size) && v.bytes % size == 0)
        out.shared_elements.push_back(v.bytes / size);
    out.shared_elements.push_back(v.bytes / word);
    if (word > 4) out.shared_elements.push_back(v.bytes / 4);  // aligned for accesses of several elements
  }
  return out;
}

}  // namespace ww::cli
