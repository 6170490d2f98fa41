// peer_matmul KERNEL.cl N REPEATS: runs the tiled product on the first OpenCL device, checks some elements and prints
// the least time of a run in seconds.
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static void check(cl_int code, const char* what) {
  if (code == CL_SUCCESS) return;
  fprintf(stderr, "peer_matmul: %s: OpenCL error %d\n", what, code);
  exit(2);
}

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return t.tv_sec + 1e-9 * t.tv_nsec;
}

int main(int argc, char** argv) {
  if (argc != 4) return fprintf(stderr, "usage: peer_matmul KERNEL.cl N REPEATS\n"), 2;
  static char source[65536];
  FILE* file = fopen(argv[1], "r");
  if (!file || fread(source, 1, sizeof source - 1, file) == 0) return fprintf(stderr, "cannot read %s\n", argv[1]), 2;
  fclose(file);
  const int n = atoi(argv[2]), repeats = atoi(argv[3]);
  const size_t bytes = sizeof(float) * n * n, global[2] = {n, n}, local[2] = {16, 16};
  float *a = malloc(bytes), *b = malloc(bytes), *c = malloc(bytes);
  for (int i = 0; i < n * n; ++i) a[i] = (float)(i * 7 % 13) - 6, b[i] = (float)(i * 5 % 11) - 5;

  cl_int code;
  cl_platform_id platform;
  cl_device_id device;
  check(clGetPlatformIDs(1, &platform, NULL), "platform");
  check(clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, NULL), "device");
  cl_context context = clCreateContext(NULL, 1, &device, NULL, NULL, &code);
  check(code, "context");
  cl_command_queue queue = clCreateCommandQueue(context, device, 0, &code);
  check(code, "queue");
  const char* text = source;
  cl_program program = clCreateProgramWithSource(context, 1, &text, NULL, &code);
  check(code, "program");
  check(clBuildProgram(program, 1, &device, "", NULL, NULL), "build");
  cl_kernel kernel = clCreateKernel(program, "tiled", &code);
  check(code, "kernel");
  cl_mem am = clCreateBuffer(context, CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR, bytes, a, &code);
  check(code, "buffer");
  cl_mem bm = clCreateBuffer(context, CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR, bytes, b, &code);
  check(code, "buffer");
  cl_mem cm = clCreateBuffer(context, CL_MEM_WRITE_ONLY, bytes, NULL, &code);
  check(code, "buffer");
  check(clSetKernelArg(kernel, 0, sizeof am, &am), "argument");
  check(clSetKernelArg(kernel, 1, sizeof bm, &bm), "argument");
  check(clSetKernelArg(kernel, 2, sizeof cm, &cm), "argument");
  check(clSetKernelArg(kernel, 3, sizeof n, &n), "argument");
  double least = 1e30;
  for (int r = 0; r < repeats; ++r) {
    const double start = now();
    check(clEnqueueNDRangeKernel(queue, kernel, 2, NULL, global, local, 0, NULL, NULL), "launch");
    check(clFinish(queue), "finish");
    least = fmin(least, now() - start);
  }
  check(clEnqueueReadBuffer(queue, cm, CL_TRUE, 0, bytes, c, 0, NULL, NULL), "read");
  for (int i = 0; i < 100; ++i) {
    const int row = i * 37 % n, column = i * 61 % n;
    double sum = 0;
    for (int k = 0; k < n; ++k) sum += (double)a[row * n + k] * b[k * n + column];
    if (fabs(sum - c[row * n + column]) > 1e-3 * fabs(sum) + 1e-2) return fprintf(stderr, "wrong result\n"), 1;
  }
  printf("%.6f\n", least);
  return 0;
}
