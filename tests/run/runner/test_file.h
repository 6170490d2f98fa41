// A test file (README.md): its entries as its comments describe them.
#pragma once

#include <filesystem>
#include <map>

#include "base/result.h"
#include "field.h"

namespace ww::runtest {

struct Case {
  int line = 0;
  std::vector<uint64_t> in;
  std::vector<Expected> out;
};

struct Entry {
  std::string name;
  int line = 0;
  std::vector<Field> in, out;
  size_t in_size = 1, out_size = 1;  ///< bytes of a record
  std::vector<Case> cases;
  uint32_t block = 128, shared = 0, group = 1;
  bool clock = false;
  std::vector<Draw> draws;                 ///< by input
  std::vector<std::vector<Bound>> bounds;  ///< by output: allowed between devices
  std::vector<bool> open;                  ///< by output
};

struct TestFile {
  std::string path, text;
  std::vector<Entry> entries;
};

/// Errors: located in the comments.
Result<TestFile> read_test(const std::filesystem::path& path);

/// The .ptx files below the paths, sorted.
std::vector<std::filesystem::path> test_files(const std::vector<std::string>& paths);

}  // namespace ww::runtest
