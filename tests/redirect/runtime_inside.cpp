// A program or library with a runtime inside, as nvcc links it: hidden functions, and a constructor that
// registers kernels with them. The runtime's own functions say so.
#include <cstdio>
#include <cstring>

#define TEXT_OF(name) #name
#define NAME_OF(name) TEXT_OF(name)
#define JOINED(a, b) a##b
#define FUNCTION_OF(name) JOINED(name, _report)

#define HIDDEN extern "C" __attribute__((visibility("hidden"), noinline, aligned(16)))

namespace {
const char* registered_with = "nobody";
}

/// nvcc puts the places of a program's fatbins into this section.
__attribute__((section(".nvFatBinSegment"), used)) int segment = 1;

HIDDEN void** __cudaRegisterFatBinary(void*) { return nullptr; }
HIDDEN const char* cudaGetErrorString(int) { return "its own"; }
HIDDEN void cudaGetDriverEntryPointByVersion() {}
HIDDEN int __cudaGetProcAddress() { return 0; }  // as short as the shortest of the real ones
HIDDEN double cudaSumOfTest(int a, long b, int c, long d, int e, long f, int g, double x, double y) {
  return double(a + b + c + d + e + f + g) * 0 + x + y;
}

namespace {
// volatile: the compiler must not look into them.
auto* volatile error_string = &cudaGetErrorString;
auto* volatile register_fat_binary = &__cudaRegisterFatBinary;
auto* volatile sum = &cudaSumOfTest;

__attribute__((constructor)) void register_kernels() {
  registered_with = register_fat_binary(nullptr) ? "ours" : "its own";
}
}  // namespace

extern "C" __attribute__((visibility("default"))) void FUNCTION_OF(OBJECT_NAME)() {
  const char* answer = error_string(0);
  // Arguments in registers and on the stack arrive at the first call, too: ours adds all of them.
  double expected = std::strcmp(answer, "ours") == 0 ? 28 + 0.5 + 0.25 : 0.75;
  if (std::strcmp(answer, registered_with) != 0 || sum(1, 2, 3, 4, 5, 6, 7, 0.5, 0.25) != expected)
    answer = "not the same for all functions";
  std::printf("%s: %s\n", NAME_OF(OBJECT_NAME), answer);
}
