// What stands for Warpwright's runtime: it says "ours".
extern "C" {
void** __cudaRegisterFatBinary(void*) {
  static void* handle;
  return &handle;
}
const char* cudaGetErrorString(int) { return "ours"; }
void cudaGetDriverEntryPointByVersion() {}
int __cudaGetProcAddress() { return 1; }
double cudaSumOfTest(int a, long b, int c, long d, int e, long f, int g, double x, double y) {
  return double(a + b + c + d + e + f + g) + x + y;
}
}
