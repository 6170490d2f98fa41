#include "cli/program/host_lines.h"

#include <dlfcn.h>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <filesystem>
#include <fstream>

#include "base/process.h"

namespace ww::cli {

/// A library that `cc` makes of C text, opened.
struct Library {
  std::string file, source;
  void* opened = nullptr;
  Library(const std::string& name, const std::string& text, std::vector<std::string> flags) {
    const std::filesystem::path folder = std::filesystem::path(testing::TempDir()) / "host_lines";
    std::filesystem::create_directories(folder);
    source = folder / (name + ".c"), file = folder / ("lib" + name + ".so");
    std::ofstream(source) << text;
    std::vector<std::string> command = {find_program("cc"), "-shared", "-fPIC", "-o", file, source};
    command.insert(command.end(), flags.begin(), flags.end());
    auto built = run_process(command, 60);
    if (built && built->exit_code == 0) opened = dlopen(file.c_str(), RTLD_NOW);
  }
  ~Library() {
    if (opened) dlclose(opened);
  }
  /// As the processes write it.
  std::string place(const void* at) const {
    Dl_info info{};
    dladdr(at, &info);
    return fmt::format("{}+0x{:x}", file, static_cast<const char*>(at) - static_cast<char*>(info.dli_fbase));
  }
};

// A library without its symbol table, whose exported functions alone are known: an address between them lies
// in none of them, although one is the nearest before.
TEST(HostLines, NamesNoFunctionThatDoesNotCoverTheAddress) {
  if (find_program("cc").empty()) GTEST_SKIP() << "no C compiler";
  const Library library("hidden",
                        "int exported(int x) { return x + 1; }\n"
                        "__attribute__((noinline)) static int hidden(int x) { return x * 3 + 7; }\n"
                        "int last(int x) { return hidden(x) + 2; }\n"
                        "void *const address_of_hidden = (void*)hidden;\n",
                        {"-O1", "-fno-toplevel-reorder", "-s"});
  ASSERT_TRUE(library.opened) << dlerror();
  const void* hidden = *static_cast<void* const*>(dlsym(library.opened, "address_of_hidden"));
  const void* exported = dlsym(library.opened, "exported");
  ASSERT_LT(exported, hidden);
  std::vector<checks::Finding> findings(1);
  findings[0].launched = {library.place(exported), library.place(hidden)};
  const std::string offset = findings[0].launched[1].substr(library.file.size());
  name_host_places(findings, "/bin/true", "/bin/true");
  EXPECT_EQ(findings[0].launched, (checks::HostTrace{"exported in libhidden.so", "libhidden.so" + offset}));
}

// A compiler puts functions in the places of their calls: the user's line is the caller's where the innermost
// line is in CUDA's header, or in the function with the kernel's name from which nvcc calls its stub.
TEST(HostLines, NamesTheCallersOfWhatIsInTheirPlace) {
  if (find_program("cc").empty() || find_program("addr2line").empty()) GTEST_SKIP() << "no tools";
  const Library library("inlined",
                        "#define HERE static inline __attribute__((always_inline)) void\n"
                        "#define POINT(name) asm volatile(\".globl \" #name \"\\n\" #name \": nop\")\n"
                        "HERE scale(void) { POINT(launch); }\n"
                        "HERE make(void) { POINT(own); }\n"
                        "#line 879 \"/cuda/include/cuda_runtime.h\"\n"
                        "HERE cudaMalloc_int(void) { POINT(wrapper); }\n"
                        "#line 7 \"app.cu\"\n"
                        "HERE allocate(void) {\n"
                        "  cudaMalloc_int(); }\n"
                        "void program(void) {\n"
                        "  scale();\n"
                        "  make();\n"
                        "  allocate(); }\n"
                        "void __device_stub__Z5scalePf(void) { POINT(stub); }\n",
                        {"-O2", "-g"});
  ASSERT_TRUE(library.opened);
  const auto place = [&](const char* name) { return library.place(dlsym(library.opened, name)); };
  std::vector<checks::Finding> findings(1);
  findings[0].launched = {place("stub"), place("launch")};
  findings[0].allocated = {place("wrapper")};
  findings[0].freed = {place("own")};
  name_host_places(findings, "/bin/true", "/bin/true");
  const auto lines = [](const checks::HostTrace& trace) {  // without folders
    std::vector<std::string> all;
    for (const std::string& frame : trace) {
      const size_t at = frame.find(" at ") + 4;
      all.push_back(frame.substr(0, at) +
                    frame.substr(frame.rfind('/') == frame.npos ? at : frame.rfind('/') + 1));
    }
    return all;
  };
  using Lines = std::vector<std::string>;
  EXPECT_EQ(lines(findings[0].launched), (Lines{"program at app.cu:10"}));
  EXPECT_EQ(lines(findings[0].allocated), (Lines{"allocate at app.cu:8", "program at app.cu:12"}));
  EXPECT_EQ(lines(findings[0].freed), (Lines{"make at inlined.c:4", "program at app.cu:11"}));
}

}  // namespace ww::cli
