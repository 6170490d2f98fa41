#include <cstring>

#include "image/fatbin.h"
#include "image/fatbin_layout.h"

namespace ww::image {

std::string fatbin_of_ptx(std::string_view ptx, int capability) {
  uint64_t padded = (ptx.size() / 8 + 1) * 8;  // with at least one zero behind the text
  EntryHeader entry{};
  entry.kind = 1, entry.version = 0x101;
  entry.header_size = uint32_t(kEntryLeast);
  entry.padded_size = padded;
  entry.target = uint32_t(capability);
  FatbinHeader header{kFatbinMagic, 1, uint16_t(kHeaderLeast), kEntryLeast + padded};
  std::string file(kHeaderLeast + kEntryLeast + padded, '\0');
  std::memcpy(file.data(), &header, sizeof header);
  std::memcpy(file.data() + kHeaderLeast, &entry, sizeof entry);
  std::memcpy(file.data() + kHeaderLeast + kEntryLeast, ptx.data(), ptx.size());
  return file;
}

}  // namespace ww::image
