#include "ptxas/merge_shared.h"

#include <algorithm>
#include <bit>
#include <map>
#include <tuple>

#include "analysis/addresses.h"
#include "ir/accesses.h"
#include "ir/flow.h"

namespace ww::ptxas {

namespace {

using ir::Instruction;
using ir::Mod;
using ir::Op;
using ir::Slot;
using ir::Space;

constexpr int kFirstWithMerges = 20;   // compute capability 2.0
constexpr int kFirstWithSymbols = 90;  // addresses of shared variables are no constants any more

struct Access {
  InstructionRef at;
  analysis::Sum address;
  int bytes = 0;
  bool is_signed = false;
};

enum class Role { None, Load, Store, OtherLoad, Blocks };

bool is_plain(const Instruction& in, Slot semantics) {
  Mod how = in.mod(semantics);
  return in.guard == ir::kNone && (how == Mod::none || how == Mod::weak) &&
         in.mod(Slot::space) != Mod::shared_cluster;
}

// What an instruction means for shared accesses around it.
Role role_of(const Instruction& in) {
  if (in.form().pipe == isa::Pipe::Sync || in.call >= 0 || ir::effects_of(in).asynchronous())
    return Role::Blocks;
  for (const ir::Access& access : ir::accesses_of(in)) {
    const bool shared = access.space == Space::Shared;
    if (access.path == isa::Path::Texture || access.path == isa::Path::Surface) continue;
    if (!shared && access.space != Space::None) continue;
    const bool plain = shared && access.range == isa::Range::Lane;
    if (access.direction == isa::Direction::Read)
      return plain && is_plain(in, Slot::loadsem) ? Role::Load : Role::OtherLoad;
    return plain && access.direction == isa::Direction::Write && is_plain(in, Slot::storesem) ? Role::Store
                                                                                              : Role::Blocks;
  }
  return Role::None;
}

int64_t floor_to(int64_t value, int64_t unit) { return value & ~(unit - 1); }

// Joins the accesses of one stretch of code in which none is kept from another.
class Joiner {
 public:
  Joiner(const analysis::Addresses& addresses, Merges& out) : addresses_(addresses), out_(out) {}

  void load(Access access) { loads_.push_back(std::move(access)); }

  // Only stores that follow one another into the same group of elements join.
  void store(Access access) {
    if (!stores_.empty()) {
      const Access& last = stores_.back();
      int64_t group = std::min(4 * access.bytes, 16);
      if (last.bytes != access.bytes || last.address.terms != access.address.terms ||
          floor_to(last.address.constant, group) != floor_to(access.address.constant, group))
        end_stores();
    }
    stores_.push_back(std::move(access));
  }

  void end_stores() {
    if (!stores_.empty()) {
      int element = stores_[0].bytes;
      join(stores_, element, std::min(16, 4 * element), true);
    }
    stores_.clear();
  }

  void end_loads() {
    // By sum of registers and by what may share an access.
    std::map<std::tuple<std::vector<std::pair<analysis::Atom, int64_t>>, bool, bool>, std::vector<Access>>
        kinds;
    for (Access& access : loads_) {
      bool half_words = access.bytes == 2;
      kinds[{access.address.terms, half_words, half_words && access.is_signed}].push_back(std::move(access));
    }
    for (auto& [kind, loads] : kinds)
      join(loads, std::get<1>(kind) ? 2 : 4, std::get<1>(kind) ? 8 : 16, false);
    loads_.clear();
  }

  void end() { end_stores(), end_loads(); }

 private:
  void join(const std::vector<Access>& accesses, int element, int widest, bool store) {
    int known = std::min(addresses_.zero_bits(accesses[0].address), 4);
    std::map<int64_t, std::vector<const Access*>> groups;
    for (const Access& access : accesses)
      groups[floor_to(access.address.constant, widest)].push_back(&access);
    for (auto& [start, members] : groups) {
      if (members.size() < 2) continue;
      bool whole = widest <= 1 << known && fills(members, start, widest, element, store);
      if (whole) {
        add(members, widest, store);
        continue;
      }
      int half = widest / 2;
      for (int64_t begin = start; begin < start + widest; begin += half) {
        std::vector<const Access*> inside;
        for (const Access* access : members)
          if (access->address.constant >= begin && access->address.constant < begin + half)
            inside.push_back(access);
        if (inside.size() < 2) continue;
        if (half > element && half <= 1 << known && fills(inside, begin, half, element, true))
          add(inside, half, store);
        else if (!store)
          add_equal(inside);
      }
    }
  }

  // Whether the accesses cover `bytes` from `start`: all elements, or at least all but one.
  static bool fills(const std::vector<const Access*>& accesses, int64_t start, int bytes, int element,
                    bool all) {
    unsigned covered = 0;
    for (const Access* access : accesses) {
      int64_t from = access->address.constant - start;
      if (from % access->bytes != 0) return false;  // not aligned: such an access faults
      for (int i = 0; i < access->bytes / element; ++i) covered |= 1u << (from / element + i);
    }
    int elements = bytes / element;
    return std::popcount(covered) >= (all ? elements : elements - 1);
  }

  // Loads of the same address and width are done once.
  void add_equal(const std::vector<const Access*>& accesses) {
    std::map<std::pair<int64_t, int>, std::vector<const Access*>> equal;
    for (const Access* access : accesses) equal[{access->address.constant, access->bytes}].push_back(access);
    for (auto& [where, members] : equal)
      if (members.size() > 1) add(members, where.second, false);
  }

  void add(const std::vector<const Access*>& accesses, int bytes, bool store) {
    Merge merge;
    merge.bytes = bytes, merge.store = store;
    for (const Access* access : accesses) merge.accesses.push_back(access->at);
    std::sort(merge.accesses.begin(), merge.accesses.end());
    for (InstructionRef at : merge.accesses)
      out_.of[at.block][at.index] = static_cast<int>(out_.merges.size());
    out_.merges.push_back(std::move(merge));
  }

  const analysis::Addresses& addresses_;
  Merges& out_;
  std::vector<Access> loads_, stores_;
};

Access access_of(const Instruction& in, InstructionRef at, const analysis::Addresses& addresses) {
  bool store = in.op == Op::st;
  const auto& value = in.operands[store ? 1 : 0];
  int count = in.mod(Slot::vec) == Mod::none ? 1 : static_cast<int>(value.elements.size());
  return {at, addresses.of(in.operands[store ? 0 : 1]), isa::bytes(in.type()) * count,
          isa::is_signed(in.type())};
}

}  // namespace

Merges merge_shared(const ir::Module& module, const ir::Function& function, int sm) {
  Merges out;
  for (const auto& block : function.blocks) out.of.emplace_back(block.instructions.size(), -1);
  if (sm < kFirstWithMerges || function.blocks.empty()) return out;
  analysis::Addresses addresses(module, function, sm < kFirstWithSymbols);
  ir::Flow flow = ir::flow_of(function);
  Joiner joiner(addresses, out);
  for (ir::BlockId b = 0; b < function.blocks.size(); ++b) {
    // A label that nothing else jumps to does not end the straight line.
    bool goes_on = b > 0 && flow.successors[b - 1].size() == 1 && flow.successors[b - 1][0] == b &&
                   flow.predecessors[b].size() == 1;
    if (!goes_on) joiner.end(), addresses.enter();
    const auto& instructions = function.blocks[b].instructions;
    for (uint32_t i = 0; i < instructions.size(); ++i) {
      const Instruction& in = instructions[i];
      switch (role_of(in)) {
        case Role::None:
          break;
        case Role::OtherLoad:
          joiner.end_stores();
          break;
        case Role::Blocks:
          joiner.end();
          break;
        case Role::Load: {
          joiner.end_stores();
          Access access = access_of(in, {b, i}, addresses);
          if (access.bytes >= 2 && access.bytes <= 8) joiner.load(std::move(access));
          break;
        }
        case Role::Store: {
          Access access = access_of(in, {b, i}, addresses);
          joiner.end_loads();
          if (access.bytes >= 2 && access.bytes <= 8)
            joiner.store(std::move(access));
          else
            joiner.end_stores();
          break;
        }
      }
      addresses.step(in);
    }
  }
  joiner.end();
  return out;
}

std::string_view merge_provenance(int sm) {
  if (sm >= 75) return "rule checked against ptxas 13.0";
  if (sm >= 50) return "rule of ptxas 13.0 for 7.5 and later; agrees with published counts of a GTX 1080";
  if (sm >= kFirstWithMerges) return "rule of ptxas 13.0 for 7.5 and later; not checked for this generation";
  return "no wide shared accesses on 1.x";
}

}  // namespace ww::ptxas
