// Launches with what each of several GPUs would say of them: as text, as tables, as a page. Shared by launch,
// explain and profile.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "base/result.h"
#include "base/table.h"
#include "gpus/gpu.h"
#include "report/report.h"

namespace ww::cli {

/// One launch on one GPU.
struct ShownGpu {
  std::vector<Value> values;           ///< counters and predictions
  Table lines;                         ///< by source line
  std::vector<std::string> sentences;  ///< as forecast::sentences
  std::string view;                    ///< JSON of forecast::write_view
  std::string refused;                 ///< why the GPU cannot run it
};

struct ShownLaunch {
  std::string kernel;        ///< its name for people
  std::string grid, block;   ///< "32x32"
  std::vector<Value> about;  ///< of the launch itself, before the GPUs' values
  std::vector<ShownGpu> gpus;
};

/// The names of their kernels, in their order.
std::vector<std::string> kernels_of(const std::vector<ShownLaunch>& launches);

/// Rows of the launches, one for each GPU, with the bands of their times.
Table launch_table(const std::vector<ShownLaunch>& launches, std::span<const gpus::Gpu> gpus,
                   std::string title);

/// The columns of launch_table that a reader of many launches wants first.
Table main_columns(Table table);

/// The page of the launches: `command` is what the reader sees above it. Of more than kMostOnPage launches
/// those that take longest.
inline constexpr size_t kMostOnPage = 200;
std::string launch_page(const std::vector<ShownLaunch>& launches, std::span<const gpus::Gpu> gpus,
                        const Table& table, const std::string& title, const std::string& command,
                        const std::string& language);

/// Writes index.html, results.csv and results.json into the folder, which is made if need be.
Status write_launch_folder(const std::string& folder, const std::string& page, const Table& table);

/// The values of a table's rows below each other, a column for each row; what a row is stands above it. For
/// few rows with many values. Fits `width` columns by using several blocks.
std::string beside_each_other(const Table& table, int width);

/// Each source line that ran on a line of its own: executed warp instructions, sectors of each global
/// request, passes of each shared one, conflicts, and its text.
std::string lines_text(const gpus::Gpu& gpu, const ShownGpu& on, int width);

/// "On NVIDIA H200 (h200)" and the sentences, each on lines of at most `width` columns (0: on one line).
/// `row`: of launch_table, for the band of its time; also says where what was tried gains less than that
/// band.
std::string sentences_text(const gpus::Gpu& gpu, const ShownGpu& on, const Row& row, int width);

}  // namespace ww::cli
