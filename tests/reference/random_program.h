// Random PTX kernels that are valid, end, and have one result only: what threads share they share through
// barriers or through atomics whose order does not matter.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace ww::reference {

struct RandomProgram {
  std::string text;  ///< one kernel "k(.param .u64 out, .param .u64 in, .param .u64 common)"
  uint32_t grid = 1, block = 32;
};

// What the kernel's buffers hold.
inline constexpr uint32_t kOutBytes =
    512;  ///< of `out` for each thread: 384 bytes of slots, then its registers
inline constexpr uint32_t kSlotBytes = 384;
inline constexpr uint32_t kInBytes = 4096;
inline constexpr uint32_t kCommonBytes = 256;  ///< counters of all threads

/// What `in` holds: small numbers, large ones, and floats of all kinds; kInBytes.
std::vector<uint8_t> random_input();

/// `size`: about how many statements.
RandomProgram random_program(uint64_t seed, int size = 40);

}  // namespace ww::reference
