// One of the libraries that a program asks for by name. It says which runtime's structs the program was
// compiled with; all else is in libwarpwright_cuda.so.
extern "C" void ww_cuda_use_runtime(int version);

namespace {
[[maybe_unused, gnu::constructor]] void tell() {
  if (WW_RUNTIME) ww_cuda_use_runtime(WW_RUNTIME);
}
}  // namespace
