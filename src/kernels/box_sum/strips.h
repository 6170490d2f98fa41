// How a box sum is cut into strips of columns and parts of rows, one of each a block.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/round.h"
#include "kernels/box_sum/bulk_shape.h"

namespace ww::kernels {

/// What box_sum/block_sums.h and running.h are launched with.
struct Strips {
  uint32_t threads;
  int ahead;        ///< chunks or batches of rows that are copied ahead
  uint64_t bytes;   ///< dynamic shared memory
  uint32_t strips;  ///< side by side
  int64_t width;    ///< outputs of a strip
  int64_t height;   ///< output rows of a part
  uint32_t parts;   ///< one below the other
};

/// Of a multiprocessor; and how many of them the parts are made for (an H200's).
constexpr int64_t kSharedOfSm = 227 * 1024, kStripSms = 132;

/// `most`: outputs that a strip may have; `per_sm`: blocks that a multiprocessor takes.
inline Strips cut_strips(uint32_t threads, int ahead, int64_t bytes, int64_t most, int64_t per_sm,
                         int64_t rows, int64_t columns, int64_t r) {
  const int64_t strips = divide_up(columns, most), width = divide_up(divide_up(columns, strips), 4) * 4;
  const int64_t parts = std::max<int64_t>(1, kStripSms * per_sm / strips);
  // At least as high as the rows that a block adds up before its first output.
  const int64_t height = std::max<int64_t>(divide_up(rows, parts), r + 1);
  return {threads,
          ahead,
          static_cast<uint64_t>(bytes),
          static_cast<uint32_t>(strips),
          width,
          height,
          static_cast<uint32_t>(divide_up(rows, height))};
}

/// rows × columns: of the output. Nothing where 2r + 1 rows of a strip do not fit into shared memory, or r
/// < 2.
inline std::optional<Strips> block_sums_strips(uint32_t threads, int64_t r, int64_t rows, int64_t columns) {
  constexpr int64_t kChunk = 5;  // rows at most: kChunkRows of block_sums.h
  const int64_t t = threads, window = 2 * r + 1;
  const auto bytes_with = [&](int64_t ahead) { return 16 * t * (window + ahead * kChunk) + 40 * t * kChunk; };
  // Two chunks of rows ahead are faster but where a large block has many rows (docs/rungs.md).
  const int ahead = t == 256 && r >= 8 && bytes_with(3) <= kSharedOfSm ? 3 : 2;
  const int64_t bytes = bytes_with(ahead), most = (4 * t - 2 * r) / 4 * 4;
  if (r < 2 || bytes > kSharedOfSm || most < 4) return {};
  // As many blocks as 256 threads a multiprocessor allow: more of them read more rows twice.
  const int64_t per_sm = std::max<int64_t>(1, std::min(256 / t, kSharedOfSm / (bytes + 1024)));
  return cut_strips(threads, ahead, bytes, most, per_sm, rows, columns, r);
}

/// Threads that chunk_sums.h is compiled for, and the radii that it takes.
constexpr int64_t kChunkSumsFrom = 16, kChunkSumsTo = 143;

/// rows × columns: of the output. Nothing where a strip has no window, or r is not one of these radii.
inline std::optional<Strips> chunk_sums_strips(uint32_t threads, int64_t r, int64_t rows, int64_t columns) {
  const int64_t t = threads, most = t - 2 * r;
  if (r < kChunkSumsFrom || r > kChunkSumsTo || most < 1) return {};
  const int64_t bytes = 4 * (32 * (t + 1) + 9 * t), per_sm = 1024 / t;
  Strips cut = cut_strips(threads, 0, bytes, most, per_sm, rows, columns, r);
  cut.width = divide_up(columns, cut.strips);  // any: nothing is aligned
  cut.height = round_up(cut.height, 32);       // whole chunks
  cut.parts = static_cast<uint32_t>(divide_up(rows, cut.height));
  return cut;
}

/// What box_sum/bulk_rows.h is launched with.
struct BulkStrips {
  int lane;         ///< columns of a lane: 12 or 20
  int64_t columns;  ///< of a block
  int64_t slots;    ///< chunks of rows in shared memory
  Strips cut;
};

/// rows × columns: of the output. Nothing where no strip fits into shared memory (from r = 96 on), or r < 6.
inline std::optional<BulkStrips> bulk_rows_strips(int64_t r, int64_t rows, int64_t columns) {
  constexpr int64_t kChunk = kBulkRows, kBuffers = kBulkBuffers, kLine = 32,
                    kNarrow = 400;  // kLine: words, 128 bytes
  const int64_t whole = (2 * r + 1) / kChunk;
  std::optional<BulkStrips> best;
  int64_t least = 0;
  // Chunks under way beyond those that windows need, and what fewer of them cost (of 100; docs/rungs.md).
  for (const auto& [ahead, price] : {std::pair<int64_t, int64_t>{4, 100}, {3, 102}, {2, 107}, {1, 115}})
    // A strip is whole lines wide, lest two blocks write to one.
    for (int64_t width = kLine; width + 2 * r <= kBulkColumns; width += kLine) {
      const int64_t across = round_up(width + 2 * r, 4), slots = whole + 2 + ahead;
      const int lane = across <= 32 * 12 ? 12 : 20;
      const int64_t bytes = 4 * across * (kChunk * slots + whole) + 4 * kBuffers * kChunk * (across + lane) +
                            8 * (slots + 3 * kBuffers);
      if (bytes > kSharedOfSm || lane > 2 * r) continue;
      const int64_t strips = divide_up(columns, width), parts = std::max<int64_t>(1, kStripSms / strips);
      const int64_t height = std::max<int64_t>(divide_up(rows, parts), r + 1);
      // Rounds of blocks, by what a block adds up (a chunk takes as long as one of kNarrow columns); and
      // twice what all of them do, by multiprocessor.
      const int64_t blocks = strips * divide_up(rows, height), deep = height + 2 * r;
      const int64_t cost = (divide_up(blocks, kStripSms) * std::max(across, kNarrow) * deep +
                            2 * blocks * across * deep / kStripSms) *
                           price;
      if (best && cost >= least) continue;
      least = cost;
      best = {lane,
              across,
              slots,
              {static_cast<uint32_t>(kBulkRowsThreads - kBulkColumns / 2 + round_up(across / 2, 32)),
               static_cast<int>(ahead), static_cast<uint64_t>(bytes), static_cast<uint32_t>(strips), width,
               height, static_cast<uint32_t>(divide_up(rows, height))}};
    }
  return best;
}

/// What box_sum/rows_first.h is launched with.
struct RowsFirstStrips {
  RowsFirstForm form;
  int slots;
  Strips cut;  ///< ahead: rows (or pairs of them) of each warp that adds up rows
};

/// The radii that rows_first.h takes; of these, those from which windows are as long as there are of them
/// side by side, with lanes of 36 and of 20 columns (docs/rungs.md).
constexpr int64_t kRowsFirstFrom = 6, kRowsFirstTo = 200, kLongFrom = kLongRows36.across() / 2,
                  kLong20From = kLongRows20.across() / 2;
/// Of rows that begin at any word: the least radius, the last whose windows are shorter than a lane, the
/// radii from which a warp better has two at a time, and those for which lanes of 20 columns are enough for
/// strips of 256.
constexpr int64_t kAnyRowsFrom = 4, kAnyRows6To = 5, kPairsFrom = 10, kAnyRows20To = 30;

/// Up to this radius kernels that store whole sectors are faster where rows of the output do not begin at
/// sectors; up to the second with lanes of two parts and fewer rows ahead.
constexpr int64_t kSectorsTo = 28, kPartsTo = 9;

/// `pitch`: words of a row in shared memory.
inline RowsFirstForm rows_first_form(int64_t r, int64_t pitch, bool any, bool sectors) {
  if (r > kLongRows20.longs) return any ? kAnyLongerRows : kLongerRows;
  if (r >= kLongFrom) return any ? kAnyLongRows : r < kLong20From ? kLongRows36 : kLongRows20;
  if (any && r <= kAnyRows6To) return kAnyRows6;
  if (any) return r < kPairsFrom ? kAnyRows12 : r <= kAnyRows20To ? kAnyRows20 : kAnyRows28;
  if (sectors) return r <= kPartsTo ? kSectors10 : kSectors20;
  return pitch <= kRowsFirst12.across() ? kRowsFirst12 : kRowsFirst20;
}
/// Its kernel's name.
inline std::string rows_first_name(const RowsFirstForm& form) {
  return (form.any       ? "any_rows_"
          : form.sectors ? "sectors_"
                         : "rows_first_") +
         std::to_string(form.lane / form.parts) + "_" + std::to_string(form.chunk) + "_" +
         std::to_string(form.columns) + (form.longs == kAnyRadius ? "_longer" : "");
}

/// Where rows begin.
enum class RowEnds {
  sectors,  ///< of the input at multiples of 16 bytes, of the output of 32
  pairs,    ///< of the output at multiples of 8
  any       ///< at any word
};

/// Every cut of rows × columns outputs that fits into shared memory.
inline std::vector<RowsFirstStrips> rows_first_cuts(int64_t r, int64_t rows, int64_t columns, RowEnds ends) {
  using Numbers = std::vector<int64_t>;
  constexpr int64_t kLine = 32;  // words, 128 bytes: lest two blocks write to one
  std::vector<RowsFirstStrips> cuts;
  const bool any = ends == RowEnds::any;
  if (r < (any ? kAnyRowsFrom : kRowsFirstFrom) || r > kRowsFirstTo) return cuts;
  const bool sectors = ends == RowEnds::pairs && r <= kSectorsTo;
  // Better ones first, where the count of cycles is the same.
  const int64_t step = sectors ? -kSector : kLine, first = sectors ? kSectors20.most() : kLine;
  for (int64_t width = first; width >= kLine && width <= kRowsFirst12.most(); width += step) {
    const int64_t more = any ? 4 : 0, all = width + (sectors ? kSector : 0), windows = all + more,
                  needed = all + round_up(2 * r, any ? int64_t{4} : kSector),
                  pitch = round_up(needed + more + 4, int64_t{sectors ? kSectorsPitch : kSector});
    const RowsFirstForm form = rows_first_form(r, needed, any, sectors);
    if (width > form.most() || (form.longs != 0 ? windows : needed + more) > form.across() ||
        form.lane / form.parts > 2 * r)
      continue;
    const int64_t window = 2 * r + 1, whole = window / form.chunk,
                  least = whole + 1 + (window % form.chunk > 1 ? 1 : 0) - (form.held - 1);
    const int64_t strips = divide_up(columns, width), threads = form.threads(static_cast<int>(width));
    // Three of lanes of 20 columns are up to a third slower at some sizes and places of the buffers.
    const auto aheads = form.longs == 0 ? (any || (sectors && r > kPartsTo) ? Numbers{3, 2} : Numbers{2, 3})
                        : form.lane == 20 || any ? Numbers{2, 3, 1}
                                                 : Numbers{3, 2, 1};
    for (int64_t ahead : aheads)
      for (int64_t slots : form.longs == 0            ? Numbers{least + 1, least + 2}
                           : ends == RowEnds::sectors ? Numbers{least + 1, least, least + 2}
                                                      : Numbers{least, least + 1, least + 2}) {
        const int64_t bytes =
            4 * (slots * form.chunk * windows + whole * form.columns * (threads - 32 * form.warps) +
                 form.warps * ahead * form.rows * pitch) +
            8 * (2 * slots + form.warps * ahead);
        if (bytes > kSharedOfSm) continue;
        for (int64_t rounds = 1; rounds <= 3; ++rounds) {
          const int64_t parts = kStripSms * rounds / strips;
          if (parts == 0 || (rounds > 1 && parts == kStripSms * (rounds - 1) / strips)) continue;
          // Also lower than the rows above its first output: of small matrices many low blocks are done
          // sooner.
          const int64_t height = round_up(divide_up(rows, parts), int64_t{form.chunk});
          cuts.push_back({form,
                          static_cast<int>(slots),
                          {static_cast<uint32_t>(threads), static_cast<int>(ahead),
                           static_cast<uint64_t>(bytes), static_cast<uint32_t>(strips), width, height,
                           static_cast<uint32_t>(divide_up(rows, height))}});
        }
      }
  }
  return cuts;
}

/// A rough count of an H200's cycles; for 20 sizes and radii up to 64 it chose what was at most 1.4 % behind
/// the best of these cuts (docs/rungs.md).
inline double rows_first_cycles(const RowsFirstStrips& of, int64_t r) {
  constexpr double kWay = 900, kLongWay = 1000;  // of a chunk of 8 or 16 rows to the results
  // Bytes of memory, a multiprocessor and cycle: half of the rows' come from L2, of long windows more, and of
  // the longest most (data/measured/h200-library/box_longer_cuts.csv).
  constexpr double kBytes = 18, kLongBytes = 23, kLongerBytes = 28;
  constexpr double kWaits =
      1.33;  // where a warp with long windows has no rows under way while it adds up some
  constexpr int64_t kEnough = 24000;   // bytes under way
  constexpr int64_t kLongWidth = 128;  // wider strips of long windows have a longer way
  constexpr double kLongWider = 1.4;
  constexpr double kLaunch = 4000;
  const auto count = [](int64_t v) { return static_cast<double>(v); };
  const int64_t blocks = of.cut.strips * int64_t{of.cut.parts}, across = of.cut.width + 2 * r;
  const double wide = of.form.rows == 1 && of.form.lane > 12 ? 1.25 : 1;
  // A multiprocessor cannot take what idle ones leave.
  const double share = std::max(count(std::min(blocks, kStripSms)) / count(kStripSms), 0.95);
  const bool longs = of.form.longs != 0;
  const double bytes = !longs ? kBytes : of.form.longs == kAnyRadius ? kLongerBytes : kLongBytes;
  double memory = of.form.chunk * (2 * count(across) + 6 * count(of.cut.width)) * share / bytes;
  if (longs && of.cut.ahead == 1) memory *= kWaits;
  const double way = (longs ? kLongWay : kWay) * wide * (longs && of.cut.width > kLongWidth ? kLongWider : 1);
  if (of.form.warps * of.form.rows * of.cut.ahead * across * 4 < kEnough) memory *= 1.12;
  const int64_t chunks = divide_up(of.cut.height + 2 * r, int64_t{of.form.chunk}) + 2;
  return count(divide_up(blocks, kStripSms) * chunks) * std::max(way, memory) + kLaunch;
}

/// The cut with the fewest; nothing where none fits.
inline std::optional<RowsFirstStrips> rows_first_strips(int64_t r, int64_t rows, int64_t columns,
                                                        RowEnds ends) {
  std::optional<RowsFirstStrips> best;
  double least = 0;
  for (const RowsFirstStrips& cut : rows_first_cuts(r, rows, columns, ends))
    if (const double cost = rows_first_cycles(cut, r); !best || cost < least) least = cost, best = cut;
  return best;
}

/// What small_windows.h and small_windows_of_four.h are compiled for: radius, columns of a lane, and words of
/// which rows of the input and of the results begin and end at multiples.
struct SmallWindows {
  int64_t radius;
  int lane, in, out;
  int64_t own;          ///< results of a warp in a row
  int64_t height = 0;   ///< output rows of a block, where there are many; the fastest that were measured
  uint64_t shared = 0;  ///< bytes of shared memory a warp
  int64_t from = 0;     ///< results from which it is the fastest: many rounds of blocks
};

/// Results from which small windows of R = 7, 8 and 10 are faster than rows_first.h.
constexpr int64_t kSmallMany = 120000000;
/// The fastest of those for `results` of radii up to 10; nothing where other kernels are faster. in, out: 1,
/// 2 or 4 words.
inline std::optional<SmallWindows> small_windows_form(int64_t r, int in, int out, int64_t results) {
  constexpr uint64_t kShared = 512 * kSmallAhead;
  constexpr SmallWindows kForms[] = {{1, 4, 4, 2, kSmallOwn<1, 4, 2>, 8},
                                     {2, 4, 4, 4, kSmallOwn<2, 4>, 16},
                                     {3, 4, 4, 2, kSmallOwn<3, 4, 2>, 16},
                                     {4, 4, 4, 4, kSmallOwn<4, 4>, 24},
                                     {5, 4, 4, 2, kSmallOwn<5, 4, 2>, 32},
                                     {6, 4, 4, 4, kSmallOwn<6, 4>, 24, kShared},
                                     {7, 4, 4, 2, kSmallOwn<7, 4, 2>, 96, kShared, kSmallMany},
                                     {8, 4, 4, 4, kSmallOwn<8, 4>, 64, kShared, kSmallMany},
                                     {10, 4, 4, 4, kSmallOwn<10, 4>, 64, kShared, kSmallMany},

                                     {1, 2, 2, 2, kSmallOwn<1, 2>},
                                     {3, 2, 2, 2, kSmallOwn<3, 2>},
                                     {5, 2, 2, 2, kSmallOwn<5, 2>},
                                     {1, 4, 1, 1, kSmallOwn<1, 4>},
                                     {2, 4, 1, 1, kSmallOwn<2, 4>},
                                     {3, 4, 1, 1, kSmallOwn<3, 4>},
                                     {4, 2, 1, 1, kSmallOwn<4, 2>},
                                     {5, 2, 1, 1, kSmallOwn<5, 2>}};
  for (const SmallWindows& form : kForms)
    if (form.radius == r && in % form.in == 0 && out % form.out == 0 && results >= form.from) return form;
  return {};
}
/// The kernel's name behind "small_windows_".
inline std::string small_windows_name(const SmallWindows& form) {
  return std::to_string(form.radius) + "_" + std::to_string(form.lane) + "_" + std::to_string(form.out);
}
inline Strips small_windows_strips(const SmallWindows& form, int64_t rows, int64_t columns) {
  const bool fours = form.in == 4;
  const uint32_t threads = fours ? kSmallFours : 256;
  const int64_t of_block = threads / 32, strips = divide_up(columns, form.own * of_block);
  int64_t height = form.height;
  if (fours) {
    // Lower where there would be fewer than eight warps a multiprocessor, in whole chunks of rows.
    const int64_t parts = divide_up(kStripSms * 8, strips * of_block);
    height = std::min(height, round_up(divide_up(rows, parts), int64_t{8}));
  } else {
    // Warps of all parts for each multiprocessor: loads of single words are many under way as it is.
    const int64_t warps = form.in > 1      ? 128
                          : form.lane == 2 ? 16
                                           : 8,
                  parts = std::max<int64_t>(1, kStripSms * warps / (strips * of_block));
    height = std::max<int64_t>(divide_up(rows, parts), 2 * form.radius + 1);
  }
  return {threads,  0,      form.shared * static_cast<uint64_t>(of_block), static_cast<uint32_t>(strips),
          form.own, height, static_cast<uint32_t>(divide_up(rows, height))};
}

/// What running.h is compiled for: rows of a batch, batches ahead, whether the window's rows are held.
struct Running {
  uint32_t threads, batch, ahead;
  bool hold;
};
constexpr Running kRunningHold{256, 2, 3, true}, kRunning128{128, 4, 2, false}, kRunning512{512, 1, 4, false};

/// Nothing where a strip has no window.
inline std::optional<Strips> running_strips(const Running& of, int64_t r, int64_t rows, int64_t columns) {
  const int64_t t = of.threads, batch = of.batch, window = 2 * r + 1;
  const int64_t most = 4 * t - round_up(2 * r, 4);
  if (most < 4) return {};
  const int64_t kept = (of.hold ? round_up(window, batch) : 0) + (of.ahead + 1) * batch;
  const int64_t bytes = 16 * t * kept * (of.hold ? 1 : 2) + 2 * batch * (32 * t + t / 4);
  const int64_t per_sm = std::min<int64_t>(2, std::max<int64_t>(1, kSharedOfSm / (bytes + 1024)));
  return cut_strips(of.threads, static_cast<int>(of.ahead), bytes, most, per_sm, rows, columns, r);
}

}  // namespace ww::kernels
