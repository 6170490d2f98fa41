#include "checks/warps.h"

#include <fmt/format.h>

#include "base/symbol_name.h"

namespace ww::checks {

namespace {

enum Wrong : u64 { kNoLane, kNotItself, kOtherMask, kEnded, kPlaces, kMissing, kEarly, kApart };
u64 key(u32 instruction, Wrong wrong) { return u64{instruction} << 8 | wrong; }

std::string lanes_text(u32 mask) {
  std::string text;
  for (int l = 0; l < engine::kLanes; ++l) {
    if (!(mask >> l & 1)) continue;
    int end = l;
    while (end + 1 < engine::kLanes && mask >> (end + 1) & 1) ++end;
    text += text.empty() ? "" : ",";
    text += end > l ? fmt::format("{}-{}", l, end) : fmt::format("{}", l);
    l = end;
  }
  return (engine::lane_count(mask) == 1 ? "lane " : "lanes ") + text;
}

int first(u32 mask) { return __builtin_ctz(mask); }

}  // namespace

void Warps::launch_begins(const engine::Program& program, int workers) {
  program_ = &program;
  products_ = &products_of(program);
  workers_.assign(static_cast<size_t>(workers), {});
}

void Warps::block_begins(int worker, u64 number) { block(worker, number) = {}; }
void Warps::block_ends(int worker, u64 number) { workers_[static_cast<size_t>(worker)].erase(number); }

u32 Warps::lanes_of(u32 warp) const {
  const u64 threads = facts_.block.count(), before = u64{warp} * engine::kLanes;
  const u64 left = threads > before ? threads - before : 0;
  return left >= engine::kLanes ? engine::kAllLanes : (u32{1} << left) - 1;
}

Finding Warps::finding(const events::Site& site, int lane, std::string kind, std::string message,
                       std::string what) const {
  Finding f;
  f.kind = std::move(kind);
  f.kernel = demangled(program_->module->symbols[program_->entry->symbol].name);
  f.message = std::move(message);
  f.parties.push_back(party(*program_, site, lane, std::move(what)));
  return f;
}

// ---- products of matrices (wgmma) ----

const Warps::Products& Warps::products_of(const engine::Program& program) {
  Products& p = known_[&program];
  if (p.module == program.module && p.infos == program.infos.data()) return p;
  p = {program.module, program.infos.data(), {}};
  std::map<const ir::Instruction*, u32> products;
  for (u32 k = 0; k < program.infos.size(); ++k) {
    const ir::Instruction* in = program.infos[k].instruction;
    if (in && in->mod(isa::Slot::wgshape) != isa::Mod::none) products.emplace(in, k);
  }
  if (products.empty()) return p;
  for (const auto& code : program.functions)
    for (const analysis::EarlyProduct& e : analysis::early_products(*code->function))
      if (const auto at = products.find(e.product); at != products.end()) p.early.emplace(at->second, e);
  return p;
}

void Warps::warp_sync(int worker, const events::WarpSync& e) {
  const auto [begin, end] = products_->early.equal_range(e.instruction);
  if (begin == end || !block(worker, e.block).told.insert(key(e.instruction, kEarly)).second) return;
  for (auto at = begin; at != end; ++at) {
    const analysis::EarlyProduct& early = at->second;
    if (!early.use) {
      Finding f = finding(e, first(e.mask), "unfenced product", "a wgmma stands behind no wgmma.fence",
                          "multiplies matrices");
      f.more.push_back(
          "missing: wgmma.fence.sync.aligned before it, which orders what has been done to its registers");
      findings_.add(std::move(f));
      continue;
    }
    events::Site use = e;
    for (u32 k = 0; k < program_->infos.size(); ++k)
      if (program_->infos[k].instruction == early.use) use.instruction = k;
    Finding f = finding(use, first(e.mask), "unawaited product",
                        "what a wgmma computes is read before it is over", "reads a register of its result");
    f.parties.push_back(party(*program_, e, first(e.mask), "multiplies matrices"));
    f.more.push_back(early.committed
                         ? "missing: a wgmma.wait_group between them that waits for its group, too"
                         : "missing: wgmma.commit_group behind the product, which puts it into a group that "
                           "wgmma.wait_group can wait for");
    findings_.add(std::move(f));
  }
}

// ---- masks ----

void Warps::warp_arrival(int worker, const events::WarpArrival& e) {
  u32 nothing = 0, outside = 0, ended = 0, other = 0, other_with = 0;
  const u32 gone = lanes_of(e.warp) & ~e.live;
  const u32 mask = e.masks[first(e.mask)];
  bool same = true;
  for (u32 m = e.mask; m; m &= m - 1) same &= e.masks[first(m)] == mask;
  if (same && (e.mask & ~mask) == 0 && (mask & gone) == 0) return;  // nearly always
  for (u32 m = e.mask; m; m &= m - 1) {
    const int l = first(m);
    const u32 own = e.masks[l], bit = u32{1} << l;
    if (own == 0) {
      nothing |= bit;
      continue;
    }
    if (!(own & bit)) outside |= bit;
    if (own & gone) ended |= bit;
    if (same) continue;
    for (u32 k = own & e.mask; k; k &= k - 1)
      if (e.masks[first(k)] != own && !other) other = bit, other_with = u32{1} << first(k);
  }
  Block& b = block(worker, e.block);
  const auto once = [&](Wrong wrong) { return b.told.insert(key(e.instruction, wrong)).second; };
  const auto mask_of = [&](u32 lanes) { return e.masks[first(lanes)]; };
  if (nothing && once(kNoLane)) {
    Finding f =
        finding(e, first(nothing), "mask", "the mask of a warp-level instruction is 0", "gives mask 0x0");
    f.more = {fmt::format("came: {}", lanes_text(e.mask))};
    findings_.add(std::move(f));
  }
  if (outside && once(kNotItself)) {
    const u32 own = mask_of(outside);
    Finding f = finding(e, first(outside), "mask", "a lane is not in its own mask",
                        fmt::format("gives mask 0x{:08x}", own));
    f.more = {
        fmt::format("the mask names {}", lanes_text(own)),
        fmt::format("executed by: {}; not in their own mask: {}", lanes_text(e.mask), lanes_text(outside)),
        "every lane that executes the instruction must be in the mask that it passes"};
    findings_.add(std::move(f));
  }
  if (other && once(kOtherMask)) {
    Finding f = finding(e, first(other), "mask", "lanes that name each other pass different masks",
                        fmt::format("gives mask 0x{:08x}", mask_of(other)));
    f.parties.push_back(
        party(*program_, e, first(other_with), fmt::format("gives mask 0x{:08x}", mask_of(other_with))));
    findings_.add(std::move(f));
  }
  if (ended && once(kEnded)) {
    const u32 own = mask_of(ended);
    Finding f = finding(e, first(ended), "mask", "a mask names lanes that have exited",
                        fmt::format("gives mask 0x{:08x}", own));
    f.severity = Severity::Hint;
    f.more = {fmt::format("have exited: {}", lanes_text(own & gone)),
              "GPUs since Volta do not wait for exited lanes; what is read from them is undefined"};
    findings_.add(std::move(f));
  }
}

// ---- barriers ----

bool Warps::aligned(u32 instruction) const {
  const ir::Instruction& in = *program_->infos[instruction].instruction;
  return in.form().mnemonic == "bar" || in.has(isa::Mod::aligned);
}

void Warps::barrier_arrival(int worker, const events::BarrierArrival& e) {
  Block& b = block(worker, e.block);
  b.barriers[e.barrier].all.push_back(e);
  if (!e.apart || !aligned(e.instruction) || !b.told.insert(key(e.instruction, kApart)).second) return;
  Finding f =
      finding(e, first(e.mask), "barrier", "lanes of one warp name different barriers, or numbers of threads",
              fmt::format("names barrier {}{}", e.barrier,
                          e.expected ? fmt::format(" of {} threads", e.expected) : ""));
  f.parties.push_back(party(*program_, e, first(e.apart), "names another, or another number"));
  f.more = {fmt::format("others than lane {}: {}", first(e.mask), lanes_text(e.apart)),
            "a warp arrives as a whole at one barrier; what a GPU does here is undefined"};
  findings_.add(std::move(f));
}

void Warps::barrier_release(int worker, const events::BarrierRelease& e) {
  Block& b = block(worker, e.block);
  Arrivals& arrivals = b.barriers[e.barrier];
  judge(b, arrivals);
  arrivals.all.clear();
}

void Warps::judge(Block& b, const Arrivals& arrivals) {
  if (arrivals.all.empty()) return;
  const auto once = [&](const events::Site& s, Wrong wrong) {
    return b.told.insert(key(s.instruction, wrong)).second;
  };
  // Lanes of one warp that wait at one barrier in different places of the code. (Compilers do not double a
  // barrier so that lanes could part at it: it is convergent.)
  std::map<u32, const events::BarrierArrival*> by_warp;
  u64 came = 0;
  for (const events::BarrierArrival& a : arrivals.all) {
    came += engine::lane_count(a.mask);
    const auto [it, fresh] = by_warp.try_emplace(a.warp, &a);
    const events::BarrierArrival& before = *it->second;
    if (fresh || before.instruction == a.instruction || (before.mask & a.mask)) continue;
    if (!aligned(a.instruction) && !aligned(before.instruction)) continue;
    if (!once(before, kPlaces)) continue;
    Finding f = finding(before, first(before.mask), "barrier",
                        "lanes of one warp wait for each other at different barrier instructions",
                        fmt::format("waits at barrier {} with {}", a.barrier, lanes_text(before.mask)));
    f.parties.push_back(
        party(*program_, a, first(a.mask), fmt::format("waits there with {}", lanes_text(a.mask))));
    f.more = {"all lanes of a warp must reach the same __syncthreads(); what a GPU does here is undefined"};
    findings_.add(std::move(f));
  }
  const events::BarrierArrival& some = arrivals.all.front();
  // Warps may divide their work, each part with barriers of its own, but then they count who comes.
  for (const events::BarrierArrival& a : arrivals.all) {
    if (a.instruction == some.instruction || a.warp == some.warp || some.expected || a.expected ||
        (!aligned(a.instruction) && !aligned(some.instruction)) || !once(some, kPlaces))
      continue;
    Finding f = finding(some, first(some.mask), "barrier",
                        "warps of one block wait for each other at different __syncthreads()",
                        fmt::format("waits at barrier {}", some.barrier));
    f.severity = Severity::Warning;
    f.parties.push_back(party(*program_, a, first(a.mask), "waits there"));
    f.more = {
        "all threads of a block must reach the same one (CUDA C++ Programming Guide, Synchronization "
        "Functions)"};
    findings_.add(std::move(f));
    break;
  }
  const u64 threads = facts_.block.count();
  if (some.expected != 0 || came >= threads || !once(some, kMissing)) return;
  Finding f =
      finding(some, first(some.mask), "barrier",
              fmt::format("{} of {} threads exited before a barrier of their block", threads - came, threads),
              fmt::format("waits at barrier {}", some.barrier));
  f.severity = Severity::Hint;
  f.more = {"GPUs since Volta do not wait for exited threads; older GPUs do not promise that"};
  findings_.add(std::move(f));
}

}  // namespace ww::checks
