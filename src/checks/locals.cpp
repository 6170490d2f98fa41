#include "checks/locals.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "base/symbol_name.h"
#include "checks/text.h"
#include "ir/accesses.h"

namespace ww::checks {

namespace {

constexpr u32 kPointerBytes = 8;
constexpr size_t kMostLeft = 4096;  ///< pointers to shared memory that are remembered
constexpr u64 kObject = 4096;       ///< bytes behind a pointer that are taken for what it points to

u32 thread_of(const events::Site& site, u32 lane) { return site.warp * engine::kLanes + lane; }

}  // namespace

constexpr Locals::Own Locals::kLocal{
    engine::kLocalWindow, "thread", "local", "stores the address of its own",
    "missing: the value itself, or an array in shared memory, instead of its address"};
constexpr Locals::Own Locals::kShared{
    engine::kSharedWindow, "block", "shared", "stores the address of its own block's",
    "missing: the value itself in global memory; in a cluster, the address that map_shared_rank gives"};

void Locals::launch_begins(const engine::Program& program, int workers) {
  program_ = &program;
  workers_.clear();
  workers_.resize(static_cast<size_t>(workers));
  const auto makes = [&](ir::Space space) {
    return std::any_of(program.infos.begin(), program.infos.end(), [&](const engine::InstInfo& i) {
      return i.instruction->op == isa::Op::cvta && ir::space_of(*i.instruction) == space;
    });
  };
  possible_ = program.local_bytes > 0 && makes(ir::Space::Local);
  shared_ = makes(ir::Space::Shared);
  const bool grows = std::any_of(program.infos.begin(), program.infos.end(), [](const engine::InstInfo& i) {
    return i.instruction->op == isa::Op::alloca;
  });
  returns_ = program.local_bytes > 0 && program.functions.size() > 1 && !grows;
}

void Locals::launch_ends() {
  for (auto& [at, p] : left_)
    if (!p.earlier) p.earlier = party(*program_, p.stored, static_cast<int>(p.lane), kShared.stores);
}

void Locals::block_ends(int worker, u64 block) { workers_[static_cast<size_t>(worker)].erase(block); }

void Locals::memory(int worker, const events::Memory& e) {
  if (e.range != isa::Range::Lane) return;
  if (returns_ && e.space == ir::Space::Local) behind_frame(e);
  const bool left = any_left_.load(std::memory_order_relaxed);
  if (!possible_ && !shared_ && !left) return;
  auto& blocks = workers_[static_cast<size_t>(worker)];
  if (shared_ && e.store()) store_shared(blocks[e.block], e);
  if (left && e.space == ir::Space::Global && e.load()) load_shared(blocks[e.block], e);
  if (left && e.space == ir::Space::Shared) access(blocks[e.block].loaded_shared, e, kShared);
  if (!possible_) return;
  if (e.space == ir::Space::Local) {
    const auto at = blocks.find(e.block);
    if (at != blocks.end()) access(at->second.loaded, e, kLocal);
    return;
  }
  if (e.space != ir::Space::Global && e.space != ir::Space::Shared) return;
  if (e.store()) return store(blocks[e.block], e);
  if (e.load() && e.bytes >= kPointerBytes) load(blocks[e.block], e);
}

void Locals::store(Block& b, const events::Memory& e) {
  const bool pointers = e.values && e.elements && e.bytes / e.elements == kPointerBytes && e.value_bytes == 8;
  if (!pointers && b.stored.empty()) return;
  for (u32 m = e.mask; m; m &= m - 1) {
    const auto lane = static_cast<u32>(__builtin_ctz(m));
    const u64 at = e.first + static_cast<u64>(e.offsets[lane]);
    b.stored.erase(b.stored.lower_bound({e.space, at}), b.stored.lower_bound({e.space, at + e.bytes}));
    for (u32 n = 0; pointers && n < e.elements; ++n) {
      if (!e.values[n]) continue;
      u64 value;
      std::memcpy(&value, e.values[n] + size_t{lane} * e.value_bytes, sizeof value);
      if (value >= engine::kLocalWindow && value - engine::kLocalWindow < program_->local_bytes)
        b.stored[{e.space, at + n * kPointerBytes}] = {value, e, lane, {}};
    }
  }
}

void Locals::load(Block& b, const events::Memory& e) {
  if (b.stored.empty()) return;
  for (u32 m = e.mask; m; m &= m - 1) {
    const auto lane = static_cast<u32>(__builtin_ctz(m));
    const u64 at = e.first + static_cast<u64>(e.offsets[lane]);
    const auto end = b.stored.lower_bound({e.space, at + e.bytes});
    for (auto p = b.stored.lower_bound({e.space, at}); p != end; ++p)
      if (thread_of(p->second.stored, p->second.lane) != thread_of(e, lane))
        b.loaded[thread_of(e, lane)] = p->second;
  }
}

void Locals::access(std::unordered_map<u32, Pointer>& loaded, const events::Memory& e, const Own& own) {
  if (loaded.empty() || ir::space_of(*program_->infos[e.instruction].instruction) != ir::Space::None) return;
  for (u32 m = e.mask; m; m &= m - 1) {
    const auto lane = static_cast<u32>(__builtin_ctz(m));
    const auto p = loaded.find(thread_of(e, lane));
    if (p == loaded.end()) continue;
    const u64 address = e.first + static_cast<u64>(e.offsets[lane]);
    const u64 within = address >= own.window ? address - own.window : address;
    const u64 begin = p->second.value - own.window;
    if (within < begin || within >= begin + kObject) continue;
    Finding f;
    f.kind = fmt::format("another {}'s {} memory", own.whose, own.space);
    f.kernel = facts_.kernel;
    f.message = fmt::format("a pointer to {} is used; the same address means this {}'s own {} memory", f.kind,
                            own.whose, own.space);
    f.parties = {party(*program_, e, static_cast<int>(lane),
                       fmt::format("{} {}", e.load() ? "reads" : "writes", bytes_of(e.bytes))),
                 p->second.earlier
                     ? *p->second.earlier
                     : party(*program_, p->second.stored, static_cast<int>(p->second.lane), own.stores)};
    f.more = {own.missing};
    findings_.add(std::move(f));
    loaded.erase(p);
  }
}

template <class F>
void Locals::each_shared(const events::Memory& e, const F& f) {
  if (!e.values || !e.elements || e.bytes / e.elements != kPointerBytes || e.value_bytes != 8) return;
  for (u32 m = e.mask; m; m &= m - 1) {
    const auto lane = static_cast<u32>(__builtin_ctz(m));
    const u64 at = e.first + static_cast<u64>(e.offsets[lane]);
    for (u32 n = 0; n < e.elements; ++n) {
      if (!e.values[n]) continue;
      u64 value;
      std::memcpy(&value, e.values[n] + size_t{lane} * e.value_bytes, sizeof value);
      if (value < engine::kSharedWindow || value - engine::kSharedWindow >= engine::kClusterStep) continue;
      f(lane, value, at + n * kPointerBytes);
    }
  }
}

void Locals::store_shared(Block& b, const events::Memory& e) {
  each_shared(e, [&](u32 lane, u64 value, u64 at) {
    if (b.own_shared.insert(value).second)
      std::erase_if(b.loaded_shared, [&](const auto& l) { return l.second.value == value; });
    if (e.space != ir::Space::Global) return;
    std::lock_guard lock(left_mutex_);
    if (left_.size() < kMostLeft || left_.count(at)) left_[at] = {value, e, lane, {}};
    any_left_ = true;
  });
}

void Locals::load_shared(Block& b, const events::Memory& e) {
  if (e.bytes < kPointerBytes || !facts_.memory) return;
  std::lock_guard lock(left_mutex_);
  for (u32 m = e.mask; m; m &= m - 1) {
    const auto lane = static_cast<u32>(__builtin_ctz(m));
    const u64 at = e.first + static_cast<u64>(e.offsets[lane]);
    const auto end = left_.lower_bound(at + e.bytes);
    for (auto p = left_.lower_bound(at); p != end; ++p) {
      const auto in = facts_.memory->find(p->first);
      if ((!p->second.earlier && p->second.stored.block == e.block) || !in ||
          p->first + kPointerBytes > in->base + in->size)
        continue;
      u64 there;  // others may have written something else there
      std::memcpy(&there, facts_.memory->host(p->first), sizeof there);
      if (there == p->second.value && !b.own_shared.count(there))
        b.loaded_shared[thread_of(e, lane)] = p->second;
    }
  }
}

void Locals::behind_frame(const events::Memory& e) {
  const engine::InstInfo& info = program_->infos[e.instruction];
  const int number = program_->module->symbols[info.function->symbol].function;
  const engine::FunctionCode* code = program_->by_number[static_cast<size_t>(number)];
  if (!e.state || !code) return;
  const u64 end = u64{e.state->stack} + code->local_bytes;
  for (u32 m = e.mask; m; m &= m - 1) {
    const auto lane = static_cast<u32>(__builtin_ctz(m));
    const u64 address = e.first + static_cast<u64>(e.offsets[lane]);
    const u64 within = address >= engine::kLocalWindow ? address - engine::kLocalWindow : address;
    if (within + e.bytes <= end || within >= program_->local_bytes) continue;
    Finding f;
    f.kind = "dangling local";
    f.kernel = facts_.kernel;
    f.message = "a pointer to a local variable of a function that has returned is used";
    f.parties = {party(*program_, e, static_cast<int>(lane),
                       fmt::format("{} {}", e.load() ? "reads" : "writes", bytes_of(e.bytes)))};
    f.more = {
        fmt::format("where: {} bytes past the local memory of {}, the running function",
                    within + e.bytes - end, demangled(program_->module->symbols[info.function->symbol].name)),
        "missing: memory of the caller for the function to write to, or the value itself as its result"};
    findings_.add(std::move(f));
    return;
  }
}

}  // namespace ww::checks
