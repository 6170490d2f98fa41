// Places to jump to whose functions are looked up at the first call, as the loader does with calls between
// libraries.
#pragma once

#include <cstddef>

namespace ww::redirect {

/// What the first call of a place looks up: a function of a library. Both texts must stay.
struct LateFunction {
  const char* library = nullptr;  ///< path
  const char* name = nullptr;
};

/// Writes the code of a place (kPlaceCode bytes) to `code`; its target lies in `slot`, which must stay
/// writable and lie within kSlotReach. The first call loads the library and fills the slot; where that fails
/// the process says so and ends. False when there are too many.
bool write_place(std::byte* code, std::byte* slot, LateFunction function);

}  // namespace ww::redirect
