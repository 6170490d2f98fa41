// Runs the configurations of a study of own kernels on the engine, verified, into rows.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "base/npy.h"
#include "base/table.h"
#include "cli/own_study/own_study.h"
#include "device/device.h"
#include "kernels/run.h"
#include "study/cache.h"

namespace ww::cli {

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

  Result<Prepared> prepare(const StudyKernel& kernel, const std::map<std::string, std::string>& values);
  Result<std::string> ptx_of(const StudyKernel& kernel, const std::map<std::string, std::string>& values);
  /// Before the launch.
  Result<std::unique_ptr<Launched>> place(const Prepared& prepared, bool count);
  Status verify(const StudyConfiguration& configuration, const Prepared& prepared, Launched& launched,
                Row& row);
  Result<npy::Array> reference_of(const StudyCheck& check, const StudyConfiguration& configuration,
                                  const Prepared& prepared, const Launched& launched);
  /// What another kernel of the study leaves in its argument of that name.
  Result<npy::Array> output_of(const std::string& kernel, const std::string& argument,
                               const std::map<std::string, std::string>& values);
  Result<std::vector<Row>> run(const StudyConfiguration& configuration, const Prepared& prepared,
                               const Row& named, const std::vector<const gpus::Gpu*>& gpus);

  const OwnStudy& study_;
  device::Device& device_;
  kernels::RunOptions options_;
  study::Cache* cache_;
  std::string folder_;
  uint64_t seed_;
  int64_t least_ = 75;                                   // compute capability that .cu files are compiled for
  std::map<std::string, Result<std::string>> compiled_;  // PTX by file and options
  std::string output_key_;                               // of the reference that is kept
  npy::Array output_;
};

}  // namespace ww::cli
