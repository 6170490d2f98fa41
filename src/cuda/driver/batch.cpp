// CUDA Driver API: Memory Management, batches. The forms without _v2 are those of before CUDA 13.
#include "cuda/core/batch.h"

#include "cuda/driver/call.h"

using namespace ww::cuda;

namespace {

void* const* pointers(const DevicePointer* at) { return reinterpret_cast<void* const*>(at); }

}  // namespace

WW_CUDA_API Error cuMemcpyBatchAsync(const DevicePointer* to, const DevicePointer* from, const size_t* bytes,
                                     size_t count, const CopyAttributes* attributes, const size_t* first,
                                     size_t n, size_t* failed, Stream* stream) {
  return driver([&](DeviceContext&) {
    return copy_batch(pointers(to), pointers(from), bytes, count, attributes, {first, n}, failed, stream);
  });
}
WW_CUDA_API Error cuMemcpyBatchAsync_ptsz(const DevicePointer* to, const DevicePointer* from,
                                          const size_t* bytes, size_t count, const CopyAttributes* attributes,
                                          const size_t* first, size_t n, size_t* failed, Stream* stream) {
  return cuMemcpyBatchAsync(to, from, bytes, count, attributes, first, n, failed, of_thread(stream));
}
WW_CUDA_API Error cuMemcpyBatchAsync_v2(const DevicePointer* to, const DevicePointer* from,
                                        const size_t* bytes, size_t count, const CopyAttributes* attributes,
                                        const size_t* first, size_t n, Stream* stream) {
  return cuMemcpyBatchAsync(to, from, bytes, count, attributes, first, n, nullptr, stream);
}
WW_CUDA_API Error cuMemcpyBatchAsync_v2_ptsz(const DevicePointer* to, const DevicePointer* from,
                                             const size_t* bytes, size_t count,
                                             const CopyAttributes* attributes, const size_t* first, size_t n,
                                             Stream* stream) {
  return cuMemcpyBatchAsync(to, from, bytes, count, attributes, first, n, nullptr, of_thread(stream));
}
WW_CUDA_API Error cuMemcpy3DBatchAsync(size_t count, const BatchCopy* copies, size_t* failed,
                                       unsigned long long flags, Stream* stream) {
  return driver([&](DeviceContext&) { return copy_batch(copies, count, flags, failed, stream); });
}
WW_CUDA_API Error cuMemcpy3DBatchAsync_ptsz(size_t count, const BatchCopy* copies, size_t* failed,
                                            unsigned long long flags, Stream* stream) {
  return cuMemcpy3DBatchAsync(count, copies, failed, flags, of_thread(stream));
}
WW_CUDA_API Error cuMemcpy3DBatchAsync_v2(size_t count, const BatchCopy* copies, unsigned long long flags,
                                          Stream* stream) {
  return cuMemcpy3DBatchAsync(count, copies, nullptr, flags, stream);
}
WW_CUDA_API Error cuMemcpy3DBatchAsync_v2_ptsz(size_t count, const BatchCopy* copies,
                                               unsigned long long flags, Stream* stream) {
  return cuMemcpy3DBatchAsync(count, copies, nullptr, flags, of_thread(stream));
}

WW_CUDA_API Error cuMemPrefetchBatchAsync(const DevicePointer* at, const size_t* bytes, size_t count,
                                          const MemLocation* places, const size_t* first, size_t n,
                                          unsigned long long flags, Stream* stream) {
  return driver([&](DeviceContext&) {
    return prefetch_batch(pointers(at), bytes, count, places, {first, n}, flags, stream);
  });
}
WW_CUDA_API Error cuMemPrefetchBatchAsync_ptsz(const DevicePointer* at, const size_t* bytes, size_t count,
                                               const MemLocation* places, const size_t* first, size_t n,
                                               unsigned long long flags, Stream* stream) {
  return cuMemPrefetchBatchAsync(at, bytes, count, places, first, n, flags, of_thread(stream));
}
WW_CUDA_API Error cuMemDiscardAndPrefetchBatchAsync(const DevicePointer* at, const size_t* bytes,
                                                    size_t count, const MemLocation* places,
                                                    const size_t* first, size_t n, unsigned long long flags,
                                                    Stream* stream) {
  return cuMemPrefetchBatchAsync(at, bytes, count, places, first, n, flags, stream);
}
WW_CUDA_API Error cuMemDiscardAndPrefetchBatchAsync_ptsz(const DevicePointer* at, const size_t* bytes,
                                                         size_t count, const MemLocation* places,
                                                         const size_t* first, size_t n,
                                                         unsigned long long flags, Stream* stream) {
  return cuMemPrefetchBatchAsync(at, bytes, count, places, first, n, flags, of_thread(stream));
}
WW_CUDA_API Error cuMemDiscardBatchAsync(const DevicePointer* at, const size_t* bytes, size_t count,
                                         unsigned long long flags, Stream* stream) {
  return driver([&](DeviceContext&) { return managed_batch(pointers(at), bytes, count, flags, stream); });
}
WW_CUDA_API Error cuMemDiscardBatchAsync_ptsz(const DevicePointer* at, const size_t* bytes, size_t count,
                                              unsigned long long flags, Stream* stream) {
  return cuMemDiscardBatchAsync(at, bytes, count, flags, of_thread(stream));
}
