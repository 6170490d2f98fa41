// What the parts of the fake driver share.
#pragma once

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>

#include "fake_cuda.h"

struct Memory {
  size_t bytes = 0;
  int device = 0;
};
struct HostMemory {
  size_t bytes = 0;
  unsigned flags = 0;
  bool managed = false;
  int device = 0;
};
/// A point in time. What it stands for has happened when it is done.
struct Mark {
  double when = 0;
  bool done = true;
};
/// Effects happen late, when somebody waits for them, so that one who does not wait finds nothing; times are
/// settled when work is put in.
struct Stream {
  int device = 0;
  double time = 0;                         // when all that is in it has ended
  std::deque<std::function<bool()>> work;  // false: not yet
};

/// A GPU's part in a group of NCCL.
struct Comm {
  int rank = 0, device = 0, ranks = 0;
};

struct Fake {
  FakeScript script;
  FakeLog log;
  int sticky = 0;  // what every call gives since a kernel faulted
  double clock_ms = 0;
  int timed = 0, faulty_runs = 0, copies = 0;
  int current = 0;  // device of the current context
  std::map<int, uint64_t> used;
  std::map<unsigned long long, Memory> memory;
  std::map<unsigned long long, HostMemory> host;
  std::map<void*, std::string> modules;                      // handle → text
  std::map<void*, std::pair<void*, std::string>> functions;  // handle → module, name
  std::map<void*, std::shared_ptr<Mark>> events;
  std::map<void*, Stream> streams;
  unsigned long long textures = 0;                     // made so far
  std::map<unsigned long long, int> live_textures;     // handle → device
  std::map<std::pair<int, std::string>, double> busy;  // device, what of it → until when
  std::set<std::pair<int, int>> reach;                 // opened paths
  std::map<void*, Comm> comms;
  uintptr_t next_handle = 0x1000;

  std::map<void*, int> device_of;  // of handles

  void* handle() {
    void* fresh = reinterpret_cast<void*>(next_handle += 16);
    device_of[fresh] = current;
    return fresh;
  }
  void drop_context(int device);
  void drop_all();
  void count();
  /// The allocation that holds the address, or null.
  const Memory* owner(unsigned long long address, size_t bytes) const;
  const HostMemory* host_owner(unsigned long long address, size_t bytes) const;
};
extern Fake fake;

/// A wrong use of the interface ends the test run: a real driver might crash or corrupt memory.
void require(bool good, const char* what);

/// What a copy gives: an error when the script says so.
int copy_result();
/// Copies, or loses what it should have copied.
void move(unsigned long long to, unsigned long long from, size_t bytes);

/// Puts work that takes `ms` into a stream; of one engine of a device only one runs at a time.
Stream& put(void* stream, const char* engine, double ms, std::function<bool()> effect);
/// Runs what stands in the stream, and of the others no more than it waits for.
void finish(void* stream);
void finish_all();

/// The kernel's effect and time in a stream; the arguments are copied.
int run_in_stream(void* stream, const std::string& name, const unsigned (&grid)[3], void** arguments);
