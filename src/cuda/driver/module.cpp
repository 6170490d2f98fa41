// CUDA Driver API: Module Management (with linking).
#include <algorithm>
#include <cstdio>

#include "base/file.h"
#include "cuda/core/library.h"
#include "cuda/core/link.h"
#include "cuda/driver/call.h"

using namespace ww::cuda;

namespace {

// Numbers of CUjit_option.
constexpr int kErrorLog = 5, kErrorLogBytes = 6, kInfoLog = 3, kInfoLogBytes = 4;

/// Where the program wants messages. The compiler's other options change nothing of what a kernel does.
struct Logs {
  char *info = nullptr, *error = nullptr;
  size_t info_bytes = 0, error_bytes = 0;
};
Logs logs_of(u32 count, const int* options, void** values) {
  Logs logs;
  for (u32 k = 0; options && values && k < count; ++k) {
    if (options[k] == kErrorLog) logs.error = static_cast<char*>(values[k]);
    if (options[k] == kErrorLogBytes) logs.error_bytes = reinterpret_cast<size_t>(values[k]);
    if (options[k] == kInfoLog) logs.info = static_cast<char*>(values[k]);
    if (options[k] == kInfoLogBytes) logs.info_bytes = reinterpret_cast<size_t>(values[k]);
  }
  return logs;
}
/// Writes the messages and, in place of the buffers' sizes, how long they are.
void write_logs(const Logs& logs, const std::string& message, u32 count, const int* options, void** values) {
  if (logs.error && logs.error_bytes) std::snprintf(logs.error, logs.error_bytes, "%s", message.c_str());
  if (logs.info && logs.info_bytes) *logs.info = 0;
  for (u32 k = 0; options && values && k < count; ++k) {
    if (options[k] == kErrorLogBytes)
      values[k] = reinterpret_cast<void*>(std::min(message.size(), logs.error_bytes));
    if (options[k] == kInfoLogBytes) values[k] = nullptr;
  }
}

/// A module is there for good only if its code can be read.
Error begin(DeviceContext& device, CodeModule** module, Error loaded, const Logs& logs = {}, u32 count = 0,
            const int* options = nullptr, void** values = nullptr) {
  std::string why = loaded == Error::Success ? "" : "the code cannot be loaded; standard error says why";
  if (loaded == Error::Success) {
    LoadedCode* code = nullptr;
    if (loaded = (*module)->on(device, code); loaded != Error::Success) {
      why = (*module)->why();
      (void)unload_library(*module);
    }
  }
  write_logs(logs, loaded == Error::Success ? "" : "the code cannot be loaded; standard error says why",
             count, options, values);
  if (loaded != Error::Success) *module = nullptr;
  return loaded;
}

template <class F>
Error with_module(CodeModule* module, F&& body) {
  return driver([&](DeviceContext& d) -> Error {
    return is_library(module) ? body(*module, d) : Error::InvalidResourceHandle;
  });
}
template <class F>
Error with_link(LinkState* state, F&& body) {
  return driver([&](DeviceContext& d) -> Error {
    return is_link(state) ? body(*state, d) : Error::InvalidResourceHandle;
  });
}

}  // namespace

WW_CUDA_API Error cuModuleLoad(CodeModule** module, const char* file) {
  return driver([&](DeviceContext& d) -> Error {
    if (!module || !file) return Error::InvalidValue;
    return begin(d, module, load_library_file(file, *module));
  });
}
WW_CUDA_API Error cuModuleLoadDataEx(CodeModule** module, const void* code, u32 count, int* options,
                                     void** values) {
  return driver([&](DeviceContext& d) -> Error {
    if (!module || !code) return Error::InvalidValue;
    return begin(d, module, load_library(code, *module), logs_of(count, options, values), count, options,
                 values);
  });
}
WW_CUDA_API Error cuModuleLoadData(CodeModule** module, const void* code) {
  return cuModuleLoadDataEx(module, code, 0, nullptr, nullptr);
}
WW_CUDA_API Error cuModuleLoadFatBinary(CodeModule** module, const void* code) {
  return cuModuleLoadDataEx(module, code, 0, nullptr, nullptr);
}
WW_CUDA_API Error cuModuleUnload(CodeModule* module) {
  return as_runtime_anywhere([&] { return unload_library(module); });
}
WW_CUDA_API Error cuModuleGetLoadingMode(int* mode) {
  if (!mode) return Error::InvalidValue;
  *mode = 2;  // lazy
  return Error::Success;
}
WW_CUDA_API Error cuModuleGetFunction(Function** function, CodeModule* module, const char* name) {
  return with_module(module, [&](CodeModule& m, DeviceContext& d) -> Error {
    if (!function || !name) return Error::InvalidValue;
    Error why = Error::Success;
    *function = m.find_function(d, name, why);
    return why;
  });
}
WW_CUDA_API Error cuModuleGetFunctionCount(u32* count, CodeModule* module) {
  return with_module(module, [&](CodeModule& m, DeviceContext& d) -> Error {
    if (!count) return Error::InvalidValue;
    *count = static_cast<u32>(m.kernels(d).size());
    return Error::Success;
  });
}
WW_CUDA_API Error cuModuleEnumerateFunctions(Function** functions, u32 count, CodeModule* module) {
  return with_module(module, [&](CodeModule& m, DeviceContext& d) -> Error {
    if (!functions) return Error::InvalidValue;
    auto names = m.kernels(d);
    for (u32 k = 0; k < count && k < names.size(); ++k) functions[k] = m.declare_function(names[k]);
    return Error::Success;
  });
}
WW_CUDA_API Error cuModuleGetGlobal_v2(DevicePointer* at, size_t* bytes, CodeModule* module,
                                       const char* name) {
  return with_module(module, [&](CodeModule& m, DeviceContext& d) -> Error {
    ww::cuda::u64 address = 0, size = 0;
    if (!name || (!at && !bytes)) return Error::InvalidValue;
    if (Error e = m.variable(d, name, address, size); e != Error::Success) return e;
    if (at) *at = address;
    if (bytes) *bytes = size;
    return Error::Success;
  });
}

WW_CUDA_API Error cuLinkCreate_v2(u32 count, int* options, void** values, LinkState** state) {
  return driver([&](DeviceContext&) -> Error {
    if (!state) return Error::InvalidValue;
    *state = make_link();
    Logs logs = logs_of(count, options, values);
    (*state)->log = logs.error, (*state)->log_bytes = logs.error_bytes;
    write_logs(logs, "", 0, nullptr, nullptr);
    return Error::Success;
  });
}
WW_CUDA_API Error cuLinkAddData_v2(LinkState* state, int type, void* data, size_t bytes, const char* name,
                                   u32, int*, void**) {
  return with_link(state,
                   [&](LinkState& s, DeviceContext& d) { return add_input(s, type, data, bytes, name, d); });
}
WW_CUDA_API Error cuLinkAddFile_v2(LinkState* state, int type, const char* file, u32, int*, void**) {
  return with_link(state, [&](LinkState& s, DeviceContext& d) -> Error {
    if (!file) return Error::InvalidValue;
    auto read = ww::read_file(file);
    if (!read) return Error::FileNotFound;
    return add_input(s, type, read->data(), read->size(), file, d);
  });
}
WW_CUDA_API Error cuLinkComplete(LinkState* state, void** code, size_t* bytes) {
  return with_link(state, [&](LinkState& s, DeviceContext&) -> Error {
    if (Error e = complete(s); e != Error::Success) return e;
    if (code) *code = s.whole.data();
    if (bytes) *bytes = s.whole.size() + 1;
    return Error::Success;
  });
}
WW_CUDA_API Error cuLinkDestroy(LinkState* state) {
  return driver([&](DeviceContext&) { return destroy_link(state); });
}
