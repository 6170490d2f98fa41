// A file's bytes, mapped.
#pragma once

#include "image/reader.h"

namespace ww::redirect {

/// Read-only; unmapped with unmap_file(). Empty where it cannot be read.
image::Bytes map_file(const char* path);
void unmap_file(image::Bytes bytes);

}  // namespace ww::redirect
