// cuFFT on several GPUs (cuFFT manual, "Multiple GPU cuFFT Transforms"): how the data lie on them. The
// transform itself is the one of a single GPU.
#include <algorithm>
#include <cstring>

#include "cuda/fft/plan.h"
#include "cuda/stubs/submit.h"

using namespace ww::fft;

extern "C" {
int cudaGetDeviceCount(int* count);
int cudaGetDevice(int* device);
int cudaSetDevice(int device);
int cudaMalloc(void** at, size_t bytes);
int cudaFree(void* at);
}

namespace {

constexpr int kMostGpus = 64, kNatural = 2, kShuffled = 3;  // CUFFT_XT_FORMAT_INPLACE, …_SHUFFLED
enum class Way : int { ToDevice = 0, ToHost = 1, OnDevice = 2 };

}  // namespace

/// cudaXtDesc and cudaLibXtDesc.
struct Parts {
  int version, gpus, devices[kMostGpus];
  void* data[kMostGpus];
  size_t size[kMostGpus];
  void* state;
};
struct Spread {
  int version;
  Parts* parts;
  int library, format;
  void* plan;
};

namespace {

/// All data in natural order as rows of rows of pieces. They are shared out by the first, or shuffled by the
/// second; batches always by batch.
struct Shape {
  size_t first = 1, second = 1, piece = 0;
  bool shuffles = false;
  size_t bytes() const { return first * second * piece; }
};
Shape shape_of(const Plan& p) {
  const bool is_double = (static_cast<int>(p.kind) & 0x40) != 0;
  const bool half = p.kind != Kind::C2C && p.kind != Kind::Z2Z;  // of a real signal, in place
  std::vector<size_t> n(p.sizes.begin(), p.sizes.end());
  if (half) n.back() = n.back() / 2 + 1;
  Shape s;
  s.piece = is_double ? 16 : 8;
  if (p.batch > 1) {
    s.first = static_cast<size_t>(p.batch);
    for (size_t k : n) s.piece *= k;
    return s;
  }
  s.first = n[0];
  s.shuffles = n.size() > 1;
  if (n.size() > 1) s.second = n[1];
  if (n.size() > 2) s.piece *= n[2];
  return s;
}

/// What of `all` comes before the GPU's share.
size_t before(size_t all, int gpus, int gpu) {
  const auto g = static_cast<size_t>(gpu), of = static_cast<size_t>(gpus);
  return all / of * g + std::min(g, all % of);
}

/// Bytes of a GPU's share.
size_t share(const Shape& s, int gpus, int gpu, bool shuffled) {
  const size_t all = shuffled && s.shuffles ? s.second : s.first;
  return (before(all, gpus, gpu + 1) - before(all, gpus, gpu)) * (s.bytes() / all);
}

/// Calls visit(GPU's bytes, bytes in natural order, how many) for all pieces that lie together.
template <class F>
void for_each_run(const Shape& s, const Parts& parts, bool shuffled, F&& visit) {
  for (int g = 0; g < parts.gpus; ++g) {
    auto* at = static_cast<char*>(parts.data[g]);
    if (!shuffled || !s.shuffles) {
      const size_t from = before(s.first, parts.gpus, g), to = before(s.first, parts.gpus, g + 1);
      visit(at, from * s.second * s.piece, (to - from) * s.second * s.piece);
      continue;
    }
    const size_t from = before(s.second, parts.gpus, g), to = before(s.second, parts.gpus, g + 1);
    for (size_t i = 0; i < s.first; ++i, at += (to - from) * s.piece)
      visit(at, (i * s.second + from) * s.piece, (to - from) * s.piece);
  }
}
void gather(const Shape& s, const Spread& from, char* all) {
  for_each_run(s, *from.parts, from.format == kShuffled,
               [&](const char* at, size_t place, size_t bytes) { std::memcpy(all + place, at, bytes); });
}
void scatter(const Shape& s, const char* all, Spread& to, int format) {
  to.format = format;
  for (int g = 0; g < to.parts->gpus; ++g)
    to.parts->size[g] = share(s, to.parts->gpus, g, format == kShuffled);
  for_each_run(s, *to.parts, format == kShuffled,
               [&](char* at, size_t place, size_t bytes) { std::memcpy(at, all + place, bytes); });
}

void drop(Spread* data) {
  for (int g = 0; g < data->parts->gpus; ++g)
    if (data->parts->data[g]) cudaFree(data->parts->data[g]);
  delete data->parts;
  delete data;
}
bool right(const Spread* data) { return data && data->parts; }

}  // namespace

WW_LIBRARY_API Result cufftXtSetGPUs(int handle, int count, int* devices) {
  auto plan = plan_of(handle);
  if (!plan || !plan->sizes.empty()) return Result::InvalidPlan;  // before it is planned
  if (count < 1 || count > kMostGpus || !devices) return Result::InvalidValue;
  int all = 0;
  if (cudaGetDeviceCount(&all) != 0) return Result::InvalidDevice;
  // One may be named more than once: so a program for several GPUs is tried where there is one.
  for (int g = 0; g < count; ++g)
    if (devices[g] < 0 || devices[g] >= all) return Result::InvalidDevice;
  plan->devices.assign(devices, devices + count);
  return Result::Success;
}

WW_LIBRARY_API Result cufftXtMalloc(int handle, Spread** data, int format) {
  auto plan = plan_of(handle);
  if (!plan || plan->sizes.empty() || plan->devices.empty()) return Result::InvalidPlan;
  if (!data) return Result::InvalidValue;
  // Of the others, which are for transforms out of place and by other libraries' shares, nothing is there.
  if (format != kNatural && format != kShuffled) return Result::NotSupported;
  const Shape s = shape_of(*plan);
  int now = 0;
  cudaGetDevice(&now);
  auto* made = new Spread{1, new Parts{}, 0, format, nullptr};
  made->parts->version = 1, made->parts->gpus = static_cast<int>(plan->devices.size());
  bool good = true;
  for (int g = 0; g < made->parts->gpus; ++g) {
    Parts& p = *made->parts;
    p.devices[g] = plan->devices[static_cast<size_t>(g)];
    p.size[g] = share(s, p.gpus, g, format == kShuffled);
    const size_t most = std::max(share(s, p.gpus, g, false), share(s, p.gpus, g, true));
    cudaSetDevice(p.devices[g]);
    good = good && cudaMalloc(&p.data[g], std::max(most, size_t{1})) == 0;
  }
  cudaSetDevice(now);
  if (!good) {
    drop(made);
    return Result::AllocFailed;
  }
  *data = made;
  return Result::Success;
}
WW_LIBRARY_API Result cufftXtFree(Spread* data) {
  if (!right(data)) return Result::InvalidValue;
  drop(data);
  return Result::Success;
}

WW_LIBRARY_API Result cufftXtMemcpy(int handle, void* to, void* from, int way) {
  auto plan = plan_of(handle);
  if (!plan || plan->sizes.empty() || plan->devices.empty()) return Result::InvalidPlan;
  if (!to || !from || way < 0 || way > 2) return Result::InvalidValue;
  const Shape s = shape_of(*plan);
  auto* there = static_cast<Spread*>(to);
  if (static_cast<Way>(way) == Way::ToDevice) {
    scatter(s, static_cast<const char*>(from), *there, there->format);
    return Result::Success;
  }
  if (static_cast<Way>(way) == Way::ToHost) {
    gather(s, *static_cast<Spread*>(from), static_cast<char*>(to));
    return Result::Success;
  }
  std::vector<char> all(s.bytes());
  gather(s, *static_cast<Spread*>(from), all.data());
  scatter(s, all.data(), *there, kNatural);
  return Result::Success;
}

WW_LIBRARY_API Result cufftXtExecDescriptor(int handle, Spread* in, Spread* out, int direction) {
  auto plan = plan_of(handle);
  if (!plan || plan->sizes.empty() || plan->devices.empty()) return Result::InvalidPlan;
  if (!right(in) || in != out) return Result::InvalidValue;  // in place, as both formats are
  const Shape s = shape_of(*plan);
  std::vector<char> all(s.bytes());
  gather(s, *in, all.data());
  const Result done = cufftXtExec(handle, all.data(), all.data(), direction);
  // What was natural comes out shuffled, and the other way round; batches stay as they are.
  if (done == Result::Success)
    scatter(s, all.data(), *out, plan->batch > 1 || in->format == kShuffled ? kNatural : kShuffled);
  return done;
}
#define WW_EXEC(name)                                                                      \
  WW_LIBRARY_API Result cufftXtExecDescriptor##name(int handle, Spread* in, Spread* out) { \
    auto plan = plan_of(handle);                                                           \
    if (plan && plan->kind != Kind::name) return Result::InvalidType;                      \
    return cufftXtExecDescriptor(handle, in, out, 0);                                      \
  }
#define WW_EXEC_BOTH_WAYS(name)                                                                           \
  WW_LIBRARY_API Result cufftXtExecDescriptor##name(int handle, Spread* in, Spread* out, int direction) { \
    auto plan = plan_of(handle);                                                                          \
    if (plan && plan->kind != Kind::name) return Result::InvalidType;                                     \
    return cufftXtExecDescriptor(handle, in, out, direction);                                             \
  }
WW_EXEC_BOTH_WAYS(C2C)
WW_EXEC_BOTH_WAYS(Z2Z)
WW_EXEC(R2C)
WW_EXEC(C2R)
WW_EXEC(D2Z)
WW_EXEC(Z2D)
