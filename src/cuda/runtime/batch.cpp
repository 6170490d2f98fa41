// CUDA Runtime API: Memory Management, batches.
#include "cuda/core/batch.h"

#include "cuda/core/platform.h"
#include "cuda/runtime/calls.h"

using namespace ww::cuda;

// Before CUDA 13 the last argument but one was where the number of the wrong copy went.
WW_CUDA_API Error cudaMemcpyBatchAsync(void* const* to, const void* const* from, const size_t* bytes,
                                       size_t count, const CopyAttributes* attributes, const size_t* first,
                                       size_t attribute_count, void* stream_or_failed, Stream* stream) {
  return api([&](DeviceContext&) -> Error {
    const bool before = Platform::get().runtime_version() < 13000;
    return copy_batch(to, from, bytes, count, attributes, {first, attribute_count},
                      before ? static_cast<size_t*>(stream_or_failed) : nullptr,
                      before ? stream : static_cast<Stream*>(stream_or_failed));
  });
}
WW_CUDA_API Error cudaMemcpyBatchAsync_ptsz(void* const* to, const void* const* from, const size_t* bytes,
                                            size_t count, const CopyAttributes* attributes,
                                            const size_t* first, size_t attribute_count,
                                            void* stream_or_failed, Stream* stream) {
  const bool before = Platform::get().runtime_version() < 13000;
  return cudaMemcpyBatchAsync(to, from, bytes, count, attributes, first, attribute_count,
                              before ? stream_or_failed : of_thread(static_cast<Stream*>(stream_or_failed)),
                              before ? of_thread(stream) : nullptr);
}
WW_CUDA_API Error cudaMemcpy3DBatchAsync(size_t count, const BatchCopy* copies, ww::cuda::u64 failed_or_flags,
                                         ww::cuda::u64 flags_or_stream, Stream* stream) {
  return api([&](DeviceContext&) -> Error {
    if (Platform::get().runtime_version() < 13000)
      return copy_batch(copies, count, flags_or_stream, reinterpret_cast<size_t*>(failed_or_flags), stream);
    return copy_batch(copies, count, failed_or_flags, nullptr, reinterpret_cast<Stream*>(flags_or_stream));
  });
}
WW_CUDA_API Error cudaMemcpy3DBatchAsync_ptsz(size_t count, const BatchCopy* copies,
                                              ww::cuda::u64 failed_or_flags, ww::cuda::u64 flags_or_stream,
                                              Stream* stream) {
  const bool before = Platform::get().runtime_version() < 13000;
  Stream* of_13 = of_thread(reinterpret_cast<Stream*>(flags_or_stream));
  return cudaMemcpy3DBatchAsync(count, copies, failed_or_flags,
                                before ? flags_or_stream : reinterpret_cast<ww::cuda::u64>(of_13),
                                before ? of_thread(stream) : nullptr);
}

WW_CUDA_API Error cudaMemPrefetchBatchAsync(void* const* at, const size_t* bytes, size_t count,
                                            const MemLocation* places, const size_t* first, size_t n,
                                            unsigned long long flags, Stream* stream) {
  return api([&](DeviceContext&) {
    return prefetch_batch(at, bytes, count, places, {first, n}, flags, stream);
  });
}
WW_CUDA_API Error cudaMemPrefetchBatchAsync_ptsz(void* const* at, const size_t* bytes, size_t count,
                                                 const MemLocation* places, const size_t* first, size_t n,
                                                 unsigned long long flags, Stream* stream) {
  return cudaMemPrefetchBatchAsync(at, bytes, count, places, first, n, flags, of_thread(stream));
}
WW_CUDA_API Error cudaMemDiscardAndPrefetchBatchAsync(void* const* at, const size_t* bytes, size_t count,
                                                      const MemLocation* places, const size_t* first,
                                                      size_t n, unsigned long long flags, Stream* stream) {
  return cudaMemPrefetchBatchAsync(at, bytes, count, places, first, n, flags, stream);
}
WW_CUDA_API Error cudaMemDiscardAndPrefetchBatchAsync_ptsz(void* const* at, const size_t* bytes, size_t count,
                                                           const MemLocation* places, const size_t* first,
                                                           size_t n, unsigned long long flags,
                                                           Stream* stream) {
  return cudaMemPrefetchBatchAsync(at, bytes, count, places, first, n, flags, of_thread(stream));
}
WW_CUDA_API Error cudaMemDiscardBatchAsync(void* const* at, const size_t* bytes, size_t count,
                                           unsigned long long flags, Stream* stream) {
  return api([&](DeviceContext&) { return managed_batch(at, bytes, count, flags, stream); });
}
WW_CUDA_API Error cudaMemDiscardBatchAsync_ptsz(void* const* at, const size_t* bytes, size_t count,
                                                unsigned long long flags, Stream* stream) {
  return cudaMemDiscardBatchAsync(at, bytes, count, flags, of_thread(stream));
}
