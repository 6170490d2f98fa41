#include "study/document_names.h"

#include <cstdlib>
#include <string_view>
#include <utility>

#include "gpus/catalog.h"

namespace ww::study {

namespace {

constexpr std::pair<std::string_view, std::string_view> kKernels[] = {
    {"v1", "matmul/one_block"},
    {"v2", "matmul/grid"},
    {"v3", "matmul/tiled"},
    {"v4a", "matmul/prefetch_register"},
    {"v4b", "matmul/prefetch_shared"},
    {"v5", "matmul/per_thread_2x2"},
    {"MatrixMulCUDA", "matmul/tiles"},
    {"matmultl_nopad", "aat/plain"},
    {"matmult2_pad", "aat/padded"},
    {"localKernel", "box_sum/direct"},
    {"naive_no_smem", "matmul/grid"},
    {"matmul2_smem", "matmul/tiled"},
};

int number(const std::string& text) { return std::atoi(text.c_str()); }

/// The book's blocks are 32 x 32: its counts need that (data/published/README.md).
constexpr int kBookBlock = 32;

}  // namespace

kernels::Config config_of_document(const Csv& csv, size_t row) {
  kernels::Config c;
  c.n = number(csv.at(row, "n"));
  const std::string& block = csv.at(row, "block");
  c.shape = {block.empty() ? kBookBlock : number(block), number(csv.at(row, "rx")),
             number(csv.at(row, "ry"))};
  c.r = number(csv.at(row, "r"));
  c.k = number(csv.at(row, "k"));
  return c;
}

const kernels::Case* case_of_document(const std::string& name) {
  std::string ours = name;
  for (auto [theirs, kernel] : kKernels)
    if (theirs == name) ours = kernel;
  auto found = kernels::find_case(ours);
  return found ? *found : nullptr;
}

const gpus::Gpu* gpu_of_document(const std::string& name) {
  for (const gpus::Gpu& gpu : gpus::known_gpus())
    if (gpu.id == name) return &gpu;
  for (const gpus::Gpu& gpu : gpus::known_gpus())
    if (!name.empty() && gpu.name.find(name) != std::string::npos) return &gpu;
  return nullptr;
}

}  // namespace ww::study
