// Batches of copies, prefetches and discards: checked as a whole, then submitted one by one, in an order that
// the manual leaves open.
#pragma once

#include "cuda/abi/batch.h"
#include "cuda/core/stream.h"

namespace ww::cuda {

/// The null stream of a program that was compiled for a default stream of each thread.
inline Stream* of_thread(Stream* stream) { return stream ? stream : kPerThreadStream; }

/// Which copies of a batch an attribute (or a location) is for: the first of each.
struct Ranges {
  const size_t* first;
  size_t count;
  /// The first is 0, each is greater than that before it, the last is below `operations`.
  bool good(size_t operations) const;
};

/// Errors: InvalidValue, also for the legacy stream; InvalidResourceHandle; those of copies. `failed`, where
/// there is one, gets the number of the copy that is wrong, SIZE_MAX if it is none of them.
Error copy_batch(void* const* to, const void* const* from, const size_t* bytes, size_t count,
                 const CopyAttributes* attributes, Ranges ranges, size_t* failed, Stream* stream);
Error copy_batch(const BatchCopy* copies, size_t count, unsigned long long flags, size_t* failed,
                 Stream* stream);

/// Ranges of managed memory that are all there. Where it lies makes no difference here, so nothing is done.
Error managed_batch(void* const* at, const size_t* bytes, size_t count, unsigned long long flags,
                    Stream* stream);
/// The same, each range with a place to go to.
Error prefetch_batch(void* const* at, const size_t* bytes, size_t count, const MemLocation* places,
                     Ranges ranges, unsigned long long flags, Stream* stream);

}  // namespace ww::cuda
