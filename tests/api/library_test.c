/* The C header from C: memory, modules, launches, counters, findings, and every refusal. Expected values by
 * hand. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "warpwright.h"

static int failed = 0;
#define EXPECT(what)                                                                                     \
  do {                                                                                                   \
    if (!(what)) failed = 1, printf("%s:%d: %s; ww_error: %s\n", __FILE__, __LINE__, #what, ww_error()); \
  } while (0)

static const char* ptx =
    ".version 8.0\n.target sm_70\n.address_size 64\n"
    ".global .align 4 .u32 bias = 5;\n"
    ".entry scale(.param .u64 y, .param .u32 n, .param .f32 a)\n"
    "{\n"
    "  .reg .u32 %r<5>; .reg .u64 %d<3>; .reg .f32 %f<4>; .reg .pred %p;\n"
    "  mov.u32 %r1, %tid.x; mov.u32 %r2, %ctaid.x; mov.u32 %r3, %ntid.x;\n"
    "  mad.lo.u32 %r1, %r2, %r3, %r1;\n"
    "  ld.param.u32 %r4, [n]; setp.ge.u32 %p, %r1, %r4;\n"
    "  @%p ret;\n"
    "  ld.param.u64 %d1, [y]; mul.wide.u32 %d2, %r1, 4; add.u64 %d1, %d1, %d2;\n"
    "  ld.param.f32 %f1, [a]; ld.global.f32 %f2, [%d1];\n"
    "  mul.f32 %f3, %f1, %f2;\n"
    "  st.global.f32 [%d1], %f3;\n"
    "  ret;\n"
    "}\n"
    ".entry empty() { ret; }\n"
    ".entry _Z4pokePf(.param .u64 p) { .reg .u64 %d; ld.param.u64 %d, [p]; st.global.u32 [%d+400], 1; ret; "
    "}\n";

static ww_launch launch_of(const char* kernel, const void* const* arguments, unsigned flags) {
  ww_launch launch = {kernel, {4, 1, 1}, {32, 1, 1}, 0, arguments, flags, NULL};
  return launch;
}

int main(void) {
  ww_device* device = ww_open(2);
  EXPECT(device);
  ww_module* module = ww_load(device, "scale.ptx", ptx);
  EXPECT(module);
  EXPECT(!strcmp(ww_kernel(module, 0), "scale") && !strcmp(ww_kernel(module, 1), "empty") &&
         !strcmp(ww_kernel(module, 2), "_Z4pokePf") && !ww_kernel(module, 3));
  uint64_t bytes = 0;
  uint64_t bias = ww_variable(module, "bias", &bytes);
  unsigned five = 0;
  EXPECT(bias && bytes == 4 && ww_read(device, &five, bias, 4) == 0 && five == 5);
  EXPECT(!ww_variable(module, "none", NULL) && strstr(ww_error(), "none"));

  /* On the device's memory: 100 of 128 threads. */
  float values[100];
  for (int i = 0; i < 100; ++i) values[i] = (float)i;
  uint64_t y = ww_allocate(device, sizeof values);
  EXPECT(y && ww_write(device, y, values, sizeof values) == 0);
  unsigned n = 100;
  float a = 3;
  const void* arguments[] = {&y, &n, &a};
  ww_launch launch = launch_of("scale", arguments, WW_COUNT);
  ww_report* report = NULL;
  EXPECT(ww_run(module, &launch, &report) == 0 && report);
  EXPECT(ww_read(device, values, y, sizeof values) == 0 && values[0] == 0 && values[99] == 297);
  EXPECT(ww_counter(report, "global_load_requests") == 4); /* a warp each; the last has 4 threads */
  EXPECT(isnan(ww_counter(report, "no_such_counter")) && ww_counter_tag(report, 0));
  EXPECT(!ww_finding(report, 0));
  ww_report_free(report);

  /* As a GPU counts it: four warps store 12 x 32 bytes and 4 x 4 bytes, that is 13 sectors. */
  launch.gpu = "h200";
  EXPECT(ww_run(module, &launch, &report) == 0 && ww_counter(report, "global_store_sectors") == 13);
  ww_report_free(report);
  launch.flags = 0;
  EXPECT(ww_run(module, &launch, NULL) == 2 && strstr(ww_error(), "WW_COUNT"));

  /* On the program's own memory. */
  float* own = malloc(sizeof values);
  for (int i = 0; i < 100; ++i) own[i] = 1;
  EXPECT(ww_share(device, own, sizeof values) == 0);
  const void* on_host[] = {&own, &n, &a};
  launch = launch_of("scale", on_host, 0);
  EXPECT(ww_run(module, &launch, NULL) == 0 && own[0] == 3 && own[99] == 3);
  EXPECT(ww_unshare(device, own) == 0 && ww_unshare(device, own) == 2);
  free(own);

  /* A fault ends the launch; a check goes on and has both sides. */
  n = 101;
  launch = launch_of("scale", arguments, 0);
  EXPECT(ww_run(module, &launch, &report) == 1 && strstr(ww_finding(report, 0), "out-of-bounds"));
  EXPECT(strstr(ww_error(), "out-of-bounds"));
  ww_report_free(report);
  launch.flags = WW_CHECK;
  EXPECT(ww_run(module, &launch, &report) == 1);
  EXPECT(ww_finding(report, 0) && strstr(ww_finding_json(report, 0), "out-of-bounds"));
  ww_report_free(report);

  /* C++'s names are readable in findings. */
  launch = launch_of("_Z4pokePf", arguments, WW_CHECK);
  EXPECT(ww_run(module, &launch, &report) == 1 && strstr(ww_finding_json(report, 0), "poke(float*)"));
  ww_report_free(report);

  /* Refusals. */
  launch = launch_of("nothing", arguments, 0);
  EXPECT(ww_run(module, &launch, &report) == 2 && !report && strstr(ww_error(), "nothing"));
  launch = launch_of("scale", NULL, 0);
  EXPECT(ww_run(module, &launch, NULL) == 2);
  launch = launch_of("empty", NULL, 0);
  launch.block[0] = 2000;
  EXPECT(ww_run(module, &launch, NULL) == 2 && strstr(ww_error(), "1024"));
  EXPECT(!ww_load(device, "bad.ptx", ".version 8.0\n.target sm_70\n.nonsense") &&
         strstr(ww_error(), "bad.ptx:3"));
  EXPECT(!ww_load(NULL, "x", ptx) && !ww_open(-1) && ww_run(NULL, &launch, NULL) == 2);
  EXPECT(ww_free(device, y) == 0 && ww_free(device, y) == 2);
  ww_unload(module);
  ww_close(device);
  if (!failed) printf("good\n");
  return failed;
}
