// Tells listeners of the accesses that whole-warp code has noted (Note).
#pragma once

#include <memory>
#include <vector>

#include "engine/compile/whole.h"
#include "engine/schedule/launch_state.h"

namespace ww::engine {

/// Of one worker: its blocks take turns, and whatever leaves the code is told first.
class Notes {
 public:
  /// Room for notes, of warps that run this state.
  void prepare(WholeState& state);
  /// Tells of all there are, in the order in which they were noted.
  void tell(WholeState& state);
  /// WholeState::ask.
  bool ask(WholeState& state);

  u64 serial = 0;  ///< patterns of addresses learnt so far, by the interpreter, too

 private:
  /// The lanes' places in an access whose lanes follow from two of them.
  struct Even {
    u64 serial = 0;  // 0: none
    u64 between = 0;
    int32_t stride = 0;
    u32 lead = 0;
    int64_t offsets[kLanes] = {};
  };
  /// And without a pattern.
  struct Apart {
    u64 serial = 0;  // 0: not seen twice yet
    int32_t offsets[kLanes] = {};
  };
  static constexpr size_t kEven = 64, kWays = 4, kApart = 512, kBytes = 16384;

  /// Those of the block's program, of which the entry is returned.
  const FunctionCode& prepare_events(const BlockState& block) {
    if (program_ != block.launch.program) learn_events(*block.launch.program);
    return *program_->functions[0];
  }
  void learn_events(const Program& program);
  u64 places(const Note& note, u64& first, const int64_t*& offsets);
  u64 even(const Note& note, u64& first, const int64_t*& offsets);
  u64 apart(const Note& note, u64& first);

  static_assert(kNotedValues >= kMostOfNote && kBytes >= kNotedValues + kMostNotedElements * kNotedElement);

  std::unique_ptr<u8[]> room_;
  const Program* program_ = nullptr;
  std::vector<events::Memory> events_;  ///< by instruction of the entry
  std::vector<Even> even_;              ///< kWays together, by a digest of what they say
  size_t replaced_ = 0;
  std::vector<Apart> apart_;
  int64_t offsets_[kLanes] = {};
};

}  // namespace ww::engine
