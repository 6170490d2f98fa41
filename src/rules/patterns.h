// The access patterns of a run: what every memory instruction's warps did, as a histogram that any GPU's
// rules can be applied to afterwards.
#pragma once

#include <array>
#include <functional>
#include <memory>
#include <vector>

#include "engine/decode/program.h"
#include "events/bus.h"

namespace ww::rules {

using events::u32;
using events::u64;

/// One warp instruction's lanes, wherever its first address lies.
struct Pattern {
  ir::Space space = ir::Space::Global;  ///< generic addresses resolved
  u32 mask = 0;                         ///< lanes that access
  u32 bytes = 4;                        ///< by each lane
  std::array<int64_t, 32> offset{};     ///< from the first active lane's address; 0 for inactive lanes
  // What an asynchronous copy writes to shared memory: where it reads that from.
  u32 from_mask = 0;               ///< lanes that read; 0: it is no copy, or fills with zeros
  u32 from_alignment = 0;          ///< address of the first of them modulo kAlignment
  std::array<int64_t, 32> from{};  ///< from that address
  bool operator==(const Pattern&) const = default;
};

/// First addresses are kept modulo this: no rule looks at larger pieces of memory.
inline constexpr u32 kAlignment = 256;

struct AccessHistogram {
  struct Entry {
    u32 pattern = 0;    ///< index into patterns
    u32 alignment = 0;  ///< address of the first active lane modulo kAlignment
    u64 count = 0;      ///< warp instructions
  };
  std::vector<Pattern> patterns;
  std::vector<std::vector<Entry>> by_instruction;  ///< index into Program::infos
};

/// Records the patterns of a launch. A histogram for each worker is handed on at the end (`finish`), and
/// earlier when it has grown large: whoever takes them adds them up, workers at the same time.
class PatternObserver : public events::Listener {
 public:
  using Take = std::function<void(int worker, const engine::Program&, const AccessHistogram&)>;
  /// `limit`: distinct patterns that a worker keeps before it hands them on.
  explicit PatternObserver(Take take, size_t limit = 1 << 14);
  ~PatternObserver() override;

  u32 wants() const override { return events::kMemory; }
  bool takes_notes() const override { return true; }
  void launch_begins(const engine::Program& program, int workers) override;
  void memory(int worker, const events::Memory& event) override;
  /// After the launch: hands on what is left.
  void finish();

 private:
  struct Worker;
  void hand_on(int worker);

  Take take_;
  size_t limit_;
  const engine::Program* program_ = nullptr;
  std::vector<std::unique_ptr<Worker>> workers_;
};

}  // namespace ww::rules
