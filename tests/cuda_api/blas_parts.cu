// cuBLAS by hand: matrices stored in part, updates, rotations, groups, and the interface without handles.
// A = [1 2 0; 3 4 5; 0 6 7] where it is general; S = [2 1 0; 1 3 1; 0 1 4] where it is symmetric, T its
// lower triangle; x = (1 2 3).
// link: -lcublas
// expect: without handles 23 34 31 46 | 14 3 0
// expect: gbmv 5 26 33 | 7 28 31
// expect: sbmv 4 10 14
// expect: spmv 4 10 14
// expect: hpmv 1 4 2 -1
// expect: spr 3 3 7 3 7 13
// expect: syr2 2 9 9 3 4 9 4 5 6
// expect: her2 4 0 9 9 3 -1 0 0
// expect: tbmv 2 7 14 | tbsv 1 2 3
// expect: tpmv 2 7 14 | tpsv 1 2 3
// expect: packed 2 1 0 3 1 4 | 2 1 0 -1 3 1 -1 -1 4
// expect: rotg 5 1.66667 0.6 0.8
// expect: rotmg 1 0 0 | rotm 3 4 -1 -2
// expect: rotmg 0 -0.5 0.5 0.8 0.8 2.5 | rotm 2.5 0
// expect: complex rotg 5 0 0.6 0 -0.8
// expect: herkx 2 0
// expect: groups 23 34 31 46 | 6 | 12
// expect: gemvBatched 5 26 33 10 52 66
// expect: inverse 1 -1 -1 2 0 | 2
#include <cstdio>
#include <string>

#include "values.h"

// As cublas.h has them: it cannot be included beside cublas_v2.h, which gives these names to other functions.
extern "C" int cublasInit();
extern "C" int cublasShutdown();
extern "C" int cublasGetError();
extern "C" int cublasAlloc(int n, int size, void** to);
extern "C" void cublasSgemm(char, char, int, int, int, float, const float*, int, const float*, int, float,
                            float*, int);
extern "C" float cublasSdot(int, const float*, int, const float*, int);
extern "C" int cublasIsamax(int, const float*, int);
static void without_handles() {
  cublasInit();
  float *c, *x = put<float>({1, 2, 3});
  cublasAlloc(4, sizeof(float), reinterpret_cast<void**>(&c));
  cublasSgemm('n', 'N', 2, 2, 2, 1, put<float>({1, 2, 3, 4}), 2, put<float>({5, 6, 7, 8}), 2, 0, c, 2);
  const float dot = cublasSdot(3, x, 1, x, 1);
  const int largest = cublasIsamax(3, x, 1);
  printf("without handles%s | %g %d %d\n", text(c, 4).c_str(), dot, largest, cublasGetError());
  cublasShutdown();
}

#include <cublas_v2.h>
static std::string text(const cuComplex* at, int n) {
  return text(reinterpret_cast<const float*>(at), 2 * n);
}

static cublasHandle_t h;
static const float one = 1, zero = 0;
static const cuComplex c1 = {1, 0}, c0 = {0, 0};
static const auto N = CUBLAS_OP_N, T = CUBLAS_OP_T;
static const auto U = CUBLAS_FILL_MODE_UPPER, L = CUBLAS_FILL_MODE_LOWER;

static void products() {
  float *x = put<float>({1, 2, 3}), *y = put<float>({0, 0, 0});
  // Columns of the band: above, diagonal, below; 9 where nothing is stored.
  float* band = put<float>({9, 1, 3, 2, 4, 6, 5, 7, 9});
  cublasSgbmv(h, N, 3, 3, 1, 1, &one, band, 3, x, 1, &zero, y, 1);
  printf("gbmv%s", text(y, 3).c_str());
  cublasSgbmv(h, T, 3, 3, 1, 1, &one, band, 3, x, 1, &zero, y, 1);
  printf(" |%s\n", text(y, 3).c_str());
  cublasSsbmv(h, L, 3, 1, &one, put<float>({2, 1, 3, 1, 4, 9}), 2, x, 1, &zero, y, 1);
  printf("sbmv%s\n", text(y, 3).c_str());
  cublasSspmv(h, U, 3, &one, put<float>({2, 1, 3, 0, 1, 4}), x, 1, &zero, y, 1);
  printf("spmv%s\n", text(y, 3).c_str());
  // [1 i; -i 0] (1+2i 2), upper; the diagonal's 5i does not count.
  cuComplex *cy = put<cuComplex>({c0, c0}), *packed = put<cuComplex>({{1, 5}, {0, 1}, {0, 0}});
  cublasChpmv(h, U, 2, &c1, packed, put<cuComplex>({{1, 2}, {2, 0}}), 1, &c0, cy, 1);
  printf("hpmv%s\n", text(cy, 2).c_str());
}
static void updates() {
  float *x = put<float>({1, 2, 3}), *packed = put<float>({2, 1, 3, 0, 1, 4});
  cublasSspr(h, U, 3, &one, x, 1, packed);
  printf("spr%s\n", text(packed, 6).c_str());
  float* a = put<float>({0, 9, 9, 0, 0, 9, 0, 0, 0});
  cublasSsyr2(h, U, 3, &one, x, 1, put<float>({1, 1, 1}), 1, a, 3);
  printf("syr2%s\n", text(a, 9).c_str());
  // x = (1+i 1), y = (2 i)
  cuComplex *u = put<cuComplex>({{1, 1}, {1, 0}}), *v = put<cuComplex>({{2, 0}, {0, 1}});
  cuComplex* b = put<cuComplex>({c0, {9, 9}, c0, c0});
  cublasCher2(h, U, 2, &c1, u, 1, v, 1, b, 2);
  printf("her2%s\n", text(b, 4).c_str());
}
static void triangles() {
  const auto plain = CUBLAS_DIAG_NON_UNIT;
  float *x = put<float>({1, 2, 3}), *band = put<float>({2, 1, 3, 1, 4, 9});
  cublasStbmv(h, L, N, plain, 3, 1, band, 2, x, 1);
  printf("tbmv%s", text(x, 3).c_str());
  cublasStbsv(h, L, N, plain, 3, 1, band, 2, x, 1);
  printf(" | tbsv%s\n", text(x, 3).c_str());
  float* packed = put<float>({2, 1, 0, 3, 1, 4});
  cublasStpmv(h, L, N, plain, 3, packed, x, 1);
  printf("tpmv%s", text(x, 3).c_str());
  cublasStpsv(h, L, N, plain, 3, packed, x, 1);
  printf(" | tpsv%s\n", text(x, 3).c_str());
  float *to = put<float>({0, 0, 0, 0, 0, 0}), *whole = put<float>({-1, -1, -1, -1, -1, -1, -1, -1, -1});
  cublasStrttp(h, L, 3, put<float>({2, 1, 0, 8, 3, 1, 8, 8, 4}), 3, to);
  cublasStpttr(h, L, 3, to, whole, 3);
  printf("packed%s |%s\n", text(to, 6).c_str(), text(whole, 9).c_str());
}
static void rotations() {
  double a = 3, b = 4, c, s;
  cublasDrotg(h, &a, &b, &c, &s);
  printf("rotg %g %g %g %g\n", a, b, c, s);
  float d1 = 1, d2 = 1, x1 = 0, y1 = 1, p[5] = {};
  cublasSrotmg(h, &d1, &d2, &x1, &y1, p);
  float *x = put<float>({1, 2}), *y = put<float>({3, 4});
  cublasSrotm(h, 2, x, 1, y, 1, p);
  printf("rotmg %g %g %g | rotm%s%s\n", p[0], p[1], p[4], text(x, 2).c_str(), text(y, 2).c_str());
  // sqrt(d1) (2 1) is turned onto the first axis.
  d1 = d2 = 1, x1 = 2, y1 = 1;
  cublasSrotmg(h, &d1, &d2, &x1, &y1, p);
  float *u = put<float>({2}), *v = put<float>({1});
  cublasSrotm(h, 1, u, 1, v, 1, p);
  printf("rotmg %g %g %g %g %g %g | rotm%s%s\n", p[0], p[2], p[3], d1, d2, x1, text(u, 1).c_str(),
         text(v, 1).c_str());
  cuComplex ca = {3, 0}, cb = {0, 4}, cs;
  float cosine;
  cublasCrotg(h, &ca, &cb, &cosine, &cs);
  printf("complex rotg %g %g %g %g %g\n", ca.x, ca.y, cosine, cs.x, cs.y);
}
static void matrices() {
  cuComplex *a = put<cuComplex>({{1, 1}}), *c = put<cuComplex>({{9, 9}});
  cublasCherkx(h, U, N, 1, 1, &c1, a, 1, a, 1, &zero, c, 1);
  printf("herkx%s\n", text(c, 1).c_str());
  float *p = put<float>({1, 2, 3, 4}), *q = put<float>({5, 6, 7, 8}), *r = put<float>({0, 0, 0, 0, 0, 0});
  const cublasOperation_t ops[] = {N, N};
  const int sizes[] = {2, 1}, counts[] = {1, 2};
  const float ones[] = {1, 1}, zeros[] = {0, 0};
  const float** as = put<const float*>({p, p + 1, p + 2});
  const float** bs = put<const float*>({q, p + 2, p + 3});
  float** cs = put<float*>({r, r + 4, r + 5});
  cublasSgemmGroupedBatched(h, ops, ops, sizes, sizes, sizes, ones, as, sizes, bs, sizes, zeros, cs, sizes, 2,
                            counts);
  printf("groups%s |%s |%s\n", text(r, 4).c_str(), text(r + 4, 1).c_str(), text(r + 5, 1).c_str());
  float *m = put<float>({1, 3, 0, 2, 4, 6, 0, 5, 7}), *x = put<float>({1, 2, 3, 2, 4, 6}),
        *y = put<float>({0, 0, 0, 0, 0, 0});
  cublasSgemvBatched(h, N, 3, 3, &one, put<const float*>({m, m}), 3, put<const float*>({x, x + 3}), 1, &zero,
                     put<float*>({y, y + 3}), 1, 2);
  printf("gemvBatched%s\n", text(y, 6).c_str());
  double *good = put<double>({2, 1, 1, 1}), *singular = put<double>({1, 1, 1, 1}),
         *inverse = put<double>({0, 0, 0, 0});
  int* info = put<int>({7, 7});
  cublasDmatinvBatched(h, 2, put<const double*>({good, singular}), 2, put<double*>({inverse, inverse}), 2,
                       info, 2);
  printf("inverse%s%s |%s\n", text(inverse, 4).c_str(), text(info, 1).c_str(), text(info + 1, 1).c_str());
}

int main() {
  without_handles();
  cublasCreate(&h);
  products(), updates(), triangles(), rotations(), matrices();
}
