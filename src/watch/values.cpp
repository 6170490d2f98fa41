#include "watch/values.h"

#include <bit>
#include <cstring>

#include "engine/machine.h"
#include "engine/memory/memory.h"

namespace ww::watch {

namespace {

constexpr u64 kBytesOfWord = 4;

/// Where the word of an array lies on the host; nullptr: it is not all there.
const uint8_t* host_of(const Array& array, u64 element, const engine::Warp& warp) {
  const u64 address = array.address + element * kBytesOfWord;
  if (array.space == ir::Space::Shared)
    return address + kBytesOfWord <= warp.shared_bytes ? warp.shared + address : nullptr;
  if (array.space != ir::Space::Global || !warp.memory || !warp.allocations) return nullptr;
  const engine::GlobalMemory::Range in = warp.allocations->find(address);
  return in.size > 0 && address + kBytesOfWord <= in.base + in.size ? warp.memory->host(address) : nullptr;
}

}  // namespace

void Values::find_places(const Array& of, u64 from, u32 bytes, const engine::Warp& warp) {
  for (u64 k = from / kBytesOfWord; k <= (from + bytes - 1) / kBytesOfWord; ++k)
    if (const uint8_t* host = host_of(of, k, warp)) places_.push_back({k, host});
}

void Values::access(Launch& launch, u32 array, u32 ran, const events::Memory& e,
                    std::string_view instruction) {
  Array& of = launch.arrays[array];
  const std::string_view type = instruction.substr(instruction.rfind('.') + 1);
  // A type says more than bits do. Surfaces name none at their end.
  if (e.linear && !of.declared && (of.type.empty() || (of.type[0] == 'b' && type[0] != 'b'))) of.type = type;
  array_ = array, ran_ = ran;
  key_ = {array, of.space == ir::Space::Shared ? e.block : 0};
  places_.clear();
  if (!e.state || e.bytes == 0) return;
  for (u32 m = e.mask; m != 0; m &= m - 1) {
    const u64 from = e.first + static_cast<u64>(e.offsets[std::countr_zero(m)]) - of.address;
    if (from < of.bytes) find_places(of, from, e.bytes, *e.state);
  }
  if (e.load()) settle(launch);
}

void Values::fetched(Launch& launch, u32 array, u32 ran, const events::Memory& e, u64 address,
                     std::string_view instruction) {
  Array& of = launch.arrays[array];
  // "tex.2d.v4.f32.s32": what arrives in registers, before what coordinates are.
  const std::string_view head = instruction.substr(0, instruction.rfind('.'));
  const std::string_view type = head.substr(head.rfind('.') + 1);
  if (!of.declared && of.type.empty() && (type == "f32" || type == "s32" || type == "u32")) of.type = type;
  array_ = array, ran_ = ran;
  key_ = {array, 0};
  places_.clear();
  if (e.state && address - of.address < of.bytes)
    find_places(of, address - of.address, e.texel_bytes, *e.state);
  settle(launch);
}

void Values::note(Launch& launch) {
  if (places_.empty()) return;
  std::vector<Word>& words = words_[key_];
  if (words.empty()) words.resize(launch.arrays[array_].bytes / kBytesOfWord + 1);
  for (const Place& p : places_) {
    u32 bits = 0;
    std::memcpy(&bits, p.host, sizeof bits);
    if (p.element >= words.size()) continue;
    Word& word = words[p.element];
    if (word.known && word.bits == bits) continue;
    word = {true, bits};
    launch.changes.push_back({ran_, array_, p.element, bits});
  }
}

void Values::settle(Launch& launch) {
  note(launch);
  places_.clear();
}

void Values::forget(u64 block) {
  std::erase_if(words_, [&](const auto& entry) { return entry.first.second == block && block != 0; });
}

}  // namespace ww::watch
