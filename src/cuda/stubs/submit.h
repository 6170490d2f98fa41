// Work of a library on a stream: done at once, or put into the graph that is being captured.
#pragma once

#include <functional>

extern "C" {  // of the runtime, which is in libwarpwright_cuda.so
int cudaStreamIsCapturing(void* stream, int* status);
int cudaLaunchHostFunc(void* stream, void (*function)(void*), void* data);
void ww_cuda_library_called();  // for `run --fidelity`
}

namespace ww::stubs {

/// False: the stream is none.
inline bool submit(void* stream, std::function<void()> work) {
  ww_cuda_library_called();
  int capturing = 0;
  if (cudaStreamIsCapturing(stream, &capturing) != 0) return false;
  if (!capturing) {
    work();
    return true;
  }
  // The graph may run any number of times: what it calls stays.
  auto* kept = new std::function<void()>(std::move(work));
  return cudaLaunchHostFunc(
             stream, [](void* f) { (*static_cast<std::function<void()>*>(f))(); }, kept) == 0;
}

}  // namespace ww::stubs
