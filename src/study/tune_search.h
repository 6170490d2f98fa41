// Predicting many configurations of one problem, side by side, and only those that may be the best.
#pragma once

#include <atomic>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "gpus/gpu.h"
#include "study/cache.h"
#include "study/study.h"

namespace ww::study {

/// Products of a larger n are predicted from runs of two sizes (model/continued.h): half of kFirstLook and
/// that, those that may be the best then from kFirstLook and kSecondLook. Where a kernel does not admit one
/// of them, it is the next below that it does; n itself in place of kSecondLook, if it is smaller.
inline constexpr int64_t kFirstLook = 256, kSecondLook = 512;

/// A configuration whose time by the first look is more than this times the best prediction has no second
/// one, unless it is among the first so many.
inline constexpr double kHopeless = 1.5;
inline constexpr size_t kAlways = 8;

struct Search {
  const Study* study = nullptr;
  const gpus::Gpu* gpu = nullptr;        ///< to predict for
  std::vector<device::Device*> engines;  ///< one for each thread
  Cache* cache = nullptr;                ///< null: none
  const std::atomic<bool>* stop = nullptr;
  /// What is being done, how much of it is done, and of how much.
  std::function<void(const std::string& work, size_t done, size_t total)> progress;
};

/// What came of it: configurations with a row each. Behind those that were predicted come the hopeless ones,
/// whose row has `first_look` instead of a time.
struct Found {
  std::vector<Item> items;
  Table predictions;
  size_t runs = 0, known = 0;  ///< whole runs, and how many of them the cache had
  bool continued = false;      ///< the times are continued from smaller sizes
};

/// Predicts `items`, all of one n: by a run of each, products larger than kFirstLook by smaller ones. What
/// is found does not depend on the number of engines.
Found search_best(const std::vector<Item>& items, const Search& search);

/// Rows of one family are rivals if this is the same; "" where they have no such value.
std::string problem_of(const Row& row);

/// Whether a row was not predicted because it takes too long for certain.
bool is_hopeless(const Row& row);

}  // namespace ww::study
