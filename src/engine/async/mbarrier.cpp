// mbarrier instructions.
#include "engine/async/mbarrier.h"

#include <fmt/format.h>

#include <cstring>
#include <utility>

#include "engine/async/awaited.h"
#include "engine/async/bulk.h"
#include "engine/decode/decode.h"
#include "engine/interpret/handlers.h"
#include "engine/memory/resolve.h"

namespace ww::engine {

namespace {

// From the lowest bit: tx-count with its sign, pending, expected, what marks an mbarrier, the phase.
constexpr u64 kBytesBits = 21, kCountBits = 20, kMark = 1, kMarkBits = 2;
constexpr u64 kPendingAt = kBytesBits, kExpectedAt = kPendingAt + kCountBits,
              kMarkAt = kExpectedAt + kCountBits, kPhaseAt = 63;
static_assert(kMarkAt + kMarkBits == kPhaseAt);
constexpr u64 low_mask(u64 bits) { return (u64{1} << bits) - 1; }

}  // namespace

u64 Mbarrier::bits() const {
  return (static_cast<u64>(bytes) & low_mask(kBytesBits)) | u64{pending} << kPendingAt |
         u64{expected} << kExpectedAt | kMark << kMarkAt | u64{phase} << kPhaseAt;
}

std::optional<Mbarrier> Mbarrier::of(u64 bits) {
  if ((bits >> kMarkAt & low_mask(kMarkBits)) != kMark) return {};
  Mbarrier b;
  b.bytes = static_cast<int32_t>(static_cast<u32>(bits & low_mask(kBytesBits)) << (32 - kBytesBits)) >>
            (32 - kBytesBits);
  b.pending = static_cast<u32>(bits >> kPendingAt & low_mask(kCountBits));
  b.expected = static_cast<u32>(bits >> kExpectedAt & low_mask(kCountBits));
  b.phase = bits >> kPhaseAt & 1;
  return b;
}

void Mbarrier::check_phase() {
  if (pending != 0 || bytes != 0) return;
  phase = !phase;
  pending = expected;
}

std::string Mbarrier::arrive(u32 count) {
  if (count > pending) return fmt::format("{} arrivals, but the phase waits for only {}", count, pending);
  pending -= count;
  check_phase();
  return {};
}

std::string Mbarrier::expect(u32 more) {
  int64_t sum = int64_t{bytes} + more;
  if (sum > kMostCount) return fmt::format("a tx-count of {}, at most {} are possible", sum, kMostCount);
  bytes = static_cast<int32_t>(sum);
  check_phase();
  return {};
}

std::string Mbarrier::complete(u32 less) {
  int64_t sum = int64_t{bytes} - less;
  if (sum < -int64_t{kMostCount})
    return fmt::format("a tx-count of {}, at least -{} are possible", sum, kMostCount);
  bytes = static_cast<int32_t>(sum);
  check_phase();
  return {};
}

void note_new_mbarrier(ClusterState& cluster, const u8* at) { cluster.ended_phases.erase(at); }

void note_phase(ClusterState& cluster, const u8* at, bool before) {
  u64 bits;
  std::memcpy(&bits, at, sizeof bits);
  if ((bits >> kPhaseAt != 0) == before) return;
  EndedPhases& ended = cluster.ended_phases[at];
  ended.unseen += !ended.told;
  ++ended.all;
  ended.told = false;
}

void note_told(ClusterState& cluster, const u8* at) {
  if (const auto it = cluster.ended_phases.find(at); it != cluster.ended_phases.end()) it->second.told = true;
}

namespace {

using isa::Op;

struct MbarrierPlan {
  Op op{};
  AccessKey::Where where = AccessKey::Where::Generic;
  AddressOperand address;
  u32 state = kSink;  ///< where the state goes
  u32 count = 0;      ///< a slot
  u32 result = 0;     ///< a predicate
  isa::Mod order{}, scope{};
};

/// What one lane does to the mbarrier. "" or what is wrong.
std::string apply_to_mbarrier(const MbarrierPlan& p, u8* at, u32 count, u64& state) {
  if (p.op == Op::mbarrier_init) {
    if (count == 0 || count > Mbarrier::kMostCount)
      return fmt::format("a count of {}, from 1 to {} are possible", count, Mbarrier::kMostCount);
    u64 bits = Mbarrier{false, count, count, 0}.bits();
    std::memcpy(at, &bits, sizeof bits);
    return {};
  }
  if (p.op == Op::mbarrier_inval) {
    std::string wrong = change_mbarrier(at, [](Mbarrier&) { return std::string(); });
    std::memset(at, 0xff, sizeof(u64));
    return wrong;
  }
  return change_mbarrier(at, [&](Mbarrier& b) -> std::string {
    state = b.bits();
    switch (p.op) {
      case Op::mbarrier_expect_tx:
        return b.expect(count);
      case Op::mbarrier_complete_tx:
        return b.complete(count);
      case Op::mbarrier_arrive:
        return b.arrive(count);
      case Op::mbarrier_arrive_expect_tx:
        if (std::string wrong = b.expect(count); !wrong.empty()) return wrong;
        return b.arrive(1);
      case Op::mbarrier_arrive_no_complete:
      case Op::mbarrier_arrive_drop_no_complete:
        if (count >= b.pending) return "noComplete, but this arrival ends the phase";
        break;
      default:
        break;
    }
    u32 arrivals = count;
    if (p.op == Op::mbarrier_arrive_drop_expect_tx) {
      if (std::string wrong = b.expect(count); !wrong.empty()) return wrong;
      arrivals = 1;
    }
    if (p.op != Op::mbarrier_arrive_no_complete) {
      if (arrivals > b.expected) return fmt::format("{} arrivals dropped of {}", arrivals, b.expected);
      b.expected -= arrivals;
    }
    return b.arrive(arrivals);
  });
}

events::Mbarrier::What what_of(Op op) {
  using enum events::Mbarrier::What;
  switch (op) {
    case Op::mbarrier_init:
      return Init;
    case Op::mbarrier_inval:
      return Invalidate;
    case Op::mbarrier_expect_tx:
    case Op::mbarrier_complete_tx:
      return ExpectBytes;
    default:
      return Arrive;
  }
}

/// The mbarriers of a warp's lanes, which mostly name the same one.
class Mbarriers {
 public:
  Mbarriers(Warp& w, const MbarrierPlan& p) : w_(w), p_(p) {}

  const Resolved& of(int lane) {
    const u64 address = p_.address.of(w_, lane);
    if (!last_.host || address != address_) last_ = resolve_mbarrier(w_, p_.where, address, lane);
    address_ = address;
    return last_;
  }

 private:
  Warp& w_;
  const MbarrierPlan& p_;
  u64 address_ = 0;
  Resolved last_;
};

const Inst* run_mbarrier(Warp& w, const Inst* i) {
  const MbarrierPlan& p = *static_cast<const MbarrierPlan*>(i->aux->more);
  if (p.op == Op::mbarrier_inval && active(w, i)) w.block->cluster->finish_bulk();
  Mbarriers mbarriers(w, p);
  for (u32 m = active(w, i); m; m &= m - 1) {
    int l = __builtin_ctz(m);
    u32 count = p.op == Op::mbarrier_inval ? 0 : slot<u32>(w, p.count)[l];
    const Resolved& r = mbarriers.of(l);
    if (!r.host) return fault(w, i, l, std::string(r.kind), r.problem());
    u64 before = 0;
    if (std::string wrong = apply_to_mbarrier(p, r.host, count, before); !wrong.empty())
      return fault(w, i, l, "misused mbarrier",
                   fmt::format("at shared address 0x{:x}: {}", r.address, wrong));
    if (what_of(p.op) == events::Mbarrier::What::Init)
      note_new_mbarrier(*w.block->cluster, r.host);
    else if (p.op != Op::mbarrier_inval)
      note_phase(*w.block->cluster, r.host, before >> kPhaseAt);
    if (p.state != kSink) slot<u64>(w, p.state)[l] = before;
    tell_mbarrier(w, i, l, what_of(p.op), p.where, p.address.of(w, l), p.order, p.scope, before >> kPhaseAt);
  }
  return i + 1;
}

/// What a lane asks: whether the phase of a parity or of an arrival's state is over.
struct Question {
  const u8* mbarrier = nullptr;
  u64 about = 0;
  bool over = false, phase = false;

  /// "" or what is wrong.
  std::string answer(u8* host, bool parity, u64 parity_or_state) {
    if (host == mbarrier && parity_or_state == about) return {};  // as for the lane before
    mbarrier = host, about = parity_or_state;
    return change_mbarrier(host, [&](Mbarrier& b) -> std::string {
      if (parity) {
        phase = about & 1;
      } else {
        auto state = Mbarrier::of(about);
        if (!state) return "the state is none that an arrival gave";
        phase = state->phase;
      }
      over = b.phase != phase;
      return {};
    });
  }
};

/// Whether the phase is over that a state (or a parity) belongs to. try_wait lets others run when it is not.
const Inst* run_mbarrier_test(Warp& w, const Inst* i) {
  const MbarrierPlan& p = *static_cast<const MbarrierPlan*>(i->aux->more);
  bool parity = p.op == Op::mbarrier_test_wait_parity || p.op == Op::mbarrier_try_wait_parity;
  bool waits = p.op == Op::mbarrier_try_wait || p.op == Op::mbarrier_try_wait_parity;
  u32 lanes = active(w, i), done = 0;
  if (lanes == 0) return i + 1;
  w.block->cluster->finish_bulk();
  Mbarriers mbarriers(w, p);
  Question question;
  const u8* mbarrier = nullptr;
  u32 asked = 0;  // lanes, for that mbarrier
  for (u32 m = lanes; m; m &= m - 1) {
    int l = __builtin_ctz(m);
    const Resolved& r = mbarriers.of(l);
    if (!r.host) return fault(w, i, l, std::string(r.kind), r.problem());
    const u64 about = parity ? slot<u32>(w, p.count)[l] : slot<u64>(w, p.count)[l];
    if (std::string wrong = question.answer(r.host, parity, about); !wrong.empty())
      return fault(w, i, l, "misused mbarrier",
                   fmt::format("at shared address 0x{:x}: {}", r.address, wrong));
    done |= u32{question.over} << l;
    if (question.over && (!asked || mbarrier != r.host)) note_told(*w.block->cluster, r.host);
    if (asked && mbarrier != r.host) note_asked(state(w), i, mbarrier, std::exchange(asked, 0), done);
    mbarrier = r.host;
    asked |= u32{1} << l;
    tell_mbarrier(w, i, l, question.over ? events::Mbarrier::What::Passed : events::Mbarrier::What::NotYet,
                  p.where, p.address.of(w, l), p.order, p.scope, question.phase);
  }
  note_asked(state(w), i, mbarrier, asked, done);
  u32& to = *slot<u32>(w, p.result);
  to = (to & ~lanes) | done;
  if (!waits || done == lanes) return i + 1;
  w.pc = i + 1;
  w.polls = true;
  w.stop = Stop::Yield;
  return nullptr;
}

const Inst* run_pending_count(Warp& w, const Inst* i) {
  for (u32 m = active(w, i); m; m &= m - 1) {
    int l = __builtin_ctz(m);
    auto state = Mbarrier::of(slot<u64>(w, i->src[0])[l]);
    if (!state) return fault(w, i, l, "misused mbarrier", "the state is none that an arrival gave");
    slot<u32>(w, i->dst)[l] = state->pending;
  }
  return i + 1;
}

void decode_pending_count(FunctionDecoder& d, const ir::Instruction& in) {
  Inst i = special(run_pending_count);
  u32 dst = d.destination(in.operands[0]);
  i.dst = dst == kSink ? d.temporary(4) : dst;
  i.src[0] = d.source(in.operands[1], isa::Type::b64);
  d.emit(i);
}

void decode_mbarrier(FunctionDecoder& d, const ir::Instruction& in) {
  auto plan = std::make_shared<MbarrierPlan>();
  MbarrierPlan& p = *plan;
  p.op = in.op;
  p.order = in.mod(isa::Slot::sem), p.scope = in.mod(isa::Slot::scope);
  p.where = ir::space_of(in) == ir::Space::Shared ? AccessKey::Where::Shared : AccessKey::Where::Generic;
  const auto& specs = in.form().operands;
  bool tests = false;
  for (size_t k = 0; k < in.operands.size(); ++k) {
    const ir::Operand& o = in.operands[k];
    const auto& spec = specs[k];
    if (spec.dest && spec.fixed == isa::Type::pred) {
      tests = true;
      p.result = d.destination(o);
      if (p.result == kSink) p.result = d.temporary(0);
    } else if (spec.dest) {
      p.state = d.destination(o);
    } else if (spec.kind == isa::OperandKind::Memory) {
      p.address = address_operand(d, o);
    } else if (spec.name != "hint") {
      p.count = o.kind == ir::Operand::Kind::None ? d.constant(1, 4) : d.source(o, spec.fixed);
    }
  }
  if (in.has(isa::Mod::shared_cluster) && p.state != kSink)
    return d.refuse(in, "an arrival in .shared::cluster gives no state: its first operand is '_'");
  d.emit(special(tests ? run_mbarrier_test : run_mbarrier), plan);
}

}  // namespace

void tell_mbarrier(Warp& w, const Inst* i, int lane, events::Mbarrier::What what, AccessKey::Where where,
                   u64 address, isa::Mod order, isa::Mod scope, bool phase) {
  if (!hears(w, events::kMbarriers)) return;
  (void)space_of(where, address);  // out of the window of generic addresses
  w.launch->bus->tell(
      w.block->worker,
      events::Mbarrier{
          {i->index, w.block->number, w.id, u32{1} << lane}, what, address, order, scope, phase});
}

Resolved resolve_mbarrier(Warp& w, AccessKey::Where where, u64 address, int lane) {
  Resolved r = resolve(w, where, address, lane, sizeof(u64), sizeof(u64), true);
  if (r.host && r.space != ir::Space::Shared) {
    r.host = nullptr;
    r.kind = "not shared memory";
    r.problem = [address] {
      return fmt::format("address 0x{:x}: an mbarrier lies in shared memory", address);
    };
  }
  return r;
}

SpecialDecoder mbarrier_decoder(Op op) {
  if (op == Op::mbarrier_pending_count) return decode_pending_count;
  return op >= Op::mbarrier_init && op < Op::mbarrier_pending_count ? decode_mbarrier : nullptr;
}

}  // namespace ww::engine
