// Code for link-time optimisation (LTO-IR: nvcc -dlto, NVRTC -dlto) made PTX by the nvJitLink of an installed
// toolkit. It needs no GPU for that, and nobody but NVIDIA's compiler reads the format.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace ww::jitlink {

/// Results are those of nvJitLink (nvJitLinkResult, 0: success).
class Lto {
 public:
  /// `options`: those of the program's link.
  explicit Lto(const std::vector<std::string>& options);
  Lto(const Lto&) = delete;
  Lto& operator=(const Lto&) = delete;
  ~Lto();

  /// Whether there is a toolkit's nvJitLink.
  static bool installed();
  /// Whether the bytes are LTO-IR.
  static bool is(const void* data, size_t bytes);

  int add(const void* data, size_t bytes, const char* name);
  int add_file(const char* file);
  /// Links what was added.
  int complete(std::string& ptx);
  /// What is wrong, in nvJitLink's words.
  std::string log() const;

 private:
  void* link_ = nullptr;
  int made_;  ///< the result of making link_
};

}  // namespace ww::jitlink
