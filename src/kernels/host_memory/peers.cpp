// From one GPU's memory to another's: copies, a kernel's own access, and the way through the host.
#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "kernels/host_memory/host_gpus.h"
#include "kernels/host_memory/measure.h"
#include "kernels/host_memory/probes.h"

namespace ww::kernels {

namespace {

constexpr uint64_t kStage = 4 << 20;  // bytes of a step on the way through the host

/// Two GPUs with a buffer each, the first one's filled with a pattern.
struct Pair {
  device::Device &a, &b;
  std::vector<float> elements;
  DeviceMemory in_a, in_b;
  std::unique_ptr<device::Streams> streams_a, streams_b;

  uint64_t bytes() const { return elements.size() * sizeof(float); }
  device::Link& link_a() const { return *a.link(); }
  device::Link& link_b() const { return *b.link(); }
  Status refill(device::Device& full, const DeviceMemory& memory, device::Device& empty,
                const DeviceMemory& other) const {
    if (auto ok = full.write(memory.address(), std::as_bytes(std::span(elements))); !ok) return ok;
    return poison(empty, other.address(), bytes());
  }
  Status fill_a() const { return refill(a, in_a, b, in_b); }
  Status fill_b() const { return refill(b, in_b, a, in_a); }
};

Result<Pair> make_pair(device::Device& a, device::Device& b, const ProbeRun& run, int64_t n) {
  auto elements = pattern(n, run.seed);
  const uint64_t bytes = elements.size() * sizeof(float);
  auto in_a = DeviceMemory::create(a, bytes), in_b = DeviceMemory::create(b, bytes);
  if (!in_a) return in_a.error();
  if (!in_b) return in_b.error();
  auto streams_a = a.link()->streams(2), streams_b = b.link()->streams(1);
  if (!streams_a) return streams_a.error();
  if (!streams_b) return streams_b.error();
  return Pair{a,
              b,
              std::move(elements),
              std::move(*in_a),
              std::move(*in_b),
              std::move(*streams_a),
              std::move(*streams_b)};
}

using Measure = Status (*)(const ProbeRun& run, Pair& pair, Row& row);

/// A row for every two GPUs; one row that says so where there is only one.
std::vector<Row> each_pair(const ProbeRun& run, int64_t n, Measure measure) {
  auto gpus = HostGpus::open(run.gpu);
  if (!gpus) return {row_of({}, [&](Row&) -> Status { return gpus.error(); })};
  if (gpus->size() < 2)
    return {row_of({}, [&](Row&) -> Status {
      return error(fmt::format("this host has one GPU, {}; two are needed", run.gpu.info().id));
    })};
  std::vector<Row> rows;
  for (size_t i = 0; i < gpus->size(); ++i)
    for (size_t j = i + 1; j < gpus->size(); ++j) {
      Row row;
      row[Axis::Device] = (*gpus)[i].info().id + "+" + (*gpus)[j].info().id;
      rows.push_back(row_of(std::move(row), [&](Row& row) -> Status {
        auto pair = make_pair((*gpus)[i], (*gpus)[j], run, n);
        if (!pair) return pair.error();
        row.values.push_back({"bytes", static_cast<int64_t>(pair->bytes()), "byte", Provenance::Input,
                              "moved from one GPU to the other"});
        return measure(run, *pair, row);
      }));
    }
  return rows;
}

void add_bandwidth(Row& row, const char* tag, const char* what, double bytes, const device::Timing& timing) {
  row.values.push_back(measured(tag, gigabytes_per_second(bytes, timing.median_ms), "GB/s", what));
}

/// What the driver says of the way from a to b, opened in both directions.
Status open_path(Pair& pair, Row& row) {
  auto path = pair.link_a().path_to(pair.b);
  if (!path) return path.error();
  if (auto ok = pair.link_a().reach(pair.b); !ok) return ok;
  if (auto ok = pair.link_b().reach(pair.a); !ok) return ok;
  row.values.push_back({"peer_atomics", std::string(path->atomics ? "yes" : "no"), "", Provenance::Measured,
                        "whether the path has the hardware's atomics, as the driver says"});
  row.values.push_back({"peer_rank", int64_t{path->rank}, "", Provenance::Measured,
                        "the driver's order of paths: smaller is faster"});
  return {};
}

const char* kVerified = "1 if what arrived is what was sent";

Status copy_directly(const ProbeRun& run, Pair& pair, Row& row) {
  if (auto ok = open_path(pair, row); !ok) return ok;
  const auto there = [&] {
    return pair.streams_a->to_peer(0, pair.b, pair.in_b.address(), pair.in_a.address(), pair.bytes());
  };
  const auto back = [&](const DeviceMemory& from, const DeviceMemory& to) {
    return pair.streams_b->to_peer(0, pair.a, to.address(), from.address(), pair.bytes());
  };
  const auto bytes = static_cast<double>(pair.bytes());
  if (auto ok = pair.fill_a(); !ok) return ok;
  auto one = time_in(*pair.streams_a, run.timing, there);
  if (!one) return one.error();
  auto arrived = holds(pair.b, pair.in_b.address(), pair.elements);
  if (!arrived) return arrived.error();
  if (auto ok = pair.fill_b(); !ok) return ok;
  auto other = time_in(*pair.streams_b, run.timing, [&] { return back(pair.in_b, pair.in_a); });
  if (!other) return other.error();
  auto returned = holds(pair.a, pair.in_a.address(), pair.elements);
  if (!returned) return returned.error();

  // Both ways at once, between buffers of their own. The other GPU starts after this one's mark, and this one
  // waits for the other's.
  auto more_a = DeviceMemory::create(pair.a, pair.bytes()),
       more_b = DeviceMemory::create(pair.b, pair.bytes());
  if (!more_a) return more_a.error();
  if (!more_b) return more_b.error();
  auto both = time_in(*pair.streams_a, run.timing, [&]() -> Status {
    pair.streams_b->forget_marks();
    auto begin = pair.streams_a->mark(0);
    if (!begin) return begin.error();
    if (auto ok = pair.streams_b->wait(0, *pair.streams_a, *begin); !ok) return ok;
    if (auto ok = there(); !ok) return ok;
    if (auto ok = back(*more_b, *more_a); !ok) return ok;
    auto end = pair.streams_b->mark(0);
    if (!end) return end.error();
    return pair.streams_a->wait(0, *pair.streams_b, *end);
  });
  if (!both) return both.error();
  row.values.insert(row.values.begin(), verified(*arrived && *returned, kVerified));
  add_bandwidth(row, "copy_there", "a copy from the first GPU to the second", bytes, *one);
  add_bandwidth(row, "copy_back", "a copy from the second GPU to the first", bytes, *other);
  add_bandwidth(row, "copy_both", "both at once, their bytes together", 2 * bytes, *both);
  return {};
}

Status access_directly(const ProbeRun& run, Pair& pair, Row& row) {
  if (auto ok = open_path(pair, row); !ok) return ok;
  const auto bytes = static_cast<double>(pair.bytes());
  /// A kernel of the first GPU moves all elements.
  const auto kernel = [&](device::Address to, device::Address from) -> Result<device::Timing> {
    auto launch = copy_launch(pair.a, to, from, pair.bytes());
    if (!launch) return launch.error();
    return time_in(*pair.streams_a, run.timing, [&] { return pair.streams_a->launch(0, *launch); });
  };
  if (auto ok = pair.fill_b(); !ok) return ok;
  auto read = kernel(pair.in_a.address(), pair.in_b.address());
  if (!read) return read.error();
  auto was_read = holds(pair.a, pair.in_a.address(), pair.elements);
  if (!was_read) return was_read.error();
  if (auto ok = pair.fill_a(); !ok) return ok;
  auto write = kernel(pair.in_b.address(), pair.in_a.address());
  if (!write) return write.error();
  auto was_written = holds(pair.b, pair.in_b.address(), pair.elements);
  if (!was_written) return was_written.error();
  row.values.insert(row.values.begin(), verified(*was_read && *was_written, kVerified));
  add_bandwidth(row, "kernel_read", "a kernel of the first GPU reads the second one's memory", bytes, *read);
  add_bandwidth(row, "kernel_write", "a kernel of the first GPU writes the second one's memory", bytes,
                *write);
  return {};
}

/// To the host and on to the other GPU in steps, two buffers by turns: while one is filled, the other is
/// emptied.
Status copy_staged(const ProbeRun& run, Pair& pair, Row& row) {
  const uint64_t step = std::min(kStage, pair.bytes());
  std::unique_ptr<device::HostBuffer> stage[2];
  for (auto& one : stage) {
    auto buffer = pair.link_a().host_memory(device::HostKind::PageLocked, step);
    if (!buffer) return buffer.error();
    one = std::move(*buffer);
  }
  device::Streams &from = *pair.streams_a, &to = *pair.streams_b;
  const auto move = [&]() -> Status {
    to.forget_marks();
    auto begin = from.mark(0);
    if (!begin) return begin.error();
    if (auto ok = to.wait(0, from, *begin); !ok) return ok;
    std::vector<int> emptied;
    for (uint64_t first = 0; first < pair.bytes(); first += step) {
      const size_t turn = emptied.size();
      const auto part = stage[turn % 2]->bytes().first(std::min(step, pair.bytes() - first));
      if (turn >= 2)
        if (auto ok = from.wait(0, to, emptied[turn - 2]); !ok) return ok;
      if (auto ok = from.to_host(0, part, pair.in_a.address() + first); !ok) return ok;
      auto filled = from.mark(0);
      if (!filled) return filled.error();
      if (auto ok = to.wait(0, from, *filled); !ok) return ok;
      if (auto ok = to.to_device(0, pair.in_b.address() + first, part); !ok) return ok;
      auto done = to.mark(0);
      if (!done) return done.error();
      emptied.push_back(*done);
    }
    return from.wait(0, to, emptied.back());
  };
  if (auto ok = pair.fill_a(); !ok) return ok;
  auto staged = time_in(from, run.timing, move);
  if (!staged) return staged.error();
  auto arrived = holds(pair.b, pair.in_b.address(), pair.elements);
  if (!arrived) return arrived.error();
  row.values.insert(row.values.begin(), verified(*arrived, kVerified));
  const auto bytes = static_cast<double>(pair.bytes());
  add_bandwidth(row, "copy_staged", "through two page-locked buffers of the host by turns", bytes, *staged);

  auto path = pair.link_a().path_to(pair.b);
  if (!path) return path.error();
  row.values.push_back({"peer_path", std::string(path->access ? "yes" : "no"), "", Provenance::Measured,
                        "whether the GPUs reach each other's memory, as the driver says"});
  if (path->access) return {};
  auto driver = time_in(from, run.timing, [&] {
    return from.to_peer(0, pair.b, pair.in_b.address(), pair.in_a.address(), pair.bytes());
  });
  if (!driver) return driver.error();
  add_bandwidth(row, "copy_by_driver", "the driver's own copy between GPUs without a path", bytes, *driver);
  return {};
}

}  // namespace

std::vector<Row> probe_peer_copy(const ProbeRun& run, int64_t n) { return each_pair(run, n, copy_directly); }
std::vector<Row> probe_peer_access(const ProbeRun& run, int64_t n) {
  return each_pair(run, n, access_directly);
}
std::vector<Row> probe_peer_staged(const ProbeRun& run, int64_t n) { return each_pair(run, n, copy_staged); }

}  // namespace ww::kernels
