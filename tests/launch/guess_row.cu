// The number of a row or step is 0, so that arrays of the size that the blocks cover are enough for it. The distance
// between rows is not: with 0 all threads would read the same row. How far a step looks is 1, where the size of the
// array would leave nothing to look at; and of a stage 2 to that power elements are meant.
// COMMAND: launch %s --kernel floyd --no-count
// COMMAND: launch %s --kernel strided --no-count
// COMMAND: launch %s --kernel layer --no-count
// COMMAND: launch %s --kernel scan --no-count
// COMMAND: launch %s --kernel butterfly --no-count
__global__ void floyd(int* dist, int n, int k) {
  int i = blockIdx.y * blockDim.y + threadIdx.y, j = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n || j >= n) return;
  int through = dist[i * n + k] + dist[k * n + j];
  if (through < dist[i * n + j]) dist[i * n + j] = through;
}
__global__ void strided(const float* rows, float* sums, int apart) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float sum = 0;
  for (int k = 0; k < 4; k++) sum += rows[k * apart + i];
  sums[i] = sum;
}
__global__ void layer(const float* layers, float* out, int which, int width, int height) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < width && y < height) out[y * width + x] = layers[(which * height + y) * width + x];
}
__global__ void scan(const float* in, float* out, int n, int offset) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = i >= offset ? in[i] + in[i - offset] : in[i];
}
__global__ void butterfly(float* data, int n, int stage) {
  int t = blockIdx.x * blockDim.x + threadIdx.x, half = 1 << stage, i = t / half * 2 * half + t % half;
  if (i + half >= n) return;
  float a = data[i], b = data[i + half];
  data[i] = a + b;
  data[i + half] = a - b;
}
// STDERR:
// note: no launch of floyd(int*, int, int) was given; this one is guessed (and runs):
//   warpwright launch %s --kernel floyd --grid 64,64 --block 16,16 --arg 'dist=random:s32[1024,1024]:dist.npy' n=1024 k=0
// note: k is 0 here: with 1024 it asks for larger arrays
// EXIT: 0
// STDERR:
// note: no launch of strided(float const*, float*, int) was given; this one is guessed (and runs):
//   warpwright launch %s --kernel strided --grid 256 --block 256 --arg 'rows=random:f32[262144]' 'sums=out:f32[262144]:sums.npy' apart=65536
// EXIT: 0
// STDERR:
// note: no launch of layer(float const*, float*, int, int, int) was given; this one is guessed (and runs):
//   warpwright launch %s --kernel layer --grid 16,256 --block 64,4 --arg 'layers=random:f32[1024,1024]' 'out=out:f32[1024,1024]:out.npy' which=0 width=1024 height=1024
// note: which is 0 here: with 1024 it asks for larger arrays
// EXIT: 0
// STDERR:
// note: no launch of scan(float const*, float*, int, int) was given; this one is guessed (and runs):
//   warpwright launch %s --kernel scan --grid 256 --block 256 --arg 'in=random:f32[65536]' 'out=out:f32[65536]:out.npy' n=65536 offset=1
// note: offset is 1 here: with 65536 it does less
// EXIT: 0
// STDERR:
// note: no launch of butterfly(float*, int, int) was given; this one is guessed (and runs):
//   warpwright launch %s --kernel butterfly --grid 128 --block 256 --arg 'data=random:f32[65536]:data.npy' n=65536 stage=4
// EXIT: 0
