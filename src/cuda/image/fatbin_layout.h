// How a fatbin lies in memory.
#pragma once

#include <cstdint>

namespace ww::image {

inline constexpr uint32_t kFatbinMagic = 0xBA55ED50;
inline constexpr uint64_t kHeaderLeast = 16, kEntryLeast = 64;

struct FatbinHeader {
  uint32_t magic;
  uint16_t version, header_size;
  uint64_t size;  ///< of what follows the header
};
static_assert(sizeof(FatbinHeader) == kHeaderLeast);

/// The fixed part of an entry's header.
struct EntryHeader {
  uint16_t kind, version;
  uint32_t header_size;
  uint64_t padded_size;      ///< of what follows the header
  uint32_t compressed_size;  ///< 0: not compressed
  uint32_t options;          ///< where the two numbers before the options' text lie; 0: none
  uint16_t minor, major;
  uint32_t target;
  uint32_t name, name_size;  ///< where the source file's name lies
  uint64_t flags;
  uint64_t unused;
  uint64_t size;  ///< once decompressed; 0: not compressed
};
static_assert(sizeof(EntryHeader) == kEntryLeast);

}  // namespace ww::image
