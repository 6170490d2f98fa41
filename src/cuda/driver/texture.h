// CUarray_format, in the runtime's words.
#pragma once

#include "cuda/abi/driver.h"

namespace ww::cuda {

/// Errors: InvalidValue, NotSupported (compressed and video formats).
Error channel_of(int format, u32 channels, ChannelDesc& desc);
int format_number(const ChannelDesc& desc);
u32 channel_count(const ChannelDesc& desc);

}  // namespace ww::cuda
