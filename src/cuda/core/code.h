// Code of the program: a fatbin that nvcc put into it, or PTX it loads itself; parsed and placed in a
// device's memory when the device first needs it.
#pragma once

#include <atomic>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "cuda/abi/types.h"
#include "engine/engine.h"
#include "image/fatbin.h"

namespace ww::cuda {

struct LoadedCode;
struct LoadedKernel;

/// A kernel of a code module; what the program holds as cudaFunction_t, cudaKernel_t, CUfunction, CUkernel.
/// Threads of the host may set and ask at the same time.
struct Function {
  CodeModule* module = nullptr;
  std::string name;
  std::atomic<int> max_dynamic_shared = -1;  ///< cudaFuncSetAttribute; -1: not set
  std::atomic<int> carveout = -1, cache_config = 0, shared_config = 0;
  std::atomic<u32> cluster[3] = {0, 0, 0};
  std::atomic<int> non_portable_cluster = 0, cluster_policy = 0;
  std::atomic<int> registers = -1;                 ///< per thread, once it was asked for
  std::atomic<const LoadedKernel*> last{nullptr};  ///< that loaded_kernel() found
};

/// A kernel's parameter, as it lies in the buffer of all parameters.
struct Parameter {
  size_t offset = 0, bytes = 0;
};

/// A kernel as one device has it: what each launch asks, found out once.
struct LoadedKernel {
  const DeviceContext* device = nullptr;
  LoadedCode* code = nullptr;
  const ir::Function* declaration = nullptr;
  std::vector<Parameter> parameters;
  size_t static_shared = 0;  ///< bytes per block
  std::string polls_at;      ///< HostWait::polls_at
};

/// The code as one device has it.
struct LoadedCode {
  std::shared_ptr<engine::LoadedModule> loaded;
  std::string ptx;  ///< for messages; "" where several files were linked
  std::map<const Function*, LoadedKernel> kernels;
};

class CodeModule {
 public:
  explicit CodeModule(std::string name) : name_(std::move(name)) {}
  ~CodeModule();
  CodeModule(const CodeModule&) = delete;

  /// A variable lies where the host has it, in memory of its own: __managed__ without nvcc.
  void place(const std::string& name, u64 address) { placed_[name] = address; }
  bool has_placed() const { return !placed_.empty(); }
  /// What it is made of: images of a fatbin (which must outlive it), or PTX.
  void set_images(std::vector<image::CodeImage> images) { images_ = std::move(images); }
  /// Relocatable code of the files of a program (nvcc -rdc=true), linked at its first use.
  void set_prelinked(std::vector<std::vector<image::CodeImage>> files) { files_ = std::move(files); }
  void set_ptx(std::string ptx) { ptx_ = std::move(ptx); }
  void hold(std::string bytes) { held_ = std::move(bytes); }  ///< the bytes that the images look into
  std::string& held() { return held_; }

  /// Parsed, verified and placed; says on standard error what is wrong with it, once. Errors:
  /// NoKernelImageForDevice, InvalidPtx, UnsupportedPtxVersion, MemoryAllocation.
  Error on(DeviceContext& device, LoadedCode*& code);
  /// A kernel of it, until the device is reset. Errors: as on(), InvalidDeviceFunction.
  Error kernel(DeviceContext& device, Function& function, const LoadedKernel*& kernel);
  /// The kernel, or null. Parses the code.
  Function* find_function(DeviceContext& device, const std::string& name, Error& why);
  /// The kernel, whether or not it exists: found out at its first use.
  Function* declare_function(const std::string& name);
  std::vector<std::string> kernels(DeviceContext& device);
  /// Where a variable lies. Errors: SymbolNotFound, and those of on().
  Error variable(DeviceContext& device, const std::string& name, u64& address, u64& bytes);
  /// A __managed__ variable: its memory is one for all devices.
  void add_managed(const std::string& name, void** pointer, u64 bytes);
  /// Unloads it from a device (cudaDeviceReset); it is loaded again at the next use.
  void unload(int device);

  const std::string& name() const { return name_; }
  const std::string& why() const { return why_; }  ///< what was wrong with it
  const std::vector<image::CodeImage>& images() const { return images_; }

 private:
  /// The best of a file's images for the device; says what is wrong.
  Error best_text(DeviceContext& device, const std::vector<image::CodeImage>& images, std::string& ptx);
  /// One text, or those of the files that are to be linked.
  Error texts(DeviceContext& device, std::vector<std::string>& ptx);
  /// Parsed, verified and linked; says what is wrong.
  Error read(const DeviceContext& device, const std::vector<std::string>& texts, ir::Module& module);
  void tell(const std::string& why);

  std::string name_, why_;
  std::vector<image::CodeImage> images_;
  std::vector<std::vector<image::CodeImage>> files_;
  std::string ptx_, held_;
  std::recursive_mutex mutex_;
  std::map<int, LoadedCode> loaded_;  ///< by device
  std::map<int, Error> failed_;
  std::map<std::string, u64> placed_;  ///< variables that lie in the host's memory
  std::map<std::string, std::unique_ptr<Function>> functions_;
};

/// The Function that a handle of the program is, if it is one that lives; else null.
Function* live_function(const void* handle);
/// As CodeModule::kernel.
Error loaded_kernel(DeviceContext& device, Function& function, const LoadedKernel*& kernel);

}  // namespace ww::cuda
