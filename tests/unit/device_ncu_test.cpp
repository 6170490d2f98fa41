// Running Nsight Compute, with shell scripts in its place.
#include "device/ncu.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <sstream>

#include "base/process.h"

namespace ww::device {
namespace {

namespace fs = std::filesystem;

class Ncu : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = fs::path(testing::TempDir()) /
              ("ww_ncu_" + std::string(testing::UnitTest::GetInstance()->current_test_info()->name()));
    fs::remove_all(folder_);
    fs::create_directories(folder_);
  }
  void TearDown() override { fs::remove_all(folder_); }

  // A program in ncu's place: finds its --log-file in $log and the profiled command in "$@".
  NcuOptions tool(const std::string& script) {
    fs::path path = folder_ / "ncu";
    std::ofstream(path)
        << "#!/bin/sh\necho \"$@\" > " << (folder_ / "line").string()
        << "\nwhile [ \"${1#--}\" != \"$1\" ]; do\n"
           "  case $1 in --csv) shift;; --log-file) log=$2; shift 2;; *) shift 2;; esac\ndone\n"
        << script;
    fs::permissions(path, fs::perms::owner_all);
    return {.binary = path.string()};
  }
  std::string command_line() const {
    std::stringstream text;
    text << std::ifstream(folder_ / "line").rdbuf();
    return text.str();
  }
  static std::string why(const Result<std::vector<ProfiledKernel>>& result) {
    return result ? "it succeeded" : render(result.error());
  }
  fs::path folder_;
};

constexpr const char* kTable =
    "printf '==PROF== x\\n\"ID\",\"Kernel "
    "Name\",\"dram__bytes_read.sum\"\\n\"\",\"\",\"byte\"\\n\"0\",\"k\",\"1,024\"\\n' > $log\n";

TEST_F(Ncu, RunsTheCommandAndReadsItsTable) {
  NcuOptions options = tool(std::string("\"$@\" || exit 9\n") + kTable);
  options.kernel = "k";
  options.keep_csv = (folder_ / "kept").string();
  auto kernels = profile({"/bin/echo", "a program's output"}, options);
  ASSERT_TRUE(kernels) << why(kernels);
  ASSERT_EQ(kernels->size(), 1u);
  EXPECT_EQ(kernels->front().values[0].number(), 1024);
  EXPECT_GT(fs::file_size(folder_ / "kept"), 20u);
  std::string line = command_line();
  for (const char* part :
       {"--clock-control none --csv --page raw --print-units base", ",dram__bytes_read.sum,",
        "--kernel-name-base function --kernel-name k", "/bin/echo a program's output"})
    EXPECT_NE(line.find(part), line.npos) << part << " is not in " << line;
}

TEST_F(Ncu, CollectsTheMetricsAskedFor) {
  NcuOptions options = tool(kTable);
  options.metrics = {"a__b.sum", "c__d.avg"};
  ASSERT_TRUE(profile({"true"}, options));
  EXPECT_NE(command_line().find("--metrics a__b.sum,c__d.avg true"), std::string::npos) << command_line();
}

TEST_F(Ncu, SaysWhatWentWrong) {
  auto expect = [&](const std::string& script, const std::string& part) {
    std::string text = why(profile({"program"}, tool(script)));
    EXPECT_NE(text.find(part), text.npos) << part << " is not in\n" << text;
  };
  expect(
      "echo '==ERROR== ERR_NVGPUCTRPERM - The user does not have permission to access NVIDIA GPU Performance "
      "Counters on the target device 0.' > $log; exit 1\n",
      "no permission to read the GPU's counters (ERR_NVGPUCTRPERM)");
  expect("echo '==ERROR== Failed to initialize the profiler: LibraryNotLoaded' > $log; exit 1\n",
         "failed (exit code 1): Failed to initialize the profiler: LibraryNotLoaded");
  expect("echo '==ERROR== The application returned an error code (3).'; exit 3\n",
         "returned an error code (3)");
  expect("echo lost >&2; exit 2\n", "failed (exit code 2): lost");
  expect("echo '==WARNING== No kernels were profiled.' > $log\n", "saw no kernel in program");
  expect("exit 0\n", "printed no table");
  expect("kill -9 $$\n", "exit code 137");
}

TEST_F(Ncu, IsNotThere) {
  auto found = find_ncu((folder_ / "none").string());
  ASSERT_FALSE(found);
  EXPECT_NE(found.error()[0].message.find("there is no Nsight Compute at"), std::string::npos);
}

TEST_F(Ncu, IsEndedAtItsLimit) {
  NcuOptions options = tool("sleep 60 & sleep 60\n");
  options.max_seconds = 0.2;
  std::string text = why(profile({"program"}, options));
  EXPECT_NE(text.find("took longer than 0.2 s"), text.npos) << text;
}

TEST(Process, KeepsBothStreamsApart) {
  auto result = run_process({"sh", "-c", "cat; echo out; echo err >&2; exit 5"}, 10);
  ASSERT_TRUE(result);
  EXPECT_EQ(result->output, "out\n");
  EXPECT_EQ(result->errors, "err\n");
  EXPECT_EQ(result->exit_code, 5);
  // More than a pipe holds, on both at once.
  result = run_process({"sh", "-c", "head -c 300000 /dev/zero >&2; head -c 300000 /dev/zero"}, 10);
  ASSERT_TRUE(result);
  EXPECT_EQ(result->output.size(), 300000u);
  EXPECT_EQ(result->errors.size(), 300000u);
  auto missing = run_process({"/not/there"}, 10);
  ASSERT_FALSE(missing);
  EXPECT_EQ(missing.error()[0].message, "cannot start /not/there: No such file or directory");
}

}  // namespace
}  // namespace ww::device
