#include "cuda/core/library.h"

#include <cstring>

#include "base/file.h"
#include "base/live_handles.h"
#include "cuda/core/platform.h"
#include "cuda/core/report.h"
#include "cuda/core/texture_reference.h"

namespace ww::cuda {

namespace {

LiveHandles& libraries() {
  static auto* all = new LiveHandles;
  return *all;
}

constexpr u32 kElf = 0x464c457f, kFatbin = 0xBA55ED50, kWrapper = 0x466243b1;
// Ours: "WWLK", the number of texts, and for each its length and itself.
constexpr u32 kLinked = 0x4b4c5757;

u32 magic_of(const void* code) {
  u32 magic = 0;
  // Text may be shorter than four bytes.
  std::memcpy(&magic, code, ::strnlen(static_cast<const char*>(code), sizeof magic));
  return magic;
}

/// Which of the forms it is, and the code in it.
Error open_code(const void* code, std::string& ptx, std::string& held,
                std::vector<image::CodeImage>& images) {
  const u32 magic = magic_of(code);
  if (magic == kElf) {
    say_once("machine code loaded",
             "the program loads machine code (a cubin); only PTX runs here: nvcc -ptx or -fatbin with "
             "-gencode arch=compute_90,code=compute_90");
    return Error::NoKernelImageForDevice;
  }
  if (magic != kFatbin && magic != kWrapper) {
    ptx = static_cast<const char*>(code);
    return ptx.find(".version") == std::string::npos ? Error::InvalidKernelImage : Error::Success;
  }
  image::Bytes bytes = image::fatbin_at(code);
  if (magic == kWrapper) {
    auto wrapper = image::read_wrapper(code);
    if (!wrapper) return Error::InvalidKernelImage;
    bytes = wrapper->fatbin;
  }
  held.assign(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  auto read = image::read_fatbins({reinterpret_cast<decltype(bytes.data())>(held.data()), held.size()});
  if (!read) {
    say("code that the program loads: " + read.error()[0].message);
    return Error::InvalidKernelImage;
  }
  images = std::move(*read);
  return Error::Success;
}

}  // namespace

std::string linked_image(const std::vector<std::string>& texts) {
  if (texts.size() == 1) return texts[0];
  std::string image;
  auto put = [&](u64 n) { image.append(reinterpret_cast<const char*>(&n), sizeof n); };
  image.append(reinterpret_cast<const char*>(&kLinked), sizeof kLinked);
  put(texts.size());
  for (const std::string& t : texts) put(t.size()), image += t;
  return image;
}

namespace {
/// The texts of linked_image(), each as the one image of a file.
std::vector<std::vector<image::CodeImage>> linked_files(const void* code, std::string& held) {
  auto* at = static_cast<const char*>(code) + sizeof kLinked;
  auto take = [&] {
    u64 n;
    std::memcpy(&n, at, sizeof n);
    at += sizeof n;
    return n;
  };
  std::vector<std::pair<size_t, size_t>> places;
  for (u64 left = take(); left; --left) {
    const u64 size = take();
    places.emplace_back(held.size(), size);
    held.append(at, size);
    at += size;
  }
  std::vector<std::vector<image::CodeImage>> files;
  for (auto [offset, size] : places) {
    image::CodeImage image;
    image.kind = image::Kind::Ptx;
    image.size = size;
    image.stored = {reinterpret_cast<decltype(image.stored.data())>(held.data() + offset), size};
    files.push_back({image});
  }
  return files;
}
}  // namespace

Error load_library(const void* code, CodeModule*& library) {
  auto module = std::make_unique<CodeModule>("code that the program loads");
  std::string ptx;
  std::vector<image::CodeImage> images;
  if (magic_of(code) == kLinked)
    module->set_prelinked(linked_files(code, module->held()));
  else if (Error e = open_code(code, ptx, module->held(), images); e != Error::Success)
    return e;
  else if (ptx.empty())
    module->set_images(std::move(images));
  else
    module->set_ptx(std::move(ptx));
  libraries().add(module.get());
  library = module.release();
  return Error::Success;
}

Error load_library_file(const char* file, CodeModule*& library) {
  auto read = read_file(file);
  if (!read) return Error::FileNotFound;
  read->append(8, '\0');  // PTX ends with a zero; a damaged fatbin is not read beyond its end
  return load_library(read->data(), library);
}

Error library_text(const void* code, DeviceContext& device, std::string& ptx) {
  std::string held;
  std::vector<image::CodeImage> images;
  if (Error e = open_code(code, ptx, held, images); e != Error::Success || !ptx.empty()) return e;
  const int capability = 10 * device.gpu->cc_major + device.gpu->cc_minor;
  const image::CodeImage* best = image::best_ptx(images, capability);
  if (!best) {
    if (image::is_device_runtime(images)) return Error::Success;  // the engine has it
    say("code that the program links: " + image::no_ptx(images, capability).message);
    return Error::NoKernelImageForDevice;
  }
  auto text = best->text();
  if (!text) return Error::InvalidKernelImage;
  ptx = std::move(*text);
  return Error::Success;
}

bool is_library(const CodeModule* library) { return libraries().has(library); }

Error unload_library(CodeModule* library) {
  if (!libraries().remove(library)) return Error::InvalidResourceHandle;
  forget_references(library);
  delete library;
  return Error::Success;
}

}  // namespace ww::cuda
