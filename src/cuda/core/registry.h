// What the program's constructors announce before main: its fatbins, and which host function or variable
// stands for which kernel or device variable.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "cuda/core/code.h"

namespace ww::cuda {

class Registry {
 public:
  static Registry& get();

  /// A handle for __cudaRegisterFatBinary; the code is not read yet.
  CodeModule* add_binary(const void* wrapper);
  void remove_binary(CodeModule* module);
  void add_function(CodeModule* module, const void* host, const char* name);
  void add_variable(CodeModule* module, const void* host, const char* name, size_t bytes);
  void add_managed(CodeModule* module, void** pointer, const char* name, size_t bytes);
  /// The host's variables there are the device's, too: __managed__ as our headers for clang have it.
  void add_shared_range(const void* begin, const void* end);
  /// All of a module has been announced.
  void complete(CodeModule* module);

  Function* function(const void* host);
  /// The host function that stands for the kernel, or null: kernels of modules that the program loads have
  /// none.
  const void* host_function(const Function* kernel);
  /// Where the device's variable lies that stands for a host variable. Errors: InvalidSymbol.
  Error symbol(DeviceContext& device, const void* host, u64& address, u64& bytes);
  /// Gives memory to __managed__ variables that have none yet.
  void init_managed(DeviceContext& device);
  void unload_all(int device);
  std::vector<CodeModule*> modules();

 private:
  struct Variable {
    CodeModule* module;
    std::string name;
    size_t bytes;
  };
  struct Managed {
    CodeModule* module;
    std::string name;
    void** pointer;
    size_t bytes;
    bool ready = false;
  };
  std::recursive_mutex mutex_;
  std::vector<std::unique_ptr<CodeModule>> modules_;
  std::map<const void*, Function*> functions_;
  std::map<const void*, Variable> variables_;
  std::vector<Managed> managed_;
  std::vector<std::pair<const void*, const void*>> shared_;
};

/// What the program passes where a kernel is wanted: the address of a host function or a Function of ours
/// (what cudaGetKernel gives). Null: neither.
Function* function_of(const void* handle);
/// The same where it is most likely a Function.
Function* function_of_kernel(const void* handle);
/// What a call returns for a handle that is no function's: CUDA 13 on a card tells null from others.
Error no_function(const void* handle);

}  // namespace ww::cuda
