// A configuration as one word, for handing it to another process.
#pragma once

#include <string>
#include <string_view>

#include "study/study.h"

namespace ww::study {

/// "matmul/tiles,n=1600,block=16,tile=2x3"; axes that the configuration lacks are left out, seed and inputs
/// too.
std::string item_text(const Item& item);

/// The reverse. Errors: unknown kernel or axis, not a number. Whether the kernel admits the values is not
/// checked.
Result<Item> item_of(std::string_view text);

}  // namespace ww::study
