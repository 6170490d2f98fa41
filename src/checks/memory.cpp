#include "checks/memory.h"

#include <fmt/format.h>

#include <sstream>

#include "checks/text.h"
#include "engine/memory/resolve.h"

namespace ww::checks {

namespace {

// CUDA C++ Programming Guide, table of compute capabilities: "static shared memory is limited to 48 KB" on
// all.
constexpr u64 kMostStaticShared = 48 << 10;

auto order_of(const events::Site& site, int lane) { return std::tuple(site.block, site.warp, lane); }

/// "writes 4 bytes": what the first words of the engine's detail say ("write of 4 bytes at …").
std::string what_of(const events::Wrong& e, const std::string& detail) {
  if (!e.access) return std::string(e.kind);
  const bool write = detail.find("write of") != detail.npos;
  return fmt::format("{} {}", write ? "writes" : "reads", bytes_of(e.bytes));
}

}  // namespace

void Memory::launch_begins(const engine::Program& program, int workers) {
  program_ = &program;
  met_.assign(static_cast<size_t>(workers), {});
  u64 shared = 0;  // without what lies between variables: their order is ptxas's own
  for (const engine::SharedVariable& v : program.shared) shared += v.bytes;
  if (shared <= kMostStaticShared) return;
  Finding f;
  f.kind = "too much static shared memory";
  f.kernel = facts_.kernel;
  f.message = fmt::format("{} bytes of static shared memory: ptxas accepts at most {} for any GPU", shared,
                          kMostStaticShared);
  f.more = {
      "more than that must be dynamic (extern __shared__), with cudaFuncAttributeMaxDynamicSharedMemorySize"};
  findings_.add(std::move(f));
}

void Memory::wrong(int worker, const events::Wrong& e) {
  u64 allocation = 0;
  if (e.access && facts_.memory && e.address >= engine::kMemoryBase &&
      !engine::of_the_host(*facts_.memory, e.address))
    if (auto near = facts_.memory->nearest(e.address)) allocation = near->base;
  Place place{e.instruction, std::string(e.kind), allocation};
  auto [at, fresh] = met_[static_cast<size_t>(worker)].try_emplace(std::move(place));
  Met& met = at->second;
  ++met.count;
  if (fresh || order_of(e, e.lane) < order_of(met.first, met.lane)) {
    met.first = e, met.lane = e.lane;
    met.detail = e.detail(), met.what = what_of(e, met.detail);
  }
  // At once, for the program may not come to the launch's end.
  if (fresh) add(at->first, met, met.told = 1);
}

void Memory::launch_ends() {
  for (auto& of_worker : met_) {
    for (auto& [place, met] : of_worker) add(place, met, met.count - met.told);
    of_worker.clear();
  }
}

void Memory::add(const Place& place, const Met& met, u64 count) {
  Finding f;
  f.kind = std::get<1>(place);
  f.kernel = facts_.kernel;
  f.message = f.kind;
  f.allocation = std::get<2>(place);
  f.parties.push_back(party(*program_, met.first, met.lane, met.what));
  std::istringstream lines(met.detail);
  for (std::string line; std::getline(lines, line);) {
    if (f.more.empty()) {
      f.message = line;
      f.more.emplace_back();  // stands for the message
      continue;
    }
    f.more.push_back(line.substr(std::min(line.find_first_not_of(' '), line.size())));
  }
  if (!f.more.empty()) f.more.erase(f.more.begin());
  f.count = count;
  findings_.add(std::move(f));
}

}  // namespace ww::checks
