// CUDA Driver API: Library Management. A library is the same for all devices; its code is read at first use.
#include "cuda/core/library.h"

#include "cuda/core/attributes.h"
#include "cuda/driver/call.h"
#include "cuda/runtime/calls.h"

using namespace ww::cuda;
using namespace ww::cuda::calls;

namespace {

template <class F>
Error with_library(CodeModule* library, F&& body) {
  return driver([&](DeviceContext& d) -> Error {
    return is_library(library) ? body(*library, d) : Error::InvalidResourceHandle;
  });
}
template <class F>
Error with_kernel(Function* kernel, F&& body) {
  return driver([&](DeviceContext& d) -> Error {
    Function* f = live_function(kernel);
    return f ? body(*f, d) : Error::InvalidResourceHandle;
  });
}

}  // namespace

WW_CUDA_API Error cuLibraryLoadData(CodeModule** library, const void* code, int*, void**, u32, int*, void**,
                                    u32) {
  return driver_plain(
      [&]() -> Error { return library && code ? load_library(code, *library) : Error::InvalidValue; });
}
WW_CUDA_API Error cuLibraryLoadFromFile(CodeModule** library, const char* file, int*, void**, u32, int*,
                                        void**, u32) {
  return driver_plain(
      [&]() -> Error { return library && file ? load_library_file(file, *library) : Error::InvalidValue; });
}
WW_CUDA_API Error cuLibraryUnload(CodeModule* library) {
  return driver_plain([&] { return unload_library(library); });
}
WW_CUDA_API Error cuLibraryGetKernel(Function** kernel, CodeModule* library, const char* name) {
  return with_library(library, [&](CodeModule& l, DeviceContext& d) -> Error {
    if (!kernel || !name) return Error::InvalidValue;
    Error why = Error::Success;
    *kernel = l.find_function(d, name, why);
    return why;
  });
}
WW_CUDA_API Error cuLibraryGetKernelCount(u32* count, CodeModule* library) {
  return with_library(library, [&](CodeModule& l, DeviceContext& d) -> Error {
    if (!count) return Error::InvalidValue;
    *count = static_cast<u32>(l.kernels(d).size());
    return Error::Success;
  });
}
WW_CUDA_API Error cuLibraryEnumerateKernels(Function** kernels, u32 count, CodeModule* library) {
  return with_library(library, [&](CodeModule& l, DeviceContext& d) -> Error {
    if (!kernels) return Error::InvalidValue;
    auto names = l.kernels(d);
    for (u32 k = 0; k < count && k < names.size(); ++k) kernels[k] = l.declare_function(names[k]);
    return Error::Success;
  });
}
// A module is the library as the current device has it, and here the same thing.
WW_CUDA_API Error cuLibraryGetModule(CodeModule** module, CodeModule* library) {
  return with_library(library, [&](CodeModule& l, DeviceContext& d) -> Error {
    LoadedCode* code = nullptr;
    if (!module) return Error::InvalidValue;
    *module = &l;
    return l.on(d, code);
  });
}
WW_CUDA_API Error cuLibraryGetGlobal(DevicePointer* at, size_t* bytes, CodeModule* library,
                                     const char* name) {
  return with_library(library, [&](CodeModule& l, DeviceContext& d) -> Error {
    ww::cuda::u64 address = 0, size = 0;
    if (!name || (!at && !bytes)) return Error::InvalidValue;
    if (Error e = l.variable(d, name, address, size); e != Error::Success) return e;
    if (at) *at = address;
    if (bytes) *bytes = size;
    return Error::Success;
  });
}
WW_CUDA_API Error cuLibraryGetManaged(DevicePointer* at, size_t* bytes, CodeModule* library,
                                      const char* name) {
  return cuLibraryGetGlobal(at, bytes, library, name);
}

WW_CUDA_API Error cuKernelGetFunction(Function** function, Function* kernel) {
  return with_kernel(kernel, [&](Function& f, DeviceContext&) -> Error {
    if (!function) return Error::InvalidValue;
    *function = &f;
    return Error::Success;
  });
}
WW_CUDA_API Error cuKernelGetLibrary(CodeModule** library, Function* kernel) {
  return with_kernel(kernel, [&](Function& f, DeviceContext&) -> Error {
    if (!library) return Error::InvalidValue;
    *library = f.module;
    return Error::Success;
  });
}
WW_CUDA_API Error cuKernelGetAttribute(int* value, int attribute, Function* kernel, Device device) {
  return with_kernel(kernel, [&](Function& f, DeviceContext&) -> Error {
    DeviceContext* d = Platform::get().device(device);
    if (!d) return Error::InvalidDevice;
    return value ? function_attribute(*d, f, attribute, *value) : Error::InvalidValue;
  });
}
WW_CUDA_API Error cuKernelSetAttribute(int attribute, int value, Function* kernel, Device device) {
  return with_kernel(kernel, [&](Function& f, DeviceContext&) -> Error {
    DeviceContext* d = Platform::get().device(device);
    return d ? set_function_attribute(*d, f, attribute, value) : Error::InvalidDevice;
  });
}
WW_FORWARD(cuKernelSetCacheConfig, cudaFuncSetCacheConfig, (Function * kernel, int config, Device),
           (kernel, config))
WW_FORWARD(cuKernelGetName, cudaFuncGetName, (const char** name, Function* kernel), (name, kernel))
WW_FORWARD(cuKernelGetParamInfo, cudaFuncGetParamInfo,
           (Function * kernel, size_t index, size_t* offset, size_t* bytes), (kernel, index, offset, bytes))
