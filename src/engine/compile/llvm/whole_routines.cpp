// Whole-warp code: rows whose code is long and which stand in many places (powers, conversions of f16 in code
// that was unrolled). One function computes all of a kind, from values to values; it is inlined after all if
// little is left of it once its modifiers are known.
#include <llvm/IR/InstIterator.h>

#include <cstring>

#include "engine/compile/llvm/whole.h"

namespace ww::engine {

using namespace llvm;  // NOLINT: this file is LLVM code

namespace {

constexpr unsigned kOften = 8;         // from so many places on …
constexpr unsigned kLongCallee = 100;  // … and instructions of a handler, before its modifiers are known, …
constexpr unsigned kWorthCalling = 100;        // … and then; …
constexpr unsigned kShort = 30;                // … from so many on if in all places together they are …
constexpr unsigned kTogether = 4000;           // … so many
constexpr unsigned kResult = 4, kResult2 = 5;  // behind the operands
constexpr char kRoutine[] = "ww_routine";      // the attribute of such functions
constexpr u32 kPredicate = 4;                  // bytes

/// Where a function for all of a kind has its operands.
u32 operand_at(unsigned n) { return kFrameStart + n * 8 * kLanes; }

}  // namespace

/// The instruction, but for where its registers are.
Inst Whole::kind_of(const Inst& i) {
  Inst kind = image_of(i);
  for (unsigned n = 0; n < std::size(kind.src); ++n)
    if (kind.src[n] >= kFrameStart) kind.src[n] = operand_at(n);
  kind.dst = operand_at(kResult);
  if (kind.dst2_used) kind.dst2 = operand_at(kResult2);
  kind.guard = 0, kind.guarded = 0, kind.guard_negated = 0;
  return kind;
}

Whole::RowKind& Whole::kind_at(u32 k, const Inst& kind) {
  std::string bytes(sizeof kind, 0);
  std::memcpy(bytes.data(), static_cast<const void*>(&kind), sizeof kind);
  return kinds_[{way(k).table, way(k).place, std::move(bytes)}];
}

/// How often each kind of row stands in the code: where lanes may part, twice as often.
void Whole::count_kinds() {
  for (u32 k = 0; k < unit_.count; ++k)
    if (unit_.steps[k].kind == CompileStep::Kind::Row && way(k).table != ~u32(0))
      kind_at(k, kind_of(row_of(k))).uses += unit_.parted ? 2 : 1;
}

/// Bytes of the register there, if a function for all of a kind can be given it. (Not constants: their slots
/// do not say what they hold, and a division by one is better inlined.)
u32 Whole::passed_bytes(u32 offset) const {
  const WholeSlot* s = slot_of(offset);
  if (!s || s->offset != offset || s->from == WholeSlot::From::Constant || s->lane_bytes == 1 ||
      s->lane_bytes > 8)
    return 0;
  return s->lane_bytes ? s->lane_bytes * kLanes : kPredicate;
}

/// Carries the row out by the function for all of its kind. False: there is none.
bool Whole::by_call(u32 k, const Inst& i) {
  if (unit_.steps[k].carries || i.aux ||
      handlers_.at({way(k).table, way(k).place})->getInstructionCount() < kLongCallee)
    return false;
  const Inst kind = kind_of(i);
  RowKind& row = kind_at(k, kind);
  if (row.uses < kOften) return false;
  // What it is given and returns: vectors, and masks for predicates.
  const u32 result = i.dst_pred ? kPredicate : i.dst_bytes * kLanes;
  if (result < kPartBytes && !i.dst_pred) return false;
  if (i.dst != kScratch && passed_bytes(i.dst) != result) return false;
  std::vector<Type*> taken{pointer_}, returned;
  const auto parts = [&](u32 bytes, auto&& each) {
    for (u32 from = 0; from < bytes; from += kPartBytes)
      each(from, bytes == kPredicate
                     ? b_.getInt32Ty()
                     : static_cast<Type*>(FixedVectorType::get(b_.getInt32Ty(), kPartBytes / 4)));
  };
  std::vector<u32> bytes;
  for (u32 from : i.src) {
    bytes.push_back(from >= kFrameStart ? passed_bytes(from) : 0);
    if (from >= kFrameStart && bytes.back() == 0) return false;
    parts(bytes.back(), [&](u32, Type* type) { taken.push_back(type); });
  }
  parts(result, [&](u32, Type* type) { returned.push_back(type); });
  if (i.dst2_used) returned.push_back(b_.getInt32Ty());
  FunctionType* type = FunctionType::get(StructType::get(context_, returned), taken, false);
  if (!row.function) row.function = make_routine(k, kind, type, bytes, result);
  if (row.function->getFunctionType() != type) return false;
  std::vector<Value*> arguments{warp_};
  for (unsigned n = 0; n < bytes.size(); ++n)
    parts(bytes[n], [&](u32 from, Type* part) {
      arguments.push_back(b_.CreateAlignedLoad(part, in_view(0, i.src[n] + from), Align(4)));
    });
  Value* made = b_.CreateCall(row.function, arguments);
  unsigned n = 0;
  parts(result, [&](u32 from, Type*) {
    b_.CreateAlignedStore(b_.CreateExtractValue(made, n++), in_view(0, i.dst + from), Align(4));
  });
  if (i.dst2_used) b_.CreateStore(b_.CreateExtractValue(made, n), in_view(0, i.dst2));
  return true;
}

/// A function that keeps its operands where the instruction says, in memory of its own.
Function* Whole::make_routine(u32 k, const Inst& kind, FunctionType* type, const std::vector<u32>& bytes,
                              u32 result) {
  Function* f = Function::Create(type, GlobalValue::InternalLinkage, "ww_row", module_);
  for_target(f);
  f->addFnAttr(Attribute::NoInline);
  f->addFnAttr(kRoutine);
  IRBuilderBase::InsertPointGuard guard(b_);
  b_.SetInsertPoint(BasicBlock::Create(context_, "", f));
  Value* frame = b_.CreateCall(module_.getFunction("ww_frame"), {f->getArg(0)});
  unsigned argument = 1;
  for (unsigned n = 0; n < bytes.size(); ++n)
    for (u32 from = 0; from < bytes[n]; from += kPartBytes)
      b_.CreateAlignedStore(f->getArg(argument++), at(frame, operand_at(n) + from), Align(4));
  Pieces::inlined(k, kind, f->getArg(0));
  Value* made = PoisonValue::get(type->getReturnType());
  for (unsigned n = 0; n < type->getReturnType()->getStructNumElements(); ++n) {
    const u32 from = kind.dst2_used && n * kPartBytes >= result ? kind.dst2 : kind.dst + n * kPartBytes;
    made = b_.CreateInsertValue(
        made, b_.CreateAlignedLoad(type->getReturnType()->getStructElementType(n), at(frame, from), Align(4)),
        n);
  }
  b_.CreateRet(made);
  return f;
}

/// Once their constants are known: gives such functions their memory, and has those inlined of which little
/// is left.
void Whole::place_routines() {
  for (Function& f : module_) {  // (those that nobody calls after all are no more)
    if (!f.hasFnAttribute(kRoutine)) continue;
    BasicBlock& first = f.getEntryBlock();
    IRBuilder<> begin(&first, first.begin());
    AllocaInst* memory = begin.CreateAlloca(ArrayType::get(begin.getInt8Ty(), operand_at(kResult2 + 1)));
    memory->setAlignment(Align(64));
    for (Instruction& i : make_early_inc_range(llvm::instructions(f))) {
      auto* call = dyn_cast<CallInst>(&i);
      if (!call || !call->getCalledFunction() || call->getCalledFunction()->getName() != "ww_frame") continue;
      call->replaceAllUsesWith(memory);
      call->eraseFromParent();
    }
    const unsigned length = f.getInstructionCount();
    if (length >= kWorthCalling || (length >= kShort && length * f.getNumUses() >= kTogether)) continue;
    f.removeFnAttr(Attribute::NoInline);
    f.addFnAttr(Attribute::AlwaysInline);
  }
}

}  // namespace ww::engine
