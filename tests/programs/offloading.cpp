// Calls what GCC's offloading calls, which opens the driver. (Not linked to it: there the function is
// missing.)
#include <cstdio>

extern "C" [[gnu::weak]] void GOMP_offload_register_ver();

int main() { std::puts(GOMP_offload_register_ver ? "offloads" : "offloads nothing"); }
