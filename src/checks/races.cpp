#include "checks/races.h"

#include <algorithm>
#include <cstring>

#include "analysis/polling_loads.h"
#include "analysis/swap_guess.h"
#include "analysis/uniform_value.h"
#include "analysis/uses.h"
#include "checks/races/words.h"
#include "ir/exchanges.h"
#include "ir/flow.h"

namespace ww::checks {

using races::kSharedKey;
using races::kWarpLanes;
using races::kWordBytes;
using races::race_scope;
using races::Record;

void Races::launch_begins(const engine::Program& program, int /*workers*/) {
  program_ = &program;
  cluster_ = cluster_size(facts_, program);
  begin_grid(program);
  find_written(program);
  reaches_ = {};
  runs_ = {};
  intervals_.clear();
  locks_.clear();
  begin_lock_order(program);
  block_fence_.reset();
  sources_ = {};
  any_swaps_ = false;
  places_.clear();
  last_place_ = nullptr;
  found_.clear();
}

/// Alone, or as one of the grids that may still run.
void Races::begin_grid(const engine::Program& program) {
  const auto threads = static_cast<u32>(facts_.block.count());
  const bool interrupted = interrupted_.exchange(false);
  const bool full = order_.newest() > Record::kNewest / 2;
  const bool more = grids_.instructions() + program.infos.size() < Record::kMostInstructions &&
                    grids_.blocks() + facts_.grid.count() < u64{1} << 31;
  if (facts_.start.how == Start::How::Early && interrupted) facts_.start.how = Start::How::Alone;
  if (!full && more && grids_.go_on(facts_.start, working_stream_)) {
    order_.join_launch(threads);
  } else {
    facts_.start = {};
    if (full) {
      global_.clear();
      spare_.clear();
      order_ = {};
    }
    global_.forget_releases();
    order_.begin_launch(threads);
    grids_.clear();
    kinds_.clear();
    loads_.clear();
    any_released_ = false;
  }
  const races::Grid& g = grids_.begin(facts_, program, working_stream_, order_.newest());
  first_block_ = g.first_block, first_instruction_ = g.first_instruction;
  kinds_.resize(std::max<size_t>(kinds_.size(), grids_.instructions()));
  reads_over_ = g.early && !grids_.primary().triggers ? g.begin : 0;
}

const engine::InstInfo& Races::info_of(u32 instruction) const {
  if (first_instruction_ == 0 && instruction < program_->infos.size()) return program_->infos[instruction];
  return grids_.info_of(instruction);
}

const Races::CodeFacts& Races::facts_of(const engine::Program& program) {
  const auto [at, fresh] = code_facts_.try_emplace({program.module, program.entry});
  if (fresh)
    at->second = {analysis::written_params(*program.module, *program.entry), meets_grids(program),
                  may_take_locks(program)};
  return at->second;
}

void Races::find_written(const engine::Program& program) {
  constexpr size_t kMost = 8;  // ranges: each access to global memory is compared with all
  written_known_ = false;
  written_.clear();
  if (!facts_.arguments || !facts_.memory) return;
  const CodeFacts& code = facts_of(program);
  const analysis::WrittenParams& params = code.params;
  // Other grids may write what this one reads.
  if (!params.known || code.meets_grids || facts_.start.how != Start::How::Alone) return;
  for (const analysis::ParamPlace& p : params.places) {
    if (p.param >= facts_.arguments->size()) return;
    const auto& argument = (*facts_.arguments)[p.param];
    u64 value = 0;
    if (p.offset + sizeof value > argument.size()) return;
    std::memcpy(&value, argument.data() + p.offset, sizeof value);
    const auto in = facts_.memory->find(value);
    if (!in && value >= engine::kMemoryBase) return;  // a bound, or what is wrong
    if (in) written_.push_back({in->base, in->base + in->size});
  }
  written_known_ = written_.size() <= kMost;
}

bool Races::only_read(const events::Memory& e) {
  const Reach& reach = reaches_.of(e);
  const u64 low = e.first + static_cast<u64>(reach.low);
  const u64 high = e.first + static_cast<u64>(reach.high) + e.bytes;
  if (e.load()) {
    for (const Range& r : written_)
      if (low < r.end && r.begin < high) return false;
    return true;
  }
  const auto may_be_written = [&](u64 begin, u64 end) {
    return std::any_of(written_.begin(), written_.end(),
                       [&](const Range& r) { return begin >= r.begin && end <= r.end; });
  };
  if (may_be_written(low, high)) return false;
  for (u32 m = e.mask; m; m &= m - 1) {
    const u64 at = e.first + static_cast<u64>(e.offsets[races::first_lane(m)]);
    if (may_be_written(at, at + e.bytes)) continue;
    written_known_ = false;  // a write that has lost its way: from now on all reads count
    break;
  }
  return false;
}

u32 Races::cluster_of(u64 block) const {
  if (cluster_.count() == 1 || block < first_block_) return static_cast<u32>(block);
  const u64 nx = facts_.grid.x, ny = facts_.grid.y;
  block -= first_block_;
  return first_block_ +
         static_cast<u32>(block % nx / cluster_.x +
                          (nx / cluster_.x) * (block / nx % ny / cluster_.y +
                                               (ny / cluster_.y) * (block / nx / ny / cluster_.z)));
}

void Races::block_begins(int /*worker*/, u64 block) {
  block += first_block_;
  order_.begin_block(block, cluster_of(block), grids_.current().start);
  if (lock_order_) lock_order_->order().begin_block(block, cluster_of(block), {});
  if (spare_.empty()) spare_.push_back(std::make_unique<Place>());
  auto& place = places_[block];
  place = std::move(spare_.back());
  spare_.pop_back();
  if (cluster_.count() > 1) place->shadow.clear();
  place->shadow.forget_releases();
  const u64 warps = (facts_.block.count() + kWarpLanes - 1) / kWarpLanes;
  for (auto& groups : place->groups) groups.assign(warps, {});
  place->proxy_fences.assign(warps, 0);
  place->made.clear();
  place->early.clear();
  place->phases.clear();
  place->reading = 0;
  place->reaching.clear();
  place->ended = false;
  place->interval = {};
  last_place_ = nullptr;
}

void Races::block_ends(int /*worker*/, u64 block) {
  block += first_block_;
  last_place_ = nullptr;
  // Others of the cluster may still use its shared memory.
  const auto at = places_.find(block);
  if (at == places_.end()) return;
  races::BlockOrder& b = order_.block(block);
  interval_ends(*at->second);
  if (!at->second->copying.empty()) {
    for (const Copying& c : at->second->copying)
      if (c.space == ir::Space::Global && !c.reads) finish(*at->second, b, c, b.warps[c.warp].now);
    at->second->copying.clear();
    at->second->shadow.clear();
  }
  if (cluster_.count() > 1) block_is_left(*at->second, b);
  order_.end_block(block, cluster_.count() == 1);
  if (lock_order_) lock_order_->order().end_block(block, true);
  if (cluster_.count() > 1) return;
  spare_.push_back(std::move(at->second));
  places_.erase(at);
}

void Races::launch_ends() {
  write_findings();
  write_lock_order();
  places_.clear();
  last_place_ = nullptr;
  program_ = nullptr;
}

Races::Place& Races::place(u64 block) {
  if (!last_place_ || last_block_ != block) last_place_ = places_.at(block).get(), last_block_ = block;
  return *last_place_;
}

std::pair<u64, u64> Races::shared_place(u64 block, u64 address) const {
  if (address < engine::kClusterStep) return {block, address};
  const u64 rank = address / engine::kClusterStep - 1;
  return {first_block_ + block_of_rank(block - first_block_, rank, facts_.grid, cluster_),
          address % engine::kClusterStep};
}

u64 Races::key_of(bool shared, u64 block, u64 address) const {
  if (!shared) return address / kWordBytes;
  const auto [owner, at] = shared_place(block, address);
  return kSharedKey | owner << 24 | at / kWordBytes;
}

/// Whether something reads what the instruction returns.
static bool is_read(const ir::Function& f, const ir::Instruction& in) {
  std::vector<bool> returned(f.registers.size());
  bool read = false;
  analysis::each_definition(f, in, [&](ir::RegId r) { returned[r] = true; });
  for (const ir::Block& b : f.blocks)
    for (const ir::Instruction& other : b.instructions)
      analysis::each_use(f, other, [&](ir::RegId r) { read |= returned[r]; });
  return read;
}

const Races::Kind& Races::kind_of(const events::Memory& e) {
  Kind& k = kinds_[std::min<size_t>(e.instruction, kinds_.size() - 1)];
  if (k.known) return k;
  k.known = true;
  k.update = e.atomic();
  k.asynchronous = e.asynchronous;
  k.writes = !e.load() && !e.asynchronous;
  k.is_volatile = e.order == isa::Mod::volatile_;
  k.strong = k.update || (e.order != isa::Mod::none && e.order != isa::Mod::weak);
  k.scope = k.is_volatile || e.scope == isa::Mod::none ? races::kGpu : race_scope(e.scope);
  k.acquires = e.order == isa::Mod::acquire || e.order == isa::Mod::acq_rel;
  k.releases = e.order == isa::Mod::release || e.order == isa::Mod::acq_rel;
  k.stands_for = e.instruction;
  k.read_only = e.path == isa::Path::ReadOnly || e.path == isa::Path::Texture;
  const engine::InstInfo& info = info_of(e.instruction);
  k.answers = k.update && is_read(*info.function, *info.instruction);
  k.swaps = k.update && ir::exchanges(*info.instruction);
  k.waits = k.swaps && lock_order_ && waits_for_one_value(info);
  // The halves of pairs, and the elements of vectors, are atomic each by itself.
  const isa::Type type = info.instruction->type();
  const bool pair = type == isa::Type::f16x2 || type == isa::Type::bf16x2;
  if (k.update && e.range == isa::Range::Lane && !pair && isa::bytes(type) == static_cast<int>(e.bytes))
    k.atom = e.bytes;
  if (k.strong && !k.update && !k.asynchronous && isa::bytes(type) == static_cast<int>(e.bytes))
    k.whole = e.bytes;
  const ir::Place& place = info.instruction->place;
  if (!e.load() || k.strong || k.asynchronous) return k;
  k.guess = analysis::is_swap_guess(*info.function, info.block, *info.instruction);
  if (place.line > 0)
    k.stands_for =
        loads_
            .try_emplace({info.function, place.file, place.line, place.inlined_at, e.bytes, k.guess},
                         e.instruction)
            .first->second;
  return k;
}

/// Whether an instruction lies in a loop, or is a load that is repeated until its value changes.
Races::Kind::Loop Races::loop_of(u32 instruction) {
  Kind& k = kinds_[instruction];
  if (k.loop != Kind::Loop::Unknown) return k.loop;
  const engine::InstInfo& info = info_of(instruction);
  if (analysis::is_polling_load(*info.function, info.block, *info.instruction))
    return k.loop = Kind::Loop::Polls;
  const ir::Flow flow = ir::flow_of(*info.function);
  std::vector<bool> reached(flow.successors.size());
  std::vector<ir::BlockId> next = flow.successors[info.block];
  while (!next.empty()) {
    const ir::BlockId b = next.back();
    next.pop_back();
    if (reached[b]) continue;
    reached[b] = true;
    next.insert(next.end(), flow.successors[b].begin(), flow.successors[b].end());
  }
  return k.loop = reached[info.block] ? Kind::Loop::Inside : Kind::Loop::Outside;
}

/// Whether a store stores the same value in every thread, whatever the data.
bool Races::stores_one_value(u32 instruction) {
  Kind& k = kinds_[instruction];
  if (k.stores == Kind::Stores::Unknown) {
    const engine::InstInfo& info = info_of(instruction);
    const bool one =
        info.instruction->op == isa::Op::st && info.instruction->operands.size() > 1 &&
        analysis::is_uniform(*info.function, info.block, *info.instruction, info.instruction->operands[1]);
    k.stores = one ? Kind::Stores::OneValue : Kind::Stores::Anything;
  }
  return k.stores == Kind::Stores::OneValue;
}

}  // namespace ww::checks
