__kernel void histogram(__global const uint* in, __global uint* bins, int n) {
  __local uint mine[256];
  mine[get_local_id(0)] = 0;
  barrier(CLK_LOCAL_MEM_FENCE);
  for (int i = get_global_id(0); i < n; i += get_global_size(0)) atomic_add(&mine[in[i] & 255], 1u);
  barrier(CLK_LOCAL_MEM_FENCE);
  atomic_add(&bins[get_local_id(0)], mine[get_local_id(0)]);
}
