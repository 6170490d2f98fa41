#include "checks/values/uncovered.h"

#include <algorithm>
#include <cstring>

#include <fmt/format.h>

#include "analysis/written_params.h"
#include "base/words.h"
#include "ir/accesses.h"

namespace ww::checks {

namespace {

/// Where the kernel stores through its argument `param` alone, or nullptr.
const ir::Instruction* store_through(const engine::Program& program, size_t param) {
  const analysis::AccessParams accesses = analysis::access_params(*program.module, *program.entry);
  for (const auto& [instruction, mask] : accesses.of)
    for (size_t k = 0; k < accesses.places.size(); ++k)
      if (mask >> k & 1 && accesses.places[k].param == param && instruction->op == isa::Op::st)
        return instruction;
  return nullptr;
}

/// A dimension of the grid whose blocks made `done` of `all` in equal shares of whole blocks of threads, the
/// rest being less than one share.
bool lacks_a_block(const engine::Extent3& grid, const engine::Extent3& block, u64 done, u64 all) {
  for (const auto& [blocks, threads] : {std::pair{grid.x, block.x}, {grid.y, block.y}, {grid.z, block.z}}) {
    if (blocks == 0 || threads == 1 || done % blocks) continue;
    const u64 share = done / blocks;
    if (share % threads == 0 && all - done < share) return true;
  }
  return false;
}

}  // namespace

void Uncovered::launch_begins(const LaunchFacts& facts, const std::map<u64, u64>& allocations) {
  begun_.clear();
  if (!facts.arguments || allocations.empty()) return;
  for (const std::vector<uint8_t>& argument : *facts.arguments) {
    u64 address = 0;
    if (argument.size() != sizeof address) continue;
    std::memcpy(&address, argument.data(), sizeof address);
    const auto at = allocations.find(address);
    if (at != allocations.end() && written_.count_missing(address, at->second).bytes == at->second)
      begun_.push_back(address);
  }
}

void Uncovered::launch_ends(const LaunchFacts& facts, const engine::Program& program) {
  for (const u64 address : begun_) {
    const auto in = facts.memory->find(address);
    if (!in || written_.all_written(in->base, in->size)) continue;
    if (written_.count_missing(in->base, in->size).bytes == in->size) continue;
    Array a;
    a.bytes = in->size, a.grid = facts.grid, a.block = facts.block, a.kernel = facts.kernel;
    size_t param = 0;
    for (size_t k = 0; k < facts.arguments->size(); ++k) {
      const std::vector<uint8_t>& argument = (*facts.arguments)[k];
      u64 value = 0;
      if (argument.size() != 4 && argument.size() != 8) continue;
      std::memcpy(&value, argument.data(), argument.size());
      if (value == address) param = k;
      if (value > 1 && value <= a.bytes) a.numbers.push_back(value);
    }
    const ir::Instruction* store = store_through(program, param);
    for (u32 k = 0; store && k < program.infos.size(); ++k)
      if (program.infos[k].instruction == store) {
        events::Site site;
        site.instruction = k;
        a.party = Check::party_in(facts, program, site, 0, "stores the elements");
        a.party.everyone = true;
        break;
      }
    if (!a.party.what.empty()) arrays_[address] = std::move(a);
  }
  begun_.clear();
}

std::optional<Uncovered::Rectangle> Uncovered::rectangle(u64 address, u64 row, u64 rows) const {
  Rectangle r;
  const WrittenBytes::Missing first = written_.count_missing(address, row);
  r.bytes = first.bytes ? first.first - address : row;
  if (r.bytes == 0) return {};
  for (; r.rows < rows; ++r.rows) {
    const u64 at = address + r.rows * row;
    if (!written_.all_written(at, r.bytes)) break;
    if (written_.count_missing(at + r.bytes, row - r.bytes).bytes != row - r.bytes) return {};
  }
  const u64 rest = (rows - r.rows) * row;
  if (written_.count_missing(address + r.rows * row, rest).bytes != rest) return {};
  return r;
}

std::optional<Finding> Uncovered::judge(const Array& a, u64 address, u64 element, u64 width,
                                        u64 height) const {
  const std::optional<Rectangle> r = rectangle(address, element * width, height);
  if (!r || r->bytes % element) return {};
  const u64 columns = r->bytes / element;
  if (columns == width && r->rows == height) return {};
  if (columns < width && !lacks_a_block(a.grid, a.block, columns, width)) return {};
  if (r->rows < height && !lacks_a_block(a.grid, a.block, r->rows, height)) return {};
  const auto extent = [](const engine::Extent3& e) {
    return e.y == 1 && e.z == 1 ? fmt::format("{}", e.x)
           : e.z == 1           ? fmt::format("{} x {}", e.x, e.y)
                                : fmt::format("{} x {} x {}", e.x, e.y, e.z);
  };
  Finding f;
  f.kind = "uninitialised";
  f.severity = Severity::Warning;
  f.kernel = a.kernel;
  f.message = "the host reads the end of an array that the grid did not reach";
  f.parties.push_back(a.party);
  f.more.push_back(height == 1
                       ? fmt::format("{} of {} elements were written, by {} of {} threads", columns, width,
                                     counted(static_cast<int64_t>(a.grid.count()), "block"), extent(a.block))
                       : fmt::format("{} of {} columns and {} of {} rows were written, by {} blocks of {} "
                                     "threads",
                                     columns, width, r->rows, height, extent(a.grid), extent(a.block)));
  f.more.push_back(
      "missing: a last block for the rest; was the number of blocks rounded down? "
      "((n + threads - 1) / threads rounds it up)");
  f.allocation = address;
  return f;
}

std::optional<Finding> Uncovered::host_reads(u64 address, u64 bytes) {
  const auto at = arrays_.find(address);
  if (at == arrays_.end() || bytes > at->second.bytes) return {};
  const Array& a = at->second;
  for (const u64 element : {4, 8, 1, 2, 12, 16})
    for (const u64 width : a.numbers) {
      std::vector<u64> heights = a.numbers;
      heights.insert(heights.begin(), 1);
      for (const u64 height : heights) {
        if (width > bytes / element || width * element * height != bytes) continue;
        if (std::optional<Finding> f = judge(a, address, element, width, height)) {
          arrays_.erase(at);
          return f;
        }
      }
    }
  return {};
}

}  // namespace ww::checks
