#include "checks/written_bytes.h"

#include <algorithm>
#include <bit>

namespace ww::checks {

namespace {

/// Bits [from, from + count) of a word; count is 1 to 64.
u64 bits_of_word(u64 from, u64 count) { return (count == 64 ? ~u64{0} : (u64{1} << count) - 1) << from; }

}  // namespace

WrittenBytes::WrittenBytes() : top_(new std::atomic<Leaf*>[u64{1} << kTopBits]()) {}
WrittenBytes::~WrittenBytes() = default;

WrittenBytes::Page* WrittenBytes::page(u64 address) const {
  const u64 top = address >> (kPageBits + kLeafBits);
  if (top >> kTopBits) return nullptr;
  const Leaf* leaf = top_[top].load(std::memory_order_acquire);
  if (!leaf) return nullptr;
  return leaf->pages[address >> kPageBits & ((u64{1} << kLeafBits) - 1)].load(std::memory_order_acquire);
}

std::atomic<WrittenBytes::Page*>* WrittenBytes::place(u64 address, bool make) {
  const u64 top = address >> (kPageBits + kLeafBits);
  if (top >> kTopBits) return nullptr;
  Leaf* leaf = top_[top].load(std::memory_order_acquire);
  if (!leaf) {
    if (!make) return nullptr;
    std::lock_guard lock(mutex_);
    leaf = top_[top].load(std::memory_order_acquire);
    if (!leaf) {
      leaf = leaves_.emplace_back(std::make_unique<Leaf>()).get();
      top_[top].store(leaf, std::memory_order_release);
    }
  }
  return &leaf->pages[address >> kPageBits & ((u64{1} << kLeafBits) - 1)];
}

void WrittenBytes::mark(u64 address, u64 bytes, bool unwritten) {
  while (bytes > 0) {
    const u64 offset = address & (kPageBytes - 1), here = std::min(bytes, kPageBytes - offset);
    if (std::atomic<Page*>* at = place(address, unwritten)) mark_in_page(*at, offset, here, unwritten);
    address += here;
    bytes -= here;
  }
}

void WrittenBytes::mark_in_page(std::atomic<Page*>& place, u64 offset, u64 bytes, bool unwritten) {
  Page* page = place.load(std::memory_order_acquire);
  if (page == (unwritten ? untouched() : nullptr)) return;
  if (bytes == kPageBytes) {  // the page, if there was one, is kept until the end: others may look at it
    place.store(unwritten ? untouched() : nullptr, std::memory_order_release);
    return;
  }
  if (!page || page == untouched()) {
    std::lock_guard lock(mutex_);
    page = place.load(std::memory_order_acquire);
    if (!page || page == untouched()) {
      const u64 all = page ? ~u64{0} : 0;
      page = pages_.emplace_back(std::make_unique<Page>()).get();
      for (auto& word : page->words) word.store(all, std::memory_order_relaxed);
      place.store(page, std::memory_order_release);
    }
  }
  while (bytes > 0) {
    const u64 from = offset % 64, count = std::min(bytes, 64 - from), bits = bits_of_word(from, count);
    auto& word = page->words[offset / 64];
    if (unwritten)
      word.fetch_or(bits, std::memory_order_relaxed);
    else if (word.load(std::memory_order_relaxed) & bits)
      word.fetch_and(~bits, std::memory_order_relaxed);
    offset += count;
    bytes -= count;
  }
}

bool WrittenBytes::all_written(u64 address, u64 bytes) const {
  while (bytes > 0) {
    u64 offset = address & (kPageBytes - 1), here = std::min(bytes, kPageBytes - offset);
    address += here;
    bytes -= here;
    const Page* p = page(address - here);
    if (!p) continue;
    if (p == untouched()) return false;
    while (here > 0) {
      const u64 from = offset % 64, count = std::min(here, 64 - from);
      if (p->words[offset / 64].load(std::memory_order_relaxed) & bits_of_word(from, count)) return false;
      offset += count;
      here -= count;
    }
  }
  return true;
}

u64 WrittenBytes::missing(u64 address, u32 bytes) const {
  u64 out = 0;
  for (u32 done = 0; done < bytes;) {
    const u64 offset = (address + done) & (kPageBytes - 1), from = offset % 64;
    const u32 count = static_cast<u32>(std::min<u64>(bytes - done, 64 - from));
    const Page* p = page(address + done);
    const u64 word = !p                 ? 0
                     : p == untouched() ? ~u64{0}
                                        : p->words[offset / 64].load(std::memory_order_relaxed);
    out |= (word & bits_of_word(from, count)) >> from << done;
    done += count;
  }
  return out;
}

void WrittenBytes::copied(u64 address, u64 from, u64 bytes) {
  if (all_written(from, bytes)) return written(address, bytes);
  for (u64 done = 0; done < bytes;) {
    const u32 count = static_cast<u32>(std::min<u64>(bytes - done, 64 - (from + done) % 64));
    const u64 lacks = missing(from + done, count);
    for (u32 k = 0; k < count;) {
      const bool bad = lacks >> k & 1;
      u32 end = k + 1;
      while (end < count && bool(lacks >> end & 1) == bad) ++end;
      mark(address + done + k, end - k, bad);
      k = end;
    }
    done += count;
  }
}

WrittenBytes::Missing WrittenBytes::count_missing(u64 address, u64 bytes) const {
  Missing found;
  for (u64 done = 0; done < bytes;) {
    const u64 at = address + done;
    if (const Page* p = page(at); !p || p == untouched()) {
      const u64 here = std::min(bytes - done, kPageBytes - (at & (kPageBytes - 1)));
      if (p && !found.bytes) found.first = at;
      if (p) found.bytes += here;
      done += here;
      continue;
    }
    const u32 count = static_cast<u32>(std::min<u64>(bytes - done, 64 - at % 64));
    if (const u64 bits = missing(at, count)) {
      if (!found.bytes) found.first = at + static_cast<u64>(std::countr_zero(bits));
      found.bytes += static_cast<u64>(std::popcount(bits));
    }
    done += count;
  }
  return found;
}

}  // namespace ww::checks
