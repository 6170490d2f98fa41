// A cache whose lines of 128 bytes are filled sector by sector.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace ww::caches {

inline constexpr uint32_t kLineBytes = 128;
inline constexpr uint32_t kSectorBytes = 32;
/// All four sectors of a line; sector k is bit k.
inline constexpr uint32_t kWholeLine = 0xf;

/// Sectors of a mask of four: a table in a number, where any x86-64 would call a function to count bits.
inline uint64_t sector_count(uint32_t sectors) {
  return uint64_t{0x4332322132212110} >> 4 * (sectors & kWholeLine) & 0xf;
}

/// Set-associative; within a set the line used longest ago leaves. Lines are spread over the sets by a hash
/// of their number, as GPUs do, so that strides of a power of two do not meet in one set.
class SectoredCache {
 public:
  SectoredCache(const SectoredCache&) = delete;
  SectoredCache(SectoredCache&&) = default;
  /// `bytes`: rounded down to whole sets, at least one.
  explicit SectoredCache(uint64_t bytes, uint32_t ways = 8);
  /// Empties it, in time proportional to the sets that were used, and gives it another size.
  void reset(uint64_t bytes);

  /// When sectors were last brought into a line: a time modulo kTimes, and whether from farther away.
  struct Arrival {
    uint32_t time = 0;
    bool far = false;
  };
  static constexpr uint32_t kTimes = 1 << 16;

  struct Outcome {
    uint32_t hits = 0;     ///< sectors, of those asked for, that were there
    uint32_t written = 0;  ///< modified sectors of the line that had to leave (a mask)
    Arrival arrival;       ///< of the line before this, if it had hits
  };
  /// Sectors (a mask) of the line with this number, which are there afterwards; where they were not, since
  /// `now`.
  Outcome read(uint64_t line, uint32_t sectors, uint64_t now = 0) {
    return read_at(place_of(line), line, sectors, now);
  }
  /// Writes into the cache: the sectors are there afterwards, and modified.
  Outcome write(uint64_t line, uint32_t sectors, uint64_t now = 0) {
    return touch(place_of(line), line, sectors, sectors, now);
  }
  /// The number of the set that has this line: the same in all caches of this size.
  uint32_t place_of(uint64_t line) const {
    const uint64_t h = (line ^ line >> 29) * 0x9e3779b97f4a7c15u;
    // The upper half of the product with the number of sets: as good as the remainder, and no division.
    return static_cast<uint32_t>(static_cast<unsigned __int128>(h) * sets_ >> 64);
  }
  Outcome read_at(uint32_t place, uint64_t line, uint32_t sectors, uint64_t now) {
    return touch(place, line, sectors, 0, now);
  }
  /// That the line which was just read there comes from farther away.
  void mark_far(uint32_t place) { set_at(place)[0] |= kFar; }
  /// Writes through: sectors that are there stay (with the new contents), others are not brought in. Returns
  /// those that are.
  uint32_t write_through(uint64_t line, uint32_t sectors);

  /// That a line of this set will be asked for soon: it comes nearer to the host's processor.
  void expect(uint32_t place) const { __builtin_prefetch(set_at(place), 1); }

  /// Modified sectors that are in the cache.
  uint64_t modified() const { return modified_; }
  uint64_t sets() const { return sets_; }

 private:
  /// Number + 1 above, then the arrival, then modified sectors, then valid ones; 0: empty.
  using Entry = uint64_t;
  static constexpr int kTimeBit = 9, kTagBit = kTimeBit + 16;
  static constexpr uint64_t kFar = 1 << 8, kTag = ~uint64_t{0} << kTagBit, kSectors = 0xff;

  Outcome touch(uint32_t place, uint64_t line, uint32_t sectors, uint32_t modified, uint64_t now) {
    Entry* set = set_at(place);
    const Entry tag = tag_of(line);
    Entry entry = set[0];
    Outcome out;
    // A tag may be 0 as an empty entry's: lines are numbered from where a launch's first block reads.
    if ((entry != 0 && (entry & kTag) == tag) || bring_forward(set, tag, entry)) {
      out.hits = static_cast<uint32_t>(entry) & sectors;
      out.arrival = {static_cast<uint32_t>(entry >> kTimeBit) % kTimes, (entry & kFar) != 0};
    } else {
      out.written = static_cast<uint32_t>(entry >> 4) & kWholeLine;
      modified_ -= sector_count(out.written);
      entry = tag;
    }
    if (modified != 0) modified_ += sector_count(modified & ~static_cast<uint32_t>(entry >> 4));
    if (out.hits != sectors) entry = (entry & (kTag | kSectors)) | (now % kTimes) << kTimeBit;
    set[0] = entry | sectors | modified << 4;
    return out;
  }
  /// Whether the set has this line, not the one used last: makes room for it in front. `entry`: its own, or
  /// the one that has to leave.
  bool bring_forward(Entry* set, Entry tag, Entry& entry);
  static Entry tag_of(uint64_t line) { return (line + 1) << kTagBit; }
  Entry* set_at(uint32_t place) const { return sets_begin_ + size_t{place} * ways_; }

  uint32_t ways_;
  uint64_t sets_;
  std::vector<Entry> lines_;     ///< by set, in each the line used last first; zeros behind the sets
  Entry* sets_begin_ = nullptr;  ///< in these: a set of eight is one line of the host's cache
  std::vector<Entry*> used_;     ///< sets that have lines
  uint64_t modified_ = 0;
};

}  // namespace ww::caches
