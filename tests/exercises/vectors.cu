struct alignas(16) Four {
  float x, y, z, w;
};

extern "C" __global__ void copy(float* out, const float* in, int n) {
  int i = blockIdx.x * 256 + threadIdx.x;
  if (4 * i >= n) return;
  const Four* from = reinterpret_cast<const Four*>(in) + i;
  float x = from->x, y = from->y, z = from->z, w = from->w;
  Four* to = reinterpret_cast<Four*>(out) + i;
  to->x = x, to->y = y, to->z = z, to->w = w;
}
