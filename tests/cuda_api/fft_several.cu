// cuFFT on several GPUs: what a transform gives comes back in its natural order, wherever the parts lie.
// link: -lcufft
// devices: 3
#include <cufftXt.h>

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstdio>
#include <vector>

using Complex = std::complex<float>;

static std::vector<Complex> signal(int n) {
  std::vector<Complex> x(n);
  for (int i = 0; i < n; ++i) x[i] = {float(i * 37 % 17) - 8, float(i * 11 % 13) - 6};
  return x;
}

int main() {
  int gpus[] = {2, 0, 1}, twice[] = {0, 0, 1};
  cufftHandle plan;
  cufftCreate(&plan);
  const int repeated = cufftXtSetGPUs(plan, 3, twice);  // as NVIDIA's samples do where there is one GPU
  std::printf("%d %d\n", repeated, cufftXtSetGPUs(plan, 3, gpus));
  size_t work[3] = {7, 7, 7};
  const int nx = 8, ny = 5;  // neither can be shared out evenly
  std::printf("%d ", cufftMakePlan2d(plan, nx, ny, CUFFT_C2C, work));
  std::printf("%zu %zu %zu\n", work[0], work[1], work[2]);
  cudaLibXtDesc *data, *natural;
  cufftXtMalloc(plan, &data, CUFFT_XT_FORMAT_INPLACE);
  cufftXtMalloc(plan, &natural, CUFFT_XT_FORMAT_INPLACE);
  const auto& d = *data->descriptor;
  std::printf("%d GPUs %d %d %d, bytes %zu %zu %zu\n", d.nGPUs, d.GPUs[0], d.GPUs[1], d.GPUs[2], d.size[0],
              d.size[1], d.size[2]);
  auto x = signal(nx * ny);
  cufftXtMemcpy(plan, data, x.data(), CUFFT_COPY_HOST_TO_DEVICE);
  Complex first;  // of the second GPU, by rows
  cudaMemcpy(&first, d.data[1], sizeof first, cudaMemcpyDeviceToHost);
  std::printf("row 3 begins with %g, element 15 is %g\n", first.real(), x[15].real());
  std::printf("%d ", cufftXtExecDescriptorC2C(plan, data, data, CUFFT_FORWARD));
  std::printf("shuffled %d, bytes %zu %zu %zu\n", data->subFormat == CUFFT_XT_FORMAT_INPLACE_SHUFFLED,
              d.size[0], d.size[1], d.size[2]);

  // The same by the formula.
  std::vector<Complex> expected(nx * ny), got(nx * ny);
  const double pi = std::acos(-1.0);
  for (int u = 0; u < nx; ++u)
    for (int v = 0; v < ny; ++v) {
      std::complex<double> sum = 0;
      for (int i = 0; i < nx; ++i)
        for (int j = 0; j < ny; ++j)
          sum += std::complex<double>(x[i * ny + j]) *
                 std::polar(1.0, -2 * pi * (double(u * i) / nx + double(v * j) / ny));
      expected[u * ny + v] = Complex(sum);
    }
  const auto off = [&](const std::vector<Complex>& a, const std::vector<Complex>& b, float scale) {
    float worst = 0;
    for (size_t i = 0; i < a.size(); ++i) worst = std::max(worst, std::abs(a[i] / scale - b[i]));
    return worst < 1e-3f;
  };
  cufftXtMemcpy(plan, got.data(), data, CUFFT_COPY_DEVICE_TO_HOST);
  std::printf("from shuffled %d ", off(got, expected, 1));
  Complex column;  // of the second GPU: column 2 of row 0
  cudaMemcpy(&column, d.data[1], sizeof column, cudaMemcpyDeviceToHost);
  std::printf("column %d ", std::abs(column - expected[2]) < 1e-3f);
  cufftXtMemcpy(plan, natural, data, CUFFT_COPY_DEVICE_TO_DEVICE);
  cudaMemcpy(&column, natural->descriptor->data[1], sizeof column, cudaMemcpyDeviceToHost);
  std::printf("row %d\n", std::abs(column - expected[3 * ny]) < 1e-3f);
  cufftXtExecDescriptorC2C(plan, data, data, CUFFT_INVERSE);
  cufftXtMemcpy(plan, got.data(), data, CUFFT_COPY_DEVICE_TO_HOST);
  std::printf("and back %d, shuffled %d\n", off(got, x, nx * ny),
              data->subFormat == CUFFT_XT_FORMAT_INPLACE_SHUFFLED);
  std::printf("%d %d\n", cufftXtFree(natural), cufftXtFree(data));
}
// expect: 0 0
// expect: 0 0 0 0
// expect: 3 GPUs 2 0 1, bytes 120 120 80
// expect: row 3 begins with 3, element 15 is 3
// expect: 0 shuffled 1, bytes 128 128 64
// expect: from shuffled 1 column 1 row 1
// expect: and back 1, shuffled 0
// expect: 0 0
