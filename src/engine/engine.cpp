#include "engine/engine.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <optional>
#include <thread>

#include "analysis/uses.h"
#include "base/round.h"
#include "base/words.h"
#include "engine/schedule/device_arithmetic.h"
#include "engine/schedule/patience.h"
#include "engine/schedule/worker.h"

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
  teams_.forget(*module.module);
  for (u64 a : module.allocations) (void)memory_.free(a);
  module.allocations.clear();
}

namespace {

/// Program::row of a block's warps.
u32 row_of(const Extent3& block) {
  if (block.x % kLanes == 0 || (block.y == 1 && block.z == 1)) return kLanes;
  return block.x % (kLanes / 2) == 0 ? kLanes / 2 : 1;
}

/// Whether code of the program may note its accesses. Where warps wait for each other by asking again and
/// again, how often they ask depends on where they give up their turn, which compiled code does elsewhere
/// than the interpreter.
bool can_be_noted(const Program& program) {
  using Op = isa::Op;
  const bool asks = std::any_of(program.infos.begin(), program.infos.end(), [](const InstInfo& info) {
    const Op op = info.instruction->op;
    return op >= Op::mbarrier_test_wait && op <= Op::mbarrier_try_wait_parity;
  });
  return !asks && !program.polls;
}

/// Program::polls.
bool polls(const Program& program) {
  return std::any_of(program.functions.begin(), program.functions.end(), [](const auto& function) {
    return std::any_of(function->code.begin(), function->code.end(),
                       [](const Inst& i) { return i.aux && i.aux->polls; });
  });
}

/// How many blocks (or clusters) a worker takes at once: so many that it seldom goes to the counter, and goes
/// through memory in long runs, as the processor's prefetching wants it, and so few that none
/// has much left when the others have ended. Where blocks wait for others, one: those that a block waits for
/// would lie in a run that somebody else is at (CUB's scans took twice as long with 16), and where all of the
/// grid may wait for each other, nobody takes one that it cannot begin.
u64 taken_at_once(const Program& program, u64 clusters, int workers) {
  constexpr u64 kRuns = 64;  // of each worker
  constexpr u64 kMost = 256;
  if (program.polls) return 1;
  return std::clamp<u64>(clusters / (static_cast<u64>(workers) * kRuns), 1, kMost);
}

}  // namespace

Result<const std::shared_ptr<Program>*> Engine::program_of(LoadedModule& module, const LaunchRequest& request,
                                                           const events::Bus& bus) {
  // What is told of faults only changes no code.
  const u32 heard = bus.wanted() & ~u32{events::kFaults | events::kWrongAccesses};
  bool noted = heard != 0 && bus.takes_notes();
  // What is told of floating-point numbers looks at registers that whole-warp code does not keep for it.
  bool asks = heard != 0 && !noted && bus.goes_without_registers() && (heard & events::kFloats) == 0;
  const u32 row = row_of(request.block);
  const u64 threads = request.block.count();
  const bool full_warps = threads >= kLanes, lacking_warp = threads % kLanes != 0;
  const bool rows_of_16 = row == kLanes / 2 && request.block.x == kLanes / 2;
  const std::array<u32, 3> form = {
      heard, row,
      rows_of_16 * 32u + asks * 16u + noted * 8u + request.counted * 4u + full_warps * 2u + lacking_warp};
  if (auto it = module.programs.find(ProgramKeyView{request.kernel, form}); it != module.programs.end())
    return &it->second;
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
  options.inlines = heard == 0 || noted;
  auto program = decode(module.module, *entry, module.layout, options);
  if (!program) return program.error();
  std::string why;
  // A kernel that begins with undefined registers has its shadow looked at from its first instruction on.
  asks = asks && (*program)->functions[0]->unset.empty();
  (*program)->polls = polls(**program);
  noted = (noted || asks) && can_be_noted(**program);
  (*program)->only_pieces = heard != 0 && !noted;
  (*program)->noted = noted;
  (*program)->asks = noted && asks;
  (*program)->row = row;
  (*program)->rows_of_16 = rows_of_16;
  (*program)->full_warps = full_warps;
  (*program)->lacking_warp = lacking_warp;
  if (back_ != Back::Interpreter) {
    (*program)->compiled = take_kept(**program, *lanes_);
    const Compiled wanted = settings_.turn_budget ? Compiled::Again : Compiled::All;
    if (back_ == Back::Compiled && (*program)->compiled < wanted)
      (*program)->compiled = compile(**program, *lanes_, wanted, why);
    (*program)->compiling = (*program)->compiled == Compiled::Again;
  }
  auto& kept = module.programs[{request.kernel, form}];
  kept = std::shared_ptr<Program>(std::move(program).value());
  return &kept;
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

Status check_arguments(const Program& program, const LaunchRequest& request) {
  const std::string& name = program.module->symbols[program.entry->symbol].name;
  if (request.arguments.size() != program.params.size())
    return error(fmt::format("kernel {} takes {}, but {} {} given", name,
                             counted(static_cast<int64_t>(program.params.size()), "argument"),
                             request.arguments.size(),
                             plural(static_cast<int64_t>(request.arguments.size()), "is", "are")));
  for (size_t k = 0; k < program.params.size(); ++k) {
    const auto& given = request.arguments[k];
    if (given.size() != program.params[k].bytes)
      return error(fmt::format("argument {} of kernel {} has {}, but {} {} given", k + 1, name,
                               counted(static_cast<int64_t>(program.params[k].bytes), "byte"),
                               counted(static_cast<int64_t>(given.size()), "byte"),
                               plural(static_cast<int64_t>(given.size()), "is", "are")));
  }
  return {};
}

void fill_parameters(const Program& program, const LaunchRequest& request, std::vector<u8>& buffer) {
  buffer.assign(program.params_bytes, 0);
  for (size_t k = 0; k < program.params.size(); ++k)
    if (const auto& given = request.arguments[k]; !given.empty())
      std::memcpy(buffer.data() + program.params[k].offset, given.data(), given.size());
}

}  // namespace

namespace {

/// Whether the order in which it is done to a word leaves no trace there.
bool any_order(const ir::Instruction& in) {
  using isa::Mod, isa::Type;
  if (in.op != isa::Op::atom || in.type() == Type::f32 || in.type() == Type::f64) return false;
  const Mod what = in.mod(isa::Slot::aop);
  return what == Mod::add || what == Mod::min || what == Mod::max || what == Mod::and_ || what == Mod::or_ ||
         what == Mod::xor_;
}

/// Whether anything in the function reads a register that the instruction writes.
bool is_read(const ir::Function& function, const ir::Instruction& in) {
  std::vector<bool> written(function.registers.size());
  analysis::each_definition(function, in, [&](ir::RegId r) { written[r] = true; });
  for (const ir::Block& block : function.blocks)
    for (const ir::Instruction& other : block.instructions) {
      bool found = false;
      analysis::each_use(function, other, [&](ir::RegId r) { found |= written[r]; });
      if (found) return true;
    }
  return false;
}

/// Whether an atomic operation on memory that blocks share hands the old value back (generic addresses may be
/// such): what a block does may depend on which came before it, as where the last one adds up what the others
/// left. (nvcc writes `atom` where nobody wants the value, too.)
bool takes_tickets(const Program& program) {
  using Op = isa::Op;
  for (const InstInfo& info : program.infos) {
    const ir::Instruction& in = *info.instruction;
    if ((in.op == Op::atom || in.op == Op::atom_cas || in.op == Op::atom_half || in.op == Op::atom_vec ||
         in.op == Op::atom_half_vec) &&
        (ir::space_of(in) == ir::Space::Global || ir::space_of(in) == ir::Space::None) &&
        !(any_order(in) && !is_read(*info.function, in)))
      return true;
  }
  return false;
}

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

std::string_view name(Ran ran) {
  constexpr std::string_view kNames[] = {"interpreter", "compiled", "both"};
  return kNames[static_cast<size_t>(ran)];
}

Result<RunResult> Engine::run(LoadedModule& module, const LaunchRequest& request) {
  const events::Bus bus(request.listeners);
  auto found = program_of(module, request, bus);
  if (!found) return found.error();
  const std::shared_ptr<Program>& program = **found;
  if (auto good = check_arguments(*program, request); !good) return good.error();
  const ir::Function& entry = *program->entry;
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
  u64 shared = u64{program->shared_bytes} + request.dynamic_shared;
  if (shared > settings_.shared_per_multiprocessor - 1024)
    return error(fmt::format("{} bytes of shared memory per block, there are {}", shared,
                             settings_.shared_per_multiprocessor - 1024));
  u64 blocks = request.grid.count();
  auto cluster = cluster_of(entry, request);
  if (!cluster) return cluster.error();
  u64 resident = resident_blocks(*program, request);
  if (request.cooperative && blocks > resident)
    return error(fmt::format("a cooperative launch of {} blocks, but only {} can be resident at once", blocks,
                             resident));

  for (u64 number : request.blocks)
    if (number >= blocks)
      return error(fmt::format("block {} does not exist, the grid has {}", number, blocks));
  if (request.cooperative && !request.blocks.empty())
    return error("a cooperative launch runs all blocks: they wait for each other");
  if (!request.blocks.empty()) blocks = request.blocks.size();

  const u64 clusters = blocks / cluster->count();
  int workers = static_cast<int>(std::min<u64>(static_cast<u64>(settings_.threads), clusters));
  const float block_seconds = program->block_seconds.load(std::memory_order_relaxed);
  const bool brief = block_seconds > 0 && block_seconds * static_cast<float>(blocks) < kWakeSeconds;
  const bool takes_turns =
      settings_.order.kind == Order::Kind::Usual && program->waits && bus.hears(events::kFences);
  const Order order = takes_turns ? Order::taking_turns() : settings_.order;
  if (brief || bus.in_order() || !order.forward()) workers = 1;
  // What is counted must not depend on how many threads the host has.
  if (request.counted && workers > 1 && takes_tickets(*program)) workers = 1;

  TeamShape shape{program.get(), request.grid, request.block, request.dynamic_shared, workers};
  // What others are told begins anew, and so does what blocks tell each other.
  const bool again =
      bus.hears_faults_only() && !request.cooperative && cluster->count() == 1 && request.blocks.empty();
  std::unique_ptr<Team> team = again ? teams_.take(shape) : nullptr;
  if (!team) team = std::make_unique<Team>(shape, program);
  Workspace workspace(memory_, request.cooperative);
  LaunchState& launch = team->renew();
  launch.workspace = workspace.address;
  launch.program = program.get();
  launch.lanes = lanes_;
  launch.memory = &memory_;
  launch.grid = request.grid;
  launch.block = request.block;
  launch.cluster = *cluster;
  launch.dynamic_shared = request.dynamic_shared;
  launch.multiprocessors = settings_.multiprocessors;
  launch.constants = module.constants ? memory_.host(module.constants) : nullptr;
  launch.constants_bytes = module.constants_bytes;
  launch.heap_limit = request.heap_limit.value_or(settings_.heap_limit);
  launch.textures = &textures_;
  launch.branch_limit = settings_.branch_limit;
  if (settings_.turn_budget) launch.turn_budget = settings_.turn_budget;
  if (!bus.empty()) launch.bus = &bus;
  launch.cancel = settings_.cancel;
  launch.wait_for_absent = settings_.wait_for_absent;
  launch.order = order;
  const auto begin = Warming::Clock::now();
  Warming warming(program, back_ != Back::Interpreter, *lanes_, begin);
  launch.warming = &warming;

  bus.launch_begins(*program, workers);
  // Of a brief launch there is one worker alone, and nobody asks meanwhile how many have ended.
  const u64 share = brief ? clusters : taken_at_once(*program, clusters, workers);
  fill_parameters(*program, request, team->parameters());
  team->begin({blocks, resident, share, !program->polls, &request.blocks, settings_.standstill,
               settings_.host_may_help});
  const bool native = program->native;
  {
    std::optional<Patience> patience;
    const auto watch = [&] { patience.emplace(launch, settings_, blocks, workers); };
    if (settings_.patience > 0 || settings_.tell_after > 0) {
      launch.watch = std::ref(watch);  // by reference: it takes no memory
      launch.began = begin;
      // A limit holds from the beginning, though a first turn may be long. Others are watched once they take
      // long.
      if (settings_.patience > 0 && !brief)
        launch.watch();
      else
        launch.unwatched = true;
    }
    pool_.run(workers, [&](int k) {
      const DeviceArithmetic arithmetic;
      team->run(k);
    });
  }
  const std::chrono::duration<float> took = Warming::Clock::now() - begin;
  warming.end(took.count());
  program->block_seconds.store(took.count() * static_cast<float>(workers) / static_cast<float>(blocks),
                               std::memory_order_relaxed);
  bus.launch_ends();

  RunResult result;
  result.faults = std::move(launch.faults);
  result.printed = launch.printed.text();
  result.absent = std::move(launch.absent);
  result.children = launch.children.take();
  result.ran = native ? Ran::Compiled : program->native ? Ran::Both : Ran::Interpreter;
  result.cancelled = launch.cancel && launch.cancel->load();
  if ((launch.overdue || launch.still) && result.faults.empty() && launch.ended() < blocks)
    result.faults.push_back(overdue_fault(launch, settings_.patience, blocks));
  if (result.cancelled && launch.standing.blocks > 0)
    result.standing = standing_text(launch.standing, *program, launch.ended(), blocks);
  result.program = program;
  if (request.counted) {
    std::vector<u64> sum(2 * size_t{program->counters} + 2);
    team->add_executed(sum);
    for (const InstInfo& info : program->infos) {
      if (info.landed != ir::kNone)
        for (u32 s = 0; s < kLandingCount; ++s)
          result.landings[static_cast<u32>(result.executions.size())][s] = {
              sum[2 * size_t{info.landed + s}], sum[2 * size_t{info.landed + s} + 1]};
      result.executions.push_back({sum[2 * info.counter], sum[2 * info.counter + 1],
                                   info.parted == ir::kNone ? 0 : sum[2 * size_t{info.parted}]});
    }
  }
  if (again && !launch.stopping()) teams_.keep(std::move(team));
  return result;
}

}  // namespace ww::engine
