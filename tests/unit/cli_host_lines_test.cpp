#include "cli/program/host_lines.h"

#include <dlfcn.h>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <filesystem>
#include <fstream>

#include "base/process.h"

namespace ww::cli {

// A library without its symbol table, whose exported functions alone are known: an address between them lies
// in none of them, although one is the nearest before.
TEST(HostLines, NamesNoFunctionThatDoesNotCoverTheAddress) {
  const std::string compiler = find_program("cc");
  if (compiler.empty()) GTEST_SKIP() << "no C compiler";
  const std::filesystem::path folder = std::filesystem::path(testing::TempDir()) / "host_lines";
  std::filesystem::create_directories(folder);
  const std::string source = folder / "hidden.c", library = folder / "libhidden.so";
  std::ofstream(source) << "int exported(int x) { return x + 1; }\n"
                           "__attribute__((noinline)) static int hidden(int x) { return x * 3 + 7; }\n"
                           "int last(int x) { return hidden(x) + 2; }\n"
                           "void *const address_of_hidden = (void*)hidden;\n";
  auto built = run_process(
      {compiler, "-O1", "-fno-toplevel-reorder", "-shared", "-fPIC", "-s", "-o", library, source}, 60);
  ASSERT_TRUE(built && built->exit_code == 0);
  void* opened = dlopen(library.c_str(), RTLD_NOW);
  ASSERT_TRUE(opened) << dlerror();
  const auto place = [&](const void* at) {
    Dl_info info{};
    dladdr(at, &info);
    return fmt::format("{}+0x{:x}", library,
                       static_cast<const char*>(at) - static_cast<char*>(info.dli_fbase));
  };
  const void* hidden = *static_cast<void* const*>(dlsym(opened, "address_of_hidden"));
  const void* exported = dlsym(opened, "exported");
  ASSERT_LT(exported, hidden);
  std::vector<checks::Finding> findings(1);
  findings[0].launched = {place(exported), place(hidden)};
  const std::string offset = findings[0].launched[1].substr(library.size());
  name_host_places(findings, "/bin/true", "/bin/true");
  EXPECT_EQ(findings[0].launched, (checks::HostTrace{"exported in libhidden.so", "libhidden.so" + offset}));
  dlclose(opened);
}

}  // namespace ww::cli
