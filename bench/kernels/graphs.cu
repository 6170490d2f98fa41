// Graphs and sparse matrices: kernels that nothing was tuned on when they were added (2026-11-24).

// One step of Floyd and Warshall: paths by way of node k.
extern "C" __global__ void floyd(int* distance, int n, int k) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  int by_way = distance[y * n + k] + distance[k * n + x];
  if (by_way < distance[y * n + x]) distance[y * n + x] = by_way;
}

// A step of a search in breadth: each node of the frontier marks its neighbours, which have no level yet.
extern "C" __global__ void bfs(const int* start, const int* neighbour, const int* before, int* level, int nodes, int now) {
  int node = blockIdx.x * blockDim.x + threadIdx.x;
  if (node >= nodes || before[node] != now) return;
  for (int k = start[node]; k < start[node + 1]; ++k) {
    int other = neighbour[k];
    if (before[other] < 0) level[other] = now + 1;
  }
}

// y = A·x, A in compressed rows, a warp for each row.
extern "C" __global__ void spmv_warps(const int* start, const int* column, const float* value, const float* x, float* y,
                                      int rows) {
  int row = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
  if (row >= rows) return;
  float sum = 0;
  for (int k = start[row] + lane; k < start[row + 1]; k += 32) sum += value[k] * x[column[k]];
  for (int step = 16; step > 0; step /= 2) sum += __shfl_down_sync(0xffffffff, sum, step);
  if (lane == 0) y[row] = sum;
}
