#include "base/file.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <sstream>

namespace ww {
namespace {

namespace fs = std::filesystem;

class File : public testing::Test {
 protected:
  File() {
    char name[] = "/tmp/ww_file_XXXXXX";
    folder_ = ::mkdtemp(name);
  }
  ~File() override { fs::remove_all(folder_); }

  std::string path(const std::string& name) const { return (folder_ / name).string(); }
  size_t entries() const { return std::distance(fs::directory_iterator(folder_), {}); }
  // Not by read_file: it is under test.
  static std::string content(const std::string& path) {
    std::ostringstream out;
    out << std::ifstream(path, std::ios::binary).rdbuf();
    return out.str();
  }
  static std::string message(const Diagnostics& why) { return why.at(0).message; }

  fs::path folder_;
};

TEST_F(File, ReadsAllBytes) {
  std::string bytes("a\0\r\n\xff", 5);
  std::ofstream(path("x"), std::ios::binary) << bytes;
  EXPECT_EQ(*read_file(path("x")), bytes);
  std::ofstream(path("empty"));
  EXPECT_EQ(*read_file(path("empty")), "");
  EXPECT_FALSE(read_file("/proc/self/status")->empty());  // says that its size is 0
}

TEST_F(File, SaysWhyItCannotBeRead) {
  EXPECT_EQ(message(read_file(path("none")).error()),
            "cannot read '" + path("none") + "': No such file or directory");
  EXPECT_EQ(message(read_file(folder_).error()), "cannot read '" + folder_.string() + "': Is a directory");
  EXPECT_FALSE(read_file("").ok());
}

TEST_F(File, KeepsToTheLimit) {
  std::ofstream(path("x")) << "12345";
  EXPECT_TRUE(read_file(path("x"), 5).ok());
  EXPECT_NE(message(read_file(path("x"), 4).error()).find("larger than the limit of 4 bytes"),
            std::string::npos);
  EXPECT_FALSE(read_file("/dev/zero", 1 << 20).ok());  // endless, and its size is 0
}

TEST_F(File, ReplacesAFileAndLeavesNothingBeside) {
  ASSERT_TRUE(write_file_atomically(path("x"), "old").ok());
  ::chmod(path("x").c_str(), 0640);
  ASSERT_TRUE(write_file_atomically(path("x"), std::string_view("n\0w", 3)).ok());
  EXPECT_EQ(content(path("x")), std::string("n\0w", 3));
  struct stat info {};
  ::stat(path("x").c_str(), &info);
  EXPECT_EQ(info.st_mode & 0777, 0640u);
  EXPECT_EQ(entries(), 1u);
}

TEST_F(File, ReadersOfTheOldFileKeepIt) {
  std::ofstream(path("x")) << "old";
  std::ifstream reader(path("x"));
  ASSERT_TRUE(write_file_atomically(path("x"), "new and longer").ok());
  std::string word;
  reader >> word;
  EXPECT_EQ(word, "old");
}

TEST_F(File, FollowsLinksInsteadOfReplacingThem) {
  fs::create_directory(folder_ / "sub");
  fs::create_symlink("sub/real", folder_ / "link");  // does not exist yet
  for (std::string text : {"one", "two"}) {
    ASSERT_TRUE(write_file_atomically(path("link"), text).ok());
    EXPECT_TRUE(fs::is_symlink(folder_ / "link"));
    EXPECT_EQ(content(path("sub/real")), text);
  }
}

TEST_F(File, ErrorsLeaveEverythingAsItWas) {
  EXPECT_NE(message(write_file_atomically(path("no/x"), "").error()).find("No such file"), std::string::npos);
  EXPECT_NE(message(write_file_atomically(folder_, "").error()).find("Is a directory"), std::string::npos);
  fs::create_symlink("loop", folder_ / "loop");
  EXPECT_FALSE(write_file_atomically(path("loop"), "").ok());
  EXPECT_FALSE(write_file_atomically("", "x").ok());
  EXPECT_EQ(entries(), 1u);
}

TEST_F(File, WritesToDevicesInsteadOfReplacingThem) {
  ASSERT_TRUE(write_file_atomically("/dev/null", "x").ok());
  EXPECT_TRUE(fs::is_character_file("/dev/null"));
  EXPECT_FALSE(write_file_atomically("/dev/full", "x").ok());
}

}  // namespace
}  // namespace ww
