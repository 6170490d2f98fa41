// Addresses lane by lane: which space, where on the host, and what is wrong with them.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "engine/interpret/slow.h"
#include "engine/schedule/launch_state.h"

namespace ww::engine {

struct Resolved {
  u8* host = nullptr;  ///< nullptr: the access is wrong, see problem
  ir::Space space = ir::Space::None;
  u64 address = 0;        ///< within the space
  std::string_view kind;  ///< "out-of-bounds read", "misaligned write", "use after free", …
  /// Where it is and what is near. Written when somebody reads it, for a kernel may read beside an array
  /// millions of times; what it tells of is there during the instruction only.
  std::function<std::string()> problem;
};

/// The shared variable at an address: "k()::tile", "at byte 8 of k()::tile".
std::string shared_place(const Program& program, u64 address);

/// Whether the address is memory of the program itself, which kernels cannot use and which has nothing to do
/// with any allocation.
bool of_the_host(const GlobalMemory& memory, u64 address);

/// The space that an address lies in; a generic one becomes an address within that space.
ir::Space space_of(AccessKey::Where where, u64& address);

/// Resolves one lane's access of `bytes` bytes that must be aligned to `alignment`.
Resolved resolve(Warp& w, AccessKey::Where where, u64 address, int lane, u32 bytes, u32 alignment,
                 bool store);

/// Where accesses of one kind lie on the host, one after another: most are in the piece of memory that the
/// one before was in, which takes a comparison. For what is wrong there is resolve().
class PlaceFinder {
 public:
  PlaceFinder(Warp& w, AccessKey::Where where, bool store) : w_(w), where_(where), store_(store) {}

  /// One lane's access of `bytes` bytes that must be aligned to `alignment`, a power of two. nullptr: it is
  /// wrong.
  u8* find(u64 address, int lane, u32 bytes, u32 alignment) {
    if (address & (alignment - 1)) return nullptr;
    if (address - window_.base >= window_.size) window_ = find_window(w_, where_, address, store_);
    const u64 offset = address - window_.base;
    if (offset >= window_.size || bytes > window_.size - offset) return nullptr;
    return window_.host + offset + static_cast<u64>(lane) * window_.lane_bytes;
  }

 private:
  Warp& w_;
  AccessKey::Where where_;
  bool store_;
  Window window_;
};

/// Where the access may happen. A wrong one is told; then, with a listener that wants the launch to go on,
/// it is a place that reads as zeros or whose bytes nobody reads, else the launch stops and it is nullptr.
/// `which`: what the warp accesses, for the message; may be "".
u8* allowed_or_fault(Warp& w, const Inst* i, int lane, const Resolved& r, u32 bytes, bool store,
                     std::string_view which = {});
/// For what has no such place. Tells of it; true: a listener wants the launch to go on without it.
bool goes_on_without(Warp& w, const Inst* i, int lane, const Resolved& r, u32 bytes);
bool goes_on_without(Warp& w, const Inst* i, int lane, std::string_view kind, std::string detail);

}  // namespace ww::engine
