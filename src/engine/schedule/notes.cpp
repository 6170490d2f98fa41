#include "engine/schedule/notes.h"

#include <cstring>

#include "engine/compile/whole_live.h"
#include "engine/interpret/tell.h"

namespace ww::engine {

void Notes::prepare(WholeState& state) {
  if (!room_) {
    room_ = std::make_unique<u8[]>(kBytes);
    even_.resize(kEven);
  }
  state.notes = state.notes_begin = room_.get();
  state.notes_full = room_.get() + kBytes - kMostOfNote + 1;
}

/// Where the first active lane accesses, and the others from there. Returns a number that says so.
u64 Notes::even(const Note& note, u64& first, const int64_t*& offsets) {
  const auto lead = static_cast<u32>(__builtin_ctz(note.mask));
  const u64 between = note.first[1] - note.first[0];
  first = note.first[lead / 16] + static_cast<u64>(int64_t{note.stride} * (lead % 16));
  const u64 hash = ((between * 31 + static_cast<u32>(note.stride)) * 31 + lead) * 0x9e3779b97f4a7c15u;
  Even* const some = &even_[(hash >> 58) % (kEven / kWays) * kWays];
  const auto is_it = [&](const Even& e) {
    return e.between == between && e.stride == note.stride && e.lead == lead && e.serial != 0;
  };
  size_t way = 0;
  while (way < kWays && !is_it(some[way])) ++way;
  if (way == kWays) {
    way = ++replaced_ % kWays;
    Even& e = some[way];
    e.serial = ++serial;
    e.between = between, e.stride = note.stride, e.lead = lead;
    for (u32 l = 0; l < kLanes; ++l)
      e.offsets[l] = static_cast<int64_t>(note.first[l / 16] - first) + int64_t{note.stride} * (l % 16);
  }
  const Even& e = some[way];
  offsets = e.offsets;
  return e.serial;
}

/// The same for lanes without a pattern; the offsets are in offsets_. 0: those were not seen lately.
u64 Notes::apart(const Note& note, u64& first) {
  int32_t distance[kLanes];
  std::memcpy(distance, &note + 1, sizeof distance);
  if (apart_.empty()) apart_.resize(kApart);
  const int32_t begin = distance[__builtin_ctz(note.mask)];
  first = note.first[0] + static_cast<u64>(int64_t{begin});
  for (u32 l = 0; l < kLanes; ++l) {
    // Without branches: masks are often random.
    const u32 from_begin = static_cast<u32>(distance[l]) - static_cast<u32>(begin);
    distance[l] = static_cast<int32_t>(from_begin & -(note.mask >> l & 1));
    offsets_[l] = distance[l];
  }
  // Four chains side by side, as each of their products waits for the one before.
  constexpr u64 kFactor = 0x9e3779b97f4a7c15u;
  u64 chain[4] = {note.mask, 1, 2, 3};
  for (u32 l = 0; l < kLanes; l += 8) {
    u64 two[4];
    std::memcpy(two, distance + l, sizeof two);
    for (u32 k = 0; k < 4; ++k) {
      chain[k] = (chain[k] ^ two[k]) * kFactor;
      chain[k] ^= chain[k] >> 29;
    }
  }
  u64 hash = chain[0];
  for (u32 k = 1; k < 4; ++k) hash = (hash ^ hash >> 29 ^ chain[k]) * kFactor;
  Apart& a = apart_[(hash >> 32) % kApart];
  if (std::memcmp(a.offsets, distance, sizeof distance) != 0) {
    std::memcpy(a.offsets, distance, sizeof distance);
    return a.serial = 0;
  }
  if (a.serial == 0) a.serial = ++serial;
  return a.serial;
}

u64 Notes::places(const Note& note, u64& first, const int64_t*& offsets) {
  offsets = offsets_;
  return note.apart ? apart(note, first) : even(note, first, offsets);
}

void Notes::learn_events(const Program& program) {
  program_ = &program;
  const FunctionCode& entry = *program.functions[0];
  events_.assign(entry.code.size(), {});
  for (size_t k = 0; k < entry.code.size(); ++k)
    if (access_behind(entry.code[k])) events_[k] = event_behind(entry.code[k]);
}

void Notes::tell(WholeState& state) {
  BlockState& block = *state.warp->block;
  const FunctionCode& entry = prepare_events(block);
  const u8* const end = state.notes;
  state.notes = state.notes_begin;
  for (const u8* at = state.notes_begin; at < end;) {
    const Note& note = *reinterpret_cast<const Note*>(at);
    const Inst* i = &entry.code[note.instruction];
    events::Memory& e = events_[note.instruction];
    u64 first = 0;
    const int64_t* offsets = nullptr;
    e.serial = places(note, first, offsets);
    if (i->aux->access.address_bytes == 4) first = static_cast<u32>(first);
    tell_noted(*block.warps[note.warp], i, e, note.mask, first, offsets);
    at += note.apart ? kMostOfNote : sizeof(Note);
  }
}

bool Notes::ask(WholeState& state) {
  BlockState& block = *state.warp->block;
  const FunctionCode& entry = prepare_events(block);
  const Note& note = *reinterpret_cast<const Note*>(state.notes_begin);
  const Inst* i = &entry.code[note.instruction];
  events::Memory& e = events_[note.instruction];
  const AccessKey& key = i->aux->access;
  const u8* values[kMostNotedElements];
  if (e.store()) {
    e.elements = key.elements;
    e.value_bytes = key.register_bytes;
    for (u32 n = 0; n < key.elements; ++n)
      values[n] = element_of(*i, n) == kSink ? nullptr : state.notes_begin + kNotedValues + n * kNotedElement;
    e.values = values;
  }
  u64 first = 0;
  const int64_t* offsets = nullptr;
  e.serial = places(note, first, offsets);
  if (key.address_bytes == 4) first = static_cast<u32>(first);
  return tell_asked(*block.warps[note.warp], i, e, note.mask, first, offsets);
}

}  // namespace ww::engine
