// What the decoders of special rows work with: one function being turned into handlers and slots.
#pragma once

#include <algorithm>
#include <functional>
#include <map>
#include <set>

#include "analysis/index_products.h"
#include "analysis/kept_differences.h"
#include "engine/decode/invariants.h"
#include "engine/decode/program.h"
#include "ir/flow.h"

namespace ww::engine {

/// Bytes of one lane of a register; predicates are masks and have none.
inline int lane_bytes(isa::Type type) { return type == isa::Type::pred ? 0 : std::max(2, isa::bytes(type)); }

/// The numbers that instructions of a function and their blocks have in the program.
struct Numbers {
  std::vector<u32> first;     ///< by block: InstInfo of its first instruction
  std::vector<u32> counter;   ///< by block: counts how often it is entered
  std::map<u32, u32> behind;  ///< by call: counts how often what follows it is reached
};
using NumbersOf = std::map<const ir::Function*, Numbers>;

/// Variables of a function in local memory: parameters, results, what it declares.
struct LocalFrame {
  std::map<ir::SymbolId, u32> variables;  ///< offsets
  std::vector<CallSlot> params, results;
  u32 bytes = 0;
};

class FunctionDecoder {
 public:
  FunctionDecoder(Program& program, FunctionCode& code, const Layout& layout, const DecodeOptions& options,
                  const NumbersOf& numbers, Diagnostics& problems);

  /// Assigns slots and local memory; before run().
  void prepare();
  /// Makes the code.
  void run();

  // ---- for the decoders of special rows ----

  const ir::Function& function() const { return *code_.function; }
  const ir::Module& module() const { return *program_.module; }
  Program& program() { return program_; }
  const DecodeOptions& options() const { return options_; }
  bool hears(u32 kind) const { return options_.heard & kind; }

  /// The slot of a source operand of the given type. Emits what is needed to put it there.
  u32 source(const ir::Operand& operand, isa::Type type);
  /// The slot of a register; kSink for an operand left out.
  u32 destination(const ir::Operand& operand) const;
  u32 register_slot(ir::RegId reg) const { return slots_[reg]; }
  isa::Type register_type(ir::RegId reg) const { return function().registers[reg].type; }
  /// A slot of 32 lanes that all hold the value.
  u32 constant(u64 bits, int bytes);
  u32 constant_predicate(bool value);
  /// An unused slot of this many bytes per lane (0: a predicate).
  u32 temporary(int lane_bytes);
  /// Splits a [base + offset] operand into the slot of the base and the constant; `address_bytes` is the
  /// width of the base.
  u32 address(const ir::Operand& operand, u64& offset, u8& address_bytes);
  /// Where the shape of the addresses in a slot is kept.
  u32 shape_slot(u32 address_slot, AccessKey::Where where, bool store);
  /// Offset of a variable of the function (.param, .local) in its local frame.
  u32 local_offset(ir::SymbolId symbol) const;
  /// Whether the lanes of an address register are not computed: its shape tells (AddressSum).
  bool lazy_address(ir::RegId reg) const { return lazy_[reg]; }
  bool is_local(ir::SymbolId symbol) const { return frames_[part()].variables.contains(symbol); }
  /// Whether the current block is the entry's own, not of a function that is inlined.
  bool in_entry() const { return function().entry && part() == 0; }
  /// Whether the current instruction runs but once for each warp (Invariants::once).
  bool runs_once() const { return into_ == &code_.once; }
  /// What a call copies that is inlined; nullptr: it is a call.
  const analysis::Inlined::Pass* pass_of(const ir::Instruction& call) const;
  const LocalFrame& frame_of_part(u32 part) const { return frames_[part]; }
  u32 base_of_part(u32 part) const { return bases_[part]; }
  u32 part() const { return code_.inlined ? code_.inlined->sources[block_].part : 0; }
  u64 symbol_address(ir::SymbolId symbol) const;

  Aux& new_aux();
  /// One whose `more` is a plan that the program keeps from now on.
  Aux& aux_for(std::shared_ptr<const void> plan);
  /// Appends one decoded instruction; guard and index are those of the current IR instruction.
  void emit(Inst inst);
  /// The same with a plan for it to read (Aux::more).
  void emit(Inst inst, std::shared_ptr<const void> plan);
  /// Appends an internal step that always runs for all lanes (no guard): conversions of widths, addresses.
  void emit_step(Inst inst);
  /// Conversion between integer widths on slots, as cvt does.
  void emit_resize(u32 from, isa::Type from_type, u32 to, isa::Type to_type);
  /// Gives a decoded instruction the guard and the number of the current IR instruction, as emit() does.
  void guard_and_number(Inst& inst) const;
  const ir::Instruction& current() const { return *current_; }
  /// What is known of it in the program.
  InstInfo& info() { return program_.infos[index_]; }
  void refuse(const ir::Instruction& instruction, std::string why);
  /// Calls `fix` with the first instruction of the block once all code is there.
  void at_block(ir::BlockId block, std::function<void(const Inst*)> fix);
  /// The block where lanes that part at the end of `block` meet again, or kNone.
  ir::BlockId meeting_point(ir::BlockId block) const;
  ir::BlockId current_block() const { return block_; }
  /// Whether the blocks of a loop look at memory in the way of a thread that waits for another.
  bool polls(ir::BlockId first, ir::BlockId last);
  bool waits_for_others(const ir::Instruction& in) const;

 private:
  void lane_row(const ir::Instruction& in);
  void special_row(const ir::Instruction& in);
  std::vector<bool> read_once() const;
  void fuse();
  void find_address_registers();
  void find_unwritten();
  void value_step(const ir::Instruction& in);
  void divisor_step(const ir::Instruction& in);
  void finite_step(const ir::Instruction& in, bool behind);
  void overflow_step(const ir::Instruction& in);
  Inst product_step(const ir::Instruction& product, analysis::Widened by);
  void difference_step(const ir::Instruction& in);
  void place_shadow();
  void decode_block(ir::BlockId b);
  void decode_instruction(Position at);
  void append(const Inst& inst);
  LocalFrame local_frame(const ir::Function& f, bool entry) const;
  void place_specials();
  void address_sum(const ir::Instruction& in, const AddressTerms& terms);
  void update_shapes(const ir::Instruction& in);
  u32 allot(u32 bytes, u32 alignment);
  u32 special_slot(const ir::Operand& operand, isa::Type type);

  Program& program_;
  FunctionCode& code_;
  const Layout& layout_;
  const DecodeOptions& options_;
  Diagnostics& problems_;
  const NumbersOf& numbers_;
  std::map<const ir::Function*, ir::Flow> flows_;  ///< of the function, or of each that is inlined
  Invariants invariants_;
  std::vector<bool> lazy_;                  ///< by register
  std::vector<bool> special_;               ///< by register: it has a special register's slot
  std::vector<Inst>* into_ = nullptr;       ///< where code goes
  analysis::IndexProducts index_products_;  ///< empty where no listener asks
  std::unordered_map<const ir::Instruction*, u32> products_;  ///< their numbers (Inst::index)
  std::unordered_set<const ir::Instruction*> differences_;    ///< likewise
  std::vector<u32> slots_;                                    ///< by register
  std::vector<bool> may_be_undefined_;                        ///< by register; empty where no listener asks
  std::map<std::pair<u64, int>, u32> constants_;
  std::map<u32, std::map<std::pair<AccessKey::Where, bool>, u32>> shapes_;  ///< by address slot, then use
  std::map<std::pair<int, int>, u32> specials_;
  std::vector<LocalFrame> frames_;  ///< by part (analysis::Inlined), or the one there is …
  std::vector<u32> bases_;          ///< … and where they begin
  std::vector<std::pair<u32, std::vector<u8>>> constant_values_;
  std::vector<size_t> block_start_;
  std::vector<u32>
      polling_before_;  ///< instructions that poll in the blocks before each; made when asked for
  std::set<ir::BlockId> joins_;
  struct Fix {
    size_t instruction;
    ir::BlockId block;
    std::function<void(const Inst*)> apply;
  };
  std::vector<Fix> fixes_;
  const ir::Instruction* current_ = nullptr;
  const Aux* finite_aux_ = nullptr;  ///< of the step before the current instruction
  u32 finite_slot_ = 0;
  ir::BlockId block_ = 0;
  u32 index_ = 0;
  u32 frame_ = kFrameStart;
};

/// Whether a row is a load or store that keeps the shape of its addresses, and which memory it reaches.
bool is_access(isa::Op op);
AccessKey::Where access_where(const FunctionDecoder& d, const ir::Instruction& in, const ir::Operand& memory);

/// The decoder of a special row, or nullptr if the engine has none (then the instruction is refused by name).
using SpecialDecoder = void (*)(FunctionDecoder& d, const ir::Instruction& in);
SpecialDecoder special_decoder(isa::Op op);

/// What a function begins with whose parameters are registers.
void take_parameters(FunctionDecoder& d);

/// Of the step that tells of products that do not fit (events::Overflow).
Handler overflow_handler(analysis::Widened by);

/// Decoders by file. Each returns nullptr for rows that are not its own.
SpecialDecoder control_decoder(isa::Op op);
SpecialDecoder call_decoder(isa::Op op);
SpecialDecoder memory_decoder(isa::Op op);
SpecialDecoder atomic_decoder(isa::Op op);
SpecialDecoder sync_decoder(isa::Op op);
SpecialDecoder warp_decoder(isa::Op op);
SpecialDecoder move_decoder(isa::Op op);
SpecialDecoder matrix_decoder(isa::Op op);
SpecialDecoder texture_decoder(isa::Op op);
SpecialDecoder surface_decoder(isa::Op op);
SpecialDecoder async_copy_decoder(isa::Op op);
SpecialDecoder cluster_decoder(isa::Op op);
SpecialDecoder mbarrier_decoder(isa::Op op);
SpecialDecoder bulk_decoder(isa::Op op);
SpecialDecoder tensor_copy_decoder(isa::Op op);
SpecialDecoder video_decoder(isa::Op op);

}  // namespace ww::engine
