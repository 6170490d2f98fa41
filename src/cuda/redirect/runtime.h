// A CUDA runtime inside of a loaded object: its functions, led to ours.
#pragma once

#include <cstdint>

namespace ww::redirect {

/// Looks for a CUDA runtime in the object of that file, loaded at `base`, and leads each of its functions
/// that the library of ours for the same version has to there. Objects in `own_folder`, and those without
/// such a runtime, are left alone. A runtime whose symbols were stripped cannot be led: standard error says
/// so.
void redirect_runtime(const char* path, uintptr_t base, const char* own_folder);

}  // namespace ww::redirect
