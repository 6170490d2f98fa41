// The GPUs by name, and one's own from a JSON file (docs/gpus.md describes the format).
#pragma once

#include "base/result.h"
#include "gpus/gpu.h"

namespace ww::gpus {

/// Bytes of the longest file that is read as a GPU's; real ones have a few thousand.
inline constexpr uint64_t kMaxGpuFile = 1 << 20;

/// The built-in GPUs, oldest compute capability first.
const std::vector<Gpu>& known_gpus();

/// A built-in GPU by id ("gtx1080"), or, when the name ends in ".json" or holds a '/', one read from that
/// file. Errors: unknown name (with the nearest one and the list), what is wrong with the file (see
/// read_gpu).
Result<Gpu> find_gpu(const std::string& name);

/// The built-in GPU that a driver calls `product` ("NVIDIA H200", "Tesla V100-SXM2-16GB"): the one with this
/// compute capability and number of SMs whose model ("H200", "V100") is a word of that name. Null: none.
const Gpu* find_product(std::string_view product, int cc_major, int cc_minor, int64_t sm_count);

/// A GPU from the text of a JSON file. `file` is named in the messages and is the source of figures that name
/// none. Errors are located: not JSON, unknown or repeated key, wrong type, value out of range or at odds
/// with another, missing figure, unknown compute capability.
Result<Gpu> read_gpu(const std::string& id, const std::string& file, std::string_view text);

}  // namespace ww::gpus
