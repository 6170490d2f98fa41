// Runs the configurations of a study of own kernels on the engine, verified, into rows.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "base/npy.h"
#include "base/table.h"
#include "cli/compile/cuda_source.h"
#include "cli/launch/parameters.h"
#include "device/device.h"
#include "kernels/run.h"
#include "study/cache.h"
#include "userkernel/texts.h"

namespace ww::cli {

using userkernel::AxisValues;
using userkernel::OwnStudy;
using userkernel::StudyArgument;
using userkernel::StudyAxis;
using userkernel::StudyCheck;
using userkernel::StudyConfiguration;
using userkernel::StudyKernel;
using userkernel::StudyText;

class OwnRunner {
 public:
  /// `folder`: of the study's file, "" or ending in '/'. `cache` may be null.
  OwnRunner(const OwnStudy& study, device::Device& device, const kernels::RunOptions& options,
            study::Cache* cache, std::string folder, uint64_t seed);

  /// A row for each GPU of the options, or one without any. What cannot run says why in `refused`; what went
  /// wrong has verified = 0. Values as kernels::Runner has them, with `grid`. `known`: the cache had all.
  std::vector<Row> rows_of(const StudyConfiguration& configuration, bool& known);

 private:
  /// All that a launch needs, as texts and numbers.
  struct Prepared;
  struct Launched;
  struct Chain;

  Result<Prepared> prepare(const StudyKernel& kernel, const std::map<std::string, std::string>& values);
  /// `options`: what it was compiled with, macros and all.
  Result<std::string> ptx_of(const StudyKernel& kernel, const std::map<std::string, std::string>& values,
                             CompileOptions& options);
  static size_t behind_argument(const StudyKernel& kernel, size_t text);
  /// An argument for each parameter: structs out of what was `given` of their members, whose names the
  /// debugging information of one more compilation tells.
  Result<std::vector<LaunchArgument>> whole_arguments(const Prepared& prepared, const device::Launch& launch,
                                                      const std::vector<LaunchArgument>& given,
                                                      std::vector<Parameter>& parameters);
  /// Before the launch: loads the kernel and brings its arrays, behind those of the kernels before it.
  Status place(const Prepared& prepared, bool keep_inputs, Chain& chain);
  /// All its kernels, up to one that faults; `count_as`: counted as by these GPUs (null: not counted).
  Result<std::unique_ptr<Chain>> launch(const Prepared& prepared, bool keep_inputs,
                                        const std::vector<const gpus::Gpu*>* count_as);
  Status verify(const StudyConfiguration& configuration, const Prepared& prepared, const Chain& chain,
                Row& row);
  Result<npy::Array> reference_of(const StudyCheck& check, const StudyConfiguration& configuration,
                                  const Prepared& prepared, const Chain& chain);
  /// What another kernel of the study leaves in its argument of that name.
  Result<npy::Array> output_of(const std::string& kernel, const std::string& argument,
                               const std::map<std::string, std::string>& values);
  Result<std::vector<Row>> run(const StudyConfiguration& configuration, const Prepared& prepared,
                               const Row& named, const std::vector<const gpus::Gpu*>& gpus);
  Row row_of_gpu(const Row& row, const Chain& chain, size_t g, const gpus::Gpu& gpu) const;

  const OwnStudy& study_;
  device::Device& device_;
  kernels::RunOptions options_;
  study::Cache* cache_;
  std::string folder_;
  uint64_t seed_;
  int64_t least_ = 75;                                   // compute capability that .cu files are compiled for
  std::map<std::string, Result<std::string>> compiled_;  // PTX by file and options
  std::map<std::string, std::vector<Parameter>> parameters_;  // with members, by PTX and kernel
  std::string output_key_;                                    // of the reference that is kept
  npy::Array output_;
};

}  // namespace ww::cli
