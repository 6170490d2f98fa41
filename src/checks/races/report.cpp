// Races as findings: one for each pair of instructions, with what is missing between them.
#include <fmt/format.h>

#include <cstring>

#include "checks/names.h"
#include "checks/races.h"

namespace ww::checks {

using races::Record;

namespace {

std::string line_text(const Party& p) {
  return p.where.known() ? fmt::format("{}:{}", p.where.file, p.where.line)
                         : fmt::format("PTX line {}", p.ptx_line);
}

std::string kernel_of(const races::Grid& g) {
  return g.facts.kernel.empty() ? readable(g.program->module->symbols[g.program->entry->symbol].name)
                                : g.facts.kernel;
}

/// A thread of a grid beside another one.
std::string of_other_grid(const races::Grid& grid, const races::Grid& other) {
  const std::string kernel = kernel_of(other);
  return fmt::format("a thread of {}, which may run at the same time,",
                     kernel == kernel_of(grid) ? "another launch of the kernel" : "kernel " + kernel);
}

/// What is missing where one of two grids may begin before the other has ended.
std::string order_of_grids(const races::Grid& later, const std::string& line) {
  if (later.early)
    return fmt::format(
        "cudaGridDependencySynchronize() (griddepcontrol.wait) before {}: this launch may begin before the "
        "one before it has ended (programmatic stream serialization)",
        line);
  return "an order between the grids: a barrier of the block before the launch, one stream for both, an "
         "event, "
         "or a launch into cudaStreamTailLaunch for what needs the results of others";
}

}  // namespace

/// Whether a store of lane `lane` writes the bytes that are there already (or that `other_lane` writes with
/// the same instruction).
bool Races::same_value(const Access& a, u32 lane, u32 other_lane, bool same_instruction) const {
  const events::Memory* e = a.event;
  if (!e || !e->values || !e->elements || e->bytes % e->elements) return false;
  const u32 size = e->bytes / e->elements;
  const u64 own = e->first + static_cast<u64>(e->offsets[lane]) + a.first_byte;
  // What lies there is what the other one wrote: this event comes before the store.
  const uint8_t* there = nullptr;
  const auto count = static_cast<u32>(__builtin_popcount(a.bytes));
  if (!a.shared && facts_.memory) {
    const auto in = facts_.memory->find(own);  // a wrong access, which has been dropped, lies nowhere
    if (in && own + count <= in->base + in->size) there = facts_.memory->host(own);
  }
  if (a.shared && e->state && own + count <= e->state->shared_bytes) there = e->state->shared + own;
  for (u32 k = 0; k < count; ++k) {
    const u32 at = a.first_byte + k;
    const uint8_t* element = e->values[at / size];
    if (!element) return false;
    const uint8_t value = element[lane * e->value_bytes + at % size];
    if (same_instruction) {
      if (value != element[other_lane * e->value_bytes + at % size]) return false;
    } else {
      if (!there) return false;
      if (value != there[k]) return false;
    }
  }
  return true;
}

void Races::report(const Record& r, bool is_write, u32 of_lane, u32 lane, const Access& a) {
  if (quiet_) {
    met_ = true;
    return;
  }
  const bool pending = r.segment() == Record::kPending;
  const bool same_instruction = r.segment() == a.now && r.instruction() == a.instruction;
  races::Order::Owner who{static_cast<u32>(a.block->number), a.site->warp};
  if (!pending) who = order_.owner(r.segment());
  if (pending && copying_warp_) who.warp = *copying_warp_;
  if (who.warp == races::kLoneWarp) who.warp = a.site->warp;
  const bool same_block = who.block == a.block->number, same_warp = same_block && who.warp == a.site->warp;
  const Kind& other = kinds_[r.instruction()];
  const races::Scope scope = std::min(other.scope, a.kind.scope);
  const bool luck =
      !stale_ && !proxy_ && !pending && other.strong && a.kind.strong && (same_block || scope == races::kGpu);
  const bool lacks_fence = !stale_ && !proxy_ && !pending &&
                           order_.before_but_for_a_fence(r.segment(), of_lane, *a.block, a.site->warp, lane);
  // The party that is reported is the later one in the program, whoever came first in the run.
  Lane one{a.block->number, a.site->warp, lane}, two{who.block, who.warp, of_lane};
  u32 instruction = a.site->instruction, from = r.instruction();
  bool writes = a.write, other_writes = is_write;
  if (from > instruction && !lacks_fence) {
    std::swap(one, two);
    std::swap(instruction, from);
    std::swap(writes, other_writes);
  }
  const u32 kind = u32{a.shared} | u32{pending} << 1 | u32{writes} << 2 | u32{other_writes} << 3 |
                   u32{stale_} << 4 | u32{proxy_} << 5;
  Found& f = found_[{instruction, from, kind}];
  ++f.count;
  const bool both_store = is_write && a.write && !a.kind.update && !other.update && !pending && !a.pending;
  if (luck)
    f.luck = true;
  else if (!both_store || !same_value(a, lane, of_lane, same_instruction))
    ++f.different;
  else if (!stores_one_value(a.site->instruction) || !stores_one_value(r.instruction()))
    ++f.by_data;
  // Those who are furthest apart need the strongest order; of these the first by its threads stands for all.
  const auto rank = [](bool warp, bool block, const Lane& x, const Lane& y) {
    return std::tuple(warp, block, x.block, x.warp, x.lane, y.block, y.warp, y.lane);
  };
  if (f.count > 1 && rank(f.same_warp, f.same_block, f.one, f.other) <= rank(same_warp, same_block, one, two))
    return;
  f.one = one, f.other = two;
  f.address = a.word * 4 + static_cast<u32>(__builtin_ctz(a.bytes | 16));
  f.bytes = static_cast<u32>(__builtin_popcount(a.bytes));
  f.shared = a.shared, f.pending = pending, f.same_warp = same_warp, f.same_block = same_block;
  f.writes = writes, f.other_writes = other_writes;
  f.strong_pair = other.strong && a.kind.strong;
  f.lacks_fence = lacks_fence;
  f.stale = stale_;
  f.proxy = proxy_;
  f.sizes = other_size(other, a.kind);
}

void Races::write_findings() {
  if (!program_) return;
  const auto multiplies = [&](u32 instruction) {
    return info_of(instruction).instruction->form().pipe == isa::Pipe::Tensor;
  };
  const auto does = [&](u32 instruction, bool writes, const Found& f) {
    const Kind& k = kinds_[instruction];
    const std::string bytes = fmt::format("{} {}", f.bytes, f.bytes == 1 ? "byte" : "bytes");
    if (k.asynchronous && multiplies(instruction)) return "reads " + bytes + " asynchronously (wgmma)";
    if (k.asynchronous) return (writes ? "copies asynchronously to " : "copies asynchronously from ") + bytes;
    if (k.update) return "updates " + bytes + " atomically";
    return std::string(writes ? "writes " : "reads ") + bytes +
           (k.is_volatile ? " (volatile)"
            : k.strong    ? " (atomic)"
                          : "");
  };
  std::vector<Finding> told;
  std::map<std::string, size_t> by_lines;
  for (const auto& [pair, f] : found_) {
    // Wrong accesses are dropped: they meet nobody, and are said to be wrong.
    if (!f.shared && facts_.memory) {
      const auto near = facts_.memory->nearest(f.address);
      if (!near || f.address - near->base >= near->size) continue;
    }
    const auto [instruction, other, kind] = pair;
    if (benign_ == (f.different || f.by_data || f.luck)) continue;
    Finding finding;
    finding.kind = "race";
    finding.severity = f.different ? Severity::Error : Severity::Warning;
    const races::Grid &grid = grids_.of_block(f.one.block), &other_grid = grids_.of_block(f.other.block);
    const bool two_grids = &grid != &other_grid;
    finding.kernel = kernel_of(grid);
    finding.count = f.count;
    finding.parties = {party_at(instruction, f.one, does(instruction, f.writes, f)),
                       party_at(other, f.other, does(other, f.other_writes, f))};
    const Party &a = finding.parties[0], &b = finding.parties[1];
    const std::string between = line_text(a) == line_text(b)
                                    ? "at " + line_text(a)
                                    : "between " + line_text(b) + " and " + line_text(a);
    const std::string relation = two_grids   ? of_other_grid(grid, other_grid)
                                 : f.pending ? (f.same_warp ? "a lane of its warp" : "a thread of its block")
                                 : f.same_warp  ? "another lane of its warp"
                                 : f.same_block ? "a thread of another warp"
                                                : "a thread of another block";
    finding.message = fmt::format("data race in {} memory: a thread {}, {} {}, unsynchronised",
                                  f.shared ? "shared" : "global", a.what, relation, b.what);
    if (!f.different) finding.message += " (they write the same value)";
    if (f.sizes)
      finding.message += "; atomics are atomic for each other only where they update the same bytes";
    else if (f.luck)
      finding.message =
          fmt::format("{}; volatile accesses do not race, but the value that is read depends on the schedule",
                      finding.message.substr(0, finding.message.find(" (they")));

    const bool fetched = info_of(instruction).instruction->form().pipe == isa::Pipe::Texture;
    if (f.stale) {
      finding.kind = "stale read";
      finding.message =
          fmt::format("a thread {} through {}, which the launch has written before: {} {}", a.what,
                      fetched ? "a texture" : "the read-only path (ld.global.nc)",
                      f.same_block && f.same_warp && f.one.lane == f.other.lane ? "it" : relation, b.what);
    }

    if (f.proxy) {
      const bool copy_first = kinds_[instruction].asynchronous;
      const Party &copy = copy_first ? a : b, &writer = copy_first ? b : a;
      finding.message =
          fmt::format("a thread {}, which {} {} without a proxy fence after it: it may read older bytes",
                      copy.what, f.same_warp ? "its warp" : "another warp", writer.what);
    }

    std::string name;
    if (f.shared) {
      for (const engine::SharedVariable& v : program_->shared)
        if (f.address >= v.offset && (v.bytes == 0 || f.address < v.offset + v.bytes))
          name = fmt::format("byte {} of the shared array {}", f.address - v.offset,
                             readable(program_->module->symbols[v.symbol].name));
      if (name.empty()) name = fmt::format("shared address 0x{:x}", f.address);
    } else if (const auto in = facts_.memory ? facts_.memory->find(f.address) : std::nullopt) {
      name = fmt::format("byte {} of {}", f.address - in->base,
                         in->name.empty()
                             ? fmt::format("an allocation of {} bytes at 0x{:x}", in->size, in->base)
                             : in->name);
    } else {
      name = fmt::format("address 0x{:x}", f.address);
    }
    finding.more.push_back("where: " + name);

    std::string missing;
    const bool one_place = instruction == other;
    if (f.stale && fetched)
      missing = fmt::format("a launch of its own for {}, or a plain load there", line_text(a));
    else if (f.proxy)
      missing = fmt::format(
          "a fence.proxy.async (cuda::ptx::fence_proxy_async) {}, by the threads that write, before the "
          "barrier",
          between);
    else if (f.sizes)
      missing = fmt::format("one size for the atomics {}", between);
    else if (f.stale)
      missing = fmt::format("a plain load instead of __ldg, or a pointer without const … __restrict__, at {}",
                            line_text(a));
    else if (multiplies(other) || (f.pending && multiplies(instruction)))
      missing = fmt::format(
          "a wgmma.wait_group {}, by the warps that multiply, and a barrier behind it where other warps "
          "write",
          between);
    else if (f.pending)
      missing =
          f.same_warp
              ? fmt::format(
                    "a wait for the copy (cp.async.wait_group, cp.async.bulk.wait_group.read, "
                    "__pipeline_wait_prior, wait of its barrier) {}",
                    between)
              : fmt::format("a wait for the copy by the thread that started it, then a __syncthreads(), {}",
                            between);
    else if (f.strong_pair && !f.luck)
      missing = fmt::format(
          "a wider scope: the atomics {} order only threads of one block, and these are in different blocks "
          "(.gpu: without _block)",
          between);
    else if (f.lacks_fence)
      missing = fmt::format("a __threadfence() after the atomic or volatile read with which {} waits",
                            line_text(a));
    else if (f.same_warp && one_place)
      missing = fmt::format(
          "an atomic, or a single lane: several lanes of one instruction access the same place, {}", between);
    else if (f.same_warp)
      missing = fmt::format("a __syncwarp() {}", between);
    else if (f.same_block)
      missing = fmt::format("a __syncthreads() {}", between);
    else if (two_grids)
      missing = order_of_grids(grid.early ? grid : other_grid, line_text(grid.early ? a : b));
    else
      missing = fmt::format(
          "an order between blocks of one launch: an atomic (of device scope) {}, or a release "
          "(__threadfence(), then an atomic) after {} and an acquire (the atomic, then __threadfence()) "
          "before {}, or two launches",
          between, line_text(b), line_text(a));
    finding.more.push_back("missing: " + missing);
    if (f.first_lock)
      finding.more.push_back(
          fmt::format("in this run the thread at {} was the first to take the lock, so its missing fence had "
                      "no effect; in another run it may not be the first",
                      line_text(a)));
    // Instructions of one line (of an unrolled loop) are one mistake.
    std::string key = fmt::format("{}\n{}\n{}\n{}", line_text(a), a.what, line_text(b), b.what);
    if (!f.different) key += "\nwarning";
    const auto [at, fresh] = by_lines.try_emplace(std::move(key), by_lines.size());
    if (fresh)
      told.push_back(std::move(finding));
    else
      told[at->second].count += finding.count;
  }
  for (Finding& finding : told) findings_.add(std::move(finding));
  found_.clear();
}

}  // namespace ww::checks
