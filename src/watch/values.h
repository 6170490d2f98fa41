// What the words of the arrays hold, followed through a launch.
#pragma once

#include <map>
#include <string_view>
#include <utility>

#include "events/bus.h"
#include "watch/recording.h"

namespace ww::watch {

/// Notes in Launch::changes what each access reads and what lies there after each that writes. For blocks on
/// one worker: what a warp writes lies there before the next event is told.
class Values {
 public:
  /// An access is about to happen, the `ran`-th event; `instruction`: "ld.shared.f32".
  void access(Launch& launch, u32 array, u32 ran, const events::Memory& event, std::string_view instruction);
  /// A texel at this address was read, as a part of the `ran`-th event.
  void fetched(Launch& launch, u32 array, u32 ran, const events::Memory& event, u64 address,
               std::string_view instruction);
  /// The latest access has happened.
  void settle(Launch& launch);
  /// The block's shared memory is no more.
  void forget(u64 block);

 private:
  struct Word {
    bool known = false;
    u32 bits = 0;
  };
  struct Place {
    u64 element = 0;
    const uint8_t* host = nullptr;
  };

  void note(Launch& launch);
  /// The words of these bytes of the array.
  void find_places(const Array& of, u64 from, u32 bytes, const engine::Warp& warp);

  std::map<std::pair<u32, u64>, std::vector<Word>> words_;  ///< by array, and block where it is shared
  u32 array_ = 0, ran_ = 0;
  std::pair<u32, u64> key_;
  std::vector<Place> places_;  ///< of the latest access, if it writes
};

}  // namespace ww::watch
