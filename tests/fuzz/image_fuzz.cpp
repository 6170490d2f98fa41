// Feeds any bytes to the readers of fatbins, ELF files and outermost parts of PTX. scripts/fuzz builds and
// runs it.
#include <cstddef>
#include <cstdint>

#include "image/elf.h"
#include "image/fatbin.h"

namespace {

using namespace ww;
constexpr uint64_t kMostText = 1 << 20;

void read_images(image::Bytes bytes) {
  auto images = image::read_fatbins(bytes);
  if (!images) return;
  for (const image::CodeImage& image : *images)
    if (image.size < kMostText) (void)image.text().ok();
  for (int gpu : {50, 90, 121})
    if (!image::best_ptx(*images, gpu)) (void)image::no_ptx(*images, gpu).message.size();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  image::Bytes bytes(reinterpret_cast<const std::byte*>(data), size);
  read_images(bytes);
  if (auto elf = image::Elf::read(bytes)) {
    for (const char* name : {".nv_fatbin", "__nv_relfatbin"})
      if (auto section = elf->section(name)) read_images(section->bytes);
    size_t letters = 0;
    for (uint32_t type : {image::Elf::kSymbols, image::Elf::kDynamicSymbols})
      elf->for_each_symbol(type, [&](const image::Symbol& symbol) { letters += symbol.name.size(); });
  }
  return 0;
}
