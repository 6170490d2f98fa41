#include "image/fatbin.h"

#include <fmt/format.h>

#include <algorithm>

#include "image/fatbin_layout.h"

namespace ww::image {

namespace {

constexpr uint32_t kWrapperMagic = 0x466243B1;
constexpr size_t kMostImages = 1 << 20, kMostPrelinked = 1 << 16;

// Flags of an entry, found by compiling one file with each option of nvcc 13 in turn (-G, -compress-mode,
// sm_90a, sm_120f).
constexpr uint64_t kDebug = 0x2, kLz4 = 0x2000, kZstd = 0x8000, kThatGpuOnly = 0x100000, kFamily = 0x200000;

Kind kind_of(uint16_t kind) {
  switch (kind) {
    case 1:
      return Kind::Ptx;
    case 2:
      return Kind::MachineCode;
    case 8:
      return Kind::LinkTimeCode;
    default:
      return Kind::Unknown;
  }
}

/// Text inside an entry's header; empty where it does not lie inside.
std::string_view header_text(Bytes header, uint64_t offset, uint64_t size) {
  auto bytes = offset == 0 ? std::nullopt : part_of(header, offset, size);
  if (!bytes) return {};
  std::string_view text = as_text(*bytes);
  return text.substr(0, text.find('\0'));
}

/// The options' place holds the place and the length of their text.
std::string_view options_of(Bytes header, uint32_t at) {
  auto place = read_at<uint32_t>(header, at), size = read_at<uint32_t>(header, uint64_t{at} + 4);
  return at != 0 && place && size ? header_text(header, *place, *size) : std::string_view{};
}

Result<CodeImage> image_of(const EntryHeader& entry, Bytes header, Bytes payload) {
  CodeImage image;
  image.kind = kind_of(entry.kind);
  image.target.number = int(std::min<uint32_t>(entry.target, 9999));
  image.target.suffix = entry.flags & kThatGpuOnly ? 'a' : entry.flags & kFamily ? 'f' : 0;
  image.debug = entry.flags & kDebug;
  image.name = header_text(header, entry.name, entry.name_size);
  image.options = options_of(header, entry.options);
  image.relocatable =
      image.kind == Kind::Ptx && image.options.find("--compile-only") != std::string_view::npos;
  image.compression = entry.flags & kZstd  ? Compression::Zstd
                      : entry.flags & kLz4 ? Compression::Lz4
                                           : Compression::None;
  image.stored = payload;
  image.size = payload.size();
  if (image.compression == Compression::None) return image;
  auto stored = part_of(payload, 0, entry.compressed_size);
  if (!stored)
    return error(fmt::format("a code image says it has {} compressed bytes, but there are {}",
                             entry.compressed_size, payload.size()));
  image.stored = *stored;
  image.size = entry.size;
  return image;
}

Status read_entries(Bytes bytes, std::vector<CodeImage>& images) {
  while (!bytes.empty()) {
    if (images.size() == kMostImages) return error(fmt::format("a fatbin has over {} images", kMostImages));
    auto entry = read_at<EntryHeader>(bytes, 0);
    if (!entry) return error(fmt::format("a fatbin ends within the header of its image {}", images.size()));
    auto header = part_of(bytes, 0, entry->header_size);
    auto payload = part_of(bytes, entry->header_size, entry->padded_size);
    if (entry->header_size < kEntryLeast || !header || !payload)
      return error(fmt::format("image {} of a fatbin is longer than the fatbin", images.size()));
    auto image = image_of(*entry, *header, *payload);
    if (!image) return image.error();
    images.push_back(*image);
    bytes = bytes.subspan(uint64_t{entry->header_size} + entry->padded_size);
  }
  return {};
}

}  // namespace

Result<std::vector<CodeImage>> read_fatbins(Bytes bytes) {
  std::vector<CodeImage> images;
  bool any = false;
  while (!bytes.empty()) {
    if (bytes[0] == std::byte{0}) {  // fatbins are aligned to 8 bytes
      auto next = std::find_if(bytes.begin(), bytes.end(), [](std::byte b) { return b != std::byte{0}; });
      bytes = bytes.subspan(size_t(next - bytes.begin()));
      continue;
    }
    auto header = read_at<FatbinHeader>(bytes, 0);
    if (!header || header->magic != kFatbinMagic) return error("not a fatbin: its first bytes say so");
    auto body = part_of(bytes, header->header_size, header->size);
    if (header->header_size < kHeaderLeast || !body)
      return error(fmt::format("a fatbin of {} bytes is cut off after {}", header->size, bytes.size()));
    if (auto ok = read_entries(*body, images); !ok) return ok.error();
    bytes = bytes.subspan(header->header_size + header->size);
    any = true;
  }
  if (!any) return error("not a fatbin: there is nothing in it");
  return images;
}

Bytes fatbin_at(const void* start) {
  if (!start) return {};
  auto header = *read_at<FatbinHeader>({static_cast<const std::byte*>(start), kHeaderLeast}, 0);
  if (header.magic != kFatbinMagic || header.size > UINT64_MAX / 2) return {};
  return {static_cast<const std::byte*>(start), size_t(header.header_size + header.size)};
}

Result<Wrapper> read_wrapper(const void* wrapper) {
  struct Raw {
    uint32_t magic, version;
    const void* data;
    const void* const* more;  ///< version 2: fatbins up to a null pointer
  } raw;
  if (!wrapper) return error("no fatbin was given");
  std::memcpy(&raw, wrapper, sizeof raw);
  if (raw.magic != kWrapperMagic)
    return error(
        fmt::format("a fatbin's wrapper begins with {:#x}, not with {:#x}", raw.magic, kWrapperMagic));
  Wrapper result;
  result.fatbin = fatbin_at(raw.data);
  if (result.fatbin.empty()) return error("a fatbin's wrapper names something else than a fatbin");
  if (raw.version < 2 || !raw.more) return result;
  for (size_t i = 0; raw.more[i]; i++) {
    Bytes bytes = fatbin_at(raw.more[i]);
    if (bytes.empty() || i == kMostPrelinked)
      return error("a linked fatbin names something else than fatbins");
    result.prelinked.push_back(bytes);
  }
  return result;
}

}  // namespace ww::image
