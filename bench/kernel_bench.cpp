// kernel_bench FOLDER [NAME…]: runs kernels on PoCL and on the engine, uncounted and counted, in turns on the
// same cores, compares what they compute and prints times and ratios. FOLDER holds the kernels' .ptx and .cl
// (bench/compare_peers makes it).
//   --format table|csv   --rounds N (15)   --seconds S for each kernel (3)   --least (instead of medians)
//   --cpu: processor time of all threads instead of the time that passes (for a machine that is not idle)
//   --threads N   --lanes plain|avx2|avx512   --no-peer: the engine alone
//   --engine auto|interpreter|compiled (default: as WARPWRIGHT_ENGINE says, or compiled before the first
//   launch, as PoCL does; auto compiles while kernels run, which such short runs are over before)
//   --limit: also what the processor can do (on several threads: and how much more than one thread), and
//   which part of what one can the counted kernel reaches on each
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <thread>

#include "base/file.h"
#include "device/engine_device.h"
#include "engine/compile/compile.h"
#include "machine_limit.h"
#include "opencl_peer.h"
#include "options.h"
#include "prepared.h"

namespace ww::bench {
namespace {

struct PeerOptions : Options {
  bool least = false, peer = true, cpu = false, limit = false;
  engine::Settings settings;
};

double seconds_since(std::chrono::steady_clock::time_point begin) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

double middle(std::vector<double> v, bool least) {
  if (v.empty()) return NAN;
  std::sort(v.begin(), v.end());
  return least ? v.front() : v[v.size() / 2];
}

/// Both computed in the same width, perhaps in another order: as far apart as sums of a few hundred terms
/// get.
template <class Number>
bool near_by(const std::vector<uint32_t>& x, const std::vector<uint32_t>& y) {
  for (size_t i = 0; i < x.size(); i += sizeof(Number) / 4) {
    Number u, v;
    std::memcpy(&u, &x[i], sizeof u);
    std::memcpy(&v, &y[i], sizeof v);
    if (!(std::fabs(u - v) <= Number(1e-3) * std::max(Number(1), std::fabs(v)))) return false;
  }
  return true;
}
bool alike(const Array& a, const std::vector<uint32_t>& x, const std::vector<uint32_t>& y) {
  if (!a.floats) return x == y;
  return a.doubles ? near_by<double>(x, y) : near_by<float>(x, y);
}

struct Times {
  double peer = NAN, uncounted = NAN, counted = NAN;
  // Of a launch: f32 sums, products and fused ones; bytes that threads load.
  double fma = 0, loaded = 0;
};

/// The sum of these counters.
double sum_of(const std::vector<Value>& values, std::initializer_list<std::string_view> tags) {
  double sum = 0;
  for (const Value& v : values)
    if (std::find(tags.begin(), tags.end(), v.tag) != tags.end()) sum += v.number();
  return sum;
}

Result<Times> run(const PeerOptions& o, const Case& c, device::Device& device, OpenClPeer* peer) {
  auto prepared = prepare(o.folder, c, device);
  if (!prepared) return prepared.error();
  device::Launch& launch = prepared->launch;
  Times result;
  const auto ours = [&](bool count) -> Result<double> {
    launch.count = count;
    const auto begin = std::chrono::steady_clock::now();
    auto report = device.launch(launch);
    if (!report) return report.error();
    if (!report->faults.empty()) return error(report->faults[0].message);
    const double took = seconds_since(begin);
    if (count) {
      result.fma = sum_of(report->values, {"thread_fadd", "thread_fmul", "thread_ffma"});
      result.loaded = sum_of(report->values, {"global_load_bytes", "shared_load_bytes"});
    }
    return took;
  };
  // The first launch of each compiles, and is compared.
  auto first = ours(false);
  if (!first) return first.error();
  if (peer) {
    auto source = read_file(o.folder + "/" + c.file + ".cl");
    if (!source) return source.error();
    if (auto ok = peer->prepare(c, *source); !ok) return ok.error();
    if (auto run = peer->run(); !run) return run.error();
    for (size_t k = 0; k < c.arguments.size(); ++k) {
      const auto* array = std::get_if<Array>(&c.arguments[k]);
      if (!array || !array->result) continue;
      std::vector<uint32_t> mine(array->words.size());
      if (auto ok = device.read(prepared->addresses[k], std::as_writable_bytes(std::span(mine))); !ok)
        return ok.error();
      auto its = peer->read(k);
      if (!its) return its.error();
      if (!alike(*array, mine, *its)) return error(c.name + ": the results differ");
    }
  }
  if (auto warm = ours(true); !warm) return warm.error();
  std::vector<double> times[3];
  const auto begin = std::chrono::steady_clock::now();
  for (int k = 0; k < o.rounds && (k < 3 || seconds_since(begin) < o.seconds); ++k) {
    for (int what = peer ? 0 : 1; what < 3; ++what) {
      const double before = cpu_seconds();
      auto t = what == 0 ? peer->run() : ours(what == 2);
      if (!t) return t.error();
      times[what].push_back(o.cpu ? cpu_seconds() - before : *t);
    }
  }
  release(*prepared, device);
  result.peer = middle(times[0], o.least);
  result.uncounted = middle(times[1], o.least);
  result.counted = middle(times[2], o.least);
  return result;
}

int bench(const PeerOptions& o) {
  std::unique_ptr<OpenClPeer> peer;
  if (o.peer) {
    auto opened = OpenClPeer::open();
    if (!opened) return fail(opened.error());
    peer = std::move(*opened);
  }
  auto device = device::make_engine_device(o.settings);
  const double threads = o.settings.threads ? o.settings.threads : std::thread::hardware_concurrency();
  MachineLimit limit;
  if (o.limit) {
    limit = measure_machine_limit();
    fmt::print(stderr,
               "one thread of this machine: {:.1f} G fused f32 products and sums in a second, {:.0f} GB/s "
               "loaded from L1\n",
               limit.fma * 1e-9, limit.l1_bytes * 1e-9);
    if (threads > 1)
      fmt::print(stderr, "{:.0f} threads at the same time: {:.2f} of {:.0f} times that\n", threads,
                 measure_threads_together(static_cast<int>(threads)), threads);
  }
  if (o.csv) {
    fmt::print("kernel,size,peer,peer_s,uncounted_s,counted_s,ratio{}\n",
               o.limit ? ",fma_share,l1_share" : "");
  } else {
    fmt::print("{}; {}; seconds, {}\n", peer ? peer->name() : "no peer", device->info().name,
               o.least ? "least" : "medians");
    fmt::print("{:14} {:9} {:>10} {:>10} {:>10} {:>8} {:>8}{}\n", "kernel", "size", "peer", "uncounted",
               "counted", "ratio", "counted", o.limit ? "   of FMA    of L1" : "");
  }
  double logs[2] = {}, kernels = 0;
  for (const CaseEntry& entry : chosen_cases(o.names)) {
    const Case c = make_case(entry);
    auto t = run(o, c, *device, peer.get());
    if (!t) return fail(t.error());
    const double uncounted = t->uncounted / t->peer, counted = t->counted / t->peer;
    logs[0] += std::log(uncounted), logs[1] += std::log(counted), ++kernels;
    // What one thread does in the time: processor time is that of all, the other is shared out among them.
    const double seconds = t->counted * (o.cpu ? 1 : threads);
    const double fma = t->fma / seconds / limit.fma, l1 = t->loaded / seconds / limit.l1_bytes;
    std::string shares;
    if (o.limit)
      shares = o.csv ? fmt::format(",{:.3f},{:.3f}", fma, l1) : fmt::format(" {:8.2f} {:8.2f}", fma, l1);
    if (o.csv)
      fmt::print("{},{},pocl,{:.6f},{:.6f},{:.6f},{:.3f}{}\n", c.name, c.size, t->peer, t->uncounted,
                 t->counted, counted, shares);
    else
      fmt::print("{:14} {:9} {:10.5f} {:10.5f} {:10.5f} {:8.2f} {:8.2f}{}\n", c.name, c.size, t->peer,
                 t->uncounted, t->counted, uncounted, counted, shares);
    std::fflush(stdout);
  }
  if (!o.csv && kernels > 0)
    fmt::print("geometric mean of {:.0f}: {:.3f} uncounted, {:.3f} counted\n", kernels,
               std::exp(logs[0] / kernels), std::exp(logs[1] / kernels));
  return 0;
}

}  // namespace
}  // namespace ww::bench

int main(int argc, char** argv) {
  ww::bench::PeerOptions o;
  o.rounds = 15, o.seconds = 3;
  const auto own = [&](const std::string& flag, const auto& value) {
    if (flag == "--least")
      o.least = true;
    else if (flag == "--cpu")
      o.cpu = true;
    else if (flag == "--limit")
      o.limit = true;
    else if (flag == "--no-peer")
      o.peer = false;
    else if (flag == "--threads")
      o.settings.threads = std::atoi(value().c_str());
    else if (flag == "--lanes")
      o.settings.lanes = value();
    else if (flag == "--engine")
      o.settings.back = value();
    else
      return false;
    return true;
  };
  if (!ww::bench::read_options(argc, argv, o, own)) return 2;
  if (!ww::engine::back_of(o.settings.back))
    return ww::bench::fail(
        {ww::error("--engine auto, interpreter or compiled, not '" + o.settings.back + "'")});
  if (o.settings.back.empty() && !std::getenv("WARPWRIGHT_ENGINE")) o.settings.back = "compiled";
  return ww::bench::bench(o);
}
