// The kernels of a study file.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/json_reader.h"
#include "userkernel/read_axes.h"

namespace ww::userkernel {

/// What a kernel may say, or all of them at the top of the file.
const std::vector<std::string>& launch_keys();

/// `path` as seen from the folder of `file`.
std::string in_folder_of(const std::string& file, const std::string& path);

/// Complaints go to the reader of the axes' file.
class KernelReader {
 public:
  KernelReader(JsonReader& reader, const Json& root, AxesReader& axes)
      : reader_(reader), root_(root), axes_(axes) {}

  /// One of 'kernels'.
  void read(const Json& json);
  std::vector<StudyKernel>& kernels() { return kernels_; }

 private:
  /// The kernel's own, or that of the one before it, or what all of them share.
  const Json* of_kernel(const Json& kernel, std::string_view key) const;
  StudyText text_at(const Json& json, std::string_view what);
  std::vector<StudyText> texts_of(const Json& kernel, const char* key, size_t most);
  std::vector<StudyText> defines_of(const Json& kernel);
  void read_then(const Json& json, StudyKernel& kernel);
  bool read_file_and_name(const Json& json, const std::string& named, StudyKernel& kernel);
  void read_compiler(const Json& json, StudyKernel& kernel);
  void read_checks(const Json& json, StudyKernel& kernel);
  void read_values(const Json& json, StudyKernel& kernel);
  void note_axes(const StudyKernel& kernel, StudyKernel& into) const;
  static StudyArgument argument_named(StudyText text, size_t index);
  static std::vector<std::string> array_names(const StudyKernel& kernel);

  JsonReader& reader_;
  const Json& root_;
  AxesReader& axes_;
  std::vector<StudyKernel> kernels_;
  const Json* before_ = nullptr;  // the kernel whose "then" is read
};

}  // namespace ww::userkernel
