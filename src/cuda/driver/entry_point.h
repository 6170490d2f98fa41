// Which function of the driver a program gets that asks for one by its plain name.
#pragma once

#include <string_view>

namespace ww::cuda {

/// `version`: of CUDA, as 12030. Null: there is none; `too_new` then says that a later version has one.
void* driver_entry(std::string_view name, int version, bool per_thread, bool& too_new);

}  // namespace ww::cuda
