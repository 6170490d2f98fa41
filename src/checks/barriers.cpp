#include "checks/barriers.h"

#include <fmt/format.h>

#include <algorithm>

namespace ww::checks {

namespace {

constexpr u64 kWord = 4;
constexpr u64 kShared = u64{1} << 63;
constexpr u64 kFewest = 2;  // warps of a block: with one, a barrier costs next to nothing

constexpr size_t kMostWords = 1 << 20;  // of a block

}  // namespace

void Barriers::launch_begins(const engine::Program& program, int /*workers*/) {
  program_ = &program;
  barriers_.clear();
  stands_for_.clear();
  blocks_.clear();
  open_ = 0;
  if (facts_.block.count() < kFewest * engine::kLanes) return;
  std::map<std::tuple<const ir::Function*, int, int, int>, u32> lines;
  for (size_t k = 0; k < program.infos.size(); ++k) {
    const ir::Instruction& in = *program.infos[k].instruction;
    // With a count of threads it is a program's own protocol; with a result it is more than a barrier.
    const bool plain = in.op == isa::Op::bar_sync || in.op == isa::Op::barrier_sync;
    if (!plain) continue;
    const auto number = static_cast<u32>(k);
    u32& first = stands_for_[number] = number;
    if (in.place.line > 0)
      first = lines
                  .try_emplace({program.infos[k].function, in.place.file, in.place.line, in.place.inlined_at},
                               number)
                  .first->second;
    if (first != number) continue;
    barriers_[number];
    ++open_;
  }
}

void Barriers::block_begins(int /*worker*/, u64 block) {
  if (open_) blocks_[block] = {};
}
void Barriers::block_ends(int /*worker*/, u64 block) { blocks_.erase(block); }

/// Of the barrier that the block has passed last.
void Barriers::needs(const Block& b, Need need) {
  for (const u32 instruction : b.passed) {
    const auto at = barriers_.find(instruction);
    if (at == barriers_.end() || at->second.need >= need) continue;
    at->second.need = need;
    if (need == Need::Block) --open_;
  }
}

void Barriers::published(Block& b) {
  b.publishes = true;
  needs(b, Need::Block);
}

void Barriers::touch(Block& b, Word& word, u32 thread, bool write) {
  if (word.now.epoch != b.epoch) {
    word.before = word.now;
    word.now = {b.epoch, {}, {}};
  }
  const u32 warp = thread / engine::kLanes;
  const Access& last = word.before;
  if (last.epoch + 1 == b.epoch) {
    const auto meet = [&](const Who& other) {
      if (other.thread == kNobody || other.thread == thread) return;
      needs(b, other.warp == warp ? Need::Warp : Need::Block);
    };
    meet(last.writer);
    if (write) meet(last.reader);
  }
  (write ? word.now.writer : word.now.reader).add(thread, warp);
}

void Barriers::memory(int /*worker*/, const events::Memory& e) {
  if (!open_ || (e.space != ir::Space::Shared && e.space != ir::Space::Global)) return;
  if (!e.linear || e.range != isa::Range::Lane || e.asynchronous) return give_up();
  const auto at = blocks_.find(e.block);
  if (at == blocks_.end()) return;
  Block& b = at->second;
  const bool shared = e.space == ir::Space::Shared;
  const bool strong = e.atomic() || (e.order != isa::Mod::none && e.order != isa::Mod::weak);
  if (strong && !shared) published(b);
  if (b.words.size() > kMostWords) return give_up();
  for (u32 m = e.mask; m; m &= m - 1) {
    const auto lane = static_cast<u32>(__builtin_ctz(m));
    const u64 first = e.first + static_cast<u64>(e.offsets[lane]);
    for (u64 w = first / kWord; w <= (first + e.bytes - 1) / kWord; ++w)
      touch(b, b.words[shared ? w | kShared : w], e.warp * engine::kLanes + lane, !e.load());
  }
}

void Barriers::fence(int /*worker*/, const events::Fence& e) {
  if (!open_) return;
  if (const auto at = blocks_.find(e.block); at != blocks_.end()) published(at->second);
}

void Barriers::barrier_arrival(int /*worker*/, const events::BarrierArrival& e) {
  if (!open_) return;
  if (e.barrier != 0 || e.expected != 0 || !e.waits) return give_up();
  const auto at = blocks_.find(e.block);
  if (at == blocks_.end()) return;
  const auto stands = stands_for_.find(e.instruction);
  if (stands == stands_for_.end()) return;
  auto& arrived = at->second.arrived;
  if (std::find(arrived.begin(), arrived.end(), stands->second) == arrived.end())
    arrived.push_back(stands->second);
  const auto known = barriers_.find(stands->second);
  if (!known->second.seen) known->second.first = e, known->second.seen = true;
}

void Barriers::barrier_release(int /*worker*/, const events::BarrierRelease& e) {
  const auto at = blocks_.find(e.block);
  if (!open_ || at == blocks_.end()) return;
  Block& b = at->second;
  b.passed = std::move(b.arrived);
  b.arrived.clear();
  for (const u32 instruction : b.passed)
    if (const auto known = barriers_.find(instruction); known != barriers_.end()) ++known->second.met;
  ++b.epoch;
  if (b.publishes) needs(b, Need::Block);  // what came before it may have been waited for from elsewhere
  b.publishes = false;
}

void Barriers::launch_ends() {
  blocks_.clear();
  if (!open_) return;
  for (const auto& [instruction, s] : barriers_) {
    if (!s.seen || !s.met || s.need == Need::Block) continue;
    Finding f;
    f.kind = "redundant barrier";
    f.severity = Severity::Hint;
    f.kernel = facts_.kernel;
    f.message = s.need == Need::None
                    ? "no thread depends on another across this barrier, in this run"
                    : "only lanes of one warp depend on each other across this barrier, in this run: "
                      "__syncwarp() would do";
    f.more = {fmt::format("seen: it was passed {} times; of all bytes of shared and global memory that a "
                          "thread accessed between the previous barrier and the next one, {}",
                          s.met,
                          s.need == Need::None
                              ? "none was accessed by another thread on the other side, one of them writing"
                              : "none was accessed by another warp on the other side, one of them writing"),
              "with other inputs it may be needed; if several barriers are named, each is judged with the "
              "others in place. The gain from removing it was not tried"};
    f.parties.push_back(party(*program_, s.first, __builtin_ctz(s.first.mask), "waits"));
    f.parties.back().everyone = true;
    f.count = s.met;
    findings_.add(std::move(f));
  }
}

}  // namespace ww::checks
