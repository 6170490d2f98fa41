#include "caches/trace_digest.h"

#include <memory>
#include <type_traits>

#include "caches/sectored_cache.h"

#define XXH_INLINE_ALL  // nothing to link: the program also runs where the library is not installed
#include <xxhash.h>

namespace ww::caches {

namespace {

class Hash {
 public:
  Hash() { XXH3_128bits_reset(state_.get()); }
  template <class T>
  void add(const T& value) {
    add(&value, 1);
  }
  template <class T>
  void add(const T* values, size_t count) {
    static_assert(std::has_unique_object_representations_v<T>, "padding would be hashed");
    if (count > 0) XXH3_128bits_update(state_.get(), values, count * sizeof(T));
  }
  TraceDigest digest() const {
    const XXH128_hash_t h = XXH3_128bits_digest(state_.get());
    return {h.low64, h.high64};
  }

 private:
  struct Free {
    void operator()(XXH3_state_t* state) const { XXH3_freeState(state); }
  };
  std::unique_ptr<XXH3_state_t, Free> state_{XXH3_createState()};
};

TraceDigest digest_of(const BlockShape& shape) {
  Hash hash;
  for (const TraceSlot& s : shape.slots) {
    const u32 kind = static_cast<u32>(s.kind);
    hash.add(kind << 3 | u32{s.bulk} << 2 | u32{s.read_only} << 1 | u32{s.past_l1});
  }
  for (const rules::Pattern& p : shape.patterns) {
    hash.add(p.mask);
    hash.add(p.bytes);
    hash.add(p.offset.data(), p.offset.size());
  }
  const u64 sizes[] = {shape.slots.size(), shape.patterns.size(), shape.events.size(), shape.segments.size(),
                       u64{shape.complete}};
  hash.add(sizes, std::size(sizes));
  hash.add(shape.events.data(), shape.events.size());
  hash.add(shape.segments.data(), shape.segments.size());
  return hash.digest();
}

}  // namespace

TraceDigest digest_of(u64 blocks, const std::map<u64, BlockTrace>& traces) {
  Hash hash;
  hash.add(blocks);
  if (traces.empty()) return hash.digest();
  const u64 origin = origin_of(traces.begin()->second) * kLineBytes;
  std::unordered_map<const BlockShape*, TraceDigest> shapes;
  std::vector<u64> first;
  for (const auto& [number, trace] : traces) {
    const auto [shape, fresh] = shapes.try_emplace(trace.shape.get());
    if (fresh) shape->second = digest_of(*trace.shape);
    hash.add(number);
    hash.add(shape->second.low);
    hash.add(shape->second.high);
    // 0: first used for local memory; then the events have whole addresses, and where the origin lies counts.
    first.clear();
    for (u64 address : trace.first) first.push_back(address == 0 ? origin : address - origin);
    hash.add(first.data(), first.size());
  }
  return hash.digest();
}

}  // namespace ww::caches
