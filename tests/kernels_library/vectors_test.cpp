// Box sums and sums against float64 on the host.
#include "device.h"

namespace {

using device::Array;
using device::HostMatrix;
using warpwright::Layout;
using warpwright::Status;

struct Box {
  int64_t rows, columns, radius, padding;
  Layout layout;
  bool begins = false;  ///< rows begin at multiples of 16 bytes, and do not end there
};

/// The sums of all windows of a matrix's elements, or of their absolute values: differences of sums from the
/// first element on, along the rows and then along the columns. Float64 loses 2^-53 of those, the kernels'
/// float32 2^-24 of a window.
std::vector<double> windows(const HostMatrix<float>& in, int64_t radius, bool absolute) {
  const auto side = static_cast<size_t>(2 * radius + 1), across = static_cast<size_t>(in.columns),
             down = static_cast<size_t>(in.rows), columns = across - side + 1, rows = down - side + 1;
  std::vector<double> ahead(across + 1), above((down + 1) * columns), sums;
  for (size_t y = 0; y < down; ++y) {
    for (size_t x = 0; x < across; ++x) {
      const double v = in.at(static_cast<int64_t>(y), static_cast<int64_t>(x));
      ahead[x + 1] = ahead[x] + (absolute ? std::fabs(v) : v);
    }
    for (size_t x = 0; x < columns; ++x)
      above[(y + 1) * columns + x] = above[y * columns + x] + ahead[x + side] - ahead[x];
  }
  for (size_t at = 0; at < rows * columns; ++at) sums.push_back(above[at + side * columns] - above[at]);
  return sums;
}

void try_box(const Box& box) {
  HostMatrix<float> in(box.rows, box.columns, box.layout, box.padding);
  HostMatrix<float> out(box.rows - 2 * box.radius, box.columns - 2 * box.radius, box.layout, box.padding);
  fill(in, 4);
  const Array<float> device_in(in.values, box.padding && !box.begins ? 1 : 0);
  const Array<float> device_out(std::vector<float>(out.values.size(), -7.0f));
  const device::Room room(warpwright::box_sum_workspace(box.rows, box.columns, box.radius));
  const Status status =
      warpwright::box_sum(nullptr, in.seen(device_in), out.written(device_out), box.radius, room);
  ASSERT_EQ(status, Status::ok) << warpwright::text(status);
  device::wait();
  out.values = device_out.read();
  const std::vector<double> sums = windows(in, box.radius, false), terms = windows(in, box.radius, true);
  for (int64_t y = 0; y < out.rows; ++y) {
    for (int64_t x = 0; x < out.columns; ++x) {
      const auto at = static_cast<size_t>(y * out.columns + x);
      // (4R + 2) additions at most on a term's way.
      ASSERT_NEAR(out.at(y, x), sums[at],
                  std::ldexp(4.0 * static_cast<double>(box.radius) + 4, -24) * terms[at])
          << box.rows << " × " << box.columns << " radius " << box.radius << " at " << y << ", " << x;
    }
  }
  const int64_t length = out.stride - box.padding;
  for (size_t at = 0; at < out.values.size(); ++at)
    if (static_cast<int64_t>(at) % out.stride >= length) {
      ASSERT_EQ(out.values[at], -7.0f) << box.rows << " × " << box.columns << " radius " << box.radius;
    }
}

TEST(BoxSums, TakeEverySizeRadiusAndLayout) {
  for (const Box& box : {Box{1, 1, 0, 0, Layout::by_rows}, Box{9, 30, 1, 3, Layout::by_rows},
                         Box{40, 90, 2, 0, Layout::by_rows}, Box{101, 67, 5, 2, Layout::by_columns},
                         Box{150, 304, 16, 0, Layout::by_rows}, Box{90, 211, 40, 1, Layout::by_rows},
                         Box{300, 290, 120, 0, Layout::by_columns}, Box{700, 601, 20, 3, Layout::by_rows},
                         Box{330, 340, 150, 0, Layout::by_rows}, Box{400, 300, 13, 0, Layout::by_rows},
                         Box{220, 500, 34, 0, Layout::by_columns}, Box{240, 272, 100, 0, Layout::by_rows},
                         Box{64, 700, 7, 0, Layout::by_rows}, Box{70, 333, 8, 0, Layout::by_rows},
                         Box{180, 275, 25, 2, Layout::by_rows}, Box{300, 431, 130, 1, Layout::by_rows},
                         // Small windows: rows of two, four and single words, results of several warps.
                         Box{90, 214, 1, 0, Layout::by_rows}, Box{40, 333, 1, 1, Layout::by_rows},
                         Box{31, 340, 2, 0, Layout::by_rows}, Box{64, 275, 2, 2, Layout::by_rows},
                         Box{64, 275, 3, 2, Layout::by_columns}, Box{80, 512, 4, 0, Layout::by_rows},
                         Box{45, 300, 6, 0, Layout::by_rows}, Box{50, 302, 6, 0, Layout::by_rows},
                         // Lanes of four columns: warps without an edge, parts both ways.
                         Box{70, 600, 1, 0, Layout::by_rows}, Box{616, 60, 3, 0, Layout::by_columns},
                         Box{75, 604, 5, 0, Layout::by_rows}, Box{70, 600, 6, 0, Layout::by_rows},
                         // Long windows: their three forms, and the radii where these change.
                         Box{180, 300, 72, 0, Layout::by_rows}, Box{230, 320, 79, 0, Layout::by_rows},
                         Box{250, 452, 80, 0, Layout::by_rows}, Box{200, 222, 81, 4, Layout::by_rows},
                         Box{170, 301, 72, 0, Layout::by_rows}, Box{260, 430, 97, 1, Layout::by_columns},
                         Box{420, 436, 200, 0, Layout::by_rows}, Box{414, 423, 199, 0, Layout::by_rows},
                         Box{420, 424, 201, 0, Layout::by_rows}, Box{60, 1084, 9, 0, Layout::by_rows},
                         Box{120, 1000, 7, 0, Layout::by_rows}, Box{48, 836, 10, 4, Layout::by_rows},
                         Box{95, 1092, 28, 0, Layout::by_rows}, Box{628, 70, 15, 0, Layout::by_columns},
                         Box{80, 1032, 29, 0, Layout::by_rows},
                         // Rows at any word, shorter windows than a lane: one block and several.
                         Box{60, 333, 4, 0, Layout::by_rows}, Box{300, 30, 4, 1, Layout::by_columns},
                         Box{90, 601, 5, 0, Layout::by_rows}, Box{14, 700, 5, 3, Layout::by_rows},
                         // So many columns that strips of 160 are chosen.
                         Box{162, 17088, 80, 0, Layout::by_rows}})
    try_box(box);
}

TEST(BoxSums, TakeRowsThatBeginAlignedAndEndAnywhere) {
  for (const Box& box :
       {Box{60, 299, 1, 1, Layout::by_rows, true}, Box{3, 7, 1, 1, Layout::by_rows, true},
        Box{64, 514, 2, 2, Layout::by_rows, true}, Box{41, 601, 3, 3, Layout::by_rows, true},
        Box{602, 70, 4, 2, Layout::by_columns, true}, Box{75, 605, 5, 3, Layout::by_rows, true},
        Box{76, 606, 6, 2, Layout::by_rows, true}, Box{80, 1001, 7, 3, Layout::by_rows, true},
        Box{70, 599, 8, 1, Layout::by_rows, true}, Box{95, 1090, 28, 2, Layout::by_rows, true},
        Box{121, 435, 29, 1, Layout::by_rows, true}, Box{160, 301, 72, 3, Layout::by_rows, true},
        Box{190, 423, 80, 1, Layout::by_rows, true}, Box{430, 362, 133, 2, Layout::by_rows, true},
        Box{411, 403, 200, 1, Layout::by_columns, true}})
    try_box(box);
}

TEST(BoxSums, DependOnTheirElementsAlone) {
  const int64_t n = 200, radius = 30, side = n - 2 * radius;
  HostMatrix<float> in(n, n, Layout::by_rows), out(side, side, Layout::by_rows);
  for (float& v : in.values) v = 1;
  in.at(35, 100) = INFINITY;
  const Array<float> device_in(in.values), device_out(out.values);
  const device::Room room(warpwright::box_sum_workspace(n, n, radius));
  ASSERT_EQ(warpwright::box_sum(nullptr, in.seen(device_in), out.written(device_out), radius, room),
            Status::ok);
  device::wait();
  out.values = device_out.read();
  for (int64_t y = 0; y < side; ++y)
    for (int64_t x = 0; x < side; ++x)
      ASSERT_EQ(out.at(y, x), y <= 35 && x >= 100 - 2 * radius && x <= 100 ? INFINITY : 61.0f * 61.0f);
}

TEST(Sums, OfEveryLengthAndAlignment) {
  const device::Room room(warpwright::sum_workspace());
  for (const int64_t n : {0, 1, 3, 2047, 4096, 4097, 8192, 8193, 100003, 1 << 17, 150001, (1 << 22) + 5}) {
    for (const size_t ahead : {0, 1, 3}) {
      if (ahead > 0 && n > 200000) continue;
      std::vector<float> values(static_cast<size_t>(n));
      double sum = 0;
      for (size_t i = 0; i < values.size(); ++i) sum += values[i] = static_cast<float>(i * 7 % 64) / 64;
      const Array<float> in(values, ahead), out(std::vector<float>(1, -1.0f));
      ASSERT_EQ(warpwright::sum(nullptr, in.data(), n, out.data(), room), Status::ok);
      device::wait();
      const float first = out.read()[0];
      EXPECT_NEAR(first, sum, sum * 1e-6) << n;
      for (int again = 0; again < 3; ++again) {  // the counter is left at 0
        out.write({-1.0f});
        ASSERT_EQ(warpwright::sum_again(nullptr, in.data(), n, out.data(), room), Status::ok);
        device::wait();
        ASSERT_EQ(out.read()[0], first);
      }
    }
  }
}

TEST(Sums, AreCapturedIntoGraphs) {
  using device::entry;
  const device::Room room(warpwright::sum_workspace());
  constexpr int64_t kLong = 200000;  // by blocks that count themselves
  const Array<float> in(std::vector<float>(kLong, 2.0f)), out(std::vector<float>(1, -1.0f)),
      again(std::vector<float>(1, -1.0f)), by_blocks(std::vector<float>(1, -1.0f));
  ASSERT_EQ(warpwright::sum(nullptr, in.data(), 5000, out.data(), room), Status::ok);  // loads the kernels
  ASSERT_EQ(warpwright::sum(nullptr, in.data(), kLong, out.data(), room), Status::ok);
  device::wait();
  warpwright::Stream stream = nullptr;
  void *graph = nullptr, *executable = nullptr;
  ASSERT_EQ(entry<int(warpwright::Stream*, unsigned)>("cuStreamCreate")(&stream, 1), 0);
  ASSERT_EQ(entry<int(warpwright::Stream, int)>("cuStreamBeginCapture_v2")(stream, 0), 0);
  ASSERT_EQ(warpwright::sum(stream, in.data(), 5000, out.data(), room), Status::ok);
  ASSERT_EQ(warpwright::sum_again(stream, in.data(), 5000, again.data(), room), Status::ok);
  ASSERT_EQ(warpwright::sum(stream, in.data(), kLong, by_blocks.data(), room), Status::ok);
  ASSERT_EQ(entry<int(warpwright::Stream, void**)>("cuStreamEndCapture")(stream, &graph), 0);
  size_t nodes = 0;
  ASSERT_EQ(entry<int(void*, void**, size_t*)>("cuGraphGetNodes")(graph, nullptr, &nodes), 0);
  EXPECT_EQ(nodes, 3u);  // a launch each
  ASSERT_EQ(
      entry<int(void**, void*, unsigned long long)>("cuGraphInstantiateWithFlags")(&executable, graph, 0), 0);
  for (const float v : {1.0f, 3.0f}) {
    in.write(std::vector<float>(kLong, v));
    device::wait();  // so long a copy may still be under way, and the stream does not wait for it
    ASSERT_EQ(entry<int(void*, warpwright::Stream)>("cuGraphLaunch")(executable, stream), 0);
    device::wait();
    EXPECT_EQ(out.read()[0], 5000 * v);
    EXPECT_EQ(again.read()[0], 5000 * v);
    EXPECT_EQ(by_blocks.read()[0], kLong * v);
  }
}

/// More workspaces than there are words to count blocks by, whatever they hold. Takes all words, so the last.
TEST(Sums, TakeAnyNumberOfWorkspaces) {
  constexpr int64_t n = 131073, kRooms = 1030;  // so many elements that blocks count themselves on every GPU
  const size_t bytes = warpwright::sum_workspace();
  const Array<float> in(std::vector<float>(n, 2.0f)), out(std::vector<float>(1, -1.0f));
  const device::Room rooms(kRooms * bytes);
  const auto room = [&](int64_t i) {
    return warpwright::Workspace{static_cast<char*>(warpwright::Workspace(rooms).data) + i * bytes, bytes};
  };
  for (int64_t i = 0; i < kRooms; ++i)
    ASSERT_EQ(warpwright::sum(nullptr, in.data(), n, out.data(), room(i)), Status::ok) << i;
  for (const int64_t i : {int64_t{0}, kRooms - 2, kRooms - 1, kRooms - 1}) {
    out.write({-1.0f});
    ASSERT_EQ(warpwright::sum(nullptr, in.data(), n, out.data(), room(i)), Status::ok) << i;
    device::wait();
    EXPECT_EQ(out.read()[0], 2.0f * n) << i;
  }
}

}  // namespace
