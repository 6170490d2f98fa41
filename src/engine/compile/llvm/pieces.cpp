#include "engine/compile/llvm/pieces.h"

#include <llvm/Bitcode/BitcodeReader.h>
#include <llvm/Linker/IRMover.h>

#include "engine/compile/llvm/bitcode.h"
#include "engine/lanes/lanes.h"

namespace ww::engine {

using namespace llvm;  // NOLINT: this file is LLVM code

namespace {

constexpr unsigned kMostInstructions = 2000;  // of one piece of code; the interpreter goes on behind
// A handler of so many instructions (arithmetic of f16, powers) is called where all its places together have
// so many: LLVM takes time that grows with the square of what a piece has, and a call costs little beside it.
constexpr unsigned kLongHandler = 100, kLongTogether = 20000;
constexpr char kPiece[] = "ww_piece";  // the attribute of pieces

}  // namespace

Pieces::Pieces(const CompileUnit& unit, Module& module)
    : unit_(unit), context_(module.getContext()), module_(module), b_(module.getContext()) {
  pointer_ = PointerType::get(context_, 0);
  handler_ = FunctionType::get(pointer_, {pointer_, pointer_}, false);
}

void Pieces::link_handlers() {
  std::map<u32, std::vector<u32>> used;
  using Kind = CompileStep::Kind;
  for (u32 k = 0; k < unit_.count; ++k)
    if (way(k).table != ~u32(0) &&
        (!unit_.whole || unit_.steps[k].kind == Kind::Row || unit_.steps[k].kind == Kind::Count ||
         unit_.steps[k].kind == Kind::Branch))
      used[way(k).table].push_back(way(k).place);
  if (used.empty()) used[0];  // handlers say for what processor code is made
  IRMover mover(module_);
  for (auto& [table, places] : used) {
    const Bitcode bitcode = bitcode_of(unit_.target, table);
    if (!bitcode.bytes) throw Failure{"there is no bitcode for this processor"};
    auto source = checked(
        getLazyBitcodeModule(MemoryBufferRef(StringRef(bitcode.begin, bitcode.bytes), "lanes"), context_),
        "bitcode");
    if (target_.empty()) find_target(*source);
    if (places.empty()) continue;
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
    handlers_[key] = f;
  }
}

void Pieces::find_target(const Module& handlers) {
  for (const Function& f : handlers) {
    for (const char* name : {"target-cpu", "target-features", "tune-cpu", "prefer-vector-width"})
      if (f.hasFnAttribute(name)) target_.push_back(f.getFnAttribute(name));
    if (!target_.empty()) return;
  }
  throw Failure{"the bitcode does not say for what processor it is"};
}

/// Whether the instruction's code is long and stands in many places.
bool Pieces::too_long(u32 k) const {
  const auto use = uses_.find({way(k).table, way(k).place});
  if (use == uses_.end() || unit_.code[k].aux || unit_.steps[k].branches) return false;
  const unsigned length = handlers_.at(use->first)->getInstructionCount();
  return length >= kLongHandler && length * use->second >= kLongTogether;
}

void Pieces::make_pieces() {
  using Entry = CompileStep::Entry;
  for (u32 k = 0; k < unit_.count; ++k)
    if (way(k).table != ~u32(0) && !unit_.code[k].aux && !unit_.steps[k].branches)
      ++uses_[{way(k).table, way(k).place}];
  for (u32 k = 0; k < unit_.count; ++k)
    if (unit_.steps[k].entry >= (unit_.masked ? Entry::Parted : Entry::Met)) make_piece(k);
}

void Pieces::know() {
  for (const char* name : {"ww_frame", "ww_mask"}) {
    Function* f = module_.getFunction(name);
    if (!f) continue;
    for (User* user : make_early_inc_range(f->users())) {
      auto* call = dyn_cast<CallInst>(user);
      if (!call) continue;
      Function* in = call->getFunction();
      if (!in->hasFnAttribute(kPiece)) continue;
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

void Pieces::join_entries() {
  for (Function& f : module_) {
    if (!f.hasFnAttribute(kPiece)) continue;
    f.removeFnAttr(Attribute::NoInline);
    f.addFnAttr(Attribute::AlwaysInline);
    // Inlining would keep it as metadata, which nobody reads any more.
    for (unsigned k : {0u, 1u}) f.removeParamAttr(k, Attribute::NoAlias);
  }
}

Value* Pieces::at(Value* base, u64 offset) {
  return b_.CreateConstInBoundsGEP1_64(Type::getInt8Ty(context_), base, offset);
}
/// The address of an instruction, from that of the piece's first one.
Value* Pieces::place(u32 k) {
  return at(here_, (static_cast<u64>(k) - static_cast<u64>(entry_)) * sizeof(Inst));
}
Constant* Pieces::bytes(const void* from, size_t count) {
  return ConstantDataArray::get(context_, ArrayRef(static_cast<const u8*>(from), count));
}
GlobalVariable* Pieces::constant(Constant* value) {
  auto* global = new GlobalVariable(module_, value->getType(), true, GlobalValue::PrivateLinkage, value);
  global->setAlignment(Align(16));
  return global;
}
/// A copy of `size` bytes in which the pointer at `at` leads to `to`.
GlobalVariable* Pieces::copy_with(const void* from, size_t size, size_t at, Constant* to) {
  const u8* p = static_cast<const u8*>(from);
  return constant(ConstantStruct::getAnon(
      {bytes(p, at), to, bytes(p + at + sizeof(void*), size - at - sizeof(void*))}, true));
}

Constant* Pieces::image(const Inst& i, bool sum) {
  const Inst inst = image_of(i);
  if (!i.aux) return constant(bytes(&inst, sizeof inst));
  Constant* more = ConstantPointerNull::get(pointer_);
  if (sum) {
    const AddressSum terms = image_of(*static_cast<const AddressSum*>(i.aux->more));
    more = constant(bytes(&terms, sizeof terms));
  }
  const Aux aux = image_of(*i.aux);
  return copy_with(&inst, sizeof inst, offsetof(Inst, aux),
                   copy_with(&aux, sizeof aux, offsetof(Aux, more), more));
}

BasicBlock* Pieces::block(u32 k) {
  BasicBlock*& there = blocks_[k];
  if (!there) {
    there = BasicBlock::Create(context_, "", piece_);
    waiting_.push_back(k);
  }
  return there;
}

FunctionCallee Pieces::native_of(u32 k, bool masked) {
  FunctionCallee& there = natives_[unit_.steps[k].ways[masked].native];
  if (!there) {
    const u32 number = masked && !unit_.masked ? k + unit_.count : k;
    there = module_.getOrInsertFunction(kNativeName + std::to_string(number), handler_);
    auto* f = cast<Function>(there.getCallee());
    f->addFnAttr(Attribute::NonLazyBind);  // called where its address stands
    f->addFnAttr(Attribute::NoUnwind);
  }
  return there;
}
Value* Pieces::call_native(u32 k, bool masked) {
  // The frame is named as well, because the handler changes what it finds in it.
  FunctionType* type = FunctionType::get(pointer_, {pointer_, pointer_, pointer_}, false);
  CallInst* call = b_.CreateCall(type, native_of(k, masked).getCallee(), {warp_, place(k), frame_});
  call->addParamAttr(0, Attribute::NoCapture);
  call->addParamAttr(2, Attribute::NoCapture);
  call->setDoesNotThrow();
  return call;
}
/// Carries the instruction out as the interpreter does, and goes on with its result: behind it in this code
/// (if `may_go_on`), or elsewhere.
void Pieces::native(u32 k, bool may_go_on) {
  Value* next = call_native(k, unit_.masked);
  if (may_go_on) {
    BasicBlock* other = BasicBlock::Create(context_, "", piece_);
    const u32 behind = k + (unit_.masked ? 1 : unit_.steps[k].run);
    b_.CreateCondBr(b_.CreateICmpEQ(next, place(behind)), block(behind), other);
    b_.SetInsertPoint(other);
  }
  b_.CreateRet(next);
}
BasicBlock* Pieces::natively(u32 k, bool may_go_on) {
  BasicBlock* there = BasicBlock::Create(context_, "", piece_);
  IRBuilderBase::InsertPointGuard guard(b_);
  b_.SetInsertPoint(there);
  native(k, may_go_on);
  return there;
}

/// Runs a handler of the bitcode, which says how to go on.
Value* Pieces::inlined(u32 k, const Inst& i, Value* warp) {
  const CompileStep& s = unit_.steps[k];
  Function* f = handlers_.at({way(k).table, way(k).place});
  return b_.CreateCall(f, {warp ? warp : warp_, image(i, s.sum)});
}

/// A lane row under a guard: computed for all lanes, kept for those that are active.
void Pieces::guarded(u32 k, const Inst& i) {
  const auto frame_at = [&](u32 offset) { return at(frame_, offset); };
  Inst all = i;
  all.dst = kScratch;
  all.dst2 = kScratch2;
  Value* carry = b_.CreateLoad(b_.getInt32Ty(), at(warp_, offsetof(Warp, carry)));
  inlined(k, all);
  Value* mask = mask_;
  if (i.guarded) {
    mask = b_.CreateLoad(b_.getInt32Ty(), frame_at(i.guard));
    if (i.guard_negated) mask = b_.CreateNot(mask);
    if (unit_.masked || partial_) mask = b_.CreateAnd(mask, mask_);
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

void Pieces::instruction(u32 k) {
  const Inst& i = unit_.code[k];
  const CompileStep& s = unit_.steps[k];
  const bool goes_on = !s.ends && k + 1 < unit_.count;
  if (way(k).table == ~u32(0) || too_long(k)) {
    native(k, goes_on);
    return;
  }
  if (way(k).blended) {
    guarded(k, i);
    b_.CreateBr(block(k + 1));
    return;
  }
  Value* how = b_.CreatePtrToInt(inlined(k, i), b_.getInt64Ty());
  SwitchInst* ways = b_.CreateSwitch(how, natively(k, goes_on && !s.branches));
  const auto onward = [&](Onward o) { return b_.getInt64(static_cast<u64>(o)); };
  if (goes_on) ways->addCase(onward(Onward::Next), block(k + 1));
  if (s.branches) ways->addCase(onward(Onward::Target), block(static_cast<u32>(i.aux->target - unit_.code)));
}

void Pieces::make_piece(u32 entry) {
  blocks_.clear();
  waiting_.clear();
  entry_ = entry;
  FunctionType* type = FunctionType::get(pointer_, {pointer_, pointer_, b_.getInt32Ty(), pointer_}, false);
  piece_ = Function::Create(type, GlobalValue::InternalLinkage, "piece" + std::to_string(entry), module_);
  for_target(piece_);
  piece_->addFnAttr(kPiece);
  piece_->addFnAttr(Attribute::NoInline);
  warp_ = piece_->getArg(0);
  frame_ = piece_->getArg(1);
  mask_ = piece_->getArg(2);
  here_ = piece_->getArg(3);
  for (unsigned k : {0u, 1u}) {
    piece_->addParamAttr(k, Attribute::NoAlias);
    piece_->addParamAttr(k, Attribute::NonNull);
  }
  piece_->addParamAttr(0, Attribute::getWithDereferenceableBytes(context_, sizeof(Warp)));
  piece_->addParamAttr(1, Attribute::getWithAlignment(context_, Align(64)));
  b_.SetInsertPoint(BasicBlock::Create(context_, "", piece_));
  b_.CreateBr(block(entry));
  unsigned made = 0;
  using Entry = CompileStep::Entry;
  const Entry ends = !unit_.masked && unit_.steps[entry].entry == Entry::Main ? Entry::Main : Entry::Parted;
  while (!waiting_.empty()) {
    const u32 k = waiting_.back();
    waiting_.pop_back();
    b_.SetInsertPoint(blocks_[k]);
    if ((made && unit_.steps[k].entry >= ends) || made >= kMostInstructions) {
      b_.CreateRet(place(k));
      continue;
    }
    ++made;
    instruction(k);
  }
  instructions += made;
  ++pieces;
  make_entry(entry);
}

/// The handler: unless the code is for any lanes, only warps of which all are there and active enter it.
void Pieces::make_entry(u32 entry) {
  Function* handler =
      Function::Create(handler_, GlobalValue::ExternalLinkage, kEntryName + std::to_string(entry), module_);
  for_target(handler);
  Value* warp = handler->getArg(0);
  b_.SetInsertPoint(BasicBlock::Create(context_, "", handler));
  Value* mask = b_.CreateLoad(b_.getInt32Ty(), at(warp, offsetof(Warp, mask)));
  if (!unit_.masked) {
    BasicBlock* full = BasicBlock::Create(context_, "", handler);
    BasicBlock* other = BasicBlock::Create(context_, "", handler);
    b_.CreateCondBr(b_.CreateICmpEQ(mask, b_.getInt32(kAllLanes)), full, other);
    b_.SetInsertPoint(other);
    CallInst* call = b_.CreateCall(native_of(entry, unit_.masked), {warp, handler->getArg(1)});
    call->setTailCallKind(CallInst::TCK_MustTail);
    b_.CreateRet(call);
    b_.SetInsertPoint(full);
  }
  Value* frame = b_.CreateLoad(pointer_, at(warp, offsetof(Warp, regs)));
  b_.CreateRet(b_.CreateCall(piece_, {warp, frame, mask, handler->getArg(1)}));
}

void Pieces::for_target(Function* f) {
  for (const Attribute& attribute : target_) f->addFnAttr(attribute);
  f->addFnAttr("min-legal-vector-width", "512");
  f->addFnAttr("no-jump-tables", "true");  // they hold addresses
  f->setDoesNotThrow();
}

}  // namespace ww::engine
