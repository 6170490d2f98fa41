// printf, malloc, free, assert and function pointers in kernels (tests/data/library.cu).
#include <cmath>
#include <cstdio>

#include "run_ptx.h"

namespace {

using namespace ww;
using test::PtxProgram;

template <class... Args>
std::string host_printf(const char* format, Args... args) {
  std::string text(4096, '\0');
  text.resize(static_cast<size_t>(std::snprintf(text.data(), text.size(), format, args...)));
  return text;
}

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

TEST(Library, PrintsIntegersAsTheHostDoes) {
  PtxProgram p("library.ptx");
  int i = 42;
  unsigned u = 0xdeadbeef;
  long l = -1234567890123;
  long long ll = 1234567890123456;
  size_t z = 99;
  short s = -7;
  auto counts = p.upload(std::vector<int>(5, -9));
  std::string got = p.run("print_integers", {}, {}, counts, i, u, l, ll, z, s);
  std::string want = host_printf("%d|%i|%5d|%-5d|%05d|%+d|% d|%.3d\n", i, -i, i, i, i, i, i, i) +
                     host_printf("%u|%x|%X|%#x|%o|%#o\n", u, u, u, u, u, u) +
                     host_printf("%ld|%lld|%lx|%zu|%hd|%hhd|%llu\n", l, ll, l, z, s, i, ~0ull) +
                     host_printf("%*d|%-*d|%.*d|%*.*d\n", 7, i, 7, i, 4, i, 8, 3, i) + "100% and nothing\n";
  EXPECT_EQ(got, want);
  EXPECT_EQ(p.download<int>(counts, 5), (std::vector<int>{8, 6, 7, 9, 0}));
}

TEST(Library, PrintsFloatsAsTheHostDoes) {
  PtxProgram p("library.ptx");
  for (double d : {3.25, -1e300, 0.0, 1.0 / 3, HUGE_VAL, 5e-324}) {
    float f = static_cast<float>(d);
    EXPECT_EQ(
        p.run("print_floats", {}, {}, d, f),
        host_printf("%f|%e|%g|%a|%10.3f|%-10.2e|%+g|%G|%.0f|%#.0f\n", d, d, d, d, d, d, d, d * 1e-9, d, d) +
            host_printf("%f|%d|%.1f\n", static_cast<double>(f), 7, static_cast<double>(f)));
  }
}

TEST(Library, PrintsText) {
  PtxProgram p("library.ptx");
  const char* text = "warp";
  auto at = p.upload(std::vector<char>(text, text + 5));
  auto pointer = uint64_t{0x1234abcd};
  EXPECT_EQ(p.run("print_text", {}, {}, at, pointer), "warp|      warp|warp      |wa|ok|0x1234abcd\n");
  EXPECT_EQ(p.run("print_text", {}, {}, uint64_t{0}, uint64_t{0}),
            host_printf("%s|%10s|%-10s|%.2s|ok|%p\n", "(null)", "(null)", "(null)", "(n",
                        static_cast<void*>(nullptr)));
  auto endless = p.upload(std::vector<char>(100, 'x'));
  EXPECT_EQ(p.fault("print_text", {}, endless, pointer).first, "out-of-bounds read");
  EXPECT_TRUE(contains(p.fault("print_text", {}, uint64_t{16}, pointer).second, "%s"));
}

TEST(Library, PrintsInOrderOfBlocksAndLanes) {
  std::string want;
  for (int b = 0; b < 9; ++b)
    for (int t = 0; t < 40; ++t) want += host_printf("block %d thread %d\n", b, t);
  for (int threads : {1, 4}) {
    engine::Settings settings;
    settings.threads = threads;
    PtxProgram p("library.ptx", settings);
    EXPECT_EQ(p.run("print_lanes", {9}, {40}), want);
  }
}

TEST(Library, HostileFormatsAreText) {
  PtxProgram p("library.ptx");
  auto with = [&](const std::string& format) {
    auto result = p.launch("print_hostile", {}, {},
                           p.upload(std::vector<char>(format.c_str(), format.c_str() + format.size() + 1)));
    return result.faults.empty() ? result.printed : result.faults[0].kind;
  };
  EXPECT_EQ(with("%n%d"), "%n1");
  EXPECT_EQ(with("%"), "%");
  EXPECT_EQ(with("%d %q %5"), "1 %q %5");
  EXPECT_EQ(with("%-+-+-+d|%lllld"), "+1|%lllld");
  EXPECT_EQ(with(""), "");
  EXPECT_TRUE(contains(with("%999999999999d"), "dropped"));
  EXPECT_TRUE(contains(with("%.2000000000f"), "dropped"));
  std::string many;
  for (int k = 0; k < 200; ++k) many += "%s";
  EXPECT_NE(with(many), "");  // arguments that were never given: a fault or what lies there, but no crash
}

TEST(Library, TextBeyondTheLimitIsDropped) {
  PtxProgram p("library.ptx");
  std::string got = p.run("print_much", {3}, {32});  // 3 * 64 * 32 lines of 1 KiB
  size_t limit = size_t{1} << 20;
  EXPECT_GE(got.size(), limit);
  EXPECT_LT(got.size(), limit + 200);
  EXPECT_EQ(got.substr(0, 1024), host_printf("%1023d\n", 0));
  EXPECT_TRUE(contains(got, host_printf("%d more calls", 3 * 64 * 32 - 1024)));
}

TEST(Library, ListsOnTheHeapWithRecursion) {
  PtxProgram p("library.ptx");
  auto out = p.upload(std::vector<int>(64));
  auto before = p.engine.memory().allocated();
  p.run("lists", {}, {64}, out, 20);
  auto got = p.download<int>(out, 64);
  for (int t = 0; t < 64; ++t) EXPECT_EQ(got[static_cast<size_t>(t)], (20 + t) * (21 + t) / 2);
  EXPECT_EQ(p.engine.memory().allocated(), before);
}

TEST(Library, TheHeapEnds) {
  for (long long bytes : {100LL, 1000LL, 100000LL}) {
    engine::Settings settings;
    settings.heap_limit = 1 << 20;
    PtxProgram p("library.ptx", settings);
    auto got = p.upload(std::vector<int>(1));
    p.run("exhaust", {}, {}, got, bytes);
    EXPECT_EQ(p.download<int>(got, 1)[0], (1 << 20) / bytes);
  }
}

TEST(Library, MemoryFromTheStack) {
  PtxProgram p("library.ptx");
  std::vector<int> in(200), out(32);
  for (size_t k = 0; k < in.size(); ++k) in[k] = static_cast<int>(k * 31 % 97);
  auto in_at = p.upload(in), out_at = p.upload(out);
  p.run("on_stack", {2}, {32}, in_at, out_at, 100);
  auto got = p.download<int>(out_at, 32);
  for (size_t t = 0; t < 32; ++t) {
    int want = in[t] % static_cast<int>(t + 1);
    for (size_t call = 0; call < 200; ++call) {
      size_t n = 100 + (t + call) % 32;
      for (size_t k = 0; k < n; ++k) want += static_cast<int>(k + 1) * in[static_cast<size_t>(in[k]) % n];
    }
    EXPECT_EQ(got[t], want) << t;
  }
  EXPECT_EQ(p.fault("on_stack", {32}, in_at, out_at, 1000000).first, "stack overflow");
}

TEST(Library, StackSavedAndRestored) {
  PtxProgram p("stack.ptx");
  auto out = p.upload(std::vector<int>(1));
  p.run("save_restore", {}, {32}, out);
  EXPECT_EQ(p.download<int>(out, 1)[0], 1000 * 1001 / 2 + 7);
}

TEST(Library, WrongFreesAreFaults) {
  PtxProgram p("library.ptx");
  auto [twice, twice_text] = p.fault("free_twice", {});
  EXPECT_EQ(twice, "invalid free");
  EXPECT_TRUE(contains(twice_text, "freed before")) << twice_text;
  auto [inside, inside_text] = p.fault("free_inside", {});
  EXPECT_EQ(inside, "invalid free");
  EXPECT_TRUE(contains(inside_text, "4 bytes into")) << inside_text;
  auto given = p.upload(std::vector<int>(4));
  EXPECT_TRUE(contains(p.fault("free_given", {}, given).second, "not allocated by malloc"));
  p.run("free_given", {}, {}, uint64_t{0});
  for (int rounds : {1, 3})  // the second time the instruction has seen a good address before
    EXPECT_TRUE(p.fault("use_after_free", {}, given, rounds).first.starts_with("use after free"));
}

TEST(Library, AssertionNamesItsThread) {
  PtxProgram p("library.ptx");
  p.run("assertion", {}, {32}, 99);
  auto [kind, text] = p.fault("assertion", {64}, 37);
  EXPECT_EQ(kind, "assertion failed");
  for (const char* part :
       {"out of luck", "library.cu:", "assertion(int)", "thread (37,0,0)", "block (0,0,0)"})
    EXPECT_TRUE(contains(text, part)) << part << " in " << text;
}

TEST(Library, VirtualFunctionsAcrossLaunches) {
  PtxProgram p("library.ptx");
  auto shapes = p.upload(std::vector<uint64_t>(48));
  auto areas = p.upload(std::vector<float>(48));
  p.run("make_shapes", {}, {48}, shapes);
  p.run("use_shapes", {}, {48}, shapes, areas);
  auto got = p.download<float>(areas, 48);
  for (int t = 0; t < 48; ++t) EXPECT_EQ(got[static_cast<size_t>(t)], t % 3 ? t * t : 2 * t);
}

TEST(Library, FunctionPointersInMemory) {
  PtxProgram p("library.ptx");
  auto out = p.upload(std::vector<float>(32));
  p.run("by_table", {}, {32}, out);
  auto got = p.download<float>(out, 32);
  for (int t = 0; t < 32; ++t)
    EXPECT_EQ(got[static_cast<size_t>(t)], (t & 1 ? 2 * t : t + 1) + (t >> 1 & 1 ? t + 1 : 2 * t));
  auto pointer = p.upload(std::vector<uint64_t>(1));
  p.run("give_pointer", {}, {}, pointer);
  p.run("use_pointer", {}, {32}, pointer, out);
  EXPECT_EQ(p.download<float>(out, 32)[21], 42);
  auto bad = p.upload(std::vector<uint64_t>{0});
  EXPECT_EQ(p.fault("use_pointer", {32}, bad, out).first, "call of no function");
}

}  // namespace
