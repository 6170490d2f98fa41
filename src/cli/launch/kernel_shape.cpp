#include "cli/launch/kernel_shape.h"

#include <algorithm>
#include <bit>
#include <map>
#include <optional>
#include <set>

#include "ir/accesses.h"

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

/// Whether no block of the kernel can tell which it is.
bool blocks_are_alike(const ir::Module& module, const ir::Function& entry) {
  bool alike = true;
  for (const ir::Function& f : module.functions) {
    if (f.entry && &f != &entry) continue;
    each_instruction(f, [&](const ir::Instruction& in) {
      for (const ir::Operand& o : in.operands) {
        const std::string& name = special_name(o);
        alike &= !(name.find("cta") != name.npos || name.starts_with("clusterid") ||
                   name.starts_with("envreg") || name == "smid" || name == "gridid");
      }
      for (const ir::Access& a : ir::accesses_of(in))
        alike &= a.direction != isa::Direction::Update || a.space == ir::Space::Shared;
    });
  }
  return alike;
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

/// What the number of the block in one direction is multiplied by: a constant (0: none), perhaps the size of
/// the block as well.
struct Stride {
  uint64_t constant = 0;
  bool threads = false;
};

/// The compiler may have multiplied by the constant, or by another size, first.
Stride stride_of(const ir::Function& f, const std::map<ir::RegId, std::string>& held, char direction) {
  constexpr uint64_t kMost = 1024;
  const std::string block = std::string("ctaid.") + direction, threads = std::string("ntid.") + direction;
  const auto is_threads = [&](ir::RegId reg) {
    const auto it = held.find(reg);
    return it != held.end() && it->second == threads;
  };
  std::set<ir::RegId> number, products, scaled, by_threads;
  for (const auto& [reg, name] : held)
    if (name == block) number.insert(reg);
  Stride found;
  // The factors of these registers; what becomes of them goes into the sets.
  const auto look = [&](const std::set<ir::RegId>& of) {
    each_instruction(f, [&](const ir::Instruction& in) {
      const bool product = in.op != isa::Op::mad_lo;
      for (const Factor& factor : factors(in)) {
        if (!of.contains(factor.of)) continue;
        const ir::RegId to = in.operands[0].reg;
        if (is_threads(factor.by)) {
          found.threads = true;
          if (product) by_threads.insert(to);
        } else if (factor.by != ir::kNone) {
          if (product) products.insert(to);
        } else if (factor.constant > 1 && factor.constant <= kMost) {
          found.constant = std::max(found.constant, factor.constant);
          if (product) scaled.insert(to);
        }
      }
    });
  };
  look(number);
  if (found.threads) {
    found.constant = 0;  // of another product
    look(std::set(by_threads));
  } else if (found.constant > 0) {
    const uint64_t constant = found.constant;
    look(std::set(scaled));
    found.constant = constant;
  } else {
    look(std::set(products));
    found.threads = false;
  }
  return found;
}

/// See KernelShape::row_threads. Of several, the least: the compiler may have made one round of four.
uint64_t loop_stride(const ir::Function& f, const std::map<ir::RegId, std::string>& held) {
  constexpr uint64_t kLeast = 32, kMost = 1024;
  std::set<ir::RegId> begin_at_thread;
  for (const auto& [reg, name] : held)
    if (name == "tid.x") begin_at_thread.insert(reg);
  each_instruction(f, [&](const ir::Instruction& in) {
    if (in.op == isa::Op::mov && in.operands.size() > 1 && in.operands[0].kind == OperandKind::Register &&
        in.operands[1].kind == OperandKind::Register && begin_at_thread.contains(in.operands[1].reg))
      begin_at_thread.insert(in.operands[0].reg);
  });
  uint64_t least = 0;
  each_instruction(f, [&](const ir::Instruction& in) {
    if (in.op != isa::Op::add_int || in.operands.size() < 3 || in.operands[0].kind != OperandKind::Register ||
        in.operands[1].kind != OperandKind::Register || in.operands[2].kind != OperandKind::Immediate ||
        in.operands[0].reg != in.operands[1].reg || !begin_at_thread.contains(in.operands[0].reg))
      return;
    const uint64_t by = in.operands[2].bits & 0xffffffff;
    if (by >= kLeast && by <= kMost && std::has_single_bit(by)) least = least == 0 ? by : std::min(least, by);
  });
  return least;
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
  out.one_block = blocks_are_alike(module, *f);
  const auto held = held_specials(*f);
  out.row_threads = loop_stride(*f, held);
  for (size_t d = 0; d < 3; ++d) {
    constexpr uint64_t kLeastTile = 4;
    const Stride stride = stride_of(*f, held, "xyz"[d]);
    if (stride.threads)
      out.per_thread[d] = std::max<uint64_t>(stride.constant, 1);
    else if (stride.constant >= kLeastTile)
      out.tile[d] = stride.constant;
  }
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
