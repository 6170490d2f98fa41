// What kernels and hosts of tutorials use, each answer computed again on the host or by hand. The same file
// is compiled by nvcc, with CUDA's headers, and by clang, with ours.
//
// expect: vectors ok
// expect: reduction ok
// expect: scan ok
// expect: transpose ok
// expect: atomics ok
// expect: votes ok
// expect: integers ok
// expect: half ok
// expect: groups ok
// expect: grid ok
// expect: streams ok
// expect: managed ok
// expect: texture ok
// expect: surface ok
// expect: occupancy ok
// expect: errors ok
// expect: thread 3 says 1.50
#include <cooperative_groups.h>
#include <cuda_fp16.h>
#include <cuda_runtime.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

namespace cg = cooperative_groups;

static void say(const char* what, bool good) { printf("%s %s\n", what, good ? "ok" : "WRONG"); }
template <class T>
static T* on_device(const std::vector<T>& v) {
  T* p;
  cudaMalloc(&p, v.size() * sizeof(T));
  cudaMemcpy(p, v.data(), v.size() * sizeof(T), cudaMemcpyHostToDevice);
  return p;
}
template <class T>
static std::vector<T> on_host(const T* p, size_t n) {
  std::vector<T> v(n);
  cudaMemcpy(v.data(), p, n * sizeof(T), cudaMemcpyDeviceToHost);
  return v;
}

// Vector types, a struct by value, constant memory, dim3 in two dimensions.
struct Weights {
  float a, b;
  int3 shift;
};
__constant__ float4 table[3];
__device__ int counter = 5;
__global__ void combine(const float2* in, float4* out, Weights w) {
  int i = (blockIdx.y * gridDim.x + blockIdx.x) * blockDim.x * blockDim.y + threadIdx.y * blockDim.x +
          threadIdx.x;
  float2 v = in[i];
  float4 t = table[i % 3];
  out[i] = make_float4(w.a * v.x + t.x, w.b * v.y + t.y, fmaxf(v.x, v.y) + w.shift.y, t.w);
  if (i == 0) counter += w.shift.z;
}
static void vectors() {
  std::vector<float2> in(256);
  for (int i = 0; i < 256; i++) in[i] = make_float2(i * 0.5f, 100.f - i);
  float4 t[3] = {{1, 2, 3, 4}, {5, 6, 7, 8}, {9, 10, 11, 12}};
  cudaMemcpyToSymbol(table, t, sizeof t);
  float2* a = on_device(in);
  float4* b = on_device(std::vector<float4>(256));
  Weights w = {2, 3, {1, -7, 30}};
  combine<<<dim3(2, 2), dim3(16, 4)>>>(a, b, w);
  auto out = on_host(b, 256);
  bool good = true;
  for (int i = 0; i < 256; i++)
    good &= out[i].x == 2 * in[i].x + t[i % 3].x && out[i].y == 3 * in[i].y + t[i % 3].y &&
            out[i].z == std::fmax(in[i].x, in[i].y) - 7 && out[i].w == t[i % 3].w;
  int c = 0;
  cudaMemcpyFromSymbol(&c, counter, sizeof c);
  say("vectors", good && c == 35);
}

// Dynamic and static shared memory, shuffles.
template <class T, int kBlock>
__global__ void sum(const T* in, T* out, int n) {
  extern __shared__ unsigned char raw[];
  T* part = reinterpret_cast<T*>(raw);
  T s = 0;
  for (int i = blockIdx.x * kBlock + threadIdx.x; i < n; i += kBlock * gridDim.x) s += in[i];
  for (int d = 16; d > 0; d /= 2) s += __shfl_down_sync(0xffffffffu, s, d);
  if (threadIdx.x % 32 == 0) part[threadIdx.x / 32] = s;
  __syncthreads();
  if (threadIdx.x == 0) {
    for (int w = 1; w < kBlock / 32; w++) s += part[w];
    atomicAdd(out, s);
  }
}
static void reduction() {
  std::vector<int> v(10001);
  long long exact = 0;
  for (int i = 0; i < 10001; i++) exact += v[i] = (i * 7919) % 1000 - 500;
  int *a = on_device(v), *s = on_device(std::vector<int>{0});
  sum<int, 128><<<8, 128, 16 * sizeof(int)>>>(a, s, 10001);
  std::vector<double> d(v.begin(), v.end());
  double *b = on_device(d), *t = on_device(std::vector<double>{0});
  sum<double, 64><<<3, 64, 2 * sizeof(double)>>>(b, t, 10001);
  say("reduction", on_host(s, 1)[0] == exact && on_host(t, 1)[0] == (double)exact);
}
__global__ void scan(int* v) {
  __shared__ int s[256];
  int i = threadIdx.x;
  s[i] = v[i];
  __syncthreads();
  for (int d = 1; d < 256; d *= 2) {
    int add = i >= d ? s[i - d] : 0;
    __syncthreads();
    s[i] += add;
    __syncthreads();
  }
  v[i] = s[i];
}
static void scans() {
  std::vector<int> v(256);
  for (int i = 0; i < 256; i++) v[i] = i * i % 17;
  int* p = on_device(v);
  scan<<<1, 256>>>(p);
  auto out = on_host(p, 256);
  bool good = true;
  for (int i = 0, s = 0; i < 256; i++) good &= out[i] == (s += v[i]);
  say("scan", good);
}
__global__ void __launch_bounds__(256)
    transpose(const float* __restrict__ in, float* out, size_t in_pitch, int n, int m) {
  __shared__ float tile[16][17];
  int x = blockIdx.x * 16 + threadIdx.x, y = blockIdx.y * 16 + threadIdx.y;
  if (x < m && y < n)
    tile[threadIdx.y][threadIdx.x] = __ldg((const float*)((const char*)in + y * in_pitch) + x);
  __syncthreads();
  x = blockIdx.y * 16 + threadIdx.x, y = blockIdx.x * 16 + threadIdx.y;
  if (x < n && y < m) out[y * n + x] = tile[threadIdx.x][threadIdx.y];
}
static void transposes() {
  const int n = 37, m = 53;
  std::vector<float> v(n * m);
  for (int i = 0; i < n * m; i++) v[i] = (float)i;
  float *in, *out;
  size_t pitch;
  cudaMallocPitch(&in, &pitch, m * sizeof(float), n);
  cudaMemcpy2D(in, pitch, v.data(), m * sizeof(float), m * sizeof(float), n, cudaMemcpyHostToDevice);
  cudaMalloc((void**)&out, n * m * sizeof(float));
  transpose<<<dim3((m + 15) / 16, (n + 15) / 16), dim3(16, 16)>>>(in, out, pitch, n, m);
  auto t = on_host(out, n * m);
  bool good = true;
  for (int y = 0; y < n; y++)
    for (int x = 0; x < m; x++) good &= t[x * n + y] == v[y * m + x];
  say("transpose", good);
}

__global__ void atomic(int* i, unsigned* u, float* f, unsigned long long* l, double* d) {
  int k = blockIdx.x * blockDim.x + threadIdx.x;
  atomicAdd(&i[0], 1), atomicSub(&i[1], k), atomicMax(&i[2], k), atomicMin(&i[3], -k);
  atomicOr(&u[0], 1u << k % 32), atomicAnd(&u[1], ~(1u << k % 8)), atomicXor(&u[2], (unsigned)k),
      atomicInc(&u[3], 9);
  atomicCAS(&u[4], 7u, 100u), atomicAdd(f, 0.5f), atomicAdd(l, 1ull << 33), atomicAdd(d, 0.25),
      atomicMax(l + 1, (unsigned long long)k);
  atomicExch(&i[4], 77), atomicDec(&u[5], 4);
}
static void atomics() {
  int* i = on_device(std::vector<int>{0, 0, 0, 0, 0});
  unsigned* u = on_device(std::vector<unsigned>{0, 0xffffffffu, 0, 0, 7, 0});
  float* f = on_device(std::vector<float>{0});
  unsigned long long* l = on_device(std::vector<unsigned long long>{0, 0});
  double* d = on_device(std::vector<double>{0});
  atomic<<<2, 100>>>(i, u, f, l, d);
  auto I = on_host(i, 5);
  auto U = on_host(u, 6);
  unsigned x = 0;
  for (unsigned k = 0; k < 200; k++) x ^= k;
  // atomicInc goes round ten values, atomicDec round five: 200 steps end where they began.
  say("atomics", I[0] == 200 && I[1] == -19900 && I[2] == 199 && I[3] == -199 && I[4] == 77 &&
                     U[0] == 0xffffffffu && U[1] == 0xffffff00u && U[2] == x && U[3] == 0 && U[4] == 100 &&
                     U[5] == 0 && on_host(f, 1)[0] == 100 && on_host(l, 2)[0] == 200ull << 33 &&
                     on_host(l, 2)[1] == 199 && on_host(d, 1)[0] == 50);
}

__global__ void votes(unsigned* out) {
  int lane = threadIdx.x;
  unsigned odd = __ballot_sync(0xffffffffu, lane & 1);
  int all = __all_sync(0xffffffffu, lane < 32), any = __any_sync(0xffffffffu, lane == 40);
  int up = __shfl_up_sync(0xffffffffu, lane, 3), swapped = __shfl_xor_sync(0xffffffffu, lane, 5),
      third = __shfl_sync(0xffffffffu, lane, 3, 8);
  unsigned same = __match_any_sync(0xffffffffu, lane / 4);
  int count = __syncthreads_count(lane % 3 == 0), both = __syncthreads_and(lane >= 0),
      either = __syncthreads_or(lane == 31);
  out[lane] = odd == 0xaaaaaaaau && all && !any && up == (lane < 3 ? lane : lane - 3) &&
              swapped == (lane ^ 5) && third == lane / 8 * 8 + 3 && same == 0xfu << lane / 4 * 4 &&
              count == 11 && both && either;
  if (lane < 7) out[32 + lane] = __activemask();
  __syncwarp();
}
static void vote() {
  unsigned* p = on_device(std::vector<unsigned>(39));
  votes<<<1, 32>>>(p);
  auto v = on_host(p, 39);
  bool good = true;
  for (int i = 0; i < 32; i++) good &= v[i] == 1;
  for (int i = 32; i < 39; i++) good &= v[i] == 0x7f;
  say("votes", good);
}

__global__ void dots(unsigned* out) {
  out[17] = __dp4a(make_char4(1, -2, 3, -4), make_char4(5, 6, -7, 8), 100);
  out[18] = __dp4a(make_uchar4(255, 1, 2, 3), make_uchar4(2, 3, 4, 5), 4u);
  out[19] = __dp2a_lo(make_short2(300, -2), make_char4(3, 4, 5, 6), 1);
  out[20] = __dp2a_hi(make_short2(300, -2), make_char4(3, 4, 5, 6), 1);
  out[21] = __dp2a_lo(make_ushort2(65535, 1), make_uchar4(2, 3, 4, 5), 0u);
  out[22] = __dp2a_hi(0x0001ffff, 0x05040302, 0);  // -1 * 4 + 1 * 5
}
__global__ void integers(const unsigned* in, unsigned* out) {
  unsigned a = in[0], b = in[1];
  out[0] = __popc(a), out[1] = __clz((int)b), out[2] = __ffs((int)a), out[3] = __brev(a),
  out[4] = __umulhi(a, b);
  out[5] = __byte_perm(a, b, 0x5146), out[6] = __funnelshift_l(a, b, 9), out[7] = (unsigned)__mul24(-5, 7);
  out[8] = (unsigned)__float2int_rd(-2.5f), out[9] = (unsigned)__float2int_ru(2.1f),
  out[10] = __float_as_uint(__fadd_rz(1.f, 0x1p-24f));
  out[11] = __float_as_uint(__fadd_ru(1.f, 0x1p-30f)), out[12] = __vadd4(0x01ff7f80u, 0x01010101u),
  out[13] = __usad(a, b, 1u);
  out[14] = min(a, 3u) + max(-1, 2), out[15] = __dp4a(0x01020304, 0x05060708, 10),
  out[16] = __double2hiint(-2.0);
}
static void whole() {
  unsigned *a = on_device(std::vector<unsigned>{0xdeadbeefu, 0x00012345u}),
           *b = on_device(std::vector<unsigned>(23));
  integers<<<1, 1>>>(a, b);
  dots<<<1, 1>>>(b);
  auto o = on_host(b, 23);
  // By hand: 24 bits of 0xdeadbeef are set; byte_perm takes bytes 6, 4, 1, 5 of {b, a} from the lowest on.
  unsigned want[] = {24,
                     15,
                     1,
                     0xf77db57bu,
                     (unsigned)((0xdeadbeefull * 0x12345ull) >> 32),
                     0x23be4501u,
                     (0x12345u << 9) | (0xdeadbeefu >> 23),
                     (unsigned)-35,
                     (unsigned)-3,
                     3,
                     0x3f800000u,
                     0x3f800001u,
                     0x02008081u,
                     0xdeadbeefu - 0x12345u + 1,
                     5,
                     80,
                     0xc0000000u,
                     40,
                     540,
                     893,
                     1489,
                     131073,
                     1};
  bool good = true;
  for (int i = 0; i < 23; i++)
    if (o[i] != want[i]) good = false, printf("integer %d: %08x, not %08x\n", i, o[i], want[i]);
  say("integers", good);
}

__global__ void halves(const __half* in, __half* out, float* f) {
  __half a = in[0], b = in[1];
  out[0] = a + b, out[1] = a * b, out[2] = __hfma(a, b, a), out[3] = __hsub(a, b),
  out[4] = __float2half(0.1f), out[5] = hsqrt(b);
  __half2 p = __halves2half2(a, b), q = __hadd2(p, p);
  f[0] = __low2float(q), f[1] = __high2float(q), f[2] = __half2float(a), f[3] = __hgt(a, b);
}
static void half_precision() {
  __half in[2] = {__float2half(1.5f), __float2half(4.f)};
  __half *a, *b;
  float* f;
  cudaMalloc(&a, sizeof in), cudaMalloc(&b, 6 * sizeof(__half)), cudaMalloc(&f, 16);
  cudaMemcpy(a, in, sizeof in, cudaMemcpyHostToDevice);
  halves<<<1, 1>>>(a, b, f);
  auto o = on_host(b, 6);
  auto v = on_host(f, 4);
  say("half", __half2float(o[0]) == 5.5f && __half2float(o[1]) == 6 && __half2float(o[2]) == 7.5f &&
                  __half2float(o[3]) == -2.5f && __half2float(o[4]) == 0x1.998p-4f &&
                  __half2float(o[5]) == 2 && v[0] == 3 && v[1] == 8 && v[2] == 1.5f && v[3] == 0);
}

__global__ void groups(int* out) {
  cg::thread_block block = cg::this_thread_block();
  auto tile = cg::tiled_partition<8>(block);
  int rank = block.thread_rank(), s = rank;
  for (int d = tile.size() / 2; d > 0; d /= 2) s += tile.shfl_down(s, d);
  s = tile.shfl(s, 0);
  bool good = s == 8 * (rank / 8 * 8) + 28 && tile.thread_rank() == rank % 8 &&
              tile.any(rank < 8) == (rank < 8) && tile.all(rank >= 8) == (rank >= 8) &&
              tile.ballot(rank % 8 < 2) == 3;
  if (rank % 5 == 0) {
    auto some = cg::coalesced_threads();
    good &= some.size() == 7 && some.shfl(rank, 0) == 0 && (int)some.thread_rank() == rank / 5;
  }
  block.sync();
  out[rank] = good;
}
__global__ void grid(int* counts, int* out) {
  cg::grid_group all = cg::this_grid();
  int before = 0;
  for (int round = 0; round < 5; round++) {
    if (threadIdx.x == 0) atomicAdd(&counts[round], 1);
    all.sync();
    before += counts[round] == (int)gridDim.x;
  }
  out[all.thread_rank()] = before == 5 && all.size() == gridDim.x * blockDim.x;
}
static void cooperative() {
  int* p = on_device(std::vector<int>(32));
  groups<<<1, 32>>>(p);
  auto v = on_host(p, 32);
  bool good = true;
  for (int x : v) good &= x == 1;
  say("groups", good);
  int *c = on_device(std::vector<int>(5)), *q = on_device(std::vector<int>(256));
  void* arguments[] = {&c, &q};
  cudaLaunchCooperativeKernel((void*)grid, dim3(8), dim3(32), arguments, 0, 0);
  good = cudaDeviceSynchronize() == cudaSuccess;
  for (int x : on_host(q, 256)) good &= x == 1;
  say("grid", good);
}

__global__ void twice(int* v, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) v[i] *= 2;
}
static void streams() {
  cudaStream_t s[2];
  cudaEvent_t begin, end;
  cudaEventCreate(&begin), cudaEventCreateWithFlags(&end, cudaEventDefault);
  int* host;
  cudaMallocHost(&host, 2000 * sizeof(int));
  for (int i = 0; i < 2000; i++) host[i] = i;
  int* device;
  cudaMalloc(&device, 2000 * sizeof(int));
  cudaEventRecord(begin);
  for (int k = 0; k < 2; k++) {
    cudaStreamCreate(&s[k]);
    cudaMemcpyAsync(device + 1000 * k, host + 1000 * k, 4000, cudaMemcpyHostToDevice, s[k]);
    twice<<<4, 256, 0, s[k]>>>(device + 1000 * k, 1000);
    cudaMemcpyAsync(host + 1000 * k, device + 1000 * k, 4000, cudaMemcpyDeviceToHost, s[k]);
  }
  cudaStreamSynchronize(s[0]), cudaStreamWaitEvent(s[0], begin, 0), cudaStreamSynchronize(s[1]);
  cudaEventRecord(end), cudaEventSynchronize(end);
  float ms = -1;
  bool good =
      cudaEventElapsedTime(&ms, begin, end) == cudaSuccess && ms >= 0 && cudaStreamQuery(s[0]) == cudaSuccess;
  for (int i = 0; i < 2000; i++) good &= host[i] == 2 * i;
  cudaFreeHost(host), cudaFree(device), cudaStreamDestroy(s[0]), cudaStreamDestroy(s[1]),
      cudaEventDestroy(begin), cudaEventDestroy(end);
  say("streams", good && cudaGetLastError() == cudaSuccess);
}
static void managed() {
  int* v;
  cudaMallocManaged(&v, 100 * sizeof(int));
  for (int i = 0; i < 100; i++) v[i] = i;
  twice<<<1, 128>>>(v, 100);
  cudaDeviceSynchronize();
  bool good = true;
  for (int i = 0; i < 100; i++) good &= v[i] == 2 * i;
  say("managed", good);
}

__global__ void read_texture(cudaTextureObject_t t, float* out, int w, int h) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y;
  if (x < w) out[y * w + x] = tex2D<float>(t, w - x - 0.5f, y + 0.5f);
}
__global__ void write_surface(cudaSurfaceObject_t s, int w) {
  int x = threadIdx.x, y = blockIdx.x;
  if (x < w) surf2Dwrite(1000.f * y + x, s, x * (int)sizeof(float), y, cudaBoundaryModeTrap);
}
static void images() {
  const int w = 20, h = 6;
  std::vector<float> v(w * h);
  for (int i = 0; i < w * h; i++) v[i] = (float)i;
  cudaChannelFormatDesc format = cudaCreateChannelDesc<float>();
  cudaArray_t array;
  cudaMallocArray(&array, &format, w, h, cudaArraySurfaceLoadStore);
  cudaMemcpy2DToArray(array, 0, 0, v.data(), w * sizeof(float), w * sizeof(float), h, cudaMemcpyHostToDevice);
  cudaResourceDesc resource;
  memset(&resource, 0, sizeof resource);
  resource.resType = cudaResourceTypeArray, resource.res.array.array = array;
  cudaTextureDesc how;
  memset(&how, 0, sizeof how);
  how.addressMode[0] = how.addressMode[1] = cudaAddressModeClamp, how.filterMode = cudaFilterModePoint,
  how.readMode = cudaReadModeElementType;
  cudaTextureObject_t texture;
  cudaCreateTextureObject(&texture, &resource, &how, nullptr);
  float* out = on_device(std::vector<float>(w * h));
  read_texture<<<dim3(1, h), 32>>>(texture, out, w, h);
  auto o = on_host(out, w * h);
  bool good = true;
  for (int y = 0; y < h; y++)
    for (int x = 0; x < w; x++) good &= o[y * w + x] == v[y * w + w - 1 - x];
  say("texture", good);
  cudaSurfaceObject_t surface;
  cudaCreateSurfaceObject(&surface, &resource);
  write_surface<<<h, 32>>>(surface, w);
  cudaMemcpy2DFromArray(v.data(), w * sizeof(float), array, 0, 0, w * sizeof(float), h,
                        cudaMemcpyDeviceToHost);
  good = true;
  for (int y = 0; y < h; y++)
    for (int x = 0; x < w; x++) good &= v[y * w + x] == 1000.f * y + x;
  cudaDestroyTextureObject(texture), cudaDestroySurfaceObject(surface), cudaFreeArray(array);
  say("surface", good);
}

static void occupancy() {
  cudaDeviceProp p;
  int device = -1, blocks = 0, grid_size = 0, block_size = 0, sms = 0;
  cudaGetDevice(&device);
  cudaGetDeviceProperties(&p, device);
  cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, transpose, 256, 0);
  cudaOccupancyMaxPotentialBlockSize(&grid_size, &block_size, twice, 0, 0);
  cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, device);
  cudaFuncAttributes a;
  cudaFuncGetAttributes(&a, transpose);
  say("occupancy", p.warpSize == 32 && p.maxThreadsPerBlock == 1024 && p.major >= 7 &&
                       p.multiProcessorCount == sms && blocks >= 1 && block_size >= 32 &&
                       grid_size % sms == 0 && a.sharedSizeBytes == 16 * 17 * 4 &&
                       a.maxThreadsPerBlock == 256);
}
static void errors() {
  twice<<<1, 2000>>>(nullptr, 0);  // more threads than a block may have
  const auto too_many = CUDART_VERSION >= 13000 ? cudaErrorInvalidValue : cudaErrorInvalidConfiguration;
  bool good = cudaGetLastError() == too_many && cudaGetLastError() == cudaSuccess;
  good &= cudaMalloc((void**)nullptr, 4) == cudaErrorInvalidValue;
  good &= !strcmp(cudaGetErrorName(cudaErrorInvalidValue), "cudaErrorInvalidValue");
  good &= !strcmp(cudaGetErrorString(cudaErrorMemoryAllocation), "out of memory");
  cudaGetLastError();
  say("errors", good);
}
__global__ void speak(float x) {
  if (threadIdx.x == 3) printf("thread %d says %.2f\n", (int)threadIdx.x, x);
}

int main() {
  vectors(), reduction(), scans(), transposes(), atomics(), vote(), whole(), half_precision(), cooperative(),
      streams(), managed();
  images(), occupancy(), errors();
  speak<<<1, 5>>>(1.5f);
  cudaError_t e = cudaDeviceSynchronize();
  if (e != cudaSuccess) printf("%s\n", cudaGetErrorString(e));
  return e != cudaSuccess;
}
