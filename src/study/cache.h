// Rows that an earlier run has counted already.
#pragma once

#include <cstdint>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "base/table.h"
#include "gpus/gpu.h"
#include "kernels/run.h"
#include "study/study.h"

namespace ww::study {

/// A folder with a file for each row, named by the digest of all that the row depends on. Any number of
/// processes may use it at once: files appear whole. What a clock measured is never kept, nor are rows that
/// were refused or went wrong.
class Cache {
 public:
  /// The folder is made when the first row is stored. `force`: find nothing, store everything anew.
  explicit Cache(std::string folder, bool force = false) : folder_(std::move(folder)), force_(force) {}

  /// The text that says all a row depends on: program, kernel's PTX, configuration with the contents of its
  /// input files, GPU, and how it is run. "": nothing of this may be kept.
  static std::string key(const Item& item, const gpus::Gpu* gpu, const kernels::RunOptions& options);

  /// The same of anything else that runs on the engine: `what` says all that the row depends on besides the
  /// program, the GPU and the options.
  static std::string key(const std::string& what, const gpus::Gpu* gpu, const kernels::RunOptions& options);

  /// Any thread may find and store.
  std::optional<Row> find(const std::string& key);
  void store(const std::string& key, const Row& row);

  /// Removes rows, those first that were stored or found longest ago, until all take `limit`
  /// bytes at most; then down to nine tenths of it, so that not every study has to. Other processes may be
  /// using the folder: what they lose they run again. Leftovers of processes that were killed go after a day.
  /// Does nothing unless this one has stored a row. The number of rows removed.
  size_t prune(uint64_t limit);

  const std::string& folder() const { return folder_; }
  size_t damaged() const { return damaged_; }  ///< files found that are not what was stored
  /// Why the first row that could not be stored could not; "" if none.
  const std::string& trouble() const { return trouble_; }

 private:
  std::string path(const std::string& key) const;

  std::string folder_;
  bool force_;
  std::mutex mutex_;
  size_t damaged_ = 0, stored_ = 0;
  std::string trouble_;
};

}  // namespace ww::study
