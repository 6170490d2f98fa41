// cuRAND's host API in front of the installed library. That one has a second kind of generator, on the host,
// which needs no GPU and gives the same numbers (cuRAND manual, curandCreateGeneratorHost); device memory
// lies where the host sees it, so it may as well write there.
#include <cstddef>

#include "cuda/stubs/installed.h"
#include "cuda/stubs/library.h"
#include "cuda/stubs/submit.h"
#include "cuda/stubs/touches.h"

namespace {

// curandStatus_t.
constexpr int kSuccess = 0, kNotInitialized = 101, kInitializationFailed = 203, kLaunchFailure = 201;

void* library() {
  static void* opened = []() -> void* {
    if (void* found = ww::installed::open(WW_BEHIND)) return found;
    ww::installed::say(
        WW_BEHIND " is not installed; its numbers come from the one of a CUDA toolkit (CUDA_HOME names it)");
    return nullptr;
  }();
  return opened;
}

template <class F>
F* theirs(F*, const char* name) {
  return library() ? reinterpret_cast<F*>(::dlsym(library(), name)) : nullptr;
}

/// What the program holds as curandGenerator_t.
struct Generator {
  void* host = nullptr;    ///< the installed library's generator on the host
  void* stream = nullptr;  ///< where its work belongs
};

template <class F>
int generate(Generator* generator, F&& call) {
  if (!generator) return kNotInitialized;
  int result = kSuccess;
  // Errors of work that a graph repeats are not reported.
  auto* heard = &result;
  int capturing = 0;
  if (cudaStreamIsCapturing(generator->stream, &capturing) != 0) return kLaunchFailure;
  if (capturing) heard = nullptr;
  auto work = [host = generator->host, call, heard] {
    int got = call(host);
    if (heard) *heard = got;
  };
  return ww::stubs::submit(generator->stream, work) ? result : kLaunchFailure;
}

/// What a function with these arguments writes.
template <class T, class... Rest>
void touched(Generator*, T* to, size_t n, Rest...) {
  ww::stubs::touches(to, static_cast<int64_t>(n));
}
void touched(Generator*) {}

}  // namespace

WW_LIBRARY_API int curandCreateGeneratorHost(Generator** generator, int type);
WW_LIBRARY_API int curandCreateGenerator(Generator** generator, int type) {
  using F = int (*)(void**, int);
  auto f = reinterpret_cast<F>(library() ? ::dlsym(library(), "curandCreateGeneratorHost") : nullptr);
  if (!f || !generator) return kInitializationFailed;
  auto* made = new Generator;
  if (int failed = f(&made->host, type)) {
    delete made;
    return failed;
  }
  *generator = made;
  return kSuccess;
}
int curandCreateGeneratorHost(Generator** generator, int type) {
  return curandCreateGenerator(generator, type);
}

WW_LIBRARY_API int curandDestroyGenerator(Generator* generator) {
  auto* f =
      reinterpret_cast<int (*)(void*)>(library() ? ::dlsym(library(), "curandDestroyGenerator") : nullptr);
  if (!f || !generator) return kNotInitialized;
  int result = f(generator->host);
  delete generator;
  return result;
}
WW_LIBRARY_API int curandSetStream(Generator* generator, void* stream) {
  if (!generator) return kNotInitialized;
  generator->stream = stream;
  return kSuccess;
}

// A function of a generator: WW_GENERATES at its place in the stream, WW_SETS at once. Theirs takes the
// handle that it gave.
#define WW_GENERATES(name, parameters, arguments)   \
  WW_LIBRARY_API int name parameters {              \
    auto* f = theirs(&name, #name);                 \
    if (!f) return kNotInitialized;                 \
    return generate(generator, [=](void* handle) {  \
      auto* host = static_cast<Generator*>(handle); \
      touched arguments;                            \
      return f arguments;                           \
    });                                             \
  }
#define WW_SETS(name, type)                                                                       \
  WW_LIBRARY_API int name(Generator* generator, type value) {                                     \
    auto* f = theirs(&name, #name);                                                               \
    return f && generator ? f(static_cast<Generator*>(generator->host), value) : kNotInitialized; \
  }
#define WW_PASSES(name, parameters, arguments) \
  WW_LIBRARY_API int name parameters {         \
    auto* f = theirs(&name, #name);            \
    return f ? f arguments : kNotInitialized;  \
  }

WW_GENERATES(curandGenerate, (Generator * generator, unsigned* to, size_t n), (host, to, n))
WW_GENERATES(curandGenerateLongLong, (Generator * generator, unsigned long long* to, size_t n), (host, to, n))
WW_GENERATES(curandGenerateUniform, (Generator * generator, float* to, size_t n), (host, to, n))
WW_GENERATES(curandGenerateUniformDouble, (Generator * generator, double* to, size_t n), (host, to, n))
WW_GENERATES(curandGenerateNormal, (Generator * generator, float* to, size_t n, float mean, float deviation),
             (host, to, n, mean, deviation))
WW_GENERATES(curandGenerateNormalDouble,
             (Generator * generator, double* to, size_t n, double mean, double deviation),
             (host, to, n, mean, deviation))
WW_GENERATES(curandGenerateLogNormal,
             (Generator * generator, float* to, size_t n, float mean, float deviation),
             (host, to, n, mean, deviation))
WW_GENERATES(curandGenerateLogNormalDouble,
             (Generator * generator, double* to, size_t n, double mean, double deviation),
             (host, to, n, mean, deviation))
WW_GENERATES(curandGeneratePoisson, (Generator * generator, unsigned* to, size_t n, double mean),
             (host, to, n, mean))
WW_GENERATES(curandGeneratePoissonMethod,
             (Generator * generator, unsigned* to, size_t n, double mean, int method),
             (host, to, n, mean, method))
WW_GENERATES(curandGenerateSeeds, (Generator * generator), (host))
WW_SETS(curandSetPseudoRandomGeneratorSeed, unsigned long long)
WW_SETS(curandSetGeneratorOffset, unsigned long long)
WW_SETS(curandSetGeneratorOrdering, int)
WW_SETS(curandSetQuasiRandomGeneratorDimensions, unsigned)
WW_PASSES(curandGetVersion, (int* version), (version))
WW_PASSES(curandGetProperty, (int which, int* value), (which, value))
WW_PASSES(curandGetDirectionVectors32, (void** vectors, int set), (vectors, set))
WW_PASSES(curandGetDirectionVectors64, (void** vectors, int set), (vectors, set))
WW_PASSES(curandGetScrambleConstants32, (unsigned** constants), (constants))
WW_PASSES(curandGetScrambleConstants64, (unsigned long long** constants), (constants))

// Tables in device memory for curand_poisson in kernels: theirs are on a card.
WW_LIBRARY_API int curandCreatePoissonDistribution(double, void**) {
  ww::installed::say("curandCreatePoissonDistribution is not there");
  return kInitializationFailed;
}
WW_LIBRARY_API int curandDestroyDistribution(void*) { return kNotInitialized; }
