// The driver: our structs against cuda.h's, contexts, modules from PTX, launches, copies and fills, streams
// and events, graphs, linking, virtual memory, entry points, error codes. What is expected follows from the
// manual.
#include <cuda.h>
#include <dlfcn.h>

#include <cstddef>
#include <cstdio>
#include <cstring>
#include <vector>

#include "cuda/abi/driver.h"

#define SAME_SIZE(ours, theirs) static_assert(sizeof(ww::cuda::ours) == sizeof(theirs), #ours)
#define SAME_PLACE(ours, a, theirs, b) \
  static_assert(offsetof(ww::cuda::ours, a) == offsetof(theirs, b), #ours "." #a)

SAME_SIZE(DriverCopy2D, CUDA_MEMCPY2D);
SAME_PLACE(DriverCopy2D, to, CUDA_MEMCPY2D, dstXInBytes);
SAME_PLACE(DriverCopy2D, from.pitch, CUDA_MEMCPY2D, srcPitch);
SAME_PLACE(DriverCopy2D, width_bytes, CUDA_MEMCPY2D, WidthInBytes);
SAME_SIZE(DriverCopy3D, CUDA_MEMCPY3D);
SAME_SIZE(DriverCopy3D, CUDA_MEMCPY3D_PEER);
SAME_PLACE(DriverCopy3D, from.array, CUDA_MEMCPY3D, srcArray);
SAME_PLACE(DriverCopy3D, to.height, CUDA_MEMCPY3D, dstHeight);
SAME_PLACE(DriverCopy3D, depth, CUDA_MEMCPY3D, Depth);
SAME_SIZE(DriverArray2D, CUDA_ARRAY_DESCRIPTOR);
SAME_SIZE(DriverArray3D, CUDA_ARRAY3D_DESCRIPTOR);
SAME_PLACE(DriverArray3D, flags, CUDA_ARRAY3D_DESCRIPTOR, Flags);
SAME_SIZE(DriverResourceDesc, CUDA_RESOURCE_DESC);
SAME_PLACE(DriverResourceDesc, linear.bytes, CUDA_RESOURCE_DESC, res.linear.sizeInBytes);
SAME_PLACE(DriverResourceDesc, pitch2d.pitch, CUDA_RESOURCE_DESC, res.pitch2D.pitchInBytes);
SAME_PLACE(DriverResourceDesc, flags, CUDA_RESOURCE_DESC, flags);
SAME_SIZE(DriverTextureDesc, CUDA_TEXTURE_DESC);
SAME_PLACE(DriverTextureDesc, border, CUDA_TEXTURE_DESC, borderColor);
SAME_SIZE(DriverLaunchConfig, CUlaunchConfig);
SAME_PLACE(DriverLaunchConfig, stream, CUlaunchConfig, hStream);
SAME_PLACE(DriverLaunchConfig, count, CUlaunchConfig, numAttrs);
SAME_SIZE(DriverKernelNode, CUDA_KERNEL_NODE_PARAMS_v1);
SAME_SIZE(DriverKernelNode2, CUDA_KERNEL_NODE_PARAMS_v2);
SAME_PLACE(DriverKernelNode, arguments, CUDA_KERNEL_NODE_PARAMS_v1, kernelParams);
SAME_SIZE(MemsetParams, CUDA_MEMSET_NODE_PARAMS);
SAME_PLACE(MemsetParams, element, CUDA_MEMSET_NODE_PARAMS, elementSize);
SAME_SIZE(HostNodeParams, CUDA_HOST_NODE_PARAMS);
SAME_SIZE(MemAllocNodeParams, CUDA_MEM_ALLOC_NODE_PARAMS_v1);
SAME_SIZE(DriverNodeParams, CUgraphNodeParams);
SAME_PLACE(DriverNodeParams, kernel.context, CUgraphNodeParams, kernel.ctx);
SAME_PLACE(DriverNodeParams, copy.params, CUgraphNodeParams, memcpy.copyParams);
SAME_SIZE(MemAllocationProp, CUmemAllocationProp);
SAME_PLACE(MemAllocationProp, location, CUmemAllocationProp, location);
SAME_SIZE(DriverDeviceProperties, CUdevprop);
SAME_SIZE(StreamMemoryOperation, CUstreamBatchMemOpParams);
SAME_PLACE(StreamMemoryOperation, value.flags, CUstreamBatchMemOpParams, writeValue.flags);
SAME_SIZE(MemPoolProps, CUmemPoolProps);
SAME_SIZE(GraphInstantiateParams, CUDA_GRAPH_INSTANTIATE_PARAMS);

static void call(const char* what, CUresult e) {
  const char* name = nullptr;
  cuGetErrorName(e, &name);
  std::printf("%s %s\n", what, name ? name : "?");
}
#define CALL(f, ...) call(#f, f(__VA_ARGS__))
#define OK(x)                                                          \
  do {                                                                 \
    if (CUresult e_ = (x)) std::printf("line %d: %d\n", __LINE__, e_); \
  } while (0)

// out[i] = in[i] * factor + bias[0]; bias is a variable of the module.
static const char* const kScale =
    ".version 7.0\n.target sm_70\n.address_size 64\n"
    ".visible .global .align 4 .u32 bias = 100;\n"
    ".visible .entry scale(.param .u64 a, .param .u32 f, .param .u32 n) {\n"
    ".reg .u64 %d<5>; .reg .u32 %r<9>; .reg .pred %p;\n"
    "ld.param.u64 %d1, [a]; ld.param.u32 %r1, [f]; ld.param.u32 %r2, [n];\n"
    "mov.u32 %r3, %ctaid.x; mov.u32 %r4, %ntid.x; mov.u32 %r5, %tid.x; mad.lo.u32 %r5, %r3, %r4, %r5;\n"
    "setp.ge.u32 %p, %r5, %r2; @%p ret;\n"
    "mul.wide.u32 %d2, %r5, 4; add.u64 %d2, %d1, %d2; ld.global.u32 %r6, [%d2]; ld.global.u32 %r7, [bias];\n"
    "mad.lo.u32 %r6, %r6, %r1, %r7; st.global.u32 [%d2], %r6; ret; }\n";
static const char* const kCaller =
    ".version 7.0\n.target sm_70\n.address_size 64\n"
    ".extern .func (.param .u32 r) seven();\n"
    ".visible .entry fill(.param .u64 a) { .reg .u64 %d; .reg .u32 %r; ld.param.u64 %d, [a];\n"
    "{ .param .u32 r; call (r), seven, (); ld.param.u32 %r, [r]; } st.global.u32 [%d], %r; ret; }\n";
static const char* const kCallee =
    ".version 7.0\n.target sm_70\n.address_size 64\n"
    ".visible .func (.param .u32 r) seven() { st.param.u32 [r], 7; ret; }\n";

static void contexts(CUdevice device) {
  CUcontext now, primary, own, popped;
  CUdeviceptr p;
  OK(cuCtxGetCurrent(&now));
  std::printf("current at first: %d\n", now != nullptr);
  CALL(cuMemAlloc, &p, 4);
  unsigned flags;
  int active;
  OK(cuDevicePrimaryCtxGetState(device, &flags, &active));
  std::printf("active %d\n", active);
  OK(cuDevicePrimaryCtxRetain(&primary, device));
  OK(cuCtxSetCurrent(primary));
  OK(cuCtxCreate(&own, nullptr, CU_CTX_SCHED_YIELD, device));
  OK(cuCtxGetCurrent(&now));
  std::printf("own is current %d\n", now == own);
  OK(cuCtxPopCurrent(&popped));
  OK(cuCtxGetCurrent(&now));
  std::printf("popped own %d, primary is current %d\n", popped == own, now == primary);
  CALL(cuCtxDestroy, own);
  CALL(cuCtxPushCurrent, own);
  // As numba calls it: by the name with _v2, but with one argument, so that the second is what lies there.
  CUdevice number = -1;
  OK(reinterpret_cast<CUresult (*)(CUdevice*, void*)>(dlsym(RTLD_DEFAULT, "cuCtxGetDevice_v2"))(&number,
                                                                                                &flags));
  std::printf("device %d\n", number == device);
  // What is given back, and what is asked of a stream or an event, needs no current context.
  void* host;
  CUevent begin, end;
  float ms;
  int priority;
  CUstream stream;
  OK(cuMemAlloc(&p, 4));
  OK(cuMemAllocHost(&host, 4));
  OK(cuStreamCreate(&stream, 0));
  OK(cuEventCreate(&begin, 0));
  OK(cuEventCreate(&end, 0));
  OK(cuEventRecord(begin, stream));
  OK(cuEventRecord(end, stream));
  OK(cuCtxPopCurrent(&popped));
  CALL(cuMemAlloc, &p, 4);
  OK(cuEventQuery(end));
  OK(cuEventElapsedTime(&ms, begin, end));
  OK(cuStreamGetFlags(stream, &flags));
  OK(cuStreamGetPriority(stream, &priority));
  OK(cuStreamGetCtx(stream, &now));
  CALL(cuStreamGetCtx, nullptr, &now);
  CUmemoryPool pool;
  CUmemPoolProps props = {};
  props.allocType = CU_MEM_ALLOCATION_TYPE_PINNED;
  props.location = {CU_MEM_LOCATION_TYPE_DEVICE, {0}};
  CUgraph graph;
  CUgraphNode node;
  OK(cuMemPoolCreate(&pool, &props));
  CUdeviceptr some;
  OK(cuMemAllocFromPoolAsync(&some, 64, pool, stream));
  OK(cuMemFreeAsync(some, stream));
  CALL(cuMemAllocFromPoolAsync, &some, 64, pool, nullptr);
  OK(cuMemPoolDestroy(pool));
  OK(cuGraphCreate(&graph, 0));
  OK(cuGraphAddEmptyNode(&node, graph, nullptr, 0));
  OK(cuGraphDestroy(graph));
  OK(cuCtxGetCurrent(&now));
  std::printf("none of them made one %d\n", now == nullptr);
  OK(cuEventDestroy(begin));
  OK(cuEventDestroy(end));
  CALL(cuMemFree, p);
  CALL(cuMemFreeHost, host);
  CALL(cuStreamDestroy, stream);
  OK(cuCtxPushCurrent(popped));
}

static void modules(CUdeviceptr data) {
  CUmodule module;
  CUfunction f;
  CUdeviceptr bias;
  size_t bytes;
  char log[256] = "";
  CUjit_option options[] = {CU_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES};
  void* values[] = {log, reinterpret_cast<void*>(sizeof log)};
  CALL(cuModuleLoadDataEx, &module, ".version 7.0\n.target sm_70\nnonsense", 2, options, values);
  std::printf("log written %d\n", std::strlen(log) > 0);
  OK(cuModuleLoadData(&module, kScale));
  CALL(cuModuleGetFunction, &f, module, "other");
  OK(cuModuleGetFunction(&f, module, "scale"));
  OK(cuModuleGetGlobal(&bias, &bytes, module, "bias"));
  std::printf("bias has %zu bytes\n", bytes);
  unsigned b = 5, n = 6, factor = 3;
  OK(cuMemcpyHtoD(bias, &b, 4));
  unsigned h[8] = {0, 1, 2, 3, 4, 5, 6, 7};
  OK(cuMemcpyHtoD(data, h, sizeof h));
  void* arguments[] = {&data, &factor, &n};
  CALL(cuLaunchKernel, f, 1, 1, 1, 2048, 1, 1, 0, nullptr, arguments, nullptr);
  CALL(cuLaunchKernel, f, 2, 1, 1, 4, 1, 1, 0, nullptr, arguments, nullptr);
  OK(cuMemcpyDtoH(h, data, sizeof h));
  std::printf("%u %u %u %u\n", h[0], h[1], h[5], h[6]);
  struct {
    CUdeviceptr a;
    unsigned f, n;
  } packed = {data, 2, 8};
  size_t size = sizeof packed;
  void* extra[] = {CU_LAUNCH_PARAM_BUFFER_POINTER, &packed, CU_LAUNCH_PARAM_BUFFER_SIZE, &size,
                   CU_LAUNCH_PARAM_END};
  CALL(cuLaunchKernel, f, 1, 1, 1, 8, 1, 1, 0, nullptr, nullptr, extra);
  OK(cuMemcpyDtoH(h, data, sizeof h));
  std::printf("%u %u\n", h[1], h[7]);
  int value, blocks;
  OK(cuFuncGetAttribute(&value, CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK, f));
  OK(cuOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, f, 1024, 0));
  const char* name;
  OK(cuFuncGetName(&name, f));
  std::printf("%d %d %s\n", value, blocks, name);
  size_t offset, width;
  OK(cuFuncGetParamInfo(f, 2, &offset, &width));
  std::printf("parameter at %zu of %zu; ", offset, width);
  CALL(cuFuncGetParamInfo, f, 3, &offset, &width);
  // A graph with a fill and the kernel behind it.
  CUgraph graph;
  CUgraphExec exec;
  CUgraphNode fill, kernel;
  CUcontext context;
  OK(cuCtxGetCurrent(&context));
  OK(cuGraphCreate(&graph, 0));
  CUDA_MEMSET_NODE_PARAMS set = {data, 0, 9, 4, 8, 1};
  OK(cuGraphAddMemsetNode(&fill, graph, nullptr, 0, &set, context));
  CUDA_KERNEL_NODE_PARAMS node = {};
  node.func = f, node.gridDimX = node.gridDimY = node.gridDimZ = 1;
  node.blockDimX = 8, node.blockDimY = node.blockDimZ = 1, node.kernelParams = arguments;
  OK(cuGraphAddKernelNode(&kernel, graph, &fill, 1, &node));
  OK(cuGraphInstantiate(&exec, graph, 0));
  OK(cuGraphLaunch(exec, nullptr));
  OK(cuMemcpyDtoH(h, data, sizeof h));
  std::printf("graph: %u %u\n", h[0], h[7]);
  OK(cuGraphExecDestroy(exec));
  OK(cuGraphDestroy(graph));
  CALL(cuModuleUnload, module);
  CALL(cuLaunchKernel, f, 1, 1, 1, 1, 1, 1, 0, nullptr, arguments, nullptr);
}

static void linked(CUdeviceptr data) {
  CUlinkState link;
  void* code;
  size_t bytes;
  unsigned h = 0;
  OK(cuLinkCreate(0, nullptr, nullptr, &link));
  OK(cuLinkAddData(link, CU_JIT_INPUT_PTX, const_cast<char*>(kCaller), std::strlen(kCaller) + 1, "caller", 0,
                   nullptr, nullptr));
  OK(cuLinkAddData(link, CU_JIT_INPUT_PTX, const_cast<char*>(kCallee), std::strlen(kCallee) + 1, "callee", 0,
                   nullptr, nullptr));
  OK(cuLinkComplete(link, &code, &bytes));
  CUlibrary library;
  CUkernel kernel;
  OK(cuLibraryLoadData(&library, code, nullptr, nullptr, 0, nullptr, nullptr, 0));
  OK(cuLinkDestroy(link));
  OK(cuLibraryGetKernel(&kernel, library, "fill"));
  CUfunction f;
  OK(cuKernelGetFunction(&f, kernel));
  void* arguments[] = {&data};
  OK(cuLaunchKernel(f, 1, 1, 1, 1, 1, 1, 0, nullptr, arguments, nullptr));
  OK(cuMemcpyDtoH(&h, data, 4));
  std::printf("linked: %u\n", h);
  CALL(cuLibraryUnload, library);
}

static void memory() {
  CUdeviceptr p, base;
  size_t pitch, bytes;
  CALL(cuMemAlloc, &p, 0);
  OK(cuMemAllocPitch(&p, &pitch, 100, 4, 4));
  OK(cuMemGetAddressRange(&base, &bytes, p + 7));
  std::printf("range %d %d\n", base == p, bytes == 4 * pitch);
  OK(cuMemsetD2D8(p, pitch, 1, 100, 4));
  OK(cuMemsetD2D16(p + 2 * pitch, pitch, 0x203, 3, 2));
  CALL(cuMemsetD32, p + 2, 0, 1);
  CALL(cuMemsetD8, p, 0, 4 * pitch + 1);
  unsigned char h[4][8];
  std::memset(h, 0xee, sizeof h);
  CUDA_MEMCPY2D copy = {};
  copy.srcMemoryType = CU_MEMORYTYPE_DEVICE, copy.srcDevice = p, copy.srcPitch = pitch, copy.srcY = 1;
  copy.dstMemoryType = CU_MEMORYTYPE_HOST, copy.dstHost = h, copy.dstPitch = 8, copy.dstXInBytes = 1;
  copy.WidthInBytes = 7, copy.Height = 3;
  OK(cuMemcpy2D(&copy));
  std::printf("%d %d | %d %d %d | %x\n", h[0][0], h[0][1], h[1][1], h[1][2], h[1][7], h[3][0]);
  copy.srcY = 2;
  CALL(cuMemcpy2D, &copy);
  // An array, and back out of it.
  CUarray array;
  CUDA_ARRAY3D_DESCRIPTOR d = {4, 2, 0, CU_AD_FORMAT_FLOAT, 2, 0}, got;
  OK(cuArray3DCreate(&array, &d));
  OK(cuArray3DGetDescriptor(&got, array));
  std::printf("array %zu %zu %u %u\n", got.Width, got.Height, got.NumChannels,
              got.Format == CU_AD_FORMAT_FLOAT);
  float in[16], out[4] = {};
  for (int k = 0; k < 16; ++k) in[k] = k;
  OK(cuMemcpyHtoA(array, 0, in, sizeof in));
  OK(cuMemcpyAtoH(out, array, 24, 16));
  std::printf("%g %g\n", out[0], out[3]);
  CALL(cuMemcpyAtoH, out, array, 56, 16);
  OK(cuArrayDestroy(array));
  unsigned type;
  CALL(cuPointerGetAttribute, &type, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, p);
  std::printf("type %u\n", type);
  CALL(cuPointerGetAttribute, &type, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, reinterpret_cast<CUdeviceptr>(&type));
  OK(cuMemFree(p));
  CALL(cuMemFree, p);
}

// The same memory behind two addresses; what is not mapped is not there.
static void virtual_memory(CUdevice device) {
  CUmemAllocationProp prop = {};
  prop.type = CU_MEM_ALLOCATION_TYPE_PINNED;
  prop.location = {CU_MEM_LOCATION_TYPE_DEVICE, device};
  size_t unit;
  OK(cuMemGetAllocationGranularity(&unit, &prop, CU_MEM_ALLOC_GRANULARITY_MINIMUM));
  CUdeviceptr a;
  CUmemGenericAllocationHandle h;
  CALL(cuMemCreate, &h, unit + 1, &prop, 0);
  OK(cuMemCreate(&h, 2 * unit, &prop, 0));
  OK(cuMemAddressReserve(&a, 4 * unit, 0, 0, 0));
  OK(cuMemMap(a, 2 * unit, 0, h, 0));
  OK(cuMemMap(a + 2 * unit, unit, unit, h, 0));
  CALL(cuMemMap, a + unit, unit, 0, h, 0);
  CUmemAccessDesc access = {prop.location, CU_MEM_ACCESS_FLAGS_PROT_READWRITE};
  OK(cuMemSetAccess(a, 3 * unit, &access, 1));
  OK(cuMemRelease(h));
  OK(cuMemsetD32(a, 1, 3 * unit / 4));
  OK(cuMemsetD32(a + unit, 77, 1));
  unsigned v = 0;
  OK(cuMemcpyDtoH(&v, a + 2 * unit, 4));
  std::printf("through the other address: %u\n", v);
  CALL(cuMemcpyDtoH, &v, a + 3 * unit, 4);
  CALL(cuMemAddressFree, a, 4 * unit);
  OK(cuMemUnmap(a, 3 * unit));
  CALL(cuMemAddressFree, a, 4 * unit);
}

static void order() {
  CUstream s;
  CUevent begin, end;
  OK(cuStreamCreate(&s, CU_STREAM_NON_BLOCKING));
  unsigned flags;
  OK(cuStreamGetFlags(s, &flags));
  OK(cuEventCreate(&begin, 0));
  OK(cuEventCreate(&end, CU_EVENT_DISABLE_TIMING));
  OK(cuEventRecord(begin, s));
  OK(cuEventRecord(end, s));
  float ms;
  CALL(cuEventElapsedTime, &ms, begin, end);
  OK(cuStreamWaitEvent(s, end, 0));
  int told = 0;
  OK(cuLaunchHostFunc(
      s, [](void* p) { ++*static_cast<int*>(p); }, &told));
  OK(cuStreamSynchronize(s));
  CUdeviceptr p;
  OK(cuMemAllocAsync(&p, 8, s));
  OK(cuStreamWriteValue32(s, p, 12, 0));
  CALL(cuStreamWaitValue32, s, p, 11, CU_STREAM_WAIT_VALUE_GEQ);
  CALL(cuStreamWriteValue32, s, p + 2, 12, 0);
  OK(cuMemFreeAsync(p, s));
  std::printf("flags %u told %d\n", flags, told);
  OK(cuStreamDestroy(s));
  CALL(cuStreamSynchronize, s);
}

static void entry_points() {
  void* f = nullptr;
  CUdriverProcAddressQueryResult status;
  CALL(cuGetProcAddress, "cuMemAlloc", &f, 12000, CU_GET_PROC_ADDRESS_DEFAULT, &status);
  CUdeviceptr p;
  OK(reinterpret_cast<CUresult (*)(CUdeviceptr*, size_t)>(f)(&p, 4));
  OK(cuMemFree(p));
  CALL(cuGetProcAddress, "cuNothing", &f, 12000, CU_GET_PROC_ADDRESS_DEFAULT, &status);
  std::printf("status %d\n", status);
  CALL(cuGetProcAddress, "cuStreamBeginCaptureToGraph", &f, 12000, CU_GET_PROC_ADDRESS_DEFAULT, &status);
}

int main() {
  int count = 0;
  CALL(cuDeviceGetCount, &count);
  CALL(cuInit, 1);
  CALL(cuInit, 0);
  CUdevice device;
  CALL(cuDeviceGet, &device, 99);
  OK(cuDeviceGet(&device, 0));
  contexts(device);
  CUdeviceptr data;
  OK(cuMemAlloc(&data, 64));
  modules(data);
  linked(data);
  memory();
  virtual_memory(device);
  order();
  entry_points();
  CUmodule module;
  CUfunction f;
  OK(cuModuleLoadData(&module, kScale));
  OK(cuModuleGetFunction(&f, module, "scale"));
  CUdeviceptr wrong = 64;
  unsigned one = 1;
  void* arguments[] = {&wrong, &one, &one};
  OK(cuLaunchKernel(f, 1, 1, 1, 1, 1, 1, 0, nullptr, arguments, nullptr));
  CALL(cuCtxSynchronize);
  CALL(cuMemAlloc, &data, 4);
}
// expect: cuDeviceGetCount CUDA_ERROR_NOT_INITIALIZED
// expect: cuInit CUDA_ERROR_INVALID_VALUE
// expect: cuInit CUDA_SUCCESS
// expect: cuDeviceGet CUDA_ERROR_INVALID_DEVICE
// expect: current at first: 0
// expect: cuMemAlloc CUDA_ERROR_INVALID_CONTEXT
// expect: active 0
// expect: own is current 1
// expect: popped own 1, primary is current 1
// expect: cuCtxDestroy CUDA_SUCCESS
// expect: cuCtxPushCurrent CUDA_ERROR_INVALID_CONTEXT
// expect: device 1
// expect: cuMemAlloc CUDA_ERROR_INVALID_CONTEXT
// expect: cuStreamGetCtx CUDA_ERROR_INVALID_CONTEXT
// expect: cuMemAllocFromPoolAsync CUDA_ERROR_INVALID_CONTEXT
// expect: none of them made one 1
// expect: cuMemFree CUDA_SUCCESS
// expect: cuMemFreeHost CUDA_SUCCESS
// expect: cuStreamDestroy CUDA_SUCCESS
// expect: cuModuleLoadDataEx CUDA_ERROR_INVALID_PTX
// expect: log written 1
// expect: cuModuleGetFunction CUDA_ERROR_NOT_FOUND
// expect: bias has 4 bytes
// expect: cuLaunchKernel CUDA_ERROR_INVALID_VALUE
// expect: cuLaunchKernel CUDA_SUCCESS
// expect: 5 8 20 6
// expect: cuLaunchKernel CUDA_SUCCESS
// expect: 21 19
// expect: 1024 2 scale
// expect: parameter at 12 of 4; cuFuncGetParamInfo CUDA_ERROR_INVALID_VALUE
// expect: graph: 32 9
// expect: cuModuleUnload CUDA_SUCCESS
// expect: cuLaunchKernel CUDA_ERROR_INVALID_HANDLE
// expect: linked: 7
// expect: cuLibraryUnload CUDA_SUCCESS
// expect: cuMemAlloc CUDA_ERROR_INVALID_VALUE
// expect: range 1 1
// expect: cuMemsetD32 CUDA_ERROR_INVALID_VALUE
// expect: cuMemsetD8 CUDA_ERROR_INVALID_VALUE
// expect: 238 1 | 3 2 1 | ee
// expect: cuMemcpy2D CUDA_ERROR_INVALID_VALUE
// expect: array 4 2 2 1
// expect: 6 9
// expect: cuMemcpyAtoH CUDA_ERROR_INVALID_VALUE
// expect: cuPointerGetAttribute CUDA_SUCCESS
// expect: type 2
// expect: cuPointerGetAttribute CUDA_ERROR_INVALID_VALUE
// expect: cuMemFree CUDA_ERROR_INVALID_VALUE
// expect: cuMemCreate CUDA_ERROR_INVALID_VALUE
// expect: cuMemMap CUDA_ERROR_INVALID_VALUE
// expect: through the other address: 77
// expect: cuMemcpyDtoH CUDA_ERROR_INVALID_VALUE
// expect: cuMemAddressFree CUDA_ERROR_INVALID_VALUE
// expect: cuMemAddressFree CUDA_SUCCESS
// expect: cuEventElapsedTime CUDA_ERROR_INVALID_HANDLE
// expect: cuStreamWaitValue32 CUDA_SUCCESS
// expect: cuStreamWriteValue32 CUDA_ERROR_INVALID_VALUE
// expect: flags 1 told 1
// expect: cuStreamSynchronize CUDA_ERROR_INVALID_HANDLE
// expect: cuGetProcAddress CUDA_SUCCESS
// expect: cuGetProcAddress CUDA_SUCCESS
// expect: status 1
// expect: cuGetProcAddress CUDA_SUCCESS
// expect: cuCtxSynchronize CUDA_ERROR_ILLEGAL_ADDRESS
// expect: cuMemAlloc CUDA_ERROR_ILLEGAL_ADDRESS
