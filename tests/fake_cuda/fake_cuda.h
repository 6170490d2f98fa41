// How tests script the driver that is none (fake_cuda.cpp).
#pragma once

#include <cstdint>

/// What the fake driver and its one kind of GPU do. Results are CUresult values, 0 is success.
struct FakeScript {
  int init = 0;
  int version = 13000;
  int devices = 1;
  uint64_t memory = 1 << 20;      ///< bytes of each device
  int compile = 0;                ///< result of loading a module
  const char* compile_log = "";   ///< error log of loading a module
  int fault = 0;                  ///< what a kernel named "fault" ends with
  int fault_after = 0;            ///< … after that many good runs
  bool dead_after_fault = false;  ///< a new context after a fault is dead as well
  int copy = 0;                   ///< result of copies
  int resident_blocks = 2;
  int max_threads = 1024;
  int static_shared = 0;
  const float* times_ms = nullptr;  ///< what the runs of a kernel take in turn; the last one is repeated
  int times = 0;
  bool nvml = true;
};

/// What happened since the script was set.
struct FakeLog {
  int launches = 0, cooperative_launches = 0, fills = 0, compilations = 0, resets = 0;
  int live_allocations = 0, live_modules = 0, live_events = 0, contexts = 0;
  uint64_t dynamic_shared_limit = 0;  ///< opted in
};

using FakeSetScript = void (*)(const FakeScript*);  ///< exported as fake_cuda_script; clears everything
using FakeGetLog = const FakeLog* (*)();            ///< exported as fake_cuda_log
