// Which image of a fatbin a GPU takes.
#include <fmt/format.h>

#include <algorithm>

#include "image/fatbin.h"

namespace ww::image {

namespace {

/// "compute_75, compute_90a": the targets of the images of that kind, each once, in order.
std::string targets(const std::vector<CodeImage>& images, Kind kind, const char* prefix) {
  std::vector<Target> seen;
  for (const CodeImage& image : images)
    if (image.kind == kind && std::find(seen.begin(), seen.end(), image.target) == seen.end())
      seen.push_back(image.target);
  std::sort(seen.begin(), seen.end(), [](const Target& a, const Target& b) {
    return a.number != b.number ? a.number < b.number : a.suffix < b.suffix;
  });
  std::string text;
  for (const Target& target : seen) text += (text.empty() ? "" : ", ") + (prefix + target.text());
  return text;
}

/// Among targets that all run: the later number, then the narrower promise.
int rank(const Target& target) {
  return 4 * target.number + (target.suffix == 'a' ? 2 : target.suffix == 'f' ? 1 : 0);
}

std::string keep_ptx(int gpu) { return fmt::format("-gencode arch=compute_{0},code=compute_{0}", gpu); }

}  // namespace

std::string Target::text() const {
  return suffix ? fmt::format("{}{}", number, suffix) : std::to_string(number);
}

bool Target::runs_on(int gpu) const {
  if (suffix == 'a') return gpu == number;
  if (suffix == 'f') return gpu >= number && gpu / 10 == number / 10;
  return gpu >= number;
}

const CodeImage* best_ptx(const std::vector<CodeImage>& images, int gpu) {
  const CodeImage* best = nullptr;
  for (const CodeImage& image : images)
    if (image.kind == Kind::Ptx && image.target.runs_on(gpu))
      if (!best || rank(image.target) > rank(best->target)) best = &image;
  return best;
}

bool is_device_runtime(const std::vector<CodeImage>& images) {
  // Known by the source file in the names of its local kernels.
  for (const CodeImage& image : images)
    if (image.kind == Kind::Ptx) {
      auto text = image.text();
      return text && text->find("cuda_device_runtime_cu") != std::string::npos;
    }
  return false;
}

Diagnostic no_ptx(const std::vector<CodeImage>& images, int gpu) {
  auto has = [&](Kind kind) {
    return std::any_of(images.begin(), images.end(), [&](const CodeImage& i) { return i.kind == kind; });
  };
  if (has(Kind::Ptx))
    return error(
        fmt::format("the program has PTX for {} only, which a GPU of compute capability {}.{} does not take",
                    targets(images, Kind::Ptx, "compute_"), gpu / 10, gpu % 10),
        fmt::format("choose a later GPU with --gpu, or give nvcc {}", keep_ptx(gpu)));
  if (has(Kind::MachineCode))
    return error(
        fmt::format("the program has machine code for {} only, no PTX",
                    targets(images, Kind::MachineCode, "sm_")),
        fmt::format("give nvcc {} (CMake: CMAKE_CUDA_ARCHITECTURES={}-virtual)", keep_ptx(gpu), gpu));
  if (has(Kind::LinkTimeCode))
    return error("the program has code for link-time optimisation only (nvcc -dlto), no PTX",
                 fmt::format("give nvcc {}, without -dlto", keep_ptx(gpu)));
  return error("the program's fatbin has no code in it", fmt::format("give nvcc {}", keep_ptx(gpu)));
}

}  // namespace ww::image
