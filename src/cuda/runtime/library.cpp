// CUDA Runtime API: Library Management, Driver Entry Point Access.
#include "cuda/core/library.h"

#include "cuda/core/attributes.h"
#include "cuda/core/context.h"
#include "cuda/core/platform.h"
#include "cuda/core/registry.h"
#include "cuda/driver/entry_point.h"

using namespace ww::cuda;

namespace {

template <class F>
Error with_code(CodeModule* library, F&& body) {
  return api([&](DeviceContext& d) -> Error {
    return is_library(library) ? body(*library, d) : Error::InvalidResourceHandle;
  });
}

Error entry_point(const char* name, void** function, u32 version, unsigned long long flags, int* status) {
  return plain_api([&]() -> Error {
    if (!name || !function || flags > 2) return Error::InvalidValue;
    set_driver_ready();
    bool too_new = false;
    *function = driver_entry(name, static_cast<int>(version), flags == 2, too_new);
    if (status) *status = *function ? 0 : too_new ? 2 : 1;
    return *function || status ? Error::Success : Error::SymbolNotFound;
  });
}

}  // namespace

WW_CUDA_API Error cudaLibraryLoadData(CodeModule** library, const void* code, int*, void**, u32, int*, void**,
                                      u32) {
  return api([&](DeviceContext&) -> Error {
    return library && code ? load_library(code, *library) : Error::InvalidValue;
  });
}
WW_CUDA_API Error cudaLibraryLoadFromFile(CodeModule** library, const char* file, int*, void**, u32, int*,
                                          void**, u32) {
  return api([&](DeviceContext&) -> Error {
    return library && file ? load_library_file(file, *library) : Error::InvalidValue;
  });
}
WW_CUDA_API Error cudaLibraryUnload(CodeModule* library) {
  return api([&](DeviceContext&) { return unload_library(library); });
}
WW_CUDA_API Error cudaLibraryGetKernel(Function** kernel, CodeModule* library, const char* name) {
  return with_code(library, [&](CodeModule& l, DeviceContext& d) -> Error {
    if (!kernel || !name) return Error::InvalidValue;
    Error why = Error::Success;
    *kernel = l.find_function(d, name, why);
    return why;
  });
}
WW_CUDA_API Error cudaLibraryGetKernelCount(u32* count, CodeModule* library) {
  return with_code(library, [&](CodeModule& l, DeviceContext& d) -> Error {
    if (!count) return Error::InvalidValue;
    *count = static_cast<u32>(l.kernels(d).size());
    return Error::Success;
  });
}
WW_CUDA_API Error cudaLibraryEnumerateKernels(Function** kernels, u32 count, CodeModule* library) {
  return with_code(library, [&](CodeModule& l, DeviceContext& d) -> Error {
    if (!kernels) return Error::InvalidValue;
    auto names = l.kernels(d);
    for (u32 k = 0; k < count && k < names.size(); ++k) kernels[k] = l.declare_function(names[k]);
    return Error::Success;
  });
}
WW_CUDA_API Error cudaLibraryGetGlobal(void** at, size_t* bytes, CodeModule* library, const char* name) {
  return with_code(library, [&](CodeModule& l, DeviceContext& d) -> Error {
    ww::cuda::u64 address = 0, size = 0;
    if (!name || (!at && !bytes)) return Error::InvalidValue;
    if (Error e = l.variable(d, name, address, size); e != Error::Success) return e;
    if (at) *at = reinterpret_cast<void*>(address);
    if (bytes) *bytes = size;
    return Error::Success;
  });
}
WW_CUDA_API Error cudaLibraryGetManaged(void** at, size_t* bytes, CodeModule* library, const char* name) {
  return cudaLibraryGetGlobal(at, bytes, library, name);
}
WW_CUDA_API Error cudaKernelSetAttributeForDevice(Function* kernel, int attribute, int value, int device) {
  return api([&](DeviceContext&) -> Error {
    Function* f = function_of(kernel);
    DeviceContext* d = Platform::get().device(device);
    if (!f) return Error::InvalidDeviceFunction;
    return d ? set_function_attribute(*d, *f, attribute, value) : Error::InvalidDevice;
  });
}

WW_CUDA_API Error cudaGetDriverEntryPoint(const char* name, void** function, unsigned long long flags,
                                          int* status) {
  return entry_point(name, function, static_cast<u32>(Platform::get().runtime_version()), flags, status);
}
WW_CUDA_API Error cudaGetDriverEntryPointByVersion(const char* name, void** function, u32 version,
                                                   unsigned long long flags, int* status) {
  return entry_point(name, function, version, flags, status);
}
WW_CUDA_API Error cudaGetDriverEntryPoint_ptsz(const char* name, void** function, unsigned long long flags,
                                               int* status) {
  return cudaGetDriverEntryPoint(name, function, flags ? flags : 2, status);
}
WW_CUDA_API Error cudaGetDriverEntryPointByVersion_ptsz(const char* name, void** function, u32 version,
                                                        unsigned long long flags, int* status) {
  return entry_point(name, function, version, flags ? flags : 2, status);
}
