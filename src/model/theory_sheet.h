// The lines of a theory while they are written, with what all kernels share: the roofline.
#pragma once

#include "model/theory.h"

namespace ww::model {

class Sheet {
 public:
  Sheet(const gpus::Gpu& gpu, const TheoryCase& problem) : gpu(gpu), problem(problem) {}

  void add(std::string_view tag, std::variant<double, int64_t, std::string> value, std::string_view unit,
           std::string_view meaning, std::string formula);

  /// Peak rates of the GPU, then where the kernel lies under its roofline.
  /// flop: of the whole problem; moved: bytes that the kernel asks of memory when no cache helps; compulsory:
  /// bytes that must move in any case, each input read and each output written once.
  void roofline(double flop, double moved, const std::string& moved_formula, double compulsory,
                const std::string& compulsory_formula);

  const gpus::Gpu& gpu;
  const TheoryCase& problem;
  std::vector<TheoryLine> lines;
};

// A file for each kind of kernel. All numbers of the problem that they need have been checked.
void matmul_grid_theory(Sheet& sheet);
/// Tiled, with Rx × Ry results per thread (1 × 1: the plain tiled kernel). inputs: matrices read, 1 for A·Aᵀ.
void matmul_tiles_theory(Sheet& sheet, int inputs);
/// Of the tile that A·Aᵀ reads by columns; `pad` words are added to its rows.
void column_conflicts(Sheet& sheet, int64_t pad);
void box_sum_theory(Sheet& sheet);
void sum_theory(Sheet& sheet);

}  // namespace ww::model
