#include "engine/compile/compile.h"

#include <dlfcn.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <map>
#include <mutex>
#include <unordered_map>

#include "engine/compile/code.h"
#include "engine/compile/code_cache.h"
#include "engine/compile/unit.h"
#include "engine/compile/whole_live.h"
#include "engine/compile/whole_plan.h"
#include "engine/interpret/handlers.h"

namespace ww::engine {

namespace {

/// The folder of the running program, of this library where it is one.
std::string own_folder() {
  Dl_info info{};
  if (!dladdr(reinterpret_cast<const void*>(&own_folder), &info) || !info.dli_fname) return {};
  std::string path = info.dli_fname;
  const size_t slash = path.rfind('/');
  return slash == std::string::npos ? "." : path.substr(0, slash);
}

/// Where the compiler's library is; "": nowhere.
std::string library_path() {
  const std::string folder = own_folder();
  std::vector<std::string> places;
  if (const char* named = std::getenv("WARPWRIGHT_COMPILER")) places.push_back(named);
  places.push_back(folder + "/libwarpwright-compile.so");
  places.push_back(folder + "/../libwarpwright-compile.so");  // of lib-cuda in a build tree
  places.push_back(folder + "/../lib/libwarpwright-compile.so");
  places.push_back(folder + "/../lib/warpwright/libwarpwright-compile.so");
#ifdef WW_COMPILER_BUILT
  places.push_back(WW_COMPILER_BUILT);
#endif
  for (const std::string& place : places)
    if (access(place.c_str(), R_OK) == 0) return place;
  return {};
}

struct Library {
  CompileFunction compile = nullptr;
  ReleaseFunction release = nullptr;
  std::string why;
};

/// Opened in a namespace of its own: the compiler's libraries have their own C and C++ library there, which
/// neither a program's replacements of malloc and delete nor what the process destroys at its end can reach.
/// Never destroyed: the compiler's thread may outlive whatever else the process destroys.
const Library& library() {
  static const Library* found = new Library([] {
    Library l;
    if (const std::string path = library_path(); !path.empty()) {
      void* handle = dlmopen(LM_ID_NEWLM, path.c_str(), RTLD_NOW | RTLD_LOCAL);
      if (!handle) {
        l.why = dlerror();
        return l;
      }
      l.release = reinterpret_cast<ReleaseFunction>(dlsym(handle, kReleaseFunction));
      if (l.release) l.compile = reinterpret_cast<CompileFunction>(dlsym(handle, kCompileFunction));
      if (l.compile) return l;
    }
    if (l.why.empty())
      l.why = "libwarpwright-compile.so is not there (it is built where llvm-19-dev and clang-19 are)";
    return l;
  }());
  return *found;
}

/// Longer functions stay with the interpreter: compiling them takes half a minute and more.
constexpr size_t kMostInstructions = 5000;

/// Whole-warp code of longer functions has none for parted lanes, which go on in pieces: for HeCBench's wsm5
/// (2652 instructions) it took 24 s to compile, 12 of them in LLVM's passes; without it 2.3 s, and 5 s for
/// pieces. A launch took about 28 s with it and 30 without (2026-11-27, compiling subtracted).
constexpr size_t kMostParted = 1500;

/// Nor has that of functions in which so many values meet (values_met). LLVM has several phis for each: with
/// 74,777 of MVGpuBTree's insert (695 instructions, 45,280 values) it was not done in three minutes. Bitonic
/// sort has 3,676 values, the most of 40 programs of HeCBench 1,521, as far as they came in 4 s (2026-11-28).
constexpr size_t kMostMet = 15000;

/// Runs of loads and sums (fused.cpp) that are worth a call: one that finds an address it does not know ends
/// there, so it has to be rare that it does; short ones mostly stand behind the arithmetic of their
/// addresses.
constexpr size_t kShortestRun = 12;

struct Place {
  u32 table, place;
};
using Places = std::unordered_map<Handler, Place>;

/// Made once: every launch of a new kernel asks for it.
const Places& places_of(const LaneCode& lanes) {
  static std::mutex mutex;
  static auto* const known = new std::map<const LaneCode*, Places>;
  std::lock_guard lock(mutex);
  auto [it, fresh] = known->try_emplace(&lanes);
  if (!fresh) return it->second;
  for (u32 t = 0; t < lanes.tables.size(); ++t)
    for (u32 k = 0; k < lanes.tables[t].count; ++k)
      if (Handler h = lanes.tables[t].handlers[k]) it->second.try_emplace(h, Place{t, k});
  return it->second;
}

/// Whether a warp may come back behind this instruction from elsewhere: it waited, or its lanes were away.
bool comes_back(isa::Op op) {
  const isa::Form& form = isa::form(op);
  return op == isa::Op::call ||
         (form.kind == isa::RowKind::Special && form.chapter.find("Synchronization") != form.chapter.npos);
}

CompileStep::Way way_of(Handler native, const Inst& i, const Places& places) {
  CompileStep::Way way;
  way.native = native;
  way.blended = native == masked_lanes;
  if (auto it = places.find(way.blended ? i.lane : native); it != places.end()) {
    way.table = it->second.table;
    way.place = it->second.place;
  }
  return way;
}

bool is_access(const FunctionCode& f, size_t k, const LaneCode& lanes) {
  const Inst& i = f.code[k];
  return i.aux && f.masked[k] && f.masked[k] == lanes.access(i.aux->access).masked;
}

/// Slots that hold what was loaded, or was computed of that: addresses in them seldom have a pattern.
std::vector<bool> loaded_slots(const FunctionCode& f, const LaneCode& lanes,
                               const std::vector<CompileStep>& steps) {
  std::vector<bool> loaded(f.frame_bytes);
  const auto accesses = static_cast<u32>(lanes.tables.size() - 2);
  for (bool changed = true; changed;) {
    changed = false;
    const auto mark = [&](u32 slot) {
      if (slot < loaded.size() && !loaded[slot]) loaded[slot] = changed = true;
    };
    for (size_t k = 0; k < f.code.size(); ++k) {
      const Inst& i = f.code[k];
      const u32 table = steps[k].ways[0].table;
      if (is_access(f, k, lanes)) {
        if (i.aux->access.kind == AccessKey::Kind::Store || i.aux->access.where == AccessKey::Where::Param)
          continue;
        mark(i.dst);
        for (u32 slot : i.aux->vector) mark(slot);
      } else if (table < accesses) {
        for (u32 slot : i.src)
          if (slot >= kFrameStart && slot < loaded.size() && loaded[slot]) mark(i.dst);
      }
    }
  }
  return loaded;
}

std::vector<CompileStep> steps_of(const FunctionCode& f, const LaneCode& lanes, const Places& places) {
  std::vector<CompileStep> steps(f.code.size());
  const Handler join = join_point().full, end = end_of_code().full;
  using Entry = CompileStep::Entry;
  const auto enter = [&](const Inst* i, Entry how) {
    const auto k = static_cast<size_t>(i - f.code.data());
    if (k < steps.size()) steps[k].entry = std::max(steps[k].entry, how);
  };
  enter(f.code.data(), Entry::Main);
  for (size_t k = 0; k < f.code.size(); ++k) {
    const Inst& i = f.code[k];
    CompileStep& s = steps[k];
    const Handler native = f.plain[k];
    s.ways[0] = way_of(native, i, places);
    s.ways[1] = way_of(f.masked[k], i, places);
    s.branches = native == lanes.steps.jump || native == lanes.steps.branch;
    s.sum = native == lanes.sum.full;
    s.ends = native == lanes.steps.jump || native == end;
    if (s.branches && i.aux->backward) enter(i.aux->target, Entry::Main);
    if (native == lanes.steps.branch) enter(&i + 1, Entry::Parted), enter(i.aux->target, Entry::Parted);
    if (native == join) enter(&i, Entry::Met);
    const ir::Instruction* made_from = f.instruction(i);
    if (s.ways[0].table != ~u32(0) || !made_from) continue;
    const ir::Instruction& in = *made_from;
    const bool last = k + 1 == f.code.size() || f.code[k + 1].index != i.index;
    if (last && in.guard == ir::kNone &&
        (in.op == isa::Op::ret || in.op == isa::Op::exit_ || in.op == isa::Op::trap))
      s.ends = true;
    if (comes_back(in.op)) enter(&i + 1, Entry::Main);
  }
  // Handlers of several loads with the sums of what they load keep those in registers all the way, which code
  // made for each instruction does not. Where one stops early the interpreter goes on, up to its end.
  for (size_t k = 0; k < steps.size(); ++k) {
    if (f.fused[k] == f.plain[k] || !is_access(f, k, lanes)) continue;
    size_t end = k;
    while (end < steps.size() && f.fused[end] == f.fused[k]) end += 3;
    if (end - k < kShortestRun) continue;
    steps[k].run = static_cast<u32>(end - k);
    steps[k].ways[0].native = f.fused[k];
    steps[k].ways[0].table = ~u32(0);
    enter(&f.code[k] + (end - k), Entry::Main);
    k = end - 1;
  }
  const std::vector<bool> loaded = loaded_slots(f, lanes, steps);
  for (size_t k = 0; k < steps.size(); ++k) {
    CompileStep::Way& way = steps[k].ways[0];
    const Inst& i = f.code[k];
    // Guarded accesses are the masked ones anyway.
    if (steps[k].run == 1 && is_access(f, k, lanes) && f.plain[k] != f.masked[k] && !i.aux->lazy_address &&
        loaded[i.src[0]]) {
      way.native = lanes.access(i.aux->access).irregular;
      way.table = ~u32(0);
    }
  }
  return steps;
}

}  // namespace

std::optional<Back> back_of(std::string_view name) {
  if (name.empty() || name == "auto") return Back::Auto;
  if (name == "interpreter") return Back::Interpreter;
  if (name == "compiled") return Back::Compiled;
  return {};
}

bool can_compile(const LaneCode& lanes, std::string& why) {
  if (std::string_view(lanes.name) == "plain") {
    why = "the lane code \"plain\" is not compiled";
    return false;
  }
  why = library().why;
  return library().compile != nullptr;
}

std::vector<CompileStep> steps_of(const FunctionCode& f, const LaneCode& lanes) {
  return steps_of(f, lanes, places_of(lanes));
}

namespace {

/// What can be compiled of a function.
class Units {
 public:
  Units(const Program& program, const FunctionCode& f, const LaneCode& lanes)
      : f_(f), lanes_(lanes), asks_(program.asks) {
    for (const HandlerTable& table : lanes.tables) listed_.push_back(static_cast<u32>(table.count));
    steps_ = steps_of(f, lanes);
    pieces_part_ = std::any_of(steps_.begin(), steps_.end(),
                               [](const CompileStep& s) { return s.entry == CompileStep::Entry::Parted; });
    has_whole_ = !program.only_pieces && plan_whole(program, f, lanes, steps_, slots_, operands_, image_);
    whole_parts_ =
        f.code.size() <= kMostParted &&
        std::any_of(steps_.begin(), steps_.end(), [](const CompileStep& s) { return s.join != 0; }) &&
        values_met(f.code.data(), steps_.data(), static_cast<u32>(f.code.size()), operands_.data(),
                   slots_.data(), static_cast<u32>(slots_.size())) <= kMostMet;
  }

  bool has_whole() const { return has_whole_; }
  bool whole_parts() const { return whole_parts_; }  ///< lanes may part in whole-warp code
  bool pieces_part() const { return pieces_part_; }  ///< and anywhere
  bool whole_loops() const {                         ///< warps of whole-warp code may give up their turn
    return std::any_of(f_.code.begin(), f_.code.end(),
                       [](const Inst& i) { return i.aux && i.aux->backward; });
  }
  CompileUnit whole(bool parted, bool lacking, bool again = false) const {
    CompileUnit unit = described();
    unit.whole = true;
    unit.parted = parted && whole_parts_;
    unit.lacking = lacking;
    unit.again = again;
    unit.asks = asks_;
    unit.undefined_flag = f_.shadow ? f_.undefined_flag : 0;
    unit.slots = slots_.data();
    unit.slot_count = static_cast<u32>(slots_.size());
    unit.image = image_.data();
    unit.operands = operands_.data();
    unit.operand_count = static_cast<u32>(operands_.size());
    return unit;
  }
  /// For warps whose lanes are all active, or for the others.
  CompileUnit pieces(bool masked) const {
    CompileUnit unit = described();
    unit.masked = masked;
    return unit;
  }

 private:
  CompileUnit described() const {
    CompileUnit unit;
    unit.layout = layout_stamp();
    unit.target = lanes_.name;
    unit.code = f_.code.data();
    unit.steps = steps_.data();
    unit.count = static_cast<u32>(f_.code.size());
    unit.listed = listed_.data();
    unit.tables = static_cast<u32>(listed_.size());
    return unit;
  }

  const FunctionCode& f_;
  const LaneCode& lanes_;
  const bool asks_;
  std::vector<u32> listed_;
  std::vector<CompileStep> steps_;
  std::vector<WholeSlot> slots_;
  std::vector<u32> operands_;
  std::vector<u8> image_;
  bool has_whole_ = false, whole_parts_ = false, pieces_part_ = false;
};

/// Lets the instructions enter the code. Warps may be running them: each sees the one handler or the other.
bool enter(Program& program, FunctionCode& f, const CompileUnit& unit, std::span<const u8> bytes,
           std::string& why) {
  std::vector<Handler> entries;
  auto code = place_code(bytes, unit, entries, why);
  if (!code) return false;
  program.kept.push_back(std::move(code));
  program.native = true;
  if (unit.whole) {
    bool calls = false;
    for (u32 k = 0; k < unit.count; ++k) {
      const CompileStep& s = unit.steps[k];
      // Local memory begins as that of a warp which was started.
      calls |= calls_handler(s) || s.local;
    }
    f.whole_calls = calls;
    WholeCode* const begins[] = {&f.whole, &f.whole_lacking, &f.whole_again, &f.whole_lacking_again};
    __atomic_store_n(begins[2 * unit.again + unit.lacking],
                     reinterpret_cast<WholeCode>(reinterpret_cast<void*>(entries[0])), __ATOMIC_RELEASE);
    return true;
  }
  for (size_t k = 0; k < entries.size(); ++k)
    if (entries[k])
      __atomic_store_n(unit.masked ? &f.code[k].masked : &f.code[k].full, entries[k], __ATOMIC_RELEASE);
  return true;
}

}  // namespace

namespace {

/// Lets a function enter as much code as is wanted, in the order in which it is of use: `enters` is given a
/// unit and returns whether there is code of it now.
template <class F>
Compiled enter_units(const Program& program, const FunctionCode& f, const LaneCode& lanes, Compiled wanted,
                     F&& enters) {
  const Units units(program, f, lanes);
  Compiled done = Compiled::Nothing;
  const auto enters_whole = [&](bool parted, bool again = false) {
    return (!program.lacking_warp || enters(units.whole(parted, true, again))) &&
           (!program.full_warps || enters(units.whole(parted, false, again)));
  };
  const auto enters_again = [&] {
    if (!(f.whole || f.whole_lacking) || program.functions.size() > 1 || !units.whole_loops())
      return Compiled::Again;
    if (wanted < Compiled::Again) return Compiled::All;
    return enters_whole(true, true) ? Compiled::Again : Compiled::All;
  };
  if (program.compiled == Compiled::All) return enters_again();
  // Other functions have pieces alone, and those lead back into pieces.
  if (units.has_whole() && program.functions.size() == 1) {
    const bool parted = wanted != Compiled::Together || !units.whole_parts();
    if (enters_whole(parted))
      done = parted ? Compiled::Parted : Compiled::Together;
    else if (parted && units.whole_parts() && enters_whole(false))
      done = Compiled::Together;
    if (done == Compiled::Nothing) return done;
    // Where there is none after all, pieces are all there can be.
    if ((f.whole || f.whole_lacking) && (done >= wanted || done == Compiled::Together)) return done;
  } else if (units.has_whole()) {
    enters_whole(true);
  }
  if (!enters(units.pieces(false))) return done;
  if (units.pieces_part() && !enters(units.pieces(true))) return done;
  return enters_again();
}

}  // namespace

Compiled take_kept(Program& program, const LaneCode& lanes) {
  CodeCache* cache = code_cache(library_path());
  if (!cache || std::string_view(lanes.name) == "plain") return Compiled::Nothing;
  for (auto& f : program.functions)
    if (f->code.size() > kMostInstructions) return Compiled::Nothing;
  Compiled done = Compiled::Again;
  for (auto& f : program.functions) {
    if (f->code.empty()) continue;
    done = std::min(done, enter_units(program, *f, lanes, Compiled::Again, [&](const CompileUnit& unit) {
                      const auto bytes = cache->find(unit);
                      if (!bytes && cache->begun(unit)) program.begun_before = true;
                      std::string why;
                      return bytes && enter(program, *f, unit, *bytes, why);
                    }));
  }
  return done;
}

void keep_wish(const Program& program, const LaneCode& lanes, Compiled wanted) {
  CodeCache* cache = code_cache(library_path());
  if (!cache || std::string_view(lanes.name) == "plain") return;
  for (const auto& f : program.functions) {
    if (f->code.empty() || f->code.size() > kMostInstructions) continue;
    enter_units(program, *f, lanes, wanted, [&](const CompileUnit& unit) {
      if (cache->find(unit)) return true;
      cache->begin(unit);
      return false;
    });
  }
}

Compiled compile(Program& program, const LaneCode& lanes, Compiled wanted, std::string& why,
                 const std::function<void(bool away)>& tell) {
  if (!can_compile(lanes, why)) return Compiled::Again;
  CodeCache* cache = code_cache(library_path());
  Compiled done = Compiled::Again;
  for (auto& f : program.functions) {
    if (f->code.empty()) continue;
    if (f->code.size() > kMostInstructions) {
      why = "a function is too long to be compiled";
      continue;
    }
    const auto made_now = [&](const CompileUnit& unit) {
      if (cache)
        if (const auto bytes = cache->find(unit); bytes && enter(program, *f, unit, *bytes, why)) return;
      if (cache) cache->begin(unit);
      char text[1024] = "";
      u64 size = 0;
      if (tell) tell(true);
      const u8* bytes = library().compile(unit, &size, text, sizeof text);
      if (tell) tell(false);
      if (!bytes) {
        why = text;
        return;
      }
      const std::span<const u8> made(bytes, size);
      if (enter(program, *f, unit, made, why) && cache) cache->keep(unit, made);
      library().release(bytes);
    };
    // What cannot be compiled is not tried again.
    done = std::min(done, enter_units(program, *f, lanes, wanted, [&](const CompileUnit& unit) {
                      made_now(unit);
                      return true;
                    }));
  }
  return done;
}

}  // namespace ww::engine
