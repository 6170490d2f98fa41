// What nvcc's code calls by itself: registration before main, and the two halves of <<<…>>>.
#include "cuda/core/registry.h"

#include "cuda/core/operation.h"
#include "cuda/core/platform.h"
#include "cuda/core/stream.h"

using namespace ww::cuda;

namespace {
CodeModule* module_of(void** handle) { return reinterpret_cast<CodeModule*>(handle); }
}  // namespace

WW_CUDA_API void** __cudaRegisterFatBinary(void* wrapper) {
  return reinterpret_cast<void**>(Registry::get().add_binary(wrapper));
}
WW_CUDA_API void __cudaRegisterFatBinaryEnd(void** handle) {
  Registry::get().complete(module_of(handle));
}
// Our headers for clang call it, before anything is registered.
WW_CUDA_API void ww_cuda_share(const void* begin, const void* end) {
  Registry::get().add_shared_range(begin, end);
}
WW_CUDA_API void __cudaUnregisterFatBinary(void** handle) {
  Registry::get().remove_binary(module_of(handle));
}

WW_CUDA_API void __cudaRegisterFunction(void** handle, const char* host, char*, const char* name, int, void*,
                                        void*, void*, void*, int*) {
  Registry::get().add_function(module_of(handle), host, name);
}
WW_CUDA_API void __cudaRegisterVar(void** handle, char* host, char*, const char* name, int, size_t bytes, int,
                                   int) {
  Registry::get().add_variable(module_of(handle), host, name, bytes);
}
WW_CUDA_API void __cudaRegisterHostVar(void** handle, const char* name, char* host, size_t bytes) {
  Registry::get().add_variable(module_of(handle), host, name, bytes);
}
WW_CUDA_API void __cudaRegisterManagedVar(void** handle, void** pointer, char*, const char* name, int,
                                          size_t bytes, int, int) {
  Registry::get().add_managed(module_of(handle), pointer, name, bytes);
}
WW_CUDA_API char __cudaInitModule(void**) {
  Registry::get().init_managed(Platform::get().current());
  return 1;
}
WW_CUDA_API void __cudaRegisterUnifiedTable(void**, void*) {}

WW_CUDA_API u32 __cudaPushCallConfiguration(Dim3 grid, Dim3 block, size_t shared, Stream* stream) {
  here().pushed.push_back({grid, block, shared, stream});
  return 0;
}
WW_CUDA_API Error __cudaPopCallConfiguration(Dim3* grid, Dim3* block, size_t* shared, void* stream) {
  auto& pushed = here().pushed;
  if (pushed.empty()) return here().last = Error::MissingConfiguration;
  *grid = pushed.back().grid, *block = pushed.back().block, *shared = pushed.back().shared;
  *static_cast<Stream**>(stream) = pushed.back().stream;
  pushed.pop_back();
  return Error::Success;
}

WW_CUDA_API Error __cudaGetKernel(Function** kernel, const void* host) {
  *kernel = Registry::get().function(host);
  return *kernel ? Error::Success : Error::InvalidDeviceFunction;
}
