#include "base/private_directory.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <fstream>

namespace ww {
namespace {

TEST(PrivateDirectory, IsOursAloneAndGoesAway) {
  std::string file;
  {
    const PrivateDirectory one, other;
    ASSERT_TRUE(one && other);
    file = one.file("a.txt");
    EXPECT_NE(file, other.file("a.txt"));
    std::ofstream(file) << "text";
    struct stat is = {};
    ASSERT_EQ(::stat(file.substr(0, file.rfind('/')).c_str(), &is), 0);
    EXPECT_EQ(is.st_mode & 0777, 0700u);  // POSIX: mkdtemp makes it for its owner alone
  }
  EXPECT_FALSE(std::ifstream(file).good());
}

}  // namespace
}  // namespace ww
