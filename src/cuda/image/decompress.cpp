// The text of a code image: plain, or a zstd frame or an LZ4 block.
#include <fmt/format.h>
#include <zstd.h>
#ifdef WW_LZ4
#include <lz4.h>
#endif

#include "image/fatbin.h"

namespace ww::image {

namespace {

constexpr uint64_t kMostBytes = uint64_t{1} << 30;
[[maybe_unused]] constexpr uint64_t kLz4Most = 256;  ///< bytes that one byte of a block can become, at most

Diagnostic damaged(const char* what) {
  return error(fmt::format("a code image is damaged: its {} do not decompress", what));
}

Result<std::string> unpack_zstd(Bytes stored, uint64_t size) {
  unsigned long long stated = ZSTD_getFrameContentSize(stored.data(), stored.size());
  if (stated == ZSTD_CONTENTSIZE_ERROR || (stated != ZSTD_CONTENTSIZE_UNKNOWN && stated > size))
    return damaged("zstd bytes");
  std::string text(size, '\0');
  size_t got = ZSTD_decompress(text.data(), text.size(), stored.data(), stored.size());
  if (ZSTD_isError(got)) return damaged("zstd bytes");
  text.resize(got);
  return text;
}

Result<std::string> unpack_lz4(Bytes stored, uint64_t size) {
#ifdef WW_LZ4
  if (stored.size() > INT32_MAX || size / kLz4Most > stored.size()) return damaged("LZ4 bytes");
  std::string text(size, '\0');
  int got = LZ4_decompress_safe(reinterpret_cast<const char*>(stored.data()), text.data(), int(stored.size()),
                                int(size));
  if (got < 0) return damaged("LZ4 bytes");
  text.resize(size_t(got));
  return text;
#else
  (void)stored, (void)size;
  return error("a code image is compressed with LZ4, and Warpwright was built without liblz4-dev",
               "nvcc --compress-mode=none leaves it plain");
#endif
}

}  // namespace

Result<std::string> CodeImage::text() const {
  if (size > kMostBytes)
    return error(
        fmt::format("a code image says it has {} bytes; Warpwright takes {} at most", size, kMostBytes));
  auto text = compression == Compression::Zstd  ? unpack_zstd(stored, size)
              : compression == Compression::Lz4 ? unpack_lz4(stored, size)
                                                : Result<std::string>(std::string(as_text(stored)));
  if (text && kind == Kind::Ptx) text->resize(text->find_last_not_of('\0') + 1);
  return text;
}

}  // namespace ww::image
