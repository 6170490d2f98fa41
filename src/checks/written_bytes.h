// Which bytes of global memory have not been written since they were allocated.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

namespace ww::checks {

using u32 = uint32_t;
using u64 = uint64_t;

/// A bit for each byte of memory that `allocated` was told of; everything else counts as written. Takes an
/// eighth of the memory that is partly written, and nothing for what is not touched or written whole by the
/// host. May be used from several threads at once, except for `allocated` and `freed` of the same bytes.
class WrittenBytes {
 public:
  WrittenBytes();
  ~WrittenBytes();
  WrittenBytes(const WrittenBytes&) = delete;
  WrittenBytes& operator=(const WrittenBytes&) = delete;

  /// Allocated: none of the bytes are written yet.
  void allocated(u64 address, u64 bytes) { mark(address, bytes, true); }
  /// Freed: they are no longer followed.
  void freed(u64 address, u64 bytes) { mark(address, bytes, false); }
  void written(u64 address, u64 bytes) { mark(address, bytes, false); }
  /// Something undefined was written: unwritten again.
  void unwritten(u64 address, u64 bytes) { mark(address, bytes, true); }
  /// What is unwritten at `from` now is so at `address`, too.
  void copied(u64 address, u64 from, u64 bytes);

  bool all_written(u64 address, u64 bytes) const;
  /// Of up to 64 bytes: bit k is set where byte `address` + k is unwritten.
  u64 missing(u64 address, u32 bytes) const;
  /// How many of these bytes are unwritten, and the first of them (0: none).
  struct Missing {
    u64 bytes = 0, first = 0;
  };
  Missing count_missing(u64 address, u64 bytes) const;

 private:
  static constexpr u32 kPageBits = 16, kLeafBits = 16, kTopBits = 16;  // 48-bit addresses
  static constexpr u64 kPageBytes = u64{1} << kPageBits, kWords = kPageBytes / 64;
  /// 1: unwritten.
  struct Page {
    std::atomic<u64> words[kWords];
  };
  struct Leaf {
    std::atomic<Page*> pages[u64{1} << kLeafBits];
  };
  /// Stands for a page of which nothing has been written.
  static Page* untouched() { return reinterpret_cast<Page*>(1); }

  Page* page(u64 address) const;
  std::atomic<Page*>* place(u64 address, bool make);
  void mark(u64 address, u64 bytes, bool unwritten);
  void mark_in_page(std::atomic<Page*>& place, u64 offset, u64 bytes, bool unwritten);

  std::unique_ptr<std::atomic<Leaf*>[]> top_;
  std::mutex mutex_;
  std::vector<std::unique_ptr<Leaf>> leaves_;
  std::vector<std::unique_ptr<Page>> pages_;
};

}  // namespace ww::checks
