// Races as findings: one for each pair of lines, with what is missing between them.
#include <fmt/format.h>

#include <algorithm>

#include "base/symbol_name.h"
#include "checks/races.h"
#include "checks/races/words.h"
#include "checks/text.h"

namespace ww::checks {

namespace {

std::string line_text(const Party& p) {
  return p.where.known() ? fmt::format("{}:{}", p.where.file, p.where.line)
                         : fmt::format("PTX line {}", p.ptx_line);
}
/// Within a sentence: the parties, which have their lines, tell the folder.
std::string brief_line(const Party& p) {
  const std::string line = line_text(p);
  return line.substr(p.where.known() ? p.where.file.rfind('/') + 1 : 0);
}

/// A thread of a grid beside another one.
std::string of_other_grid(const races::Grid& grid, const races::Grid& other) {
  const std::string kernel = other.kernel();
  return fmt::format("a thread of {}, which may run at the same time,",
                     kernel == grid.kernel() ? "another launch of the kernel" : "kernel " + kernel);
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

/// A pair, and what its sentences are made of.
struct Races::Told {
  const Found& f;
  u32 instruction, other;
  const races::Grid &grid, &other_grid;
  const Party &a, &b;
  std::string between;   ///< the two lines
  std::string relation;  ///< who the other thread is for the first

  bool two_grids() const { return &grid != &other_grid; }
};

bool Races::multiplies(u32 instruction) const {
  return info_of(instruction).instruction->form().pipe == isa::Pipe::Tensor;
}
/// Whether an mbarrier completes it.
bool Races::tracked(u32 instruction) const {
  const auto& specs = info_of(instruction).instruction->form().operands;
  return kinds_[instruction].asynchronous &&
         std::any_of(specs.begin(), specs.end(), [](const auto& spec) { return spec.name == "m"; });
}
bool Races::fetches(u32 instruction) const {
  return info_of(instruction).instruction->form().pipe == isa::Pipe::Texture;
}

std::string Races::does(u32 instruction, bool writes, const Found& f) const {
  const Kind& k = kinds_[instruction];
  const std::string bytes = bytes_of(f.bytes);
  if (k.asynchronous && multiplies(instruction)) return "reads " + bytes + " asynchronously (wgmma)";
  if (k.asynchronous && k.update && writes) return "updates " + bytes + " asynchronously";
  if (k.asynchronous) return (writes ? "copies asynchronously to " : "copies asynchronously from ") + bytes;
  if (k.frees) return fmt::format("frees the memory of {}", bytes);
  if (k.update) return "updates " + bytes + " atomically";
  return std::string(writes ? "writes " : "reads ") + bytes +
         (k.is_volatile ? " (volatile)"
          : k.strong    ? " (atomic)"
                        : "");
}

std::string Races::message_of(const Told& t) const {
  const Found& f = t.f;
  if (f.proxy) {
    const bool copy_first = kinds_[t.instruction].asynchronous;
    const Party &copy = copy_first ? t.a : t.b, &writer = copy_first ? t.b : t.a;
    return fmt::format("a thread {}, which {} {} without a proxy fence after it: it may read older bytes",
                       copy.what, f.same_warp ? "its warp" : "another warp", writer.what);
  }
  if (f.stale)
    return fmt::format("a thread {} through {}, which the launch has written before: {} {}", t.a.what,
                       fetches(t.instruction) ? "a texture" : "the read-only path (ld.global.nc)",
                       f.same_block && f.same_warp && f.one.lane == f.other.lane ? "it" : t.relation,
                       t.b.what);
  const std::string race = fmt::format("data race in {} memory: a thread {}, {} {}, unsynchronised",
                                       f.shared ? "shared" : "global", t.a.what, t.relation, t.b.what);
  if (f.by_luck && !f.sizes)
    return race + "; volatile accesses do not race, but the value that is read depends on the schedule";
  return race + (f.different ? "" : " (they write the same value)") +
         (f.sizes ? "; accesses are atomic for each other only where they are of the same bytes" : "");
}

/// The first byte that both accessed.
std::string Races::place_of(const Found& f) const {
  if (f.shared) {
    std::string name;
    for (const engine::SharedVariable& v : program_->shared)
      if (f.address >= v.offset && (v.bytes == 0 || f.address < v.offset + v.bytes))
        name = fmt::format("byte {} of the shared array {}", f.address - v.offset,
                           demangled(program_->module->symbols[v.symbol].name));
    return name.empty() ? fmt::format("shared address 0x{:x}", f.address) : name;
  }
  const auto in = facts_.memory ? facts_.memory->find(f.address) : std::nullopt;
  if (!in) return fmt::format("address 0x{:x}", f.address);
  return fmt::format(
      "byte {} of {}", f.address - in->base,
      in->name.empty() ? fmt::format("an allocation of {} bytes at 0x{:x}", in->size, in->base) : in->name);
}

/// For copies, proxies, the read-only path and wgmma; "" otherwise.
std::string Races::missing_of_copies(const Told& t) const {
  const Found& f = t.f;
  if (f.stale && fetches(t.instruction))
    return fmt::format("a launch of its own for {}, or a plain load there", brief_line(t.a));
  if (f.proxy)
    return fmt::format(
        "a fence.proxy.async (cuda::ptx::fence_proxy_async) {}, by the threads that write, before the "
        "barrier",
        t.between);
  if (f.sizes) return fmt::format("one size for the accesses {}", t.between);
  if (f.stale)
    return fmt::format("a plain load instead of __ldg, or a pointer without const … __restrict__, at {}",
                       brief_line(t.a));
  if (multiplies(t.other) || (f.pending && multiplies(t.instruction)))
    return fmt::format(
        "a wgmma.wait_group {}, by the warps that multiply, and a barrier behind it where other warps write",
        t.between);
  if (f.pending && (tracked(t.instruction) || tracked(t.other)))
    return fmt::format(
        "a wait for the copy {}: for the phase of its mbarrier that expects its bytes (expect_tx), by the "
        "threads "
        "that use them",
        t.between);
  if (f.pending && f.same_warp)
    return fmt::format(
        "a wait for the copy (cp.async.wait_group, cp.async.bulk.wait_group.read, __pipeline_wait_prior, "
        "wait of its barrier) {}",
        t.between);
  if (f.pending)
    return fmt::format("a wait for the copy by the thread that started it, then a __syncthreads(), {}",
                       t.between);
  return "";
}

std::string Races::missing_between_blocks(const Told& t) const {
  const Found& f = t.f;
  const std::string narrow =
      block_fence_ ? fmt::format("; the __threadfence_block() at {} orders threads of one block only",
                                 brief_line(party_at(*block_fence_, f.one, "")))
                   : "";
  if (line_text(t.a) == line_text(t.b) && any_swaps_)
    return fmt::format(
        "an order between blocks of one launch: an atomic (of device scope) {}, a separate place for what "
        "each block writes, a lock with a __threadfence() after it is taken and another before it is given "
        "back, or two launches{}",
        t.between, narrow);
  if (line_text(t.a) == line_text(t.b))
    return fmt::format(
        "an order between blocks of one launch: an atomic (of device scope) {}, a separate place for what "
        "each block writes, or two launches{}",
        t.between, narrow);
  // A message goes from who writes to who reads, whichever ran first.
  const bool a_sends = f.writes && !f.other_writes;
  const Party &sends = a_sends ? t.a : t.b, &gets = a_sends ? t.b : t.a;
  return fmt::format(
      "an order between blocks of one launch: an atomic (of device scope) {}, or a release "
      "(__threadfence(), then an atomic) after {} and an acquire (the atomic, then __threadfence()) "
      "before {}, or two launches (and a second array where results overwrite what others still read){}",
      t.between, brief_line(sends), brief_line(gets), narrow);
}

bool Races::stores_meet(u32 instruction) const {
  return std::any_of(found_.begin(), found_.end(), [&](const auto& found) {
    const auto& [pair, f] = found;
    return f.writes && f.other_writes &&
           (std::get<0>(pair) == instruction || std::get<1>(pair) == instruction);
  });
}

std::string Races::missing_of(const Told& t) const {
  const Found& f = t.f;
  if (std::string special = missing_of_copies(t); !special.empty()) return special;
  if (f.strong_pair && !f.luck)
    return fmt::format(
        "a wider scope: the atomics {} order only threads of one block, and these are in different blocks "
        "(.gpu: without _block)",
        t.between);
  if (f.lacks_fence)
    return fmt::format("a __threadfence() after the atomic or volatile read with which {} waits",
                       brief_line(t.a));
  if (f.same_warp && t.instruction == t.other)
    return fmt::format(
        "an atomic, or a single lane: several lanes of one instruction access the same place, {}", t.between);
  const bool one_line = line_text(t.a) == line_text(t.b);
  if (one_line && (f.same_warp || f.same_block)) {
    const char* barrier = f.same_warp ? "__syncwarp" : "__syncthreads";
    // Of threads that update one value (`count[i]++`) each must have it for itself: a barrier is of no use
    // where two of them meet in one round.
    if (stores_meet(f.writes ? t.instruction : t.other))
      return fmt::format(
          "an atomic, if threads update one value, or a separate place for what each thread writes; else a "
          "{}() "
          "between the accesses {} (behind the line if a loop repeats it, else with the line split in two)",
          barrier, t.between);
    return fmt::format(
        "a {}() between the accesses {} (behind the line if a loop repeats it, else with the line split in "
        "two), an atomic, or a separate place for what each thread writes",
        barrier, t.between);
  }
  if (f.same_warp)
    return fmt::format("a __syncwarp() {}{}", t.between,
                       f.shared && facts_.block.count() > races::kWarpLanes
                           ? ", or a __syncthreads() if threads of other warps access it, too"
                           : "");
  if (f.same_block) return fmt::format("a __syncthreads() {}", t.between);
  if (f.shared) return fmt::format("a cluster.sync() {}", t.between);
  if (t.two_grids())
    return order_of_grids(t.grid.early ? t.grid : t.other_grid, brief_line(t.grid.early ? t.a : t.b));
  return missing_between_blocks(t);
}

Finding Races::finding_of(u32 instruction, u32 other, const Found& f) const {
  Finding finding;
  finding.kind = f.stale ? "stale read" : "race";
  finding.severity = f.different ? Severity::Error : Severity::Warning;
  const races::Grid &grid = grids_.of_block(f.one.block), &other_grid = grids_.of_block(f.other.block);
  finding.kernel = grid.kernel();
  finding.count = f.count;
  finding.parties = {party_at(instruction, f.one, does(instruction, f.writes, f)),
                     party_at(other, f.other, does(other, f.other_writes, f))};
  const Party &a = finding.parties[0], &b = finding.parties[1];
  Told told{f, instruction, other, grid, other_grid, a, b, {}, {}};
  told.between = line_text(a) == line_text(b) ? "at " + brief_line(a)
                                              : "between " + brief_line(b) + " and " + brief_line(a);
  told.relation = told.two_grids() ? of_other_grid(grid, other_grid)
                  : f.pending      ? (f.same_warp ? "a lane of its warp" : "a thread of its block")
                  : f.same_warp    ? "another lane of its warp"
                  : f.same_block   ? "a thread of another warp"
                                   : "a thread of another block";
  finding.message = message_of(told);
  finding.more = {"where: " + place_of(f), "missing: " + missing_of(told)};
  if (f.first_lock)
    finding.more.push_back(
        fmt::format("in this run the thread at {} was the first to take the lock, so its missing fence had "
                    "no effect; in another run it may not be the first",
                    brief_line(a)));
  return finding;
}

void Races::write_findings() {
  if (!program_) return;
  std::vector<Finding> told;
  std::map<std::string, size_t> by_lines;
  for (const auto& [pair, f] : found_) {
    // Wrong accesses are dropped: they meet nobody, and are said to be wrong.
    if (!f.shared && facts_.memory) {
      const auto near = facts_.memory->nearest(f.address);
      if (!near || f.address - near->base >= near->size) continue;
    }
    if (benign_ == (f.different || f.by_data || f.by_luck)) continue;
    Finding finding = finding_of(std::get<0>(pair), std::get<1>(pair), f);
    const Party &a = finding.parties[0], &b = finding.parties[1];
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
