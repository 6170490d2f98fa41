// The compiler: makes native code of decoded instructions with LLVM. Each instruction's handler is there as
// bitcode; it is inlined with a constant copy of the instruction, so that offsets, modifiers and types are
// constants and values can stay in registers. What an instruction means is written nowhere here.
//
// A piece of code begins at an entry and goes on along the branches until another entry. Wherever it cannot
// go on (an access that is not plain, lanes that part, what has no bitcode and stops), it returns what the
// native handler of that instruction returns: all registers are in the frame then, and the interpreter goes
// on.
#include <llvm/Bitcode/BitcodeReader.h>
#include <llvm/ExecutionEngine/Orc/LLJIT.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Verifier.h>
#include <llvm/Linker/IRMover.h>
#include <llvm/Passes/PassBuilder.h>
#include <llvm/Support/TargetSelect.h>
#include <llvm/Target/TargetMachine.h>
#include <llvm/Transforms/IPO/AlwaysInliner.h>
#include <llvm/Transforms/IPO/GlobalDCE.h>
#include <llvm/Transforms/Scalar/DeadStoreElimination.h>

#include <locale.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <mutex>
#include <vector>

#include "engine/compile/llvm/bitcode.h"
#include "engine/compile/unit.h"
#include "engine/lanes/lanes.h"

namespace ww::engine {
namespace {

using namespace llvm;  // NOLINT: this file is LLVM code

constexpr unsigned kMostInstructions = 2000;  // of one piece of code; the interpreter goes on behind

struct Failure {
  std::string why;
};

template <class T>
T checked(Expected<T> e, const char* what) {
  if (!e) throw Failure{std::string(what) + ": " + toString(e.takeError())};
  return std::move(*e);
}
void checked(Error e, const char* what) {
  if (e) throw Failure{std::string(what) + ": " + toString(std::move(e))};
}

/// One unit being turned into a module.
class Unit {
 public:
  Unit(const CompileUnit& unit, LLVMContext& context, Module& module)
      : unit_(unit), context_(context), module_(module), b_(context) {
    pointer_ = PointerType::get(context, 0);
  }

  /// Takes the handlers that the unit uses out of their bitcode.
  void link_handlers() {
    std::map<u32, std::vector<u32>> used;
    for (u32 k = 0; k < unit_.count; ++k)
      if (way(k).table != ~u32(0)) used[way(k).table].push_back(way(k).place);
    IRMover mover(module_);
    for (auto& [table, places] : used) {
      const Bitcode bitcode = bitcode_of(unit_.target, table);
      if (!bitcode.bytes) throw Failure{"there is no bitcode for this processor"};
      auto source = checked(
          getLazyBitcodeModule(MemoryBufferRef(StringRef(bitcode.begin, bitcode.bytes), "lanes"), context_),
          "bitcode");
      const GlobalVariable* list = source->getGlobalVariable("ww_table", true);
      if (!list) throw Failure{"the bitcode has no table"};
      const Constant* all = list->getInitializer()->getAggregateElement(0u);
      if (all->getType()->getArrayNumElements() != unit_.listed[table])
        throw Failure{"the compiler's library belongs to another build"};
      std::vector<GlobalValue*> wanted;
      for (u32 place : places) {
        auto* f = dyn_cast_or_null<Function>(all->getAggregateElement(place));
        if (!f) throw Failure{"the bitcode's table is another one"};
        std::string& name = names_[{table, place}];
        if (!name.empty()) continue;
        if (f->getName().starts_with("ww_handler")) {  // it stands in the table twice
          name = f->getName();
          continue;
        }
        name = "ww_handler_" + std::to_string(table) + "_" + std::to_string(place);
        f->setLinkage(GlobalValue::ExternalLinkage);
        f->setName(name);
        wanted.push_back(f);
      }
      checked(mover.move(
                  std::move(source), wanted, [](GlobalValue&, IRMover::ValueAdder) {}, false),
              "linking");
    }
    for (auto& [key, name] : names_) {
      Function* f = module_.getFunction(name);
      if (!f || f->isDeclaration()) throw Failure{"a handler was not linked"};
      f->setLinkage(GlobalValue::InternalLinkage);
      f->removeFnAttr(Attribute::NoInline);
      f->addFnAttr(Attribute::AlwaysInline);
      model_ = f;
      handlers_[key] = f;
    }
  }

  void make_pieces() {
    using Entry = CompileStep::Entry;
    for (u32 k = 0; k < unit_.count; ++k)
      if (unit_.steps[k].entry >= (unit_.masked ? Entry::Parted : Entry::Met)) make_piece(k);
  }

  /// Puts what is known in the place of ww_frame() and ww_mask().
  void know() {
    for (const char* name : {"ww_frame", "ww_mask"}) {
      Function* f = module_.getFunction(name);
      if (!f) continue;
      for (User* user : make_early_inc_range(f->users())) {
        auto* call = dyn_cast<CallInst>(user);
        if (!call) continue;
        Function* in = call->getFunction();
        if (!in->hasFnAttribute("ww_piece")) continue;
        if (f->getName() == "ww_frame")
          call->replaceAllUsesWith(in->getArg(1));
        else
          call->replaceAllUsesWith(unit_.masked ? static_cast<Value*>(in->getArg(2))
                                                : ConstantInt::get(call->getType(), kAllLanes));
        call->eraseFromParent();
      }
      // What was not inlined looks them up.
      f->setLinkage(GlobalValue::InternalLinkage);
      b_.SetInsertPoint(BasicBlock::Create(context_, "", f));
      const bool frame = f->getName() == "ww_frame";
      b_.CreateRet(b_.CreateLoad(f->getReturnType(),
                                 at(f->getArg(0), frame ? offsetof(Warp, regs) : offsetof(Warp, mask))));
    }
  }

  std::map<u32, std::string> entries;  ///< names of the functions, by instruction

 private:
  const CompileStep::Way& way(u32 k) const { return unit_.steps[k].ways[unit_.masked]; }
  Constant* address(const void* p) {
    return ConstantExpr::getIntToPtr(ConstantInt::get(Type::getInt64Ty(context_), reinterpret_cast<u64>(p)),
                                     pointer_);
  }
  Constant* number(u64 v) { return ConstantInt::get(Type::getInt32Ty(context_), v); }
  Value* at(Value* base, u64 offset) {
    return b_.CreateConstInBoundsGEP1_64(Type::getInt8Ty(context_), base, offset);
  }
  Constant* bytes(const void* from, size_t count) {
    return ConstantDataArray::get(context_, ArrayRef(static_cast<const u8*>(from), count));
  }
  GlobalVariable* constant(Constant* value) {
    auto* global = new GlobalVariable(module_, value->getType(), true, GlobalValue::PrivateLinkage, value);
    global->setAlignment(Align(16));
    return global;
  }
  /// A copy of `size` bytes in which the pointer at `at` leads to `to`.
  GlobalVariable* copy_with(const void* from, size_t size, size_t at, Constant* to) {
    const u8* p = static_cast<const u8*>(from);
    return constant(ConstantStruct::getAnon(
        {bytes(p, at), to, bytes(p + at + sizeof(void*), size - at - sizeof(void*))}, true));
  }

  Constant* image(const Inst& i, bool sum) {
    Constant* aux = address(i.aux);
    if (i.aux) {
      Constant* more = sum ? constant(bytes(i.aux->more, sizeof(AddressSum))) : address(i.aux->more);
      aux = copy_with(i.aux, sizeof(Aux), offsetof(Aux, more), more);
    }
    return copy_with(&i, sizeof(Inst), offsetof(Inst, aux), aux);
  }

  BasicBlock* block(u32 k) {
    BasicBlock*& there = blocks_[k];
    if (!there) {
      there = BasicBlock::Create(context_, "", piece_);
      waiting_.push_back(k);
    }
    return there;
  }

  Value* call_native(u32 k) {
    FunctionType* type = FunctionType::get(pointer_, {pointer_, pointer_, pointer_}, false);
    // The frame is named as well, because the handler changes what it finds in it.
    CallInst* call = b_.CreateCall(type, address(reinterpret_cast<const void*>(way(k).native)),
                                   {warp_, address(unit_.code + k), frame_});
    call->addParamAttr(0, Attribute::NoCapture);
    call->addParamAttr(2, Attribute::NoCapture);
    call->setDoesNotThrow();
    return call;
  }
  BasicBlock* leave(u32 k) {
    BasicBlock* there = BasicBlock::Create(context_, "", piece_);
    IRBuilderBase::InsertPointGuard guard(b_);
    b_.SetInsertPoint(there);
    b_.CreateRet(call_native(k));
    return there;
  }

  /// Runs a handler of the bitcode, which says how to go on.
  Value* inlined(u32 k, const Inst& i) {
    const CompileStep& s = unit_.steps[k];
    Function* f = handlers_.at({way(k).table, way(k).place});
    return b_.CreateCall(f, {warp_, image(i, s.sum)});
  }

  Value* frame_at(u32 offset) { return at(frame_, offset); }

  /// A lane row under a guard: computed for all lanes, kept for those that are active.
  void guarded(u32 k) {
    const Inst& i = unit_.code[k];
    Inst all = i;
    all.dst = kScratch;
    all.dst2 = kScratch2;
    Value* carry = b_.CreateLoad(b_.getInt32Ty(), at(warp_, offsetof(Warp, carry)));
    inlined(k, all);
    Value* mask = mask_;
    if (i.guarded) {
      mask = b_.CreateLoad(b_.getInt32Ty(), frame_at(i.guard));
      if (i.guard_negated) mask = b_.CreateNot(mask);
      if (unit_.masked) mask = b_.CreateAnd(mask, mask_);
    }
    const auto blend_bits = [&](Value* place, Value* now, Value* before) {
      b_.CreateStore(b_.CreateOr(b_.CreateAnd(now, mask), b_.CreateAnd(before, b_.CreateNot(mask))), place);
    };
    const auto blend_predicate = [&](u32 to, u32 from) {
      blend_bits(frame_at(to), b_.CreateLoad(b_.getInt32Ty(), frame_at(from)),
                 b_.CreateLoad(b_.getInt32Ty(), frame_at(to)));
    };
    blend_bits(at(warp_, offsetof(Warp, carry)),
               b_.CreateLoad(b_.getInt32Ty(), at(warp_, offsetof(Warp, carry))), carry);
    if (i.dst_pred) {
      blend_predicate(i.dst, kScratch);
    } else {
      const unsigned width = i.dst_bytes, lanes = 64 / width < kLanes ? 64 / width : kLanes;
      Value* bits = b_.CreateBitCast(mask, FixedVectorType::get(b_.getInt1Ty(), kLanes));
      auto* type = FixedVectorType::get(b_.getIntNTy(8 * width), lanes);
      for (unsigned l = 0; l < kLanes; l += lanes) {
        std::vector<int> some;
        for (unsigned n = 0; n < lanes; ++n) some.push_back(static_cast<int>(l + n));
        Value* now = b_.CreateAlignedLoad(type, frame_at(kScratch + l * width), Align(2));
        Value* before = b_.CreateAlignedLoad(type, frame_at(i.dst + l * width), Align(2));
        b_.CreateAlignedStore(b_.CreateSelect(b_.CreateShuffleVector(bits, some), now, before),
                              frame_at(i.dst + l * width), Align(2));
      }
    }
    if (i.dst2_used) blend_predicate(i.dst2, kScratch2);
  }

  void instruction(u32 k) {
    const Inst& i = unit_.code[k];
    const CompileStep& s = unit_.steps[k];
    if (way(k).table == ~u32(0)) {
      Value* next = call_native(k);
      if (s.ends || k + 1 >= unit_.count) {
        b_.CreateRet(next);
        return;
      }
      BasicBlock* other = BasicBlock::Create(context_, "", piece_);
      b_.CreateCondBr(b_.CreateICmpEQ(next, address(unit_.code + k + 1)), block(k + 1), other);
      b_.SetInsertPoint(other);
      b_.CreateRet(next);
      return;
    }
    if (way(k).blended) {
      guarded(k);
      b_.CreateBr(block(k + 1));
      return;
    }
    Value* how = b_.CreatePtrToInt(inlined(k, i), b_.getInt64Ty());
    SwitchInst* ways = b_.CreateSwitch(how, leave(k));
    if (!s.ends && k + 1 < unit_.count) ways->addCase(b_.getInt64(static_cast<u64>(1)), block(k + 1));
    if (s.branches) ways->addCase(b_.getInt64(2), block(static_cast<u32>(i.aux->target - unit_.code)));
  }

  void make_piece(u32 entry) {
    blocks_.clear();
    waiting_.clear();
    FunctionType* type = FunctionType::get(pointer_, {pointer_, pointer_}, false);
    FunctionType* piece_type = FunctionType::get(pointer_, {pointer_, pointer_, b_.getInt32Ty()}, false);
    piece_ =
        Function::Create(piece_type, GlobalValue::InternalLinkage, "piece" + std::to_string(entry), module_);
    like_model(piece_);
    piece_->addFnAttr("ww_piece");
    piece_->addFnAttr(Attribute::NoInline);
    warp_ = piece_->getArg(0);
    frame_ = piece_->getArg(1);
    mask_ = piece_->getArg(2);
    for (unsigned k : {0u, 1u}) {
      piece_->addParamAttr(k, Attribute::NoAlias);
      piece_->addParamAttr(k, Attribute::NonNull);
    }
    piece_->addParamAttr(0, Attribute::getWithDereferenceableBytes(context_, sizeof(Warp)));
    piece_->addParamAttr(1, Attribute::getWithAlignment(context_, Align(64)));
    BasicBlock* first = BasicBlock::Create(context_, "", piece_);
    b_.SetInsertPoint(first);
    b_.CreateBr(block(entry));
    unsigned made = 0;
    using Entry = CompileStep::Entry;
    const Entry ends = !unit_.masked && unit_.steps[entry].entry == Entry::Main ? Entry::Main : Entry::Parted;
    while (!waiting_.empty()) {
      const u32 k = waiting_.back();
      waiting_.pop_back();
      b_.SetInsertPoint(blocks_[k]);
      if ((made && unit_.steps[k].entry >= ends) || made >= kMostInstructions) {
        b_.CreateRet(address(unit_.code + k));
        continue;
      }
      ++made;
      instruction(k);
    }
    // The handler: only for warps of which all lanes are there and active.
    std::string& name = entries[entry];
    name = "entry_" + std::to_string(reinterpret_cast<u64>(unit_.code + entry));
    Function* handler = Function::Create(type, GlobalValue::ExternalLinkage, name, module_);
    like_model(handler);
    b_.SetInsertPoint(BasicBlock::Create(context_, "", handler));
    BasicBlock* full = BasicBlock::Create(context_, "", handler);
    BasicBlock* other = BasicBlock::Create(context_, "", handler);
    Value* mask = b_.CreateLoad(b_.getInt32Ty(), at(handler->getArg(0), offsetof(Warp, mask)));
    b_.CreateCondBr(unit_.masked ? b_.getTrue() : b_.CreateICmpEQ(mask, number(kAllLanes)), full, other);
    b_.SetInsertPoint(full);
    Value* frame = b_.CreateLoad(pointer_, at(handler->getArg(0), offsetof(Warp, regs)));
    CallInst* call = b_.CreateCall(piece_, {handler->getArg(0), frame, mask});
    call->setTailCallKind(CallInst::TCK_Tail);
    b_.CreateRet(call);
    b_.SetInsertPoint(other);
    call = b_.CreateCall(type, address(reinterpret_cast<const void*>(way(entry).native)),
                         {handler->getArg(0), handler->getArg(1)});
    call->setTailCallKind(CallInst::TCK_MustTail);
    b_.CreateRet(call);
  }

  void like_model(Function* f) {
    for (const char* name : {"target-cpu", "target-features", "tune-cpu", "prefer-vector-width"})
      if (model_ && model_->hasFnAttribute(name)) f->addFnAttr(model_->getFnAttribute(name));
    f->addFnAttr("min-legal-vector-width", "512");
    f->setDoesNotThrow();
  }

  const CompileUnit& unit_;
  LLVMContext& context_;
  Module& module_;
  IRBuilder<> b_;
  PointerType* pointer_;
  std::map<std::pair<u32, u32>, std::string> names_;
  std::map<std::pair<u32, u32>, Function*> handlers_;
  Function* model_ = nullptr;  ///< a handler: for what processor
  Function* piece_ = nullptr;
  Value *warp_ = nullptr, *frame_ = nullptr, *mask_ = nullptr;
  std::map<u32, BasicBlock*> blocks_;
  std::vector<u32> waiting_;
};

void optimise(Module& module, TargetMachine& machine, OptimizationLevel level) {
  PipelineTuningOptions tuning;
  tuning.LoopVectorization = tuning.SLPVectorization = tuning.LoopInterleaving = false;
  PassBuilder builder(&machine, tuning);
  LoopAnalysisManager loops;
  FunctionAnalysisManager functions;
  CGSCCAnalysisManager components;
  ModuleAnalysisManager modules;
  builder.registerModuleAnalyses(modules);
  builder.registerCGSCCAnalyses(components);
  builder.registerFunctionAnalyses(functions);
  builder.registerLoopAnalyses(loops);
  builder.crossRegisterProxies(loops, functions, components, modules);
  ModulePassManager passes;
  FunctionPassManager each = builder.buildFunctionSimplificationPipeline(level, ThinOrFullLTOPhase::None);
  each.addPass(DSEPass());
  passes.addPass(createModuleToFunctionPassAdaptor(std::move(each)));
  passes.run(module, modules);
}

void inline_handlers(Module& module) {
  PassBuilder builder;
  LoopAnalysisManager loops;
  FunctionAnalysisManager functions;
  CGSCCAnalysisManager components;
  ModuleAnalysisManager modules;
  builder.registerModuleAnalyses(modules);
  builder.registerCGSCCAnalyses(components);
  builder.registerFunctionAnalyses(functions);
  builder.registerLoopAnalyses(loops);
  builder.crossRegisterProxies(loops, functions, components, modules);
  ModulePassManager passes;
  passes.addPass(AlwaysInlinerPass(false));
  passes.addPass(GlobalDCEPass());
  passes.run(module, modules);
}

/// Lives as long as the process: so does the code that it made.
struct Compiler {
  std::unique_ptr<orc::LLJIT> jit;
  std::unique_ptr<TargetMachine> machine;
  std::mutex mutex;
  unsigned made = 0;

  Compiler() {
    InitializeNativeTarget();
    InitializeNativeTargetAsmPrinter();
    auto builder = checked(orc::JITTargetMachineBuilder::detectHost(), "host");
    builder.setCodeGenOptLevel(CodeGenOptLevel::Default);
    builder.getOptions().AllowFPOpFusion = FPOpFusion::Strict;
    machine = checked(builder.createTargetMachine(), "target machine");
    jit = checked(orc::LLJITBuilder().setJITTargetMachineBuilder(builder).create(), "LLJIT");
    jit->getMainJITDylib().addGenerator(checked(
        orc::DynamicLibrarySearchGenerator::GetForCurrentProcess(jit->getDataLayout().getGlobalPrefix()),
        "process"));
  }

  void compile(const CompileUnit& unit, Handler* entries) {
    if (unit.layout != layout_stamp()) throw Failure{"the compiler's library belongs to another build"};
    const bool tell = std::getenv("WARPWRIGHT_COMPILE_TIMES") != nullptr;
    const auto seconds = [] {
      return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
    };
    const double begin = seconds();
    auto context = std::make_unique<LLVMContext>();
    auto module = std::make_unique<Module>("unit" + std::to_string(made++), *context);
    module->setDataLayout(jit->getDataLayout());
    module->setTargetTriple(jit->getTargetTriple().str());
    Unit work(unit, *context, *module);
    work.link_handlers();
    const double linked = seconds();
    work.make_pieces();
    if (std::getenv("WARPWRIGHT_COMPILE_CHECK") && verifyModule(*module, &errs()))
      throw Failure{"wrong code"};
    inline_handlers(*module);
    work.know();
    const double inlined = seconds();
    optimise(*module, *machine, OptimizationLevel::O2);
    const double optimised = seconds();
    if (std::getenv("WARPWRIGHT_COMPILE_DUMP")) module->print(errs(), nullptr);
    auto created = jit->createJITDylib(module->getName().str());
    if (!created) throw Failure{toString(created.takeError())};
    orc::JITDylib& library = *created;
    library.addToLinkOrder(jit->getMainJITDylib());
    checked(jit->addIRModule(library, orc::ThreadSafeModule(std::move(module), std::move(context))),
            "module");
    for (auto& [k, name] : work.entries)
      entries[k] = checked(jit->lookup(library, name), "lookup").toPtr<Handler>();
    if (tell)
      std::fprintf(stderr,
                   "compiled %u instructions%s: link %.1f ms, inline %.1f, optimise %.1f, code %.1f\n",
                   unit.count, unit.masked ? " (masked)" : "", 1e3 * (linked - begin),
                   1e3 * (inlined - linked), 1e3 * (optimised - inlined), 1e3 * (seconds() - optimised));
  }
};

}  // namespace
}  // namespace ww::engine

/// This library stands first in its namespace, so LLVM and its C++ library find this one: what they made
/// lives as long as the process, whose end a compile that is going on then cannot disturb.
extern "C" [[gnu::visibility("default")]] int __cxa_atexit(void (*)(void*), void*, void*) { return 0; }

extern "C" [[gnu::visibility("default")]] bool ww_compile(const ww::engine::CompileUnit& unit,
                                                          ww::engine::Handler* entries, char* why,
                                                          ww::engine::u32 why_bytes) {
  using namespace ww::engine;
  uselocale(LC_GLOBAL_LOCALE);  // threads begin with the tables of characters of the other C library alone
  try {
    static Compiler* compiler = new Compiler;
    std::lock_guard lock(compiler->mutex);
    compiler->compile(unit, entries);
    return true;
  } catch (const Failure& failure) {
    std::snprintf(why, why_bytes, "%s", failure.why.c_str());
    return false;
  }
}
