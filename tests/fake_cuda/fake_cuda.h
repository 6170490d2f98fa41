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
  int copy_after = 0;             ///< … after that many good ones
  bool lose_copies = false;       ///< copies in streams and between GPUs arrive empty
  int resident_blocks = 2;
  int max_threads = 1024;
  int static_shared = 0;
  const float* times_ms = nullptr;  ///< what the runs of a kernel take in turn; the last one is repeated
  int times = 0;
  bool nvml = true;
  const char* faulty = "fault";       ///< the kernel that faults
  uint64_t host_memory = 1ull << 30;  ///< page-locked and managed bytes there are
  bool managed = true;                ///< whether the GPUs have managed memory
  bool peers = true;                  ///< whether there are paths between them
  int nccl_join = 0, nccl_group = 0;  ///< results of ncclCommInitAll and ncclGroupEnd
};

/// GB/s of what runs in streams; one operation of a kind runs at a time on each GPU.
struct FakeRates {
  static constexpr double kPageable = 8;  ///< both ways, and the host waits
  static constexpr double kLockedToDevice = 40, kLockedToHost = 50;
  static constexpr double kCombinedToDevice = 44, kCombinedToHost = 32;
  static constexpr double kPeer = 200, kPeerByDriver = 10;
  static constexpr double kKernelHost = 20, kKernelPeer = 160, kKernelDevice = 2000;  ///< calibrate_copy
  static constexpr double kNccl = 100;                                                ///< of each GPU
  static constexpr double kTeraFlop = 2;  ///< 10^12 floating-point operations a second
};

/// What happened since the script was set.
struct FakeLog {
  int launches = 0, cooperative_launches = 0, fills = 0, compilations = 0, resets = 0;
  int live_allocations = 0, live_modules = 0, live_events = 0, contexts = 0;
  int live_host = 0, live_streams = 0, live_communicators = 0;
  uint64_t dynamic_shared_limit = 0;  ///< opted in
  unsigned cluster[3] = {0, 0, 0};    ///< of the last launch that gave one
};

using FakeSetScript = void (*)(const FakeScript*);  ///< exported as fake_cuda_script; clears everything
using FakeGetLog = const FakeLog* (*)();            ///< exported as fake_cuda_log
