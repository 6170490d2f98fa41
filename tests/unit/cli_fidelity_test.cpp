// The report of `run --fidelity`, of the rows that a program's processes write.
#include "cli/program/fidelity.h"

#include <gtest/gtest.h>

namespace ww::cli {
namespace {

bool has(const std::string& text, const std::string& part) { return text.find(part) != text.npos; }

TEST(Fidelity, SortsWhatWasExactAndWhatWasNot) {
  const std::string text = fidelity_report(
      "entry\tcudaMalloc\t\n"
      "entry\tcudaMalloc\t\n"  // of another process
      "entry\tcudaIpcGetMemHandle\t\n"
      "refused\tcudaIpcGetMemHandle\t\n"
      "entry\tcudaMemAdvise\tno effect\n"
      "library\tcublasSgemm_v2\t\n"
      "kernel\tf(int)\t10\n"
      "kernel\tg(int)\t12\n"
      "approximated\tsin.approx.f32\trounded\tg(int)\n"
      "engine\tf(int)\tinterpreter\n"
      "engine\tf(int)\tboth\n"
      "engine\tg(int)\tinterpreter\n"
      "refused\tkernel h\tno such instruction\n"
      "a line cut short");
  EXPECT_TRUE(has(text, "exact: 1 function of the runtime and driver\n    cudaMalloc\n")) << text;
  EXPECT_TRUE(has(text, "exact: 1 of 2 kernels\n    f(int)\n")) << text;
  EXPECT_TRUE(has(text, "approximated: rounded\n    sin.approx.f32 in g(int)\n")) << text;
  EXPECT_TRUE(has(text, "computed by the CPU instead: functions of libraries\n    cublasSgemm_v2\n")) << text;
  EXPECT_TRUE(has(text, "ran as compiled code, at least at times (same results)\n    f(int)\n")) << text;
  EXPECT_TRUE(has(text, "ran in the interpreter\n    g(int)\n")) << text;
  EXPECT_TRUE(has(text, "no effect\n    cudaMemAdvise\n")) << text;
  EXPECT_TRUE(has(text, "refused\n    cudaIpcGetMemHandle, kernel h: no such instruction\n")) << text;
}

TEST(Fidelity, OfAProgramWithoutCuda) {
  const std::string text = fidelity_report("");
  EXPECT_TRUE(has(text, "exact: 0 functions")) << text;
  EXPECT_TRUE(has(text, "refused: nothing")) << text;
}

}  // namespace
}  // namespace ww::cli
