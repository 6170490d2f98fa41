// Texture and surface references of a module that the program loads (cuModuleGetTexRef), set by the driver's
// calls. Every figure follows from the manuals: texels' middles are at 0.5, 1.5, ...; small integers are
// fractions of 1.
#include <cuda.h>

#include <cstdio>

static const char* code = R"(.version 8.0
.target sm_90
.address_size 64
.global .texref image;
.global .texref line;
.global .surfref plane;
.visible .entry look(.param .u64 to, .param .f32 x, .param .f32 y) {
  .reg .f32 %f<7>; .reg .b64 %rd<2>;
  ld.param.u64 %rd1, [to]; ld.param.f32 %f5, [x]; ld.param.f32 %f6, [y];
  tex.2d.v4.f32.f32 {%f1, %f2, %f3, %f4}, [image, {%f5, %f6}];
  st.global.f32 [%rd1], %f1;
  ret;
}
.visible .entry fetch(.param .u64 to, .param .u32 x) {
  .reg .b32 %r<6>; .reg .b64 %rd<2>;
  ld.param.u64 %rd1, [to]; ld.param.u32 %r5, [x];
  tex.1d.v4.s32.s32 {%r1, %r2, %r3, %r4}, [line, {%r5}];
  st.global.u32 [%rd1], %r1;
  st.global.u32 [%rd1+4], %r2;
  ret;
}
.visible .entry mark(.param .u32 x, .param .u32 y) {
  .reg .b32 %r<4>;
  ld.param.u32 %r1, [x]; ld.param.u32 %r2, [y];
  mov.b32 %r3, 0f42280000;  // 42
  sust.b.2d.b32.trap [plane, {%r1, %r2}], {%r3};
  ret;
}
)";

static CUmodule module_;
static CUdeviceptr out;

static void launch(const char* kernel, void** arguments) {
  CUfunction f;
  cuModuleGetFunction(&f, module_, kernel);
  cuLaunchKernel(f, 1, 1, 1, 1, 1, 1, 0, nullptr, arguments, nullptr);
}
static float look(float x, float y) {
  void* arguments[] = {&out, &x, &y};
  launch("look", arguments);
  float seen = -1;
  cuMemcpyDtoH(&seen, out, sizeof seen);
  return seen;
}
static void fetch(int x, int (&seen)[2]) {
  void* arguments[] = {&out, &x};
  launch("fetch", arguments);
  cuMemcpyDtoH(seen, out, sizeof seen);
}

static void arrays(CUtexref image) {
  CUDA_ARRAY3D_DESCRIPTOR shape{4, 2, 0, CU_AD_FORMAT_FLOAT, 1, CUDA_ARRAY3D_SURFACE_LDST};
  CUarray array, bound;
  cuArray3DCreate(&array, &shape);
  const float texels[2][4] = {{1, 2, 3, 4}, {5, 6, 7, 8}};
  CUDA_MEMCPY2D copy{};
  copy.srcMemoryType = CU_MEMORYTYPE_HOST, copy.srcHost = texels, copy.srcPitch = 16;
  copy.dstMemoryType = CU_MEMORYTYPE_ARRAY, copy.dstArray = array, copy.WidthInBytes = 16, copy.Height = 2;
  cuMemcpy2D(&copy);
  std::printf("nothing bound %d; ", cuTexRefGetArray(&bound, image));
  for (int k = 0; k < 2; ++k) cuTexRefSetAddressMode(image, k, CU_TR_ADDRESS_MODE_CLAMP);
  std::printf("set %d, without the flag %d; ", cuTexRefSetArray(image, array, CU_TRSA_OVERRIDE_FORMAT),
              cuTexRefSetArray(image, array, 0));
  std::printf("bound %d ", cuTexRefGetArray(&bound, image));
  std::printf("%d\n", bound == array);
  std::printf("points %g %g, ", look(2.5f, 0.5f), look(9, 1.5f));
  cuTexRefSetFilterMode(image, CU_TR_FILTER_MODE_LINEAR);
  std::printf("linear %g, ", look(1, 1));
  cuTexRefSetFlags(image, CU_TRSF_NORMALIZED_COORDINATES);
  cuTexRefSetAddressMode(image, 0, CU_TR_ADDRESS_MODE_WRAP);
  std::printf("wrapped %g\n", look(1.125f + 0.25f, 0.75f));
  int mode = -1, filter = -1, channels = 0;
  unsigned flags = 0;
  CUarray_format format{};
  cuTexRefGetAddressMode(reinterpret_cast<CUaddress_mode*>(&mode), image, 0);
  cuTexRefGetFilterMode(reinterpret_cast<CUfilter_mode*>(&filter), image);
  cuTexRefGetFlags(&flags, image);
  cuTexRefGetFormat(&format, &channels, image);
  std::printf("mode %d, filter %d, flags %u, format %x of %d\n", mode, filter, flags, format, channels);

  CUsurfref plane;
  std::printf("surface %d ", cuModuleGetSurfRef(&plane, module_, "plane"));
  std::printf("%d, ", cuSurfRefSetArray(plane, array, 0));
  int x = 4, y = 1;  // in bytes
  void* arguments[] = {&x, &y};
  launch("mark", arguments);
  cuTexRefSetFlags(image, 0);
  cuTexRefSetFilterMode(image, CU_TR_FILTER_MODE_POINT);
  cuTexRefSetAddressMode(image, 0, CU_TR_ADDRESS_MODE_CLAMP);
  std::printf("then %g\n", look(1.5f, 1.5f));
}

static void rows(CUtexref image) {
  CUdeviceptr memory, address = 0;
  size_t pitch;
  cuMemAllocPitch(&memory, &pitch, 4, 2, 4);
  cuMemsetD2D8(memory, pitch, 51, 4, 1);           // 51 / 255
  cuMemsetD2D8(memory + pitch, pitch, 255, 4, 1);  // 1
  CUDA_ARRAY_DESCRIPTOR shape{4, 2, CU_AD_FORMAT_UNSIGNED_INT8, 1};
  std::printf("rows %d, askew %d, ", cuTexRefSetAddress2D(image, &shape, memory, pitch),
              cuTexRefSetAddress2D(image, &shape, memory + 4, pitch));
  std::printf("%d ", cuTexRefGetAddress(&address, image));
  std::printf("at home %d, %g %g\n", address == memory, look(0.5f, 0.5f), look(3.5f, 1.5f));
}

static void linear() {
  CUtexref line;
  const short pairs[4][2] = {{1, -2}, {3, -4}, {5, -6}, {7, -8}};
  CUdeviceptr memory;
  cuMemAlloc(&memory, sizeof pairs);
  cuMemcpyHtoD(memory, pairs, sizeof pairs);
  size_t offset = 1;
  cuModuleGetTexRef(&line, module_, "line");
  cuTexRefSetFormat(line, CU_AD_FORMAT_SIGNED_INT16, 2);
  cuTexRefSetFlags(line, CU_TRSF_READ_AS_INTEGER);
  std::printf("line %d, ", cuTexRefSetAddress(&offset, line, memory, sizeof pairs));
  std::printf("offset %zu, ", offset);
  int seen[2];
  fetch(2, seen);
  std::printf("%d %d, ", seen[0], seen[1]);
  fetch(4, seen);  // behind it
  std::printf("%d %d, ", seen[0], seen[1]);
  std::printf("too long %d\n", cuTexRefSetAddress(nullptr, line, memory, size_t{1} << 40));
}

int main() {
  cuInit(0);
  CUdevice device;
  CUcontext context;
  cuDeviceGet(&device, 0);
  cuDevicePrimaryCtxRetain(&context, device);
  cuCtxSetCurrent(context);
  std::printf("module %d, ", cuModuleLoadData(&module_, code));
  cuMemAlloc(&out, 16);
  CUtexref image = nullptr, none = nullptr, made = nullptr;
  std::printf("reference %d, not there %d, a surface %d\n", cuModuleGetTexRef(&image, module_, "image"),
              cuModuleGetTexRef(&none, module_, "nothing"), cuModuleGetTexRef(&none, module_, "plane"));
  arrays(image);
  rows(image);
  linear();
  std::printf("create %d, ", cuTexRefCreate(&made));
  std::printf("set %d, ", cuTexRefSetFilterMode(made, CU_TR_FILTER_MODE_LINEAR));
  std::printf("destroy %d\n", cuTexRefDestroy(made));
  std::printf("end %d ", cuCtxSynchronize());
  std::printf("%d\n", cuModuleUnload(module_));
}
// expect: module 0, reference 0, not there 500, a surface 500
// expect: nothing bound 1; set 0, without the flag 0; bound 0 1
// expect: points 3 8, linear 3.5, wrapped 6
// expect: mode 0, filter 1, flags 2, format 20 of 1
// expect: surface 0 0, then 42
// expect: rows 0, askew 1, 0 at home 1, 0.2 1
// expect: line 0, offset 0, 5 -6, 0 0, too long 1
// expect: create 0, set 0, destroy 0
// expect: end 0 0
