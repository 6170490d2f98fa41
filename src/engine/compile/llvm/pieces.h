// From decoded instructions to LLVM's intermediate code: each instruction's handler is there as bitcode; it
// is called with a constant copy of the instruction and inlined, so that offsets, modifiers and types are
// constants and values can stay in registers. What an instruction means is written nowhere here.
//
// A piece of code begins at an entry and goes on along the branches until another entry. Where an instruction
// is not plain (an access without a pattern, lanes that part, what has no bitcode) its native handler is
// called: all registers are in the frame then. The piece goes on behind it if that is where the handler
// leads, and otherwise returns what the handler returns: the interpreter goes on.
#pragma once

#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Module.h>
#include <llvm/Support/Error.h>

#include <map>
#include <string>
#include <vector>

#include "engine/compile/unit.h"

namespace ww::engine {

/// What went wrong.
struct Failure {
  std::string why;
};
template <class T>
T checked(llvm::Expected<T> e, const char* what) {
  if (!e) throw Failure{std::string(what) + ": " + llvm::toString(e.takeError())};
  return std::move(*e);
}
inline void checked(llvm::Error e, const char* what) {
  if (e) throw Failure{std::string(what) + ": " + llvm::toString(std::move(e))};
}

/// The function of an entry: kEntryName with the number of the instruction; of a native handler that is
/// called: kNativeName with the number of an instruction that has it (plus CompileUnit::count: of the one for
/// warps of which some lanes are not active).
inline constexpr char kEntryName[] = "ww_entry_";
inline constexpr char kNativeName[] = "ww_native_";

/// One unit being turned into a module. To be called in this order.
class Pieces {
 public:
  Pieces(const CompileUnit& unit, llvm::Module& module);
  virtual ~Pieces() = default;

  /// Takes the handlers that the unit uses out of their bitcode, to be inlined.
  void link_handlers();
  /// Makes a function of each piece (two arguments more than a handler) and one that enters it.
  void make_pieces();
  /// Once the handlers are inlined: puts what is known in the place of ww_frame() and ww_mask().
  void know();
  /// Once the pieces are optimised: has them inlined where they are entered.
  void join_entries();

  unsigned instructions = 0;  ///< in all pieces
  unsigned pieces = 0;

 protected:
  const CompileStep::Way& way(u32 k) const { return unit_.steps[k].ways[unit_.masked]; }
  llvm::Value* at(llvm::Value* base, u64 offset);
  llvm::Value* place(u32 k);
  llvm::Constant* bytes(const void* from, size_t count);
  llvm::GlobalVariable* constant(llvm::Constant* value);
  llvm::GlobalVariable* copy_with(const void* from, size_t size, size_t at, llvm::Constant* to);
  llvm::Constant* image(const Inst& i, bool sum);
  llvm::BasicBlock* block(u32 k);
  llvm::FunctionCallee native_of(u32 k, bool masked);
  llvm::Value* call_native(u32 k, bool masked);
  void native(u32 k, bool may_go_on);
  llvm::BasicBlock* natively(u32 k, bool may_go_on);
  virtual llvm::Value* inlined(u32 k, const Inst& i, llvm::Value* warp = nullptr);
  bool too_long(u32 k) const;
  void guarded(u32 k, const Inst& i);
  void instruction(u32 k);
  void make_piece(u32 entry);
  void make_entry(u32 entry);
  void for_target(llvm::Function* f);
  void find_target(const llvm::Module& handlers);

  const CompileUnit& unit_;
  llvm::LLVMContext& context_;
  llvm::Module& module_;
  llvm::IRBuilder<> b_;
  llvm::PointerType* pointer_;
  llvm::FunctionType* handler_;  ///< the type of handlers
  std::map<std::pair<u32, u32>, std::string> names_;
  std::map<std::pair<u32, u32>, llvm::Function*> handlers_;
  std::map<std::pair<u32, u32>, unsigned> uses_;  ///< in the unit, of rows
  std::map<Handler, llvm::FunctionCallee> natives_;
  std::vector<llvm::Attribute> target_;  ///< of all functions: for what processor
  // The piece that is being made.
  u32 entry_ = 0;
  llvm::Function* piece_ = nullptr;
  llvm::Value *warp_ = nullptr, *frame_ = nullptr, *mask_ = nullptr, *here_ = nullptr;
  std::map<u32, llvm::BasicBlock*> blocks_;
  std::vector<u32> waiting_;
  bool partial_ = false;  ///< of the instruction being made: some lanes are not active
};

}  // namespace ww::engine
