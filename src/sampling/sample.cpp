#include "sampling/sample.h"

#include <algorithm>
#include <bit>
#include <set>

#include "base/round.h"
#include "engine/decode/program.h"

namespace ww::sampling {

void Probe::memory(int, const events::Memory& e) {
  if (e.space == ir::Space::Global) seen_.try_emplace({e.instruction, e.warp}, Seen{e.first, e.bytes});
}

u32 period(const Probe& here, const Probe& there) {
  u32 longest = 1;
  for (const auto& [key, a] : here.seen_) {
    auto it = there.seen_.find(key);
    if (it == there.seen_.end()) continue;
    // What the rules look at: 128-byte pieces; 256 bytes for half-warps of 16-byte words (1.0).
    const u64 piece = a.bytes >= 16 ? 256 : 128;
    const u64 step = (it->second.first - a.first) % piece;
    if (step != 0) longest = std::max(longest, static_cast<u32>(piece >> std::countr_zero(step)));
  }
  return longest;
}

Sampler::Sampler(engine::Extent3 grid) : size_{grid.x, grid.y, grid.z} {}

std::optional<u64> Sampler::neighbour(size_t d) const {
  if (!sampled(d)) return {};
  std::array<u32, 3> at{inner(0), inner(1), inner(2)};
  ++at[d];
  return number(at);
}

std::map<u64, std::vector<u64>> Sampler::groups(const std::array<u32, 3>& periods) const {
  std::array<std::vector<std::pair<u32, u64>>, 3> along;  // index and what it stands for
  for (size_t d = 0; d < 3; ++d) {
    const u32 n = size_[d];
    if (!repeats(d, periods)) {
      for (u32 i = 0; i < n; ++i) along[d].push_back({i, 1});
      continue;
    }
    along[d] = {{0, 1}, {n - 1, 1}};
    for (u32 r = 0; r < periods[d]; ++r) along[d].push_back({1 + r, divide_up(n - 2 - r, periods[d])});
  }
  std::map<u64, std::vector<u64>> groups;
  for (auto [z, wz] : along[2])
    for (auto [y, wy] : along[1])
      for (auto [x, wx] : along[0]) groups[wx * wy * wz].push_back(number({x, y, z}));
  return groups;
}

u64 Sampler::far_block(const std::array<u32, 3>& periods) const {
  std::array<u32, 3> at{};
  for (size_t d = 0; d < 3; ++d)
    if (sampled(d)) at[d] = 1 + (size_[d] - 3) / periods[d] * periods[d];
  return number(at);
}

std::array<u32, 3> Sampler::place(u64 block) const {
  return {static_cast<u32>(block % size_[0]), static_cast<u32>(block / size_[0] % size_[1]),
          static_cast<u32>(block / size_[0] / size_[1])};
}

std::array<u32, 3> Sampler::representative(const std::array<u32, 3>& at,
                                           const std::array<u32, 3>& periods) const {
  std::array<u32, 3> from = at;
  for (size_t d = 0; d < 3; ++d)
    if (repeats(d, periods) && at[d] > 0 && at[d] < size_[d] - 1) from[d] = 1 + (at[d] - 1) % periods[d];
  return from;
}

namespace {

void add_registers(const ir::Operand& o, std::set<ir::RegId>& to) {
  if (o.reg != ir::kNone) to.insert(o.reg);
  for (const auto& e : o.elements) add_registers(e, to);
}

bool uses_an_atomic_result(const ir::Function& f) {
  std::set<ir::RegId> read, returned;
  for (const auto& block : f.blocks)
    for (const auto& in : block.instructions) {
      if (in.guard != ir::kNone) read.insert(in.guard);
      for (size_t k = 0; k < in.operands.size(); ++k) {
        const bool dest = k < in.form().operands.size() && in.form().operands[k].dest;
        if (!dest)
          add_registers(in.operands[k], read);
        else if (in.form().mnemonic == "atom")
          add_registers(in.operands[k], returned);
      }
    }
  return std::any_of(returned.begin(), returned.end(), [&](ir::RegId r) { return read.contains(r); });
}

}  // namespace

bool independent_blocks(const engine::Program& program) {
  return std::none_of(program.functions.begin(), program.functions.end(),
                      [](const auto& f) { return uses_an_atomic_result(*f->function); });
}

}  // namespace ww::sampling
