// What nvcc made of a file, kept: found for the same compilation alone.
#include "cli/compile/kept_ptx.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>
#include <fstream>

#include "base/private_directory.h"

namespace ww::cli {
namespace {

namespace fs = std::filesystem;

/// A made-up compiler, a source with a header in another folder.
class KeptPtxTest : public testing::Test {
 protected:
  KeptPtxTest() {
    for (const char* folder : {"toolkit/bin", "source", "first", "second"})
      fs::create_directories(path(folder));
    write("toolkit/bin/nvcc", "#!/bin/sh\n");
    write("source/k.cu", "#include \"h.h\"\n");
    write("second/h.h", "// a header\n");
    what_.command = {path("toolkit/bin/nvcc"), "-DN=1", path("source/k.cu")};
    what_.folders = {path("source"), path("first"), path("second")};
    compiled_ = {true, "the PTX", "a warning\n"};
  }
  std::string path(const std::string& name) const { return directory_.file(name); }
  void write(const std::string& name, const std::string& text) const { std::ofstream(path(name)) << text; }
  std::vector<std::string> read() const { return {path("source/k.cu"), path("second/h.h")}; }
  void keep() { kept_.keep(what_, read(), compiled_); }
  bool found() const { return kept_.find(what_).has_value(); }

  PrivateDirectory directory_;
  KeptPtx kept_{{directory_.file("kept"), 1 << 20}};
  Compilation what_;
  CompiledCuda compiled_;
};

TEST_F(KeptPtxTest, IsFoundWithItsMessages) {
  EXPECT_FALSE(found());
  keep();
  const auto again = kept_.find(what_);
  ASSERT_TRUE(again);
  EXPECT_TRUE(again->ok);
  EXPECT_EQ(again->ptx, "the PTX");
  EXPECT_EQ(again->messages, "a warning\n");
}

TEST_F(KeptPtxTest, ChangedFilesAreCompiledAgain) {
  keep();
  write("second/h.h", "// A header\n");  // as long as before
  EXPECT_FALSE(found());
  write("second/h.h", "// a header\n");
  EXPECT_TRUE(found());
  fs::remove(path("second/h.h"));
  EXPECT_FALSE(found());
}

TEST_F(KeptPtxTest, AFileThatTheCompilerWouldReadInsteadIsNoticed) {
  for (const char* instead : {"first/h.h", "source/h.h"}) {
    keep();
    EXPECT_TRUE(found());
    write(instead, "// another\n");
    EXPECT_FALSE(found()) << instead;
    fs::remove(path(instead));
  }
  // With a folder in its name.
  fs::create_directories(path("second/sub"));
  write("second/sub/deep.h", "");
  auto files = read();
  files.push_back(path("second/sub/deep.h"));
  kept_.keep(what_, files, compiled_);
  EXPECT_TRUE(found());
  fs::create_directories(path("first/sub"));
  write("first/sub/deep.h", "");
  EXPECT_FALSE(found());
}

TEST_F(KeptPtxTest, WhateverElseDiffersIsAnotherCompilation) {
  keep();
  Compilation other = what_;
  other.command[1] = "-DN=2";
  EXPECT_FALSE(kept_.find(other));
  other = what_, other.more = "k<float>";
  EXPECT_FALSE(kept_.find(other));
  other = what_, other.folders.push_back(path("toolkit"));
  EXPECT_FALSE(kept_.find(other));
  ASSERT_EQ(setenv("NVCC_APPEND_FLAGS", "-G", 1), 0);
  EXPECT_FALSE(found());
  ASSERT_EQ(unsetenv("NVCC_APPEND_FLAGS"), 0);
  EXPECT_TRUE(found());
  write("toolkit/bin/nvcc", "#!/bin/sh\n# another\n");
  EXPECT_FALSE(found());
}

TEST_F(KeptPtxTest, WhatDependsOnMoreThanContentsIsNotKept) {
  for (const char* text : {"const char* d = __DATE__;", "__TIME__", "#if __has_include(\"x.h\")"}) {
    write("second/h.h", text);
    keep();
    EXPECT_FALSE(found()) << text;
  }
}

TEST_F(KeptPtxTest, DamagedFilesAreMissing) {
  keep();
  for (const auto& file : fs::directory_iterator(path("kept"))) {
    std::string whole(fs::file_size(file.path()), '\0');
    std::ifstream(file.path()).read(whole.data(), static_cast<std::streamsize>(whole.size()));
    for (size_t at = 0; at < whole.size(); at += 31) {
      std::string damaged = whole;
      damaged[at] ^= 1;
      std::ofstream(file.path()) << damaged;
      EXPECT_FALSE(found()) << at;
      std::ofstream(file.path()) << whole.substr(0, at);
      EXPECT_FALSE(found()) << at;
    }
    std::ofstream(file.path()) << whole;
    EXPECT_TRUE(found());
    ASSERT_EQ(chmod(file.path().c_str(), 0666), 0);
    EXPECT_FALSE(found()) << "others can have written it";
  }
}

TEST(Dependencies, AreReadFromARule) {
  EXPECT_EQ(dependencies("out.ptx : a.cu \\\n    /usr/include/x.h \\\n  with\\ space.h\n"),
            (std::vector<std::string>{"a.cu", "/usr/include/x.h", "with space.h"}));
  EXPECT_EQ(dependencies("out.ptx: a$$b.cu"), std::vector<std::string>{"a$b.cu"});
  EXPECT_TRUE(dependencies("").empty());
}

}  // namespace
}  // namespace ww::cli
