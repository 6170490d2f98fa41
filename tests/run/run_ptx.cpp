// Runs the instruction tests (README.md). Exit code 0: all good, 1: something differs, 2: wrong usage, 77: no
// GPU.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <sstream>

#include "device/engine_device.h"
#include "device/gpu.h"
#include "engine/compile/compile.h"
#include "engine/lanes/lanes.h"
#include "runner/coverage.h"
#include "runner/run.h"
#include "runner/watch.h"

namespace {

using namespace ww;
using namespace ww::runtest;

struct Options {
  std::string device = "engine", lanes, back, report, excuses;
  std::vector<std::string> paths;
  uint64_t random = 0, seed = 1;
  double limit = 60;
  int most = 5;
  bool coverage = false;
};

/// What is known of a file or a chapter.
struct Summary {
  int passed = 0, failed = 0, skipped = 0, same = 0, different = 0;
  std::string text;

  void add(const Summary& s) {
    passed += s.passed, failed += s.failed, skipped += s.skipped, same += s.same, different += s.different;
  }
  std::string words(bool compared) const {
    std::string out = fmt::format("{} passed, {} failed", passed, failed);
    if (skipped) out += fmt::format(", {} files skipped", skipped);
    return compared ? out + fmt::format("; random records: {} entries agree, {} differ", same, different)
                    : out;
  }
};

std::string pack(const Summary& s) {
  return fmt::format("{} {} {} {} {}\n", s.passed, s.failed, s.skipped, s.same, s.different) + s.text;
}

Summary unpack(const std::string& text) {
  Summary s;
  std::istringstream in(text);
  in >> s.passed >> s.failed >> s.skipped >> s.same >> s.different;
  s.text = text.substr(text.find('\n') + 1);
  return s;
}

/// The devices of a run; opened by the process that uses them.
struct Devices {
  std::unique_ptr<device::Device> engine, gpu;

  /// Error: there is no such GPU.
  Status open(const Options& o) {
    if (o.device != "gpu" && !engine) engine = device::make_engine_device({.lanes = o.lanes, .back = o.back});
    if (o.device == "engine" || gpu) return {};
    auto opened = device::open_gpu(0);
    if (!opened) return opened.error();
    gpu = std::move(*opened);
    return {};
  }
};

void compare(const Devices& d, const TestFile& file, const Options& o, const Steps& step, Summary& s) {
  for (const Comparison& c : compare_devices(*d.engine, *d.gpu, file, o.random, o.seed, step)) {
    bool good = c.error.empty() && c.differing == 0;
    ++(good ? s.same : s.different);
    if (good && c.nan_payloads == 0) continue;
    std::string what =
        !c.error.empty()
            ? "does not run: " + c.error
            : fmt::format("{} of {} records differ{}\n", c.differing, c.records,
                          c.nan_payloads ? fmt::format(" ({} NaN payloads)", c.nan_payloads) : "");
    s.text += fmt::format("{} {}: {}", c.file, c.entry, what);
    for (const auto& example : c.examples) s.text += "    " + example + "\n";
  }
}

Summary run_file(const Devices& d, const TestFile& file, const Options& o, const Steps& step) {
  Summary s;
  bool skip = d.gpu && too_new(d.gpu->info(), file);
  for (auto* device : {d.engine.get(), d.gpu.get()}) {
    if (!device || (skip && device == d.gpu.get())) continue;
    Tally t = check_cases(*device, file, o.most, step, s.text);
    s.passed += t.passed, s.failed += t.failed;
  }
  if (skip)
    s.skipped = 1, s.text += fmt::format("{}: skipped: too new for {}\n", file.path, d.gpu->info().name);
  if (!skip && d.engine && d.gpu && o.random) compare(d, file, o, step, s);
  return s;
}

/// Shows what comes in, on the screen and in the report; a chapter (folder) ends with its summary.
class Output {
 public:
  explicit Output(const Options& o) : compared_(o.device == "both" && o.random), to_file_(!o.report.empty()) {
    if (to_file_) file_.open(o.report);
  }
  bool good() const { return !to_file_ || file_.good(); }

  void show(const std::string& text) {
    std::cout << text << std::flush;
    if (to_file_) file_ << text << std::flush;
  }

  void add(const std::string& path, const Summary& s) {
    std::string chapter = std::filesystem::path(path).parent_path().filename();
    if (chapter != chapter_) end_chapter();
    chapter_ = chapter;
    show(s.text);
    part_.add(s), all_.add(s);
  }

  void end_chapter() {
    if (to_file_ && !chapter_.empty()) show(fmt::format("=== {}: {}\n", chapter_, part_.words(compared_)));
    part_ = {}, chapter_.clear();
  }

  const Summary& finish() {
    end_chapter();
    show(all_.words(compared_) + "\n");
    return all_;
  }

 private:
  bool compared_, to_file_;
  std::ofstream file_;
  std::string chapter_;
  Summary part_, all_;
};

int run_all(const Options& o) {
  std::vector<TestFile> files;
  bool bad = false;
  for (const auto& path : test_files(o.paths)) {
    auto file = read_test(path);
    if (file)
      files.push_back(std::move(*file));
    else
      std::cerr << render(file.error()), bad = true;
  }
  if (bad || files.empty()) return 2;
  if (o.device != "gpu" && !o.lanes.empty() && !engine::lane_code(o.lanes.c_str())) {
    fmt::print("this CPU does not run {} code\n", o.lanes);
    return 77;
  }
  if (std::string why;
      o.back == "compiled" && !engine::can_compile(*engine::lane_code(o.lanes.c_str()), why)) {
    fmt::print("kernels cannot be compiled here: {}\n", why);
    return 77;
  }
  Output output(o);
  if (!output.good()) {
    std::cerr << "error: cannot write " << o.report << "\n";
    return 2;
  }
  Devices devices;
  if (o.device == "engine") {
    (void)devices.open(o);
    for (const TestFile& file : files) output.add(file.path, run_file(devices, file, o, [](auto&) {}));
  } else {
    // Job 0 opens the devices, so that a missing GPU is not taken for a test's fault; then a job for each
    // file.
    int missing = 0;
    auto job = [&](size_t k, const Steps& step) -> std::string {
      if (auto ok = devices.open(o); !ok) return "-" + render(ok.error());
      if (k > 0) return "+" + pack(run_file(devices, files[k - 1], o, step));
      return fmt::format("+{} records of each entry at random, seed {}; {}{}\n", o.random, o.seed,
                         devices.engine ? devices.engine->info().name + " and " : "",
                         devices.gpu->info().name);
    };
    auto done = [&](size_t k, const JobEnd& end) {
      if (end.finished && end.result[0] == '-') {
        std::cerr << end.result.substr(1);
        missing = 77;
      } else if (k == 0) {
        output.show(end.finished ? end.result.substr(1) : "the devices do not open: " + end.problem + "\n");
        if (!end.finished) missing = 1;
      } else if (end.finished) {
        output.add(files[k - 1].path, unpack(end.result.substr(1)));
      } else {
        Summary s{.failed = 1, .text = fmt::format("{}: {}\n", files[k - 1].path, end.problem)};
        output.add(files[k - 1].path, s);
      }
      return missing == 0;
    };
    watch(files.size() + 1, o.limit, job, done);
    if (missing) return missing;
  }
  const Summary& all = output.finish();
  return all.failed || all.different ? 1 : 0;
}

}  // namespace

int main(int argc, char** argv) {
  Options o;
  CLI::App app("Runs PTX instruction tests on the engine and on a GPU.");
  app.add_option("paths", o.paths, "Test files, or folders of them")->required()->check(CLI::ExistingPath);
  app.add_option("--device", o.device)->check(CLI::IsMember({"engine", "gpu", "both"}));
  app.add_option("--lanes", o.lanes)->check(CLI::IsMember({"plain", "avx2", "avx512"}));
  app.add_option("--engine", o.back)->check(CLI::IsMember({"auto", "interpreter", "compiled"}));
  app.add_option("--random", o.random,
                 "Records per entry to compare between the devices (with --device both)");
  app.add_option("--seed", o.seed);
  app.add_option("--report", o.report, "A file that gets all that is found, with a summary of each chapter");
  app.add_option("--limit", o.limit, "Seconds for a file (with a GPU); one that takes longer fails")
      ->check(CLI::PositiveNumber);
  app.add_option("--most", o.most, "Failing cases to show of an entry");
  app.add_flag("--coverage", o.coverage, "List the rows of the table that no file uses");
  app.add_option("--excuses", o.excuses, "Rows that need no test (with --coverage)");
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& e) {
    return app.exit(e) == 0 ? 0 : 2;
  }
  if (!o.coverage) return run_all(o);
  auto missing = report_uncovered(o.paths, o.excuses.empty() ? o.paths[0] + "/not_covered.txt" : o.excuses);
  if (!missing) {
    std::cerr << render(missing.error());
    return 2;
  }
  fmt::print("{} rows\n", *missing);
  return *missing ? 1 : 0;
}
