// Machine code of jumps, for each CPU in a file of its own.
#pragma once

#include <cstddef>
#include <cstdint>

namespace ww::redirect {

#if defined(__x86_64__)
/// Bytes that write_jump() changes, and how far its target may lie.
inline constexpr size_t kJump = 5;
inline constexpr uintptr_t kJumpReach = uintptr_t{2} << 30;
/// How far a place's slot may lie from its code.
inline constexpr uintptr_t kSlotReach = uintptr_t{2} << 30;
/// What functions are aligned to that have room for a jump, however short they are.
inline constexpr size_t kRoomForJump = 16;
#elif defined(__aarch64__)
inline constexpr size_t kJump = 4;
inline constexpr uintptr_t kJumpReach = uintptr_t{128} << 20;
inline constexpr uintptr_t kSlotReach = uintptr_t{1} << 20;
inline constexpr size_t kRoomForJump = 4;
#endif

/// A jump to `to`, written over what is at `at`. Neither registers that hold arguments nor the stack change.
void write_jump(std::byte* at, const std::byte* to);

/// The same to anywhere.
inline constexpr size_t kFarJump = 16;
void write_far_jump(std::byte* at, const void* to);

/// Bytes of a place's code (late_binding.h), and of its slot.
inline constexpr size_t kPlaceCode = 32, kPlaceSlot = 8;
/// Code that jumps where the slot says. Returns what is to stand in the slot at first: code that jumps to
/// ww_redirect_bind, which hands `number` to ww_redirect_resolve and jumps to what that returns.
const std::byte* write_place_code(std::byte* code, std::byte* slot, uint32_t number);

extern "C" __attribute__((visibility("hidden"))) void ww_redirect_bind();

}  // namespace ww::redirect
