// The compiler's library: makes native code of decoded instructions with LLVM (pieces.h says how).
#include <llvm/IR/LegacyPassManager.h>
#include <llvm/IR/Verifier.h>
#include <llvm/MC/TargetRegistry.h>
#include <llvm/Passes/PassBuilder.h>
#include <llvm/Support/CommandLine.h>
#include <llvm/Support/ErrorHandling.h>
#include <llvm/Support/TargetSelect.h>
#include <llvm/Target/TargetMachine.h>
#include <llvm/TargetParser/Host.h>
#include <llvm/Transforms/IPO/AlwaysInliner.h>
#include <llvm/Transforms/IPO/GlobalDCE.h>

#include <locale.h>
#include <malloc.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <mutex>

#include "engine/compile/code.h"
#include "engine/compile/llvm/flatten.h"
#include "engine/compile/llvm/halves.h"
#include "engine/compile/llvm/masks.h"
#include "engine/compile/llvm/pieces.h"
#include "engine/compile/llvm/processor.h"
#include "engine/compile/llvm/promote.h"
#include "engine/compile/llvm/roots.h"
#include "engine/compile/llvm/scalars.h"
#include "engine/compile/llvm/whole.h"

namespace ww::engine {
namespace {

using namespace llvm;  // NOLINT: this file is LLVM code

/// The handlers were optimised when they became bitcode. What is left is what inlining them brings to light:
/// constants, branches that are never taken, loads of what was just stored. Measured 2026-11-23 against
/// LLVM's own list for -O2: a tenth of its time, and code up to a fifth slower (loops of few instructions).
constexpr char kSimplify[] = "sroa,early-cse<memssa>,instcombine<no-verify-fixpoint>,simplifycfg";
/// What is enough before slots have their memory: it folds the handlers' constants. (With instcombine there,
/// too, compiling took a tenth to a quarter longer, and code was larger: 2026-11-25.)
constexpr char kFold[] = "sroa,early-cse,simplifycfg";

/// Of LLVM's command line; what this LLVM does not know is left out. Without a value: as it is by default.
void set_option(const char* name, const char* value = nullptr) {
  StringMap<cl::Option*>& known = cl::getRegisteredOptions();
  const auto option = known.find(name);
  if (option == known.end()) return;
  option->second->reset();
  if (value) option->second->addOccurrence(1, "", value);
}

/// LLVM's instructions of a function from which its code is made with less care.
constexpr unsigned kLong = 25000;

/// Passes, and what they know of the module.
class Passes {
 public:
  explicit Passes(TargetMachine& machine) : builder_(&machine) {
    builder_.registerModuleAnalyses(modules_);
    builder_.registerCGSCCAnalyses(components_);
    builder_.registerFunctionAnalyses(functions_);
    builder_.registerLoopAnalyses(loops_);
    builder_.crossRegisterProxies(loops_, functions_, components_, modules_);
  }
  void inline_all(Module& module) {
    ModulePassManager passes;
    passes.addPass(AlwaysInlinerPass(false));
    passes.addPass(GlobalDCEPass());
    passes.run(module, modules_);
  }
  void fold(Module& module) { run(module, kFold); }
  /// Vectors that are counted on in loops although nobody reads them, once their lanes are computed alone.
  void drop_unused(Module& module) { run(module, "adce"); }
  /// Cuts variables in memory into those that are loaded and stored whole, and no more.
  void split_variables(Module& module) {
    set_option("sroa-skip-mem2reg", "true");
    run(module, "sroa");
    set_option("sroa-skip-mem2reg");
  }
  void simplify(Module& module) {
    const char* named = std::getenv("WARPWRIGHT_COMPILE_PASSES");
    run(module, named ? named : kSimplify);
  }

 private:
  void run(Module& module, const char* list) {
    FunctionPassManager each;
    checked(builder_.parsePassPipeline(each, list), "passes");
    ModulePassManager passes;
    passes.addPass(createModuleToFunctionPassAdaptor(std::move(each)));
    passes.run(module, modules_);
  }

  PassBuilder builder_;
  LoopAnalysisManager loops_;
  FunctionAnalysisManager functions_;
  CGSCCAnalysisManager components_;
  ModuleAnalysisManager modules_;
};

/// Processor time of this thread in ms: the machine may be busy.
double now_ms() {
  timespec t;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return 1e3 * static_cast<double>(t.tv_sec) + 1e-6 * static_cast<double>(t.tv_nsec);
}

/// Lives as long as the process.
struct Compiler {
  std::unique_ptr<TargetMachine> machine;
  std::mutex mutex;

  Compiler() {
    // What LLVM cannot compile stays with the interpreter: by itself, it would end the process. (Its own
    // frames have nothing to be unwound; what they held is lost.)
    install_fatal_error_handler([](void*, const char* reason, bool) { throw Failure{reason}; });
    // Compiling takes and gives back the same tens of megabytes again and again.
    mallopt(M_TOP_PAD, 16 << 20);
    mallopt(M_TRIM_THRESHOLD, 64 << 20);
    mallopt(M_MMAP_THRESHOLD, 16 << 20);
    // Scheduling compares accesses pair by pair up to so many in a block, and code that has its registers in
    // the frame accesses memory in each instruction (found 2026-11-24: 10 s for 2300 of them, with this 4).
    set_option("dag-maps-huge-region", "200");
    // It keeps each address of a loop apart, in registers that are not there, and takes its time for that.
    set_option("disable-lsr", "");
    InitializeNativeTarget();
    InitializeNativeTargetAsmPrinter();
    InitializeNativeTargetAsmParser();
    const std::string triple = sys::getProcessTriple();
    std::string why;
    const Target* target = TargetRegistry::lookupTarget(triple, why);
    if (!target) throw Failure{why};
    TargetOptions options;
    options.AllowFPOpFusion = FPOpFusion::Strict;
    // Each function says itself what processor it is for.
    machine.reset(target->createTargetMachine(triple, processor::kLeast, "", options, Reloc::PIC_,
                                              CodeModel::Small, CodeGenOptLevel::Default));
    if (!machine) throw Failure{"there is no target machine"};
  }

  std::vector<u8> compile(const CompileUnit& unit) {
    if (unit.layout != layout_stamp()) throw Failure{"the compiler's library belongs to another build"};
    const double begin = now_ms();
    LLVMContext context;
    context.setDiscardValueNames(true);
    Module module("unit", context);
    module.setDataLayout(machine->createDataLayout());
    module.setTargetTriple(machine->getTargetTriple().str());
    module.setPICLevel(PICLevel::BigPIC);
    Whole work(unit, module);
    work.link_handlers();
    const double linked = now_ms();
    unit.whole ? work.make() : work.make_pieces();
    if (std::getenv("WARPWRIGHT_COMPILE_CHECK") && verifyModule(module, &errs())) throw Failure{"wrong code"};
    {
      Passes passes(*machine);
      passes.inline_all(module);
    }
    unit.whole ? work.know_mask() : work.know();
    const double inlined = now_ms();
    const unsigned before = module.getInstructionCount();
    {
      Passes passes(*machine);
      unit.whole ? passes.fold(module) : passes.simplify(module);
    }
    if (unit.whole) {
      work.place_routines();
      Passes passes(*machine);
      passes.inline_all(module);
      work.place_slots();
    }
    find_truth_values(module);
    if (unit.whole) {
      Passes(*machine).split_variables(module);
      promote_variables(module);
      Passes passes(*machine);
      passes.simplify(module);
      compute_lanes_alone(module);
      passes.drop_unused(module);
    }
    widen_half_comparisons(module);
    join_truth_values(module);
    keep_masks_in_blocks(module);
    if (StringRef(unit.target) == "avx512") estimate_roots(module);
    const unsigned after = module.getInstructionCount();
    if (std::getenv("WARPWRIGHT_COMPILE_DUMP")) module.print(errs(), nullptr);
    if (!unit.whole) {
      work.join_entries();
      Passes passes(*machine);
      passes.inline_all(module);
    }
    const double optimised = now_ms();
    // Where values are split among registers it looks through so many blocks for each of them.
    if (after > kLong)
      set_option("grow-region-complexity-budget", "100");
    else
      set_option("grow-region-complexity-budget");
    SmallVector<char, 0> object;
    raw_svector_ostream to(object);
    legacy::PassManager generate;
    if (machine->addPassesToEmitFile(generate, to, nullptr, CodeGenFileType::ObjectFile))
      throw Failure{"no object files for this processor"};
    generate.run(module);
    std::vector<u8> flat =
        flatten(MemoryBufferRef(StringRef(object.data(), object.size()), "unit"), unit.count);
    if (std::getenv("WARPWRIGHT_COMPILE_TIMES"))
      std::fprintf(stderr,
                   "compiled %u instructions%s, %u in %u pieces: link %.1f ms, inline %.1f (%u), optimise "
                   "%.1f (%u), code %.1f (%zu bytes), together %.1f\n",
                   unit.count,
                   unit.whole    ? " (whole)"
                   : unit.masked ? " (masked)"
                                 : "",
                   work.instructions, work.pieces, linked - begin, inlined - linked, before,
                   optimised - inlined, after, now_ms() - optimised, flat.size(), now_ms() - begin);
    return flat;
  }
};

/// This library has a C library of its own, which was given the list of the program's environment as it was
/// then. Where the program adds to its environment that list is given back.
[[gnu::constructor]] void keep_environment() {
  auto* kept = new std::vector<char*>;  // for as long as the process lives
  for (char** entry = environ; entry && *entry; ++entry) kept->push_back(strdup(*entry));
  kept->push_back(nullptr);
  environ = kept->data();
}

/// Code without entries: so that nobody tries again.
std::vector<u8> no_code(u32 count) {
  CodeHeader header;
  header.code_bytes = sizeof(u64);
  header.instructions = count;
  std::vector<u8> out(sizeof header + count * sizeof(u32) + header.code_bytes, 0xff);
  std::memcpy(out.data(), &header, sizeof header);
  return out;
}

}  // namespace
}  // namespace ww::engine

/// This library stands first in its namespace, so LLVM and its C++ library find this one: what they made
/// lives as long as the process, whose end a compile that is going on then cannot disturb.
extern "C" [[gnu::visibility("default")]] int __cxa_atexit(void (*)(void*), void*, void*) { return 0; }

extern "C" [[gnu::visibility("default")]] const ww::engine::u8* ww_compile(
    const ww::engine::CompileUnit& unit, ww::engine::u64* bytes, char* why, ww::engine::u32 why_bytes) {
  using namespace ww::engine;
  uselocale(LC_GLOBAL_LOCALE);  // threads begin with the tables of characters of the other C library alone
  try {
    static Compiler* compiler = new Compiler;
    std::lock_guard lock(compiler->mutex);
    std::vector<u8> made;
    try {
      made = compiler->compile(unit);
    } catch (const Failure& failure) {
      if (!unit.whole) throw;
      if (std::getenv("WARPWRIGHT_COMPILE_TIMES"))
        std::fprintf(stderr, "not compiled %u instructions (whole): %s\n", unit.count, failure.why.c_str());
      made = no_code(unit.count);
    }
    auto* copy = static_cast<u8*>(std::malloc(made.size()));
    if (!copy) throw Failure{"out of memory"};
    std::memcpy(copy, made.data(), made.size());
    *bytes = made.size();
    return copy;
  } catch (const Failure& failure) {
    std::snprintf(why, why_bytes, "%s", failure.why.c_str());
    return nullptr;
  }
}

extern "C" [[gnu::visibility("default")]] void ww_release(const ww::engine::u8* bytes) {
  std::free(const_cast<ww::engine::u8*>(bytes));
}
