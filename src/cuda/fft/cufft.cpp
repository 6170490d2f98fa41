// cuFFT on the processor: plans of one to three dimensions, batches, all data layouts, single and double
// precision, complex and real (cuFFT manual). Device memory lies where the host sees it.
#include <map>
#include <mutex>

#include "cuda/fft/plan.h"
#include "cuda/fft/transform.h"
#include "cuda/stubs/refused.h"
#include "cuda/stubs/submit.h"
#include "cuda/stubs/touches.h"

namespace {

using namespace ww::fft;

struct Plans {
  std::mutex mutex;
  std::map<int, std::shared_ptr<Plan>> all;
  int next = 1;
};
Plans& plans() {
  static auto* all = new Plans;
  return *all;
}

}  // namespace

std::shared_ptr<Plan> ww::fft::plan_of(int handle) {
  std::lock_guard lock(plans().mutex);
  auto it = plans().all.find(handle);
  return it == plans().all.end() ? nullptr : it->second;
}

namespace {

bool is_kind(Kind kind) {
  return kind == Kind::R2C || kind == Kind::C2R || kind == Kind::C2C || kind == Kind::D2Z ||
         kind == Kind::Z2D || kind == Kind::Z2Z;
}

/// The layout of one side in elements: basic ones of a real side in place are padded to whole complex
/// numbers.
Layout packed(const Layout& given, const std::vector<int64_t>& sizes, int64_t last) {
  if (!given.embed.empty()) return given;
  Layout basic;
  basic.embed = sizes;
  basic.embed.back() = last;
  basic.distance = 1;
  for (int64_t n : basic.embed) basic.distance *= n;
  return basic;
}

/// Calls visit(place in the packed array of `sizes`, element of the layout) for the elements of one batch.
template <class F>
void for_each(const std::vector<int64_t>& sizes, const Layout& layout, int64_t batch, F&& visit) {
  int64_t all = 1;
  for (int64_t n : sizes) all *= n;
  for (int64_t k = 0; k < all; ++k) {
    int64_t rest = k, at = 0, apart = 1;
    for (size_t d = sizes.size(); d-- > 0;) {
      at += rest % sizes[d] * apart;
      rest /= sizes[d];
      apart *= layout.embed[d];
    }
    visit(k, batch * layout.distance + at * layout.stride);
  }
}

/// How many numbers there are from the first to the last of all batches.
int64_t numbers_of(const std::vector<int64_t>& sizes, const Layout& layout, int64_t batches, bool real) {
  int64_t last = 0, apart = 1;
  for (size_t d = sizes.size(); d-- > 0; apart *= layout.embed[d]) last += (sizes[d] - 1) * apart;
  return ((batches - 1) * layout.distance + last * layout.stride + 1) * (real ? 1 : 2);
}

/// The other half of what a real signal has: X[-k] = conj(X[k]).
void complete(std::vector<Complex>& x, const std::vector<int64_t>& sizes) {
  const int64_t n = sizes.back(), half = n / 2 + 1;
  const auto rows = static_cast<int64_t>(x.size()) / n;
  for (int64_t row = 0; row < rows; ++row) {
    int64_t rest = row, mirrored = 0, apart = 1;
    for (size_t d = sizes.size() - 1; d-- > 0;) {
      mirrored += (sizes[d] - rest % sizes[d]) % sizes[d] * apart;
      rest /= sizes[d];
      apart *= sizes[d];
    }
    for (int64_t j = half; j < n; ++j)
      x[static_cast<size_t>(row * n + j)] = std::conj(x[static_cast<size_t>(mirrored * n + n - j)]);
  }
}

template <class T>
void run(const Plan& plan, const T* in, T* out, bool real_in, bool real_out, bool inverse) {
  const int64_t n = plan.sizes.back(), half = n / 2 + 1, padded = in == out ? 2 * half : n;
  std::vector<int64_t> sizes_in = plan.sizes, sizes_out = plan.sizes;
  if (real_out) sizes_in.back() = half;
  if (real_in) sizes_out.back() = half;
  const Layout from = packed(plan.in, plan.sizes, real_in ? padded : sizes_in.back());
  const Layout to = packed(plan.out, plan.sizes, real_out ? padded : sizes_out.back());
  int64_t all = 1;
  for (int64_t size : plan.sizes) all *= size;
  std::vector<Complex> x(static_cast<size_t>(all));
  ww::stubs::touches(in, numbers_of(sizes_in, from, plan.batch, real_in));
  ww::stubs::touches(out, numbers_of(sizes_out, to, plan.batch, real_out));
  const auto place = [n](int64_t k, int64_t row) { return static_cast<size_t>(k / row * n + k % row); };
  for (int64_t b = 0; b < plan.batch; ++b) {
    for_each(sizes_in, from, b, [&](int64_t k, int64_t at) {
      x[place(k, sizes_in.back())] = real_in ? Complex(in[at]) : Complex(in[2 * at], in[2 * at + 1]);
    });
    if (real_out) complete(x, plan.sizes);
    ww::fft::transform(x.data(), plan.sizes, inverse);
    for_each(sizes_out, to, b, [&](int64_t k, int64_t at) {
      const Complex c = x[place(k, sizes_out.back())];
      if (real_out)
        out[at] = static_cast<T>(c.real());
      else
        out[2 * at] = static_cast<T>(c.real()), out[2 * at + 1] = static_cast<T>(c.imag());
    });
  }
}

template <class T>
Result execute(int handle, Kind kind, const void* in, void* out, bool real_in, bool real_out, bool inverse) {
  auto plan = plan_of(handle);
  if (!plan || plan->sizes.empty()) return Result::InvalidPlan;
  if (plan->kind != kind) return Result::InvalidType;
  if (!in || !out) return Result::InvalidValue;
  auto work = [=, kept = *plan] {
    run(kept, static_cast<const T*>(in), static_cast<T*>(out), real_in, real_out, inverse);
  };
  return ww::stubs::submit(plan->stream, work) ? Result::Success : Result::ExecFailed;
}

template <class N>
std::vector<int64_t> sizes_of(int rank, const N* n) {
  return n && rank > 0 ? std::vector<int64_t>(n, n + rank) : std::vector<int64_t>();
}

template <class N>
Result make(int handle, int rank, const N* n, const N* in_embed, N in_stride, N in_distance,
            const N* out_embed, N out_stride, N out_distance, Kind kind, N batch, size_t* work) {
  auto plan = plan_of(handle);
  if (!plan || !plan->sizes.empty()) return Result::InvalidPlan;
  if (!is_kind(kind)) return Result::InvalidType;
  if (rank < 1 || rank > 3 || !n || batch < 1) return Result::InvalidSize;
  for (int d = 0; d < rank; ++d)
    if (n[d] < 1) return Result::InvalidSize;
  // With one of the two missing, both sides have the basic layout.
  if (in_embed && out_embed) {
    plan->in = {sizes_of(rank, in_embed), in_stride, in_distance};
    plan->out = {sizes_of(rank, out_embed), out_stride, out_distance};
  }
  plan->kind = kind, plan->batch = batch, plan->sizes = sizes_of(rank, n);
  for (size_t g = 0; work && g < std::max<size_t>(1, plan->devices.size()); ++g) work[g] = 0;
  return Result::Success;
}
Result make(int handle, std::vector<int> n, Kind kind, int batch, size_t* work) {
  return make<int>(handle, static_cast<int>(n.size()), n.data(), nullptr, 1, 0, nullptr, 1, 0, kind, batch,
                   work);
}

}  // namespace

WW_LIBRARY_API Result cufftCreate(int* handle) {
  if (!handle) return Result::InvalidValue;
  std::lock_guard lock(plans().mutex);
  *handle = plans().next++;
  plans().all[*handle] = std::make_shared<Plan>();
  return Result::Success;
}
WW_LIBRARY_API Result cufftDestroy(int handle) {
  std::lock_guard lock(plans().mutex);
  return plans().all.erase(handle) ? Result::Success : Result::InvalidPlan;
}
WW_LIBRARY_API Result cufftMakePlan1d(int handle, int n, Kind kind, int batch, size_t* work) {
  return make(handle, {n}, kind, batch, work);
}
WW_LIBRARY_API Result cufftMakePlan2d(int handle, int nx, int ny, Kind kind, size_t* work) {
  return make(handle, {nx, ny}, kind, 1, work);
}
WW_LIBRARY_API Result cufftMakePlan3d(int handle, int nx, int ny, int nz, Kind kind, size_t* work) {
  return make(handle, {nx, ny, nz}, kind, 1, work);
}
WW_LIBRARY_API Result cufftMakePlanMany(int handle, int rank, int* n, int* in_embed, int in_stride,
                                        int in_distance, int* out_embed, int out_stride, int out_distance,
                                        Kind kind, int batch, size_t* work) {
  return make<int>(handle, rank, n, in_embed, in_stride, in_distance, out_embed, out_stride, out_distance,
                   kind, batch, work);
}
WW_LIBRARY_API Result cufftMakePlanMany64(int handle, int rank, long long* n, long long* in_embed,
                                          long long in_stride, long long in_distance, long long* out_embed,
                                          long long out_stride, long long out_distance, Kind kind,
                                          long long batch, size_t* work) {
  return make<long long>(handle, rank, n, in_embed, in_stride, in_distance, out_embed, out_stride,
                         out_distance, kind, batch, work);
}
/// The plan by cudaDataType: real or complex (R_32F 0, R_64F 1, C_32F 4, C_64F 5), the same on both sides but
/// for that.
WW_LIBRARY_API Result cufftXtMakePlanMany(int handle, int rank, long long* n, long long* in_embed,
                                          long long in_stride, long long in_distance, int in_type,
                                          long long* out_embed, long long out_stride, long long out_distance,
                                          int out_type, long long batch, size_t* work, int compute_type) {
  const bool is_double = in_type == 1 || in_type == 5, real_in = in_type < 4, real_out = out_type < 4;
  const int real = is_double, complex = 4 + is_double;
  if ((in_type != real && in_type != complex) || (out_type != real && out_type != complex) ||
      compute_type != complex || (real_in && real_out))
    return Result::InvalidType;
  const Kind single = real_in ? Kind::R2C : real_out ? Kind::C2R : Kind::C2C;
  const Kind kind = static_cast<Kind>(static_cast<int>(single) + (is_double ? 0x40 : 0));
  return make<long long>(handle, rank, n, in_embed, in_stride, in_distance, out_embed, out_stride,
                         out_distance, kind, batch, work);
}

namespace {
/// A new plan, of which nothing is left where it cannot be made.
template <class F>
Result planned(int* handle, F&& make_it) {
  if (Result r = cufftCreate(handle); r != Result::Success) return r;
  Result r = make_it(*handle);
  if (r != Result::Success) cufftDestroy(*handle);
  return r;
}
}  // namespace
WW_LIBRARY_API Result cufftPlan1d(int* handle, int n, Kind kind, int batch) {
  return planned(handle, [&](int plan) { return make(plan, {n}, kind, batch, nullptr); });
}
WW_LIBRARY_API Result cufftPlan2d(int* handle, int nx, int ny, Kind kind) {
  return planned(handle, [&](int plan) { return make(plan, {nx, ny}, kind, 1, nullptr); });
}
WW_LIBRARY_API Result cufftPlan3d(int* handle, int nx, int ny, int nz, Kind kind) {
  return planned(handle, [&](int plan) { return make(plan, {nx, ny, nz}, kind, 1, nullptr); });
}
WW_LIBRARY_API Result cufftPlanMany(int* handle, int rank, int* n, int* in_embed, int in_stride,
                                    int in_distance, int* out_embed, int out_stride, int out_distance,
                                    Kind kind, int batch) {
  return planned(handle, [&](int plan) {
    return make<int>(plan, rank, n, in_embed, in_stride, in_distance, out_embed, out_stride, out_distance,
                     kind, batch, nullptr);
  });
}

WW_LIBRARY_API Result cufftExecC2C(int plan, void* in, void* out, int direction) {
  return execute<float>(plan, Kind::C2C, in, out, false, false, direction > 0);
}
WW_LIBRARY_API Result cufftExecR2C(int plan, void* in, void* out) {
  return execute<float>(plan, Kind::R2C, in, out, true, false, false);
}
WW_LIBRARY_API Result cufftExecC2R(int plan, void* in, void* out) {
  return execute<float>(plan, Kind::C2R, in, out, false, true, true);
}
WW_LIBRARY_API Result cufftExecZ2Z(int plan, void* in, void* out, int direction) {
  return execute<double>(plan, Kind::Z2Z, in, out, false, false, direction > 0);
}
WW_LIBRARY_API Result cufftExecD2Z(int plan, void* in, void* out) {
  return execute<double>(plan, Kind::D2Z, in, out, true, false, false);
}
WW_LIBRARY_API Result cufftExecZ2D(int plan, void* in, void* out) {
  return execute<double>(plan, Kind::Z2D, in, out, false, true, true);
}
WW_LIBRARY_API Result cufftXtExec(int handle, void* in, void* out, int direction) {
  auto plan = plan_of(handle);
  if (!plan || plan->sizes.empty()) return Result::InvalidPlan;
  switch (plan->kind) {
    case Kind::C2C:
      return cufftExecC2C(handle, in, out, direction);
    case Kind::R2C:
      return cufftExecR2C(handle, in, out);
    case Kind::C2R:
      return cufftExecC2R(handle, in, out);
    case Kind::Z2Z:
      return cufftExecZ2Z(handle, in, out, direction);
    case Kind::D2Z:
      return cufftExecD2Z(handle, in, out);
    case Kind::Z2D:
      return cufftExecZ2D(handle, in, out);
  }
  return Result::InvalidPlan;
}

WW_LIBRARY_API Result cufftSetStream(int handle, void* stream) {
  auto plan = plan_of(handle);
  if (!plan) return Result::InvalidPlan;
  plan->stream = stream;
  return Result::Success;
}
// No work area is needed: whatever the program gives or asks, it is of no bytes.
WW_LIBRARY_API Result cufftSetWorkArea(int handle, void*) {
  return plan_of(handle) ? Result::Success : Result::InvalidPlan;
}
WW_LIBRARY_API Result cufftSetAutoAllocation(int handle, int) {
  return plan_of(handle) ? Result::Success : Result::InvalidPlan;
}
WW_LIBRARY_API Result cufftGetSize(int handle, size_t* bytes) {
  if (!plan_of(handle)) return Result::InvalidPlan;
  if (!bytes) return Result::InvalidValue;
  *bytes = 0;
  return Result::Success;
}
WW_LIBRARY_API Result cufftGetVersion(int* version) {
  if (!version) return Result::InvalidValue;
  *version = 12000;
  return Result::Success;
}
WW_LIBRARY_API Result cufftGetProperty(int which, int* value) {
  if (!value || which < 0 || which > 2) return Result::InvalidValue;
  *value = which == 0 ? 12 : 0;
  return Result::Success;
}

#define WW_REFUSED(name) \
  WW_LIBRARY_API int name() { return ww::stubs::refuse(#name, "CUFFT_NOT_SUPPORTED", 16); }
#include "cuda/fft/refused.inc"
