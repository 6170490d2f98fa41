// Running PTX text in tests of the checks.
#pragma once

#include "checks/check.h"
#include "engine/async/tensor_map.h"
#include "engine_kernels.h"

namespace ww::checks {

/// An engine with one kernel `k(.u64, …)`, and a check that listens to it.
template <class C>
struct CheckLab {
  engine::Lab lab;
  Findings findings;
  C check{findings};

  explicit CheckLab(const std::string& body) : lab(body) { lab.engine.memory().host_events().listen(check); }
  ~CheckLab() { lab.engine.memory().host_events().ignore(check); }

  engine::RunResult run(u32 grid, u32 block, std::vector<u64> arguments, u32 dynamic_shared = 0) {
    engine::LaunchRequest request;
    request.kernel = "k";
    request.grid = {grid, 1, 1};
    request.block = {block, 1, 1};
    request.dynamic_shared = dynamic_shared;
    request.listeners = {&check};
    for (u64 a : arguments) request.arguments.push_back(engine::argument(a));
    LaunchFacts facts;
    facts.grid = request.grid;
    facts.block = request.block;
    facts.memory = &lab.engine.memory();
    facts.arguments = &request.arguments;
    check.prepare(facts);
    auto result = lab.engine.run(*lab.module, request);
    EXPECT_TRUE(result) << (result ? "" : render(result.error(), ""));
    return result ? *result : engine::RunResult{};
  }
  void host(u64 address, u64 bytes, isa::Direction direction) {
    lab.engine.memory().host_events().tell(events::HostAccess{address, bytes, direction});
  }
  /// A tensor map of four rows of eight words at `array`, in boxes of two rows of four.
  void put_tensor_map(u64 map_at, u64 array) {
    engine::TensorMap map;
    map.type = engine::TensorType::U32;
    map.rank = 2;
    map.address = array;
    map.size[0] = 8, map.size[1] = 4, map.stride[1] = 32;
    map.box[0] = 4, map.box[1] = 2;
    map.step[0] = map.step[1] = 1;
    const auto bytes = *map.encode();
    std::memcpy(lab.host(map_at), bytes.data(), bytes.size());
  }
  /// Memory that the host has set.
  u64 words(size_t count) {
    const u64 at = lab.words(count);
    host(at, 4 * count, isa::Direction::Write);
    return at;
  }
  /// All findings as text: message, and each party's place.
  std::string said() const {
    std::string text;
    for (const Finding& f : findings.all()) {
      text += f.kind + ": " + f.message;
      for (const Party& p : f.parties)
        text += "; " + p.what + " line " + std::to_string(p.ptx_line) + " thread " +
                std::to_string(p.by.thread[0]);
      for (const std::string& m : f.more) text += "; " + m;
      text += "\n";
    }
    return text;
  }
};

}  // namespace ww::checks
