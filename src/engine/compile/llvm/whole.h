// Makes whole-warp code (engine/compile/whole.h). Handlers are inlined as for pieces, but what they take for
// the frame is memory of the code's own, one piece for each slot, which LLVM turns into values. Slots whose
// lanes are the same or even have two more such pieces that hold only the first lane of each half-warp:
// arithmetic on them is done there, with the same handlers, and becomes arithmetic on single numbers.
#pragma once

#include <algorithm>
#include <array>
#include <functional>
#include <map>
#include <optional>
#include <set>

#include "engine/compile/llvm/pieces.h"
#include "engine/compile/whole_live.h"
#include "engine/lanes/lanes.h"

namespace ww::engine {

/// To be called in this order, behind link_handlers().
class Whole : public Pieces {
 public:
  Whole(const CompileUnit& unit, llvm::Module& module) : Pieces(unit, module) {}

  void make();
  /// Once the handlers are inlined: all lanes are active.
  void know_mask();
  /// Once the handlers are inlined and their offsets known: gives the functions of rows their memory, and has
  /// those inlined that turned out short.
  void place_routines();
  /// Behind that: gives each slot its own memory.
  void place_slots();

 private:
  static constexpr int kViews = 3;  ///< all lanes, lane 0, lane 16
  static constexpr unsigned kHalf = kLanes / 2;
  static constexpr unsigned kPartBytes = 64;  ///< slots are read and written in vectors of so many bytes
  static unsigned lanes_in_part(unsigned lane_bytes) {
    return std::min<unsigned>(kLanes, kPartBytes / lane_bytes);
  }

  /// The addresses of an access.
  struct Places {
    enum class Kind : u8 {
      One,     ///< the same in all lanes
      Halves,  ///< the same in each half-warp
      Rows,    ///< one element (or vector of them) after another in each half-warp
      Lanes,   ///< first + stride · lane in each half-warp, or (if there are distances) low + distance
    } kind = Kind::One;
    unsigned firsts = 1;                          ///< how many of `first` say where all the others are
    llvm::Value *low = nullptr, *high = nullptr;  ///< where the lanes that take part begin; null: see `start`
    llvm::Value* start[2] = {};   ///< of each of the firsts: where the lowest of its lanes begins …
    u64 span = 0;                 ///< … and from there to where the highest begins
    u64 bytes = 0;                ///< of an access, or of a group of them
    u64 window = 0;               ///< what has been subtracted from the instruction's addresses
    llvm::Value* bits = nullptr;  ///< the low ones say how they are aligned
    llvm::Value* first[2] = {};
    int64_t stride = 0;
    /// Of lanes a stride apart: so many bytes before each of them begin as many as the stride has, all of
    /// which may be read. Negative: that is not known.
    int64_t before = -1;
    llvm::Value* distance[2] = {};  ///< 64 bits each, extended from 32 …
    llvm::Value* near[2] = {};      ///< … and these
    bool single = false;            ///< distances are made of single numbers, for each lane
    llvm::Value* stored[2] = {};    ///< memory that holds what is `near`; null: there is none
    u32 leave = 0;                  ///< where the interpreter goes on if there is anything wrong
  };
  /// Accesses one behind another whose addresses differ by constants: the first one looks for all of them.
  struct Group {
    int64_t low = 0, high = 0;    ///< of all their offsets: the lowest one, and the end of what is read last
    Places places;                ///< at the lowest offset …
    llvm::Value* host = nullptr;  ///< … and there; null: not found yet
  };

  const WholeSlot* slot_of(u32 offset) const;
  WholeSlot::Lanes lanes_of(const WholeSlot& s) const;
  const WholeSlot* even(u32 offset) const;
  unsigned firsts_of(const WholeSlot& s) const;
  llvm::Value* behind(const WholeSlot& s, llvm::Value* first);
  void set_from(const WholeSlot& s, llvm::Value* first);
  llvm::Value* own(llvm::Type* type);
  llvm::Value* in_view(int view, u32 offset);
  llvm::Value* first_of(const WholeSlot& s, int half);
  llvm::Value* vector_of(const WholeSlot& s, llvm::Value* first, u32 lanes, u32 from);
  void store_view(const WholeSlot& s, int half, llvm::Value* first);
  void rebuild(const WholeSlot& s);
  void even_again(const WholeSlot& s, llvm::BasicBlock* fails);
  void set_even(const WholeSlot& s, llvm::Value* low, llvm::Value* high);
  void enter(u32 k);
  void enter_slot(const WholeSlot& s);
  bool loop_takes_long(u32 k) const;
  void fetch_ahead(u32 k, llvm::Value* host, const Places& places);
  static void parts(unsigned bytes, const std::function<void(unsigned from, unsigned some)>& each);
  void enter_lanes(const WholeSlot& s);
  void enter_active(const WholeSlot& s);
  void clear_slot(const WholeSlot& s);
  bool is_common(u32 n) const;
  bool takes_turns() const;
  void begin_turns();
  bool pauses() const;
  void begin_round(u32 pause);
  void end_turn(u32 pause, llvm::Value* result);
  void make_next();
  void forget_last_turn(const std::map<std::pair<int, u32>, llvm::AllocaInst*>& slots);
  void find_restarts();
  /// Where the code is left: how far the frame has to be brought up to date, and what is returned.
  struct Exit {
    u32 k = 0;
    llvm::BasicBlock* block = nullptr;
    llvm::Value* returns = nullptr;  ///< null: the place of instruction k
    std::vector<bool> needed;        ///< slots
  };
  std::vector<bool> needed_at(u32 k) const;
  llvm::BasicBlock* leave_at(u32 k);
  void make_exits();
  void forget(llvm::IRBuilder<>& here, llvm::AllocaInst* memory) const;
  void likely(llvm::Value* good, llvm::BasicBlock* on, llvm::BasicBlock* otherwise);
  llvm::BasicBlock* fresh() { return llvm::BasicBlock::Create(context_, "", piece_); }
  llvm::Value* state_field(llvm::Type* type, u64 offset);
  llvm::Value* guard_of(const Inst& i);
  void into_frame(const WholeSlot& s);
  void native(u32 k);
  void leave_if_undefined(u32 k);
  llvm::Value* ends_do_not_fit(const Inst& i);
  llvm::Value* lanes_that_do_not_fit(const Inst& i, bool is_signed);
  void product(u32 k);
  void landings(u32 k);
  llvm::Value* all_named_are_active(const Inst& i);
  void put_same(u32 offset, llvm::Value* v);
  void collective(u32 k);
  void pack(u32 k);
  void shuffle(const Inst& i);
  void go_if(llvm::Value* good, u32 k);
  void step(u32 k);
  Inst row_of(u32 k) const;
  void row(u32 k);
  llvm::Value* inlined(u32 k, const Inst& i, llvm::Value* warp = nullptr) override;
  static Inst kind_of(const Inst& i);
  void count_kinds();
  u32 passed_bytes(u32 offset) const;
  bool by_call(u32 k, const Inst& i);
  /// Rows that differ in their registers alone.
  struct RowKind {
    unsigned uses = 0;
    llvm::Function* function = nullptr;  ///< of all of them; null: there is none
  };
  RowKind& kind_at(u32 k, const Inst& kind);
  llvm::Function* make_routine(u32 k, const Inst& kind, llvm::FunctionType* type,
                               const std::vector<u32>& bytes, u32 result);
  using Operands = std::array<llvm::Value*, 3>;  ///< of one half of the lanes
  void directed(u32 k);
  llvm::Value* rounded_by_instruction(CompileStep::Directed what, isa::Mod mode, const Operands& v);
  std::array<llvm::Value*, 2> rounded_by_register(CompileStep::Directed what, isa::Mod mode,
                                                  const std::array<Operands, 2>& halves);
  void directed_halves(u32 k);
  llvm::Value* computed_half(CompileStep::Directed what, llvm::Value* const operands[3]);
  void verified(u32 k, const WholeSlot& to);
  void check_extends(u32 k, u32 offset);
  void sum(u32 k);
  void branch(u32 k);
  void take(u32 k);
  void count(u32 k);
  void count_more(u64 offset, llvm::Value* v);
  llvm::BasicBlock* to(u32 k);
  bool closes_lane_loop(u32 end) const;
  void find_lane_loops();
  llvm::BasicBlock* side_by_side(u32 k);
  llvm::BasicBlock* back_to(u32 k);
  llvm::Type* lane_type(const WholeSlot& s);
  llvm::Value* lane_value(u32 offset, unsigned bytes);
  void put_lane(u32 offset, llvm::Value* v);
  struct LaneSpan {
    u32 leader = 0;   ///< the first of those loads
    int64_t low = 0;  ///< the lowest of their constant offsets, and from there …
    u64 bytes = 0;    ///< … to the end of the last
  };
  LaneSpan lane_span(u32 k);
  llvm::Value* lane_site(u32 k);
  void load_lane(u32 k, llvm::BasicBlock* fails);
  void step_lane(u32 k, llvm::BasicBlock* fails);
  /// How often lanes went round a loop.
  struct RoundsOfLanes {
    llvm::Value* most = nullptr;       ///< u64: of the lane that stayed longest
    llvm::Value* all = nullptr;        ///< u64: of all lanes together
    llvm::Value* different = nullptr;  ///< u64: bit n % 64: a lane went round n times
    llvm::Value* rounds = nullptr;     ///< u32[32]: of each lane
  };
  void count_rounds(u32 begin, u32 end, const RoundsOfLanes& counted, llvm::Value* mask);
  void find_missing(u32 begin, u32 end, llvm::BasicBlock* again, llvm::BasicBlock* fails);
  std::optional<std::pair<const WholeSlot*, u64>> first_addresses(u32 begin, u32 end) const;
  void leave_rows_side_by_side(u32 begin, u32 end);
  void lane_loop(u32 begin);
  void spend(u32 k);
  void spend_always(u32 k);
  void begin_budget();
  llvm::Value* parting(llvm::Value* depth, u64 field);
  void part(u32 k, llvm::Value* all, llvm::Value* taken);
  void go_on_together(u32 k, llvm::BasicBlock* otherwise);
  llvm::Value* none_has_parted();
  void meet(u32 k);
  void find_kept();
  llvm::Value* active_mask();
  llvm::Value* of_present(llvm::Value* v, unsigned from);
  bool kept(u32 k, u32 offset) const;
  llvm::Value* half_mask(llvm::Value* mask, unsigned half);
  void access(u32 k);
  llvm::Value* half_of(u32 offset, unsigned lane_bytes, unsigned half);
  llvm::Value* base_of(const AddressSum& terms);
  u32 sum_before(u32 k) const;
  llvm::Value* pointers(const Places& places, llvm::Value* host, unsigned half, u64 offset);
  void find_active(llvm::Value* mask, Places& out);
  llvm::Value* write_note(u32 k, const Places& places, llvm::Value* mask, llvm::Value* place);
  void write_values(u32 k);
  void ask(u32 k, const Places& places, llvm::Value* mask);
  void note(u32 k, const Places& places, llvm::Value* mask);
  void tell_notes();
  int64_t window_of(u32 k) const;
  void make_heads(llvm::SwitchInst& begin);
  llvm::Value* further(llvm::Value* address, int64_t by);
  Group* group_of(u32 k);
  Places find_places(u32 k, const Group* group, llvm::Value* mask, bool partial);
  void find_lanes(u32 k, int64_t offset, llvm::Value* mask, bool partial, Places& out);
  Places locate(u32 k, llvm::Value* mask, bool partial, llvm::Value*& host);
  void give_each_lane(Places& places);
  llvm::Value* find_memory(u32 k, const Places& places);
  void load_from_two(u32 k, const Places& places, llvm::Value* mask);
  llvm::Value* site_of(u32 k, SiteOf whose);
  llvm::Value* find_site(u32 k, llvm::Value* site, llvm::Value* low, llvm::Value* last, u64 span);
  llvm::Value* on_host(llvm::Value* host, llvm::Value* address, u64 offset);
  static AccessKey moved(const AccessKey& key);
  void load(u32 k, llvm::Value* host, const Places& places, llvm::Value* mask);
  void put_loaded(u32 k, std::vector<llvm::Value*> loaded, bool one, llvm::Value* mask);
  /// Addresses of lanes that are taken one by one.
  struct FewPlaces {
    u64 bytes = 0;                      ///< of an access
    unsigned width = 0;                 ///< bytes of what is kept of each lane …
    const AddressSum* terms = nullptr;  ///< … and how that becomes an address; null: it is one
    llvm::Value* offset = nullptr;      ///< to be added
    llvm::Value *base = nullptr, *begins = nullptr,
                *host = nullptr;        ///< as in Site; shared and local memory: host alone
    llvm::Value* end = nullptr;         ///< of shared or local memory
    llvm::Value* lane_bytes = nullptr;  ///< from one lane's local memory to the next one's
  };
  bool may_be_few(u32 k);
  FewPlaces few_places(u32 k);
  llvm::Value* few_place(const FewPlaces& places, llvm::Value* lane, llvm::BasicBlock* fails);
  void few_rounds(llvm::Value* mask, std::vector<llvm::Value*>& carried,
                  const std::function<void(llvm::Value* lane, llvm::Value* bit)>& each);
  void few(u32 k, llvm::Value* mask);
  unsigned elements_apart(const AccessKey& key, const Places& places) const;
  llvm::Value* every_nth(std::vector<llvm::Value*> rows, unsigned which);
  llvm::Value* load_strided(const AccessKey& key, unsigned half, llvm::Value* host, const Places& places,
                            u64 offset);
  bool store_strided(llvm::Value* v, const AccessKey& key, unsigned half, llvm::Value* host,
                     const Places& places, u64 offset);
  llvm::Value* gather_near(const AccessKey& key, unsigned half, llvm::Value* host, const Places& places,
                           llvm::Value* mask, u64 offset);
  bool scatter_near(llvm::Value* v, const AccessKey& key, unsigned half, llvm::Value* host,
                    const Places& places, llvm::Value* mask, u64 offset);
  llvm::Value* load_of_words(const AccessKey& key, unsigned half, llvm::Value* host, const Places& places,
                             llvm::Value* mask, u64 offset);
  void load_rows(u32 k, llvm::Value* host, const Places& places);
  bool near_loads(const AccessKey& key, llvm::Value* host, const Places& places, llvm::Value* loaded[2],
                  llvm::Value* mask);
  void load_lanes(const AccessKey& key, llvm::Value* host, const Places& places, llvm::Value* mask,
                  u64 offset, llvm::Value* loaded[2]);
  /// A load whose lanes go along a row each, or a group of those (whole_walks.cpp): memory of the code's own.
  /// Addresses are the host's.
  struct Walk {
    llvm::Value* begin = nullptr;                  ///< where what is put aside began, in the first of Places
    llvm::Value* last = nullptr;                   ///< where that one was the last time
    llvm::Value *low = nullptr, *bytes = nullptr;  ///< what is put aside lies in there, of all lanes
    llvm::Value* apart = nullptr;                  ///< Places::firsts of 2: from one to the other then
    llvm::Value* near = nullptr;                   ///< Places::near then
    llvm::Value* words = nullptr;  ///< what is put aside: one element of all lanes, the next …
  };
  bool may_walk(u32 k);
  void begin_walks();
  void forget_walks();
  void store_beside_walks(u32 k, llvm::Value* host, const Places& places);
  void put_aside(const Walk& walk, const AccessKey& key, llvm::Value* begin[2], const Places& places);
  const Walk* walk_of(u32 k, const Places& places);
  void go_along(u32 k, const Walk& walk, llvm::Value* host, const Places& places);
  void load_of_walk(u32 k, const Walk& walk, llvm::Value* host, const Places& places, llvm::Value* loaded[2]);
  bool one_by_one() const;
  void store_near(Places& places);
  void ask_for_row(const AccessKey& key, const Places& places, llvm::BasicBlock* row,
                   llvm::BasicBlock* apart);
  Places in_row(const AccessKey& key, const Places& places);
  std::vector<llvm::Value*> each_place(const Places& places, llvm::Value* host, unsigned half, u64 offset,
                                       llvm::Value* mask, llvm::Value* nowhere);
  llvm::Value* load_each(const AccessKey& key, unsigned half, llvm::Value* host, const Places& places,
                         llvm::Value* mask, u64 offset);
  std::vector<llvm::Value*> taken_out(llvm::Value* lanes, llvm::Value* base, llvm::Value* memory = nullptr);
  llvm::Value* load_from(const std::vector<llvm::Value*>& there, unsigned bytes);
  llvm::Value* gather(llvm::Value* addresses, unsigned bytes, llvm::Value* mask, unsigned half);
  llvm::Value* load_narrow_row(const AccessKey& key, unsigned half, llvm::Value* host, const Places& places,
                               llvm::Value* mask, u64 offset);
  void store_each(llvm::Value* v, const AccessKey& key, unsigned half, llvm::Value* host,
                  const Places& places, llvm::Value* mask, u64 offset);
  bool loads_row(const AccessKey& key, llvm::Value* host, const Places& places, llvm::Value* loaded[2],
                 llvm::Value* mask);
  llvm::Value* load_half(const AccessKey& key, unsigned half, llvm::Value* host, const Places& places,
                         llvm::Value* mask, u64 offset);
  std::vector<llvm::Value*> stored_values(u32 k, unsigned half);
  void store(u32 k, llvm::Value* host, const Places& places, llvm::Value* mask);
  llvm::Value* interleaved(std::vector<llvm::Value*> parts);
  void store_half(llvm::Value* v, const AccessKey& key, unsigned half, llvm::Value* host,
                  const Places& places, llvm::Value* mask, u64 offset);
  llvm::Value* lanes_value(u32 offset, unsigned lane_bytes, unsigned from, unsigned count);
  llvm::Value* canonical(const WholeSlot& s, llvm::Value* v);
  void put_lanes(u32 offset, unsigned lane_bytes, unsigned from, llvm::Value* v, llvm::Value* mask = nullptr);
  llvm::Value* widened(llvm::Value* v, unsigned lane_bytes, bool sign);

  llvm::Value* state_ = nullptr;
  llvm::Value* present_ = nullptr;  ///< the warp's lanes: all, or (CompileUnit::lacking) what Warp::live says
  llvm::Value* view_[kViews] = {};
  // What does not change from warp to warp (whole_turns.cpp).
  llvm::Value *executed_ = nullptr, *sites_ = nullptr, *shared_ = nullptr, *shared_bytes_ = nullptr;
  llvm::PHINode *turn_warp_ = nullptr, *turn_frame_ = nullptr;  ///< of the warp whose turn it is
  llvm::Value* warp_of_note_ = nullptr;  ///< Note::warp, where it stands; null: nothing is noted
  llvm::BasicBlock* next_ = nullptr;     ///< takes the next one; null: warps have the code to themselves
  bool parted_ = false;                ///< of the code being made: it is for active lanes, while others wait
  llvm::Value* mask_place_ = nullptr;  ///< of the mask there
  std::map<u32, llvm::BasicBlock*> parted_blocks_;
  std::vector<u32> parted_waiting_;
  std::map<u32, u32> lane_loops_;  ///< from their first instruction to the branch that closes them
  std::map<std::pair<bool, u32>, llvm::BasicBlock*> side_by_side_;
  struct {
    llvm::BasicBlock* block = nullptr;
    llvm::Value *address = nullptr, *instruction = nullptr, *tries = nullptr;
  } missing_;                                                  ///< of such a loop: what to find in memory
  llvm::Value* each_place_ = nullptr;                          ///< where lanes lie that are taken one by one
  llvm::Value *few_places_ = nullptr, *few_values_ = nullptr;  ///< of lanes that are taken one by one
  std::map<u32, llvm::Value*> lane_hosts_;                     ///< by LaneSpan::leader
  std::map<u32, llvm::Value*> lane_places_;  ///< by slot: what the lane has in it that runs such a loop
  std::map<u32, std::set<u32>> joins_;       ///< and where those begin that go on when others have come there
  std::vector<std::vector<bool>> kept_;      ///< slots that lanes which wait may need, by instruction
  std::set<u32> targets_;  ///< instructions that are reached otherwise than from the one before
  LiveSlots live_;
  NewerSlots newer_;
  std::vector<bool> written_;  ///< slots that the code writes
  std::vector<u32> restart_;   ///< by instruction: where the interpreter can go on instead
  std::map<std::pair<bool, u32>, llvm::BasicBlock*> leaving_;
  std::vector<Exit> called_exits_[2];  ///< where a called handler leads elsewhere; [1]: of parted lanes
  std::vector<u32> resumed_;           ///< instructions behind pauses
  std::map<std::pair<bool, u32>, u32> leaders_;  ///< of accesses in groups: the first of its group
  struct {
    bool wanted = false;
    llvm::BasicBlock *begins = nullptr, *one = nullptr;  ///< where it is tried; where all lanes lie in one
  } two_;                                                ///< of the access being made: load_from_two()
  std::map<std::pair<bool, u32>, Group> groups_;         ///< by their first access
  std::map<u32, Walk> walks_;                            ///< by their first load
  std::map<std::tuple<u32, u32, std::string>, RowKind>
      kinds_;  ///< by the handler's place and the instruction
};

}  // namespace ww::engine
