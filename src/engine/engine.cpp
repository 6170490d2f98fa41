#include "engine/engine.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <cstdlib>
#include <cstring>
#include <optional>
#include <thread>

#include "base/round.h"
#include "base/words.h"
#include "engine/schedule/standstill.h"

namespace ww::engine {

namespace {

/// A launch shorter than this is over before another thread of the host has been woken for it.
constexpr float kWakeSeconds = 20e-6f;

u64 host_memory() {
  return static_cast<u64>(sysconf(_SC_PHYS_PAGES)) * static_cast<u64>(sysconf(_SC_PAGESIZE));
}

}  // namespace

Engine::Engine(Settings settings)
    : settings_(std::move(settings)),
      memory_(settings_.memory_limit ? settings_.memory_limit : host_memory() / 4 * 3, settings_.gap) {
  if (settings_.threads <= 0)
    settings_.threads = std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
  lanes_ = lane_code(settings_.lanes.c_str());
  if (!lanes_) lanes_ = lane_code();
  const char* variable = std::getenv("WARPWRIGHT_ENGINE");
  const std::string word = settings_.back.empty() && variable ? variable : settings_.back;
  back_ = back_of(word).value_or(Back::Auto);
}

Result<std::shared_ptr<LoadedModule>> Engine::load(std::shared_ptr<const ir::Module> module) {
  // Whoever leaves early gives back what was allocated so far.
  std::shared_ptr<LoadedModule> loaded(new LoadedModule, [this](LoadedModule* m) {
    if (!m->complete) unload(*m);
    delete m;
  });
  loaded->module = module;
  u64 constants = 0;
  Diagnostics problems;
  for (ir::SymbolId s = 0; s < module->symbols.size(); ++s) {
    if (module->symbols[s].variable < 0) continue;
    const ir::Variable& v = module->variable(s);
    if (v.space == ir::Space::Const) {
      constants = round_up(constants, std::max<u32>(1, v.alignment));
      loaded->layout[s] = constants;
      constants += v.bytes;
    } else if (v.space == ir::Space::Global) {
      if (module->symbols[s].linkage == ir::Linkage::Extern) continue;  // whoever reaches it is refused
      auto at = memory_.allocate(v.bytes, module->symbols[s].name, true);
      if (!at) return at.error();
      loaded->layout[s] = *at;
      loaded->allocations.push_back(*at);
    }
  }
  if (constants > 65536)
    problems.push_back(error(fmt::format("{} bytes of constant memory, there are 65536", constants)));
  if (!problems.empty()) return problems;
  if (constants) {
    auto at = memory_.allocate(constants, "constant memory", true, true);
    if (!at) return at.error();
    loaded->constants = *at;
    loaded->constants_bytes = static_cast<u32>(constants);
    loaded->allocations.push_back(*at);
  }
  for (ir::SymbolId s = 0; s < module->symbols.size(); ++s) {
    auto it = loaded->layout.find(s);
    if (it == loaded->layout.end()) continue;
    const ir::Variable& v = module->variable(s);
    u8* to = memory_.host(v.space == ir::Space::Const ? loaded->constants + it->second : it->second);
    if (!v.initial.empty()) std::memcpy(to, v.initial.data(), std::min<u64>(v.initial.size(), v.bytes));
    for (const ir::Relocation& r : v.relocations) {
      u64 value = 0;
      if (module->is_function(r.symbol)) {
        value = code_address(*module, r.symbol);
      } else {
        if (auto to = loaded->layout.find(r.symbol); to != loaded->layout.end()) value = to->second;
        if (r.generic && module->variable(r.symbol).space == ir::Space::Const) value += kConstWindow;
      }
      value += static_cast<u64>(r.addend);
      std::memcpy(to + r.offset, &value, static_cast<size_t>(r.bytes));
    }
  }
  loaded->complete = true;
  return loaded;
}

void Engine::unload(LoadedModule& module) {
  for (u64 a : module.allocations) (void)memory_.free(a);
  module.allocations.clear();
}

Result<std::shared_ptr<Program>> Engine::program_of(LoadedModule& module, const LaunchRequest& request) {
  // What is told of faults only changes no code.
  const u32 heard = events::Bus(request.listeners).wanted() & ~u32{events::kFaults | events::kWrongAccesses};
  std::string key = fmt::format("{}{}+{}", request.kernel, request.counted ? "+counted" : "", heard);
  if (auto it = module.programs.find(key); it != module.programs.end()) return it->second;
  const ir::Function* entry = module.module->find_function(request.kernel);
  if (!entry || !entry->entry || !entry->defined) {
    std::vector<std::string> names;
    for (const auto& f : module.module->functions)
      if (f.entry) names.push_back(module.module->symbols[f.symbol].name);
    std::string close = nearest(request.kernel, names);
    return error(fmt::format("{} has no kernel {}", module.module->name, request.kernel),
                 !close.empty() ? "did you mean " + close + "?"
                                : fmt::format("its kernels are: {}", fmt::join(names, ", ")));
  }
  DecodeOptions options;
  options.counted = request.counted;
  options.heard = heard;
  options.lanes = lanes_;
  auto program = decode(module.module, *entry, module.layout, options);
  if (!program) return program.error();
  std::string why;
  (*program)->listened = heard != 0;
  if (heard == 0 && back_ == Back::Compiled) {
    (*program)->compiling = true;
    compile(**program, *lanes_, why);
  }
  return module.programs[key] = std::shared_ptr<Program>(std::move(program).value());
}

u64 Engine::resident_blocks(const Program& program, const LaunchRequest& request) const {
  u64 threads = round_up(request.block.count(), kLanes);
  u64 per = std::min<u64>(settings_.blocks_per_multiprocessor,
                          settings_.threads_per_multiprocessor / std::max<u64>(1, threads));
  u64 shared = program.shared_bytes + request.dynamic_shared;
  if (shared) per = std::min(per, settings_.shared_per_multiprocessor / shared);
  return std::max<u64>(1, per) * settings_.multiprocessors;
}

namespace {

/// One thread of the host: takes blocks and runs them, several in turns where they wait for each other.
class Worker {
 public:
  Worker(LaunchState& launch, std::atomic<u64>& next, u64 blocks, const std::vector<u64>& only, u64 resident,
         u64 share, int id, Standstill standstill)
      : launch_(launch),
        standstill_(standstill),
        next_(next),
        blocks_(blocks),
        only_(only),
        resident_(std::max<u64>(1, resident)),
        share_(share),
        id_(id),
        allocations_(*launch.memory) {
    executed.resize(2 * size_t{launch.program->counters} + 2);
  }

  std::vector<u64> executed;

  void run() {
    run_blocks();
    standstill_.leave();
  }

 private:
  using Blocks = std::vector<std::unique_ptr<BlockState>>;

  void run_blocks() {
    const u64 together = launch_.cluster.count();
    std::vector<std::unique_ptr<BlockState>> spare, live;
    size_t turn = 0;
    bool more = true;
    while (!launch_.stopping() && (more || !live.empty())) {
      if (more && live.size() + together <= std::max(resident_, together) &&
          (live.empty() || turn >= live.size())) {
        if (mine_ == mine_end_) {
          mine_ = next_.fetch_add(share_), mine_end_ = mine_ + share_;
          launch_.warming->look();
        }
        u64 number = mine_++;
        if (number >= blocks_ / together) {
          more = false;
        } else {
          number = launch_.order.at(number, blocks_ / together, 0);
          if (!only_.empty()) number = only_[number];
          turn = live.size();
          begin(number, spare, live);
        }
      }
      if (live.empty()) continue;
      if (turn >= live.size()) turn = 0;
      switch (live[turn]->run()) {
        case Turn::Done:
          if (launch_.bus) launch_.bus->block_ends(id_, live[turn]->number);
          launch_.ended.fetch_add(1, std::memory_order_relaxed);
          end(std::move(live[turn]), spare);
          live.erase(live.begin() + static_cast<long>(turn));
          standstill_.moved();
          break;
        case Turn::Waiting:
          if (live[turn]->cluster->stuck()) {
            live[turn]->report_deadlock();
            return;
          }
          ++turn;
          break;
        case Turn::Yielded:
          launch_.warming->look();
          standstill_.turn(*live[turn]);
          ++turn;
          if (turn >= live.size() && standstill_.found()) launch_.still = launch_.stop = true;
          std::this_thread::yield();
          break;
        case Turn::Stopped:
          break;  // so does the loop
      }
    }
    if (!launch_.given_up()) return;
    std::lock_guard lock(launch_.mutex);
    for (const auto& block : live) add_standing(launch_.standing, *block);
  }

  /// Starts the blocks of a cluster (without clusters: one block).
  void begin(u64 number, Blocks& spare, Blocks& live) {
    const Extent3 size = launch_.cluster;
    const u64 nx = launch_.grid.x / size.x, ny = launch_.grid.y / size.y;
    const Extent3 at{static_cast<u32>(number % nx), static_cast<u32>(number / nx % ny),
                     static_cast<u32>(number / nx / ny)};
    if (spare_clusters_.empty()) spare_clusters_.push_back(std::make_unique<ClusterState>());
    auto& cluster = clusters_.emplace_back(std::move(spare_clusters_.back()));
    spare_clusters_.pop_back();
    standstill_.moved();
    cluster->index = at;
    cluster->blocks.clear();
    cluster->phase = cluster->arrived = cluster->ended = 0;
    for (u32 rank = 0; rank < size.count(); ++rank) {
      if (spare.empty()) {
        live.push_back(std::make_unique<BlockState>(launch_, executed, serial_, allocations_));
      } else {
        live.push_back(std::move(spare.back()));
        spare.pop_back();
      }
      BlockState& block = *live.back();
      block.worker = id_;
      block.rank = rank;
      block.cluster = cluster.get();
      cluster->blocks.push_back(&block);
      u64 x = u64{at.x} * size.x + rank % size.x, y = u64{at.y} * size.y + rank / size.x % size.y,
          z = u64{at.z} * size.z + rank / size.x / size.y;
      block.start(x + launch_.grid.x * (y + launch_.grid.y * z));
      if (launch_.bus) launch_.bus->block_begins(id_, block.number);
    }
  }

  /// A block has ended; its shared memory stays until all of its cluster have.
  void end(std::unique_ptr<BlockState> block, Blocks& spare) {
    ClusterState* cluster = block->cluster;
    cluster->finish_bulk();
    block->finish_bulk();
    block->ended = true;
    if (++cluster->ended < cluster->blocks.size()) {
      ended_.push_back(std::move(block));
      return;
    }
    spare.push_back(std::move(block));
    for (size_t k = ended_.size(); k-- > 0;)
      if (ended_[k]->cluster == cluster) {
        spare.push_back(std::move(ended_[k]));
        ended_.erase(ended_.begin() + static_cast<long>(k));
      }
    auto at =
        std::find_if(clusters_.begin(), clusters_.end(), [&](const auto& c) { return c.get() == cluster; });
    spare_clusters_.push_back(std::move(*at));
    clusters_.erase(at);
  }

  std::vector<std::unique_ptr<ClusterState>> clusters_, spare_clusters_;
  Blocks ended_;
  LaunchState& launch_;
  Standstill standstill_;
  std::atomic<u64>& next_;
  u64 blocks_;
  const std::vector<u64>& only_;
  u64 resident_;
  u64 share_;                    ///< blocks that are taken at once
  u64 mine_ = 0, mine_end_ = 0;  ///< those taken that have not begun
  u64 serial_ = 0;
  int id_;
  AllocationCache allocations_;
};

/// Gives a launch up in which no block ends for `seconds`.
class Patience {
 public:
  Patience(LaunchState& launch, double seconds)
      : thread_([this, &launch, seconds](const std::stop_token& end) {
          using Clock = std::chrono::steady_clock;
          auto since = Clock::now();
          for (u64 ended = 0; !launch.stopping();) {
            std::unique_lock lock(mutex_);
            if (wake_.wait_for(lock, end, std::chrono::milliseconds(20), [] { return false; })) return;
            if (end.stop_requested()) return;
            if (const u64 now = launch.ended; now != ended) ended = now, since = Clock::now();
            if (std::chrono::duration<double>(Clock::now() - since).count() < seconds) continue;
            launch.overdue = true;
            launch.stop = true;
          }
        }) {}

 private:
  std::mutex mutex_;
  std::condition_variable_any wake_;
  std::jthread thread_;  // last: it uses the others
};

/// What a launch that was given up has done wrong, as a fault at the place where most warps stand.
Fault overdue_fault(const LaunchState& launch, double seconds, u64 blocks) {
  const Program& program = *launch.program;
  Fault fault;
  fault.kind = launch.still ? "endless loop" : "time limit";
  u64 most = 0;
  for (const auto& [place, group] : launch.standing.places)
    if (group.warps > most) most = group.warps, fault.where = users_line(program, place.instruction);
  const std::string why = launch.still
                              ? "all that still runs comes back to the same state again and again"
                              : fmt::format("no block has ended for {} s; is a loop endless?", seconds);
  fault.message = fmt::format("{} in kernel {}\n  {}\n  {}\n", fault.kind,
                              program.module->symbols[program.entry->symbol].name, why,
                              standing_text(launch.standing, program, launch.ended, blocks));
  return fault;
}

Result<std::vector<u8>> parameter_buffer(const Program& program, const LaunchRequest& request) {
  const std::string& name = program.module->symbols[program.entry->symbol].name;
  if (request.arguments.size() != program.params.size())
    return error(fmt::format("kernel {} takes {}, {} {} given", name,
                             counted(static_cast<int64_t>(program.params.size()), "argument"),
                             request.arguments.size(),
                             plural(static_cast<int64_t>(request.arguments.size()), "is", "are")));
  std::vector<u8> buffer(program.params_bytes);
  for (size_t k = 0; k < program.params.size(); ++k) {
    const auto& given = request.arguments[k];
    if (given.size() != program.params[k].bytes)
      return error(fmt::format("argument {} of kernel {} has {}, and {} {} given", k + 1, name,
                               counted(static_cast<int64_t>(program.params[k].bytes), "byte"),
                               counted(static_cast<int64_t>(given.size()), "byte"),
                               plural(static_cast<int64_t>(given.size()), "is", "are")));
    std::memcpy(buffer.data() + program.params[k].offset, given.data(), given.size());
  }
  return buffer;
}

}  // namespace

namespace {

/// Blocks of a cluster, as the kernel or the launch says. Errors: they say different things, the grid is no
/// whole number of clusters, or a cluster is larger than GPUs have.
Result<Extent3> cluster_of(const ir::Function& entry, const LaunchRequest& request) {
  constexpr u64 kMost = 16;  // with cudaFuncAttributeNonPortableClusterSizeAllowed; 8 without
  Extent3 cluster = request.cluster;
  const u32* wanted = entry.cluster;
  if (wanted[0]) {
    Extent3 own{wanted[0], std::max<u32>(1, wanted[1]), std::max<u32>(1, wanted[2])};
    if (cluster.count() > 1 && (cluster.x != own.x || cluster.y != own.y || cluster.z != own.z))
      return error(
          fmt::format("clusters of {} x {} x {} blocks, but the kernel was compiled for {} x {} x {} "
                      "(.reqnctapercluster)",
                      cluster.x, cluster.y, cluster.z, own.x, own.y, own.z));
    cluster = own;
  }
  if (cluster.count() == 0 || cluster.count() > kMost)
    return error(fmt::format("clusters of {} blocks, at most {} are possible", cluster.count(), kMost));
  if (entry.max_cluster && cluster.count() > entry.max_cluster)
    return error(
        fmt::format("clusters of {} blocks, but the kernel was compiled for at most {} "
                    "(.maxclusterrank)",
                    cluster.count(), entry.max_cluster));
  if (request.grid.x % cluster.x || request.grid.y % cluster.y || request.grid.z % cluster.z)
    return error(fmt::format("a grid of {} x {} x {} blocks is no whole number of clusters of {} x {} x {}",
                             request.grid.x, request.grid.y, request.grid.z, cluster.x, cluster.y,
                             cluster.z));
  if (cluster.count() > 1 && !request.blocks.empty())
    return error("a launch with clusters runs whole: blocks are chosen one by one only without them");
  return cluster;
}

/// Device memory that cooperative groups keep a grid's barrier in (%envreg1 and 2): given back at the end.
class Workspace {
 public:
  Workspace(GlobalMemory& memory, bool wanted) : memory_(memory) {
    constexpr u64 kBytes = 256;
    if (!wanted) return;
    if (auto at = memory.allocate(kBytes, "workspace of the cooperative launch", true)) address = *at;
  }
  ~Workspace() {
    if (address) (void)memory_.free(address);
  }
  Workspace(const Workspace&) = delete;
  Workspace& operator=(const Workspace&) = delete;

  u64 address = 0;

 private:
  GlobalMemory& memory_;
};

}  // namespace

Result<RunResult> Engine::run(LoadedModule& module, const LaunchRequest& request) {
  auto program = program_of(module, request);
  if (!program) return program.error();
  auto params = parameter_buffer(**program, request);
  if (!params) return params.error();
  const ir::Function& entry = *(*program)->entry;
  const u32 sizes[3] = {request.block.x, request.block.y, request.block.z};
  u64 most = 1;
  for (u32 n : entry.max_threads) most *= n ? n : 1;
  if (entry.max_threads[0] && request.block.count() > most)
    return error(fmt::format("{} threads per block, but the kernel was compiled for at most {} (.maxntid)",
                             request.block.count(), most));
  for (int k = 0; k < 3; ++k)
    if (entry.required_threads[0] && sizes[k] != std::max<u32>(1, entry.required_threads[k]))
      return error(
          fmt::format("the kernel was compiled for blocks of exactly {} x {} x {} threads (.reqntid)",
                      entry.required_threads[0], std::max<u32>(1, entry.required_threads[1]),
                      std::max<u32>(1, entry.required_threads[2])));
  u64 shared = u64{(*program)->shared_bytes} + request.dynamic_shared;
  if (shared > settings_.shared_per_multiprocessor - 1024)
    return error(fmt::format("{} bytes of shared memory per block, there are {}", shared,
                             settings_.shared_per_multiprocessor - 1024));
  u64 blocks = request.grid.count();
  auto cluster = cluster_of(entry, request);
  if (!cluster) return cluster.error();
  u64 resident = resident_blocks(**program, request);
  if (request.cooperative && blocks > resident)
    return error(fmt::format("a cooperative launch of {} blocks, but only {} can be resident at once", blocks,
                             resident));

  for (u64 number : request.blocks)
    if (number >= blocks)
      return error(fmt::format("block {} does not exist, the grid has {}", number, blocks));
  if (request.cooperative && !request.blocks.empty())
    return error("a cooperative launch runs whole: its blocks wait for each other");
  if (!request.blocks.empty()) blocks = request.blocks.size();

  Workspace workspace(memory_, request.cooperative);
  LaunchState launch;
  launch.workspace = workspace.address;
  launch.program = program->get();
  launch.lanes = lanes_;
  launch.memory = &memory_;
  launch.grid = request.grid;
  launch.block = request.block;
  launch.cluster = *cluster;
  launch.dynamic_shared = request.dynamic_shared;
  launch.multiprocessors = settings_.multiprocessors;
  launch.params = std::move(*params);
  launch.constants = module.constants ? memory_.host(module.constants) : nullptr;
  launch.constants_bytes = module.constants_bytes;
  launch.heap_limit = request.heap_limit.value_or(settings_.heap_limit);
  launch.textures = &textures_;
  launch.branch_limit = settings_.branch_limit;
  const events::Bus bus(request.listeners);
  if (!bus.empty()) launch.bus = &bus;
  launch.cancel = settings_.cancel;
  launch.order = settings_.order;
  Warming warming(back_ == Back::Interpreter || (*program)->listened ? nullptr : *program, *lanes_);
  launch.warming = &warming;

  const u64 clusters = blocks / launch.cluster.count();
  int workers = static_cast<int>(std::min<u64>(static_cast<u64>(settings_.threads), clusters));
  const float block_seconds = (*program)->block_seconds.load(std::memory_order_relaxed);
  if (block_seconds > 0 && block_seconds * static_cast<float>(blocks) < kWakeSeconds) workers = 1;
  if (bus.in_order() || !launch.order.forward()) workers = 1;
  bus.launch_begins(**program, workers);
  std::atomic<u64> next{0};
  // Short blocks are taken several at once, so that the workers seldom meet at the counter; but where all
  // blocks of the grid may wait for each other, nobody takes one that it cannot begin.
  const u64 share =
      blocks <= resident ? 1 : std::clamp<u64>(clusters / (static_cast<u64>(workers) * 64), 1, 16);
  std::vector<std::unique_ptr<Worker>> team;
  for (int k = 0; k < workers; ++k)
    team.push_back(std::make_unique<Worker>(
        launch, next, blocks, request.blocks,
        k == 0 ? resident : (resident + static_cast<u64>(k)) / static_cast<u64>(workers), share, k,
        Standstill(launch, settings_.standstill, workers)));
  const auto begin = std::chrono::steady_clock::now();
  {
    // A launch known to take less than a moment needs nobody who watches it.
    std::optional<Patience> patience;
    const bool brief = block_seconds > 0 && block_seconds * static_cast<float>(blocks) < kWakeSeconds;
    if (settings_.patience > 0 && !brief) patience.emplace(launch, settings_.patience);
    pool_.run(workers, [&](int k) { team[static_cast<size_t>(k)]->run(); });
  }
  warming.end();
  const std::chrono::duration<float> took = std::chrono::steady_clock::now() - begin;
  (*program)->block_seconds.store(took.count() * static_cast<float>(workers) / static_cast<float>(blocks),
                                  std::memory_order_relaxed);
  bus.launch_ends();

  RunResult result;
  result.faults = std::move(launch.faults);
  result.printed = launch.printed.text();
  result.children = launch.children.take();
  result.cancelled = launch.cancel && launch.cancel->load();
  if ((launch.overdue || launch.still) && result.faults.empty() && launch.ended < blocks)
    result.faults.push_back(overdue_fault(launch, settings_.patience, blocks));
  if (result.cancelled && launch.standing.blocks > 0)
    result.standing = standing_text(launch.standing, **program, launch.ended, blocks);
  result.program = *program;
  if (request.counted) {
    std::vector<u64> sum(2 * size_t{(*program)->counters} + 2);
    for (const auto& w : team)
      for (size_t k = 0; k < sum.size(); ++k) sum[k] += w->executed[k];
    for (const InstInfo& info : (*program)->infos) {
      if (info.landed != ir::kNone)
        for (u32 s = 0; s < kLandingCount; ++s)
          result.landings[static_cast<u32>(result.executions.size())][s] = {
              sum[2 * size_t{info.landed + s}], sum[2 * size_t{info.landed + s} + 1]};
      result.executions.push_back({sum[2 * info.counter], sum[2 * info.counter + 1],
                                   info.parted == ir::kNone ? 0 : sum[2 * size_t{info.parted}]});
    }
  }
  return result;
}

}  // namespace ww::engine
