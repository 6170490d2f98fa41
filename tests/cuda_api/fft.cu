// cuFFT against sums by the definition in double: lengths of all kinds, both directions, real and complex, one to three
// dimensions, batches, advanced layouts, in place, in graphs.
// link: -lcufft
// expect: complex 1
// expect: real 1
// expect: 2d 1 3d 1
// expect: batch 1
// expect: layout 1
// expect: in place 1
// expect: double 1
// expect: graph 1
// expect: wrong 1
#include <cufft.h>

#include <cmath>
#include <complex>
#include <cstdio>
#include <vector>

using C = std::complex<double>;
using Values = std::vector<C>;

static Values random_values(size_t n, bool real = false) {
  static unsigned state = 1;
  auto next = [] { return (state = state * 1664525 + 1013904223, int(state >> 8) % 2000 / 1000.0 - 1); };
  Values v(n);
  for (C& c : v) {
    double re = next();
    c = {re, real ? 0 : next()};
  }
  return v;
}
/// By the definition, sizes in rows.
static Values slow(const Values& x, std::vector<int> n, int sign) {
  while (n.size() < 3) n.insert(n.begin(), 1);
  Values out(x.size());
  for (int a = 0; a < n[0]; ++a)
    for (int b = 0; b < n[1]; ++b)
      for (int c = 0; c < n[2]; ++c) {
        C sum = 0;
        for (int p = 0; p < n[0]; ++p)
          for (int q = 0; q < n[1]; ++q)
            for (int r = 0; r < n[2]; ++r)
              sum += x[(p * n[1] + q) * n[2] + r] *
                     std::polar(1.0, sign * 2 * M_PI * (double(a * p % n[0]) / n[0] + double(b * q % n[1]) / n[1] +
                                                        double(c * r % n[2]) / n[2]));
        out[(a * n[1] + b) * n[2] + c] = sum;
      }
  return out;
}
static bool near(const Values& a, const Values& b, double allowed = 1e-5) {
  double error = 0, size = 1e-30;
  for (size_t i = 0; i < a.size(); ++i) error += std::norm(a[i] - b[i]), size += std::norm(b[i]);
  return a.size() == b.size() && std::sqrt(error / size) < allowed;
}
/// Device memory with these values, complex or real.
template <class T>
static void* put(const Values& v, bool real = false) {
  std::vector<T> flat;
  for (C c : v) {
    flat.push_back(T(c.real()));
    if (!real) flat.push_back(T(c.imag()));
  }
  void* at;
  cudaMalloc(&at, flat.size() * sizeof(T));
  cudaMemcpy(at, flat.data(), flat.size() * sizeof(T), cudaMemcpyHostToDevice);
  return at;
}
template <class T>
static Values get(const void* at, size_t n, bool real = false) {
  std::vector<T> flat(real ? n : 2 * n);
  cudaMemcpy(flat.data(), at, flat.size() * sizeof(T), cudaMemcpyDeviceToHost);
  Values v(n);
  for (size_t i = 0; i < n; ++i) v[i] = real ? C(flat[i]) : C(flat[2 * i], flat[2 * i + 1]);
  return v;
}
static Values half_of(const Values& x, int n) {
  Values out;
  for (size_t row = 0; row < x.size() / n; ++row) out.insert(out.end(), &x[row * n], &x[row * n] + n / 2 + 1);
  return out;
}

int main() {
  cufftHandle plan;
  bool good = true;
  for (int n : {1, 2, 4, 8, 12, 15, 49, 61, 64, 67, 101, 1000, 134}) {
    Values x = random_values(n);
    void *in = put<float>(x), *out = put<float>(x);
    good &= cufftPlan1d(&plan, n, CUFFT_C2C, 1) == CUFFT_SUCCESS;
    for (int sign : {CUFFT_FORWARD, CUFFT_INVERSE}) {
      cufftExecC2C(plan, (cufftComplex*)in, (cufftComplex*)out, sign);
      good &= near(get<float>(out, n), slow(x, {n}, sign));
    }
    cufftDestroy(plan);
  }
  printf("complex %d\n", good);

  good = true;
  for (int n : {2, 6, 9, 64, 75}) {
    Values x = random_values(n, true), all = slow(x, {n}, -1), half = half_of(all, n);
    void *in = put<float>(x, true), *out = put<float>(half);
    cufftPlan1d(&plan, n, CUFFT_R2C, 1);
    cufftExecR2C(plan, (float*)in, (cufftComplex*)out);
    good &= near(get<float>(out, half.size()), half);
    cufftDestroy(plan), cufftPlan1d(&plan, n, CUFFT_C2R, 1);
    cufftExecC2R(plan, (cufftComplex*)out, (float*)in);
    for (C& c : x) c *= n;
    good &= near(get<float>(in, n, true), x);
    cufftDestroy(plan);
  }
  printf("real %d\n", good);

  Values x = random_values(6 * 5), back = x;
  void *in = put<float>(x), *out = put<float>(x);
  cufftPlan2d(&plan, 6, 5, CUFFT_C2C);
  cufftExecC2C(plan, (cufftComplex*)in, (cufftComplex*)out, CUFFT_FORWARD);
  good = near(get<float>(out, 30), slow(x, {6, 5}, -1));
  Values r = random_values(3 * 4 * 6, true);
  void *rin = put<float>(r, true), *rout = put<float>(random_values(3 * 4 * 4));
  cufftHandle three, inverse;
  cufftPlan3d(&three, 3, 4, 6, CUFFT_R2C), cufftPlan3d(&inverse, 3, 4, 6, CUFFT_C2R);
  cufftExecR2C(three, (float*)rin, (cufftComplex*)rout);
  bool also = near(get<float>(rout, 48), half_of(slow(r, {3, 4, 6}, -1), 6));
  cufftExecC2R(inverse, (cufftComplex*)rout, (float*)rin);
  for (C& c : r) c *= 72;
  printf("2d %d 3d %d\n", good, also && near(get<float>(rin, 72, true), r));

  int n = 8, embed = 10;
  x = random_values(3 * 8);
  in = put<float>(x), out = put<float>(x);
  cufftPlan1d(&plan, n, CUFFT_C2C, 3);
  cufftExecC2C(plan, (cufftComplex*)in, (cufftComplex*)out, CUFFT_FORWARD);
  Values wanted;
  for (int b = 0; b < 3; ++b)
    for (C c : slow(Values(&x[8 * b], &x[8 * b] + 8), {8}, -1)) wanted.push_back(c);
  printf("batch %d\n", near(get<float>(out, 24), wanted));

  // Three signals interleaved: element j of signal b at 3 j + b; the result in rows of ten.
  Values mixed(24), gap(30);
  for (int b = 0; b < 3; ++b)
    for (int j = 0; j < 8; ++j) mixed[3 * j + b] = x[8 * b + j], gap[10 * b + j] = wanted[8 * b + j];
  in = put<float>(mixed), out = put<float>(Values(30));
  cufftPlanMany(&plan, 1, &n, &n, 3, 1, &embed, 1, 10, CUFFT_C2C, 3);
  cufftExecC2C(plan, (cufftComplex*)in, (cufftComplex*)out, CUFFT_FORWARD);
  printf("layout %d\n", near(get<float>(out, 30), gap));

  // In place, rows of a real array are padded to whole complex numbers.
  r = random_values(4 * 6, true);
  Values padded(4 * 8);
  for (int i = 0; i < 24; ++i) padded[i / 6 * 8 + i % 6] = r[i];
  in = put<float>(padded, true);
  cufftPlan2d(&plan, 4, 6, CUFFT_R2C);
  cufftExecR2C(plan, (float*)in, (cufftComplex*)in);
  printf("in place %d\n", near(get<float>(in, 16), half_of(slow(r, {4, 6}, -1), 6)));

  x = random_values(360);
  in = put<double>(x);
  cufftPlan1d(&plan, 360, CUFFT_Z2Z, 1);
  cufftExecZ2Z(plan, (cufftDoubleComplex*)in, (cufftDoubleComplex*)in, CUFFT_INVERSE);
  printf("double %d\n", near(get<double>(in, 360), slow(x, {360}, 1), 1e-12));

  cudaStream_t s;
  cudaGraph_t graph;
  cudaGraphExec_t exec;
  cudaStreamCreate(&s);
  x = random_values(16);
  in = put<float>(x);
  cufftCreate(&plan);
  size_t work;
  cufftMakePlan1d(plan, 16, CUFFT_C2C, 1, &work);
  cufftSetStream(plan, s);
  cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
  cufftExecC2C(plan, (cufftComplex*)in, (cufftComplex*)in, CUFFT_FORWARD);
  cudaStreamEndCapture(s, &graph);
  cudaGraphInstantiate(&exec, graph, 0);
  good = near(get<float>(in, 16), x, 1e-6);
  cudaGraphLaunch(exec, s), cudaStreamSynchronize(s);
  printf("graph %d\n", good && near(get<float>(in, 16), slow(x, {16}, -1)));

  cufftDestroy(plan);
  printf("wrong %d\n", cufftExecC2C(plan, (cufftComplex*)in, (cufftComplex*)in, 1) == CUFFT_INVALID_PLAN &&
                           cufftPlan1d(&plan, 0, CUFFT_C2C, 1) == CUFFT_INVALID_SIZE &&
                           cufftExecR2C(three, nullptr, nullptr) == CUFFT_INVALID_VALUE &&
                           cufftExecC2R(three, (cufftComplex*)in, (float*)in) == CUFFT_INVALID_TYPE);
}
