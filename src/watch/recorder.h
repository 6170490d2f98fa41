// Records every access and every barrier of a launch.
#pragma once

#include <atomic>
#include <functional>
#include <map>
#include <unordered_map>

#include "checks/finding.h"
#include "gpus/gpu.h"
#include "watch/fetch.h"
#include "watch/recording.h"
#include "watch/values.h"

namespace ww::watch {

/// What is known of an array besides its bytes.
struct Declared {
  std::string type;  ///< "f32"; "" where nothing tells
  u64 columns = 0;   ///< 0: a vector, or nothing tells
};

/// What is known of a kernel besides its code.
struct Known {
  std::map<std::string, Declared> shared;  ///< what the source says of shared arrays, by name
  /// Whether a file is the user's and not the compiler's; none: those of the laboratory are.
  std::function<bool(const std::string&)> own_file = {};
};

/// Bytes of an element of a type as it is shown: 1, 2, or 4 for all others.
inline u32 unit_of(std::string_view type) {
  if (type.ends_with("16") || type == "bf16") return 2;
  return type.size() == 2 && type.ends_with("8") ? 1 : 4;
}

/// Records one launch after another, each with blocks on a single worker (engine::Settings::threads = 1).
class Recorder : public events::Listener {
 public:
  /// `capability`: of the GPU whose rules are applied. Of more than `limit` events in all, the first ones are
  /// kept and `stop` becomes true (it may be null).
  Recorder(rules::Capability capability, u64 limit, std::atomic<bool>* stop)
      : cc_(capability), limit_(limit), stop_(stop) {}

  /// The next launch, with what is known of it: its grid, block, entry, global arrays and the columns of its
  /// shared ones. Its program completes it.
  void expect(Launch launch, std::map<std::string, u64> shared_columns);
  void know(Known known) { known_ = std::move(known); }
  /// The launch that was expected last, after it ran, with what checks found in it.
  Launch take(const std::vector<checks::Finding>& findings = {});

  bool full() const { return count_ > limit_; }

  u32 wants() const override { return events::kMemory | events::kBarriers; }
  void launch_begins(const engine::Program& program, int workers) override;
  void block_begins(int worker, u64 block) override;
  void block_ends(int worker, u64 block) override;
  void launch_ends() override;
  void memory(int worker, const events::Memory& event) override;
  void barrier_arrival(int worker, const events::BarrierArrival& event) override;

 private:
  /// A warp's barriers so far, by lane.
  using Phases = std::array<u32, 32>;

  /// Arrays that are accessed as elements of 1 or 2 bytes are shown as such.
  void narrow_units();
  void add(u32 instruction, u64 block, u32 warp, u32 mask, u32 form, u64 first);
  u32 form_of(const events::Memory& event);
  /// The number of a form: `key` tells it from others.
  u32 numbered(std::string key, const std::function<Form()>& make);
  /// Four lanes of a fetch. The whole of it becomes an event once the next one is told.
  void fetch(const events::Memory& event);
  void end_fetch();
  u32 array_at(ir::Space space, u64 address) const;
  void price(Form& form, u32 instruction, u64 first) const;

  rules::Capability cc_;
  u64 limit_, count_ = 0;
  std::atomic<bool>* stop_;
  Launch launch_;
  std::map<std::string, u64> shared_columns_;
  Known known_;
  std::vector<u32> site_of_;  ///< by instruction
  std::unique_ptr<rules::AccessTotals> rules_;
  std::unordered_map<std::string, u32> forms_;  ///< by their content
  Values values_;
  Fetch fetch_;
  std::map<std::pair<u64, u32>, Phases> phases_;
  /// Of each event: the first lane's barriers before it, and its site.
  std::vector<std::pair<u32, u32>> places_;
};

}  // namespace ww::watch
