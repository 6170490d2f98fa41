// What the host's processor promises of the order in which its threads see memory.
#pragma once

namespace ww::engine {

/// Whether others see stores in the order in which they are made, and loads are made in theirs (but for a
/// load behind a store to another place). x86 promises it (Intel SDM 3A, 9.2.2), Arm does not.
#if defined(__x86_64__)
inline constexpr bool kKeepsOrder = true;
#else
inline constexpr bool kKeepsOrder = false;
#endif

}  // namespace ww::engine
