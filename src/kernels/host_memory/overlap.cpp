// Copies and kernels of several streams at the same time, as a table of times.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstring>
#include <numeric>
#include <optional>

#include "base/round.h"
#include "kernels/axes.h"
#include "kernels/embedded.h"
#include "kernels/host_memory/measure.h"
#include "kernels/host_memory/probes.h"

namespace ww::kernels {

namespace {

constexpr int kPieces = 8;
constexpr int kRuns = 9;  // the one with the median time is shown
constexpr uint32_t kThreads = 256;
constexpr uint32_t kTrialSteps = 256;  // to find out how many take as long as a copy
constexpr size_t kCheckEvery = 4099;   // elements; a chain on the host takes long

/// When the three operations of a piece started and ended, in ms since all began. An operation's start is
/// when what stands before it in its stream had ended: waiting for the copy engine or for the SMs is part of
/// it.
struct Piece {
  double to_device[2], kernel[2], to_host[2];
};
struct Timeline {
  std::vector<Piece> pieces;
  double total = 0;
  double sum(double (Piece::*what)[2]) const {
    return std::accumulate(pieces.begin(), pieces.end(), 0.0,
                           [&](double s, const Piece& p) { return s + (p.*what)[1] - (p.*what)[0]; });
  }
};

class Pipeline {
 public:
  Pipeline(const ProbeRun& run, int64_t n) : run_(run), elements_(pattern(n, run.seed)) {}

  Status prepare(int streams) {
    auto host = run_.link().host_memory(device::HostKind::PageLocked, bytes());
    if (!host) return host.error();
    host_ = std::move(*host);
    auto memory = DeviceMemory::create(run_.gpu, bytes());
    if (!memory) return memory.error();
    memory_.emplace(std::move(*memory));
    auto made = run_.link().streams(streams);
    if (!made) return made.error();
    streams_ = std::move(*made);
    constexpr const char* kModule = "host_memory/chain";
    auto module = run_.gpu.load(kModule, std::string(embedded_ptx(kModule)));
    if (!module) return module.error();
    launch_.module = *module;
    launch_.kernel = "host_memory_chain";
    launch_.block.x = kThreads;
    return {};
  }

  /// As many steps as let the kernel of a piece take as long as a copy of it.
  Result<uint32_t> balanced_steps() {
    const auto [first, count] = part(0);
    auto copy = time_in(*streams_, run_.timing, [&] { return copy_in(0, first, count); });
    if (!copy) return copy.error();
    auto kernel = time_in(*streams_, run_.timing, [&] { return chain(0, first, count, kTrialSteps); });
    if (!kernel) return kernel.error();
    const double steps = kTrialSteps * copy->median_ms / std::max(kernel->median_ms, 1e-6);
    return static_cast<uint32_t>(std::clamp(std::round(steps), 1.0, 1e5));
  }

  /// The run with the median time of several.
  Result<Timeline> measure(int streams, uint32_t steps) {
    std::vector<Timeline> runs;
    for (int i = -1; i < kRuns; ++i) {  // the first one is the warm-up
      refill();
      auto one = run_once(streams, steps);
      if (!one) return one.error();
      if (i >= 0) runs.push_back(std::move(*one));
    }
    std::nth_element(runs.begin(), runs.begin() + kRuns / 2, runs.end(),
                     [](const Timeline& a, const Timeline& b) { return a.total < b.total; });
    return runs[kRuns / 2];
  }

  /// Of the last run.
  bool right(int piece, uint32_t steps) const {
    const auto [first, count] = part(piece);
    const auto* found = reinterpret_cast<const float*>(host_->bytes().data());
    const auto is_right = [&](size_t i) {
      float x = elements_[i];
      for (uint32_t s = 0; s < steps; ++s) x = std::fma(x, -0.999f, 0.25f);
      return std::bit_cast<uint32_t>(x) == std::bit_cast<uint32_t>(found[i]);
    };
    for (size_t i = first; i < first + count; i += kCheckEvery)
      if (!is_right(i)) return false;
    return is_right(first + count - 1);
  }

  uint64_t bytes() const { return elements_.size() * sizeof(float); }

 private:
  std::pair<size_t, size_t> part(int piece) const {
    const size_t first = elements_.size() * static_cast<size_t>(piece) / kPieces;
    return {first, elements_.size() * static_cast<size_t>(piece + 1) / kPieces - first};
  }
  std::span<std::byte> on_host(size_t first, size_t count) const {
    return host_->bytes().subspan(first * sizeof(float), count * sizeof(float));
  }
  device::Address on_device(size_t first) const { return memory_->address() + first * sizeof(float); }
  void refill() { std::memcpy(host_->bytes().data(), elements_.data(), bytes()); }

  Status copy_in(int stream, size_t first, size_t count) {
    return streams_->to_device(stream, on_device(first), on_host(first, count));
  }
  Status copy_out(int stream, size_t first, size_t count) {
    return streams_->to_host(stream, on_host(first, count), on_device(first));
  }
  Status chain(int stream, size_t first, size_t count, uint32_t steps) {
    launch_.grid.x = static_cast<uint32_t>(divide_up(count, kThreads));
    launch_.arguments = {device::Argument::of(on_device(first)),
                         device::Argument::of(static_cast<uint32_t>(count)), device::Argument::of(steps)};
    return streams_->launch(stream, launch_);
  }

  Result<Timeline> run_once(int streams, uint32_t steps) {
    device::Streams& s = *streams_;
    s.forget_marks();
    auto begin = s.mark(0);
    if (!begin) return begin.error();
    for (int i = 1; i < streams; ++i)
      if (auto ok = s.wait(i, s, *begin); !ok) return ok.error();
    std::vector<std::array<int, 4>> marks(kPieces);
    for (int piece = 0; piece < kPieces; ++piece) {
      const int stream = piece % streams;
      const auto [first, count] = part(piece);
      for (int step = 0; step < 4; ++step) {
        auto at = s.mark(stream);
        if (!at) return at.error();
        marks[static_cast<size_t>(piece)][static_cast<size_t>(step)] = *at;
        Status ok;
        if (step == 0) ok = copy_in(stream, first, count);
        if (step == 1) ok = chain(stream, first, count, steps);
        if (step == 2) ok = copy_out(stream, first, count);
        if (!ok) return ok.error();
      }
    }
    if (auto ok = s.finish(); !ok) return ok.error();
    Timeline line;
    for (const auto& of_piece : marks) {
      double at[4];
      for (size_t i = 0; i < 4; ++i) {
        auto ms = s.ms(*begin, of_piece[i]);
        if (!ms) return ms.error();
        at[i] = *ms;
      }
      line.pieces.push_back({{at[0], at[1]}, {at[1], at[2]}, {at[2], at[3]}});
      line.total = std::max(line.total, at[3]);
    }
    return line;
  }

  const ProbeRun& run_;
  std::vector<float> elements_;
  std::unique_ptr<device::HostBuffer> host_;
  std::optional<DeviceMemory> memory_;
  device::Launch launch_;
  std::unique_ptr<device::Streams> streams_;  // first to go: it waits for what uses the others
};

Value since_start(const char* tag, double ms, const char* description) {
  return measured(tag, ms, "ms", description);
}

Row piece_row(int piece, const Piece& times, bool right) {
  Row row;
  row[lab::R] = fmt::format("{}", piece + 1);
  row.values = {
      verified(right,
               "1 if the piece's elements came back as the chain leaves them (every 4099th is compared)"),
      since_start("to_device_start", times.to_device[0],
                  "when the stream was ready to copy the piece to the device"),
      since_start("to_device_end", times.to_device[1], "when the piece was on the device"),
      since_start("kernel_start", times.kernel[0], "when the stream was ready for the kernel on the piece"),
      since_start("kernel_end", times.kernel[1], "when the kernel had ended"),
      since_start("to_host_start", times.to_host[0], "when the stream was ready to copy the piece back"),
      since_start("to_host_end", times.to_host[1], "when the piece was back on the host")};
  return row;
}

}  // namespace

std::vector<Row> probe_overlap(const ProbeRun& run, int64_t n, int streams) {
  std::vector<Row> pieces;
  Row whole = row_of({}, [&](Row& row) -> Status {
    if (n < kPieces) return error(fmt::format("n = {}, there must be at least {}", n, kPieces));
    Pipeline pipeline(run, n);
    if (auto ok = pipeline.prepare(streams); !ok) return ok;
    auto steps = pipeline.balanced_steps();
    if (!steps) return steps.error();
    auto serial = pipeline.measure(1, *steps);
    if (!serial) return serial.error();
    auto line = pipeline.measure(streams, *steps);
    if (!line) return line.error();
    bool good = true;
    for (int i = 0; i < kPieces; ++i) {
      const bool right = pipeline.right(i, *steps);
      good &= right;
      pieces.push_back(piece_row(i, line->pieces[static_cast<size_t>(i)], right));
    }
    // In one stream nothing waits for anything but what stands before it: these are the operations' own
    // times.
    const double in = serial->sum(&Piece::to_device), kernel = serial->sum(&Piece::kernel),
                 out = serial->sum(&Piece::to_host), bound = std::max({in, kernel, out});
    row.values = {
        verified(good, "1 if every piece came back right"),
        {"bytes", static_cast<int64_t>(pipeline.bytes()), "byte", Provenance::Input, "copied each way"},
        measured("time", line->total, "ms", "from the first copy's start to the last one's end"),
        measured("serial_time", serial->total, "ms", "the same in one stream"),
        measured("speed_up", serial->total / line->total, "", "serial_time / time"),
        measured("to_device_time", in, "ms", "all copies to the device, in one stream"),
        measured("kernel_time", kernel, "ms", "all kernels, in one stream"),
        measured("to_host_time", out, "ms", "all copies to the host, in one stream"),
        measured("of_bound", bound / line->total, "",
                 "the longest of the three / time: 1 when everything else is hidden behind it"),
        {"steps", int64_t{*steps}, "", Provenance::Input,
         "multiply-adds on each element, so that a kernel takes as long as a copy"}};
    return {};
  });
  pieces.insert(pieces.begin(), std::move(whole));
  return pieces;
}

}  // namespace ww::kernels
