// The C interface of the peers plug-in: NVIDIA's own libraries, timed beside our kernels. The plug-in is a
// shared library of its own (libwarpwright_peers.so, made by nvcc), so that the program needs no CUDA.
#pragma once

#include <stdint.h>

/// Changes with every change of this interface.
#define WW_PEERS_ABI 1
/// What "ffma/rate" computes: every one of `n` threads has this many independent chains x = fma(x,
/// multiplier, summand), `r` steps long, that start at (thread % 1024) / 1024 + chain, and stores their sum
/// in this order.
#define WW_PEERS_CHAINS 8
#define WW_PEERS_MULTIPLIER 0.9990234375f
#define WW_PEERS_SUMMAND 0.0009765625f

/// What to do. Addresses are those of the device; matrices are row-major float32.
struct ww_peers_task {
  int64_t n;          ///< side of the matrices, elements of the vector, threads
  int64_t r;          ///< radius of the box, steps of a chain
  uint64_t bytes;     ///< to copy
  uint64_t input[2];  ///< the second one for products only
  uint64_t output;
};

#ifdef __cplusplus
extern "C" {
#endif

/// WW_PEERS_ABI of the plug-in.
int ww_peers_abi(void);
/// The names of what it can do, each with what it is by a tab, line by line: "cublas/sgemm\tcuBLAS 13.0 …\n".
const char* ww_peers_list(void);
/// Takes the handles and scratch memory that `name` needs, in the context that is current. Null, or what went
/// wrong (valid until the next call). To be called before ww_peers_start with the same name and task.
const char* ww_peers_prepare(const char* name, const struct ww_peers_task* task);
/// Puts the work on the default stream of the context and does not wait for it. Null, or what went wrong.
const char* ww_peers_start(const char* name, const struct ww_peers_task* task);
/// Gives handles and scratch memory back.
void ww_peers_release(void);

#ifdef __cplusplus
}
#endif
