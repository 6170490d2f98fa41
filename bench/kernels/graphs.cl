// Graphs and sparse matrices: kernels that nothing was tuned on when they were added (2026-11-24).

// One step of Floyd and Warshall: paths by way of node k.
__kernel void floyd(__global int* distance, int n, int k) {
  int x = get_global_id(0), y = get_global_id(1);
  int by_way = distance[y * n + k] + distance[k * n + x];
  if (by_way < distance[y * n + x]) distance[y * n + x] = by_way;
}

// A step of a search in breadth: each node of the frontier marks its neighbours, which have no level yet.
__kernel void bfs(__global const int* start, __global const int* neighbour, __global const int* before, __global int* level,
                  int nodes, int now) {
  int node = get_global_id(0);
  if (node >= nodes || before[node] != now) return;
  for (int k = start[node]; k < start[node + 1]; ++k) {
    int other = neighbour[k];
    if (before[other] < 0) level[other] = now + 1;
  }
}

// y = A·x, A in compressed rows, 32 work items for each row, which add up in local memory.
__kernel void spmv_warps(__global const int* start, __global const int* column, __global const float* value,
                         __global const float* x, __global float* y, int rows) {
  __local float part[256];
  int t = get_local_id(0), row = get_global_id(0) / 32, lane = t % 32;
  float sum = 0;
  if (row < rows)
    for (int k = start[row] + lane; k < start[row + 1]; k += 32) sum += value[k] * x[column[k]];
  part[t] = sum;
  for (int step = 16; step > 0; step /= 2) {
    barrier(CLK_LOCAL_MEM_FENCE);
    if (lane < step) part[t] += part[t + step];
  }
  if (row < rows && lane == 0) y[row] = part[t];
}
