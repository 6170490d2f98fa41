/* Warpwright as a library: load PTX, run its kernels on the processor, see counters and findings. For C and
 * everything that calls C; link with -lwarpwright. docs/library.md shows it in use.
 *
 * Functions that return int give 0 when all is well, 1 when the kernel did something wrong (the report says
 * what), 2 when the call cannot be obeyed; ww_error() then says why. Functions that return a pointer give
 * NULL then. Any thread may call any function; launches of one device run one after the other, each on all of
 * its threads. */
#ifndef WARPWRIGHT_H
#define WARPWRIGHT_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define WW_API __attribute__((visibility("default")))

typedef struct ww_device ww_device;
typedef struct ww_module ww_module;
typedef struct ww_report ww_report;

/* Why this thread's last call failed; "" when none has. Valid until its next call. */
WW_API const char* ww_error(void);

/* A device with memory of its own. threads: of the host, 0 for all cores. */
WW_API ww_device* ww_open(int threads);
/* Also ends what was loaded, allocated and shared there. */
WW_API void ww_close(ww_device* device);

/* Memory of the device, zero-filled. On x86-64 Linux its addresses are the host's, too, as long as the
 * process has one device: a kernel's pointer may then be read and written here. 0: there is not so much. */
WW_API uint64_t ww_allocate(ww_device* device, uint64_t bytes);
WW_API int ww_free(ww_device* device, uint64_t address);
WW_API int ww_write(ww_device* device, uint64_t to, const void* from, uint64_t bytes);
WW_API int ww_read(ww_device* device, void* to, uint64_t from, uint64_t bytes);
/* Lets kernels use memory of the program at its own address; and ends it. */
WW_API int ww_share(ww_device* device, void* memory, uint64_t bytes);
WW_API int ww_unshare(ww_device* device, void* memory);

/* PTX text (versions 1.4 to 9.x); name is for messages. */
WW_API ww_module* ww_load(ww_device* device, const char* name, const char* ptx);
WW_API void ww_unload(ww_module* module);
/* Its kernels, in the order of the text; NULL behind the last. */
WW_API const char* ww_kernel(const ww_module* module, int index);
/* Where a variable lies, and its bytes; 0: there is none of that name. */
WW_API uint64_t ww_variable(const ww_module* module, const char* name, uint64_t* bytes);

enum {
  WW_COUNT = 1, /* counters of the launch */
  WW_CHECK = 2  /* `warpwright check`'s checks: findings, and the launch goes on behind them */
};
typedef struct {
  const char* kernel;
  uint32_t grid[3], block[3];
  uint32_t dynamic_shared;      /* bytes */
  const void* const* arguments; /* a pointer to each argument's value, as cuLaunchKernel takes them */
  uint32_t flags;               /* WW_COUNT | WW_CHECK */
  const char* gpu; /* with WW_COUNT: also what this GPU would count (`warpwright gpus`); else NULL */
} ww_launch;

/* Runs it to its end. report: where the report goes, to be freed; NULL where nobody wants it. */
WW_API int ww_run(ww_module* module, const ww_launch* launch, ww_report** report);
WW_API void ww_report_free(ww_report* report);
/* What the kernel printed. */
WW_API const char* ww_printed(const ww_report* report);
/* A counter by its tag (docs/counters.md), a GPU's first where one was named. NaN: there is none. */
WW_API double ww_counter(const ww_report* report, const char* tag);
/* All counters; NULL behind the last. */
WW_API const char* ww_counter_tag(const ww_report* report, int index);
/* What is wrong, faults included: text for a person, or a JSON object; NULL behind the last. */
WW_API const char* ww_finding(const ww_report* report, int index);
WW_API const char* ww_finding_json(const ww_report* report, int index);

/* The call of gpuocelot's library: runs the first kernel of a PTX text. arguments: the values themselves,
 * each in a word; pointers are the program's own. What is wrong with the call or the kernel is said on
 * standard error, too. */
WW_API int ptx_run(const char* source, int count, void* const* arguments, int block_x, int block_y,
                   int block_z, int grid_x, int grid_y, int grid_z, int dynamic_shared);

#ifdef __cplusplus
}
#endif
#endif
