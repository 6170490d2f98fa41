// A warp's fetch from textures, put together from the four lanes at a time that are told.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "events/bus.h"
#include "watch/recording.h"

namespace ww::watch {

struct Fetch {
  /// What it reads of one array: lanes of one instruction may name different textures.
  struct Part {
    u32 array = kNone;
    Texels texels = Texels::Linear;
    u32 bytes = 0;                        ///< of a texel
    std::vector<std::pair<u32, u64>> at;  ///< lanes, and the addresses of their texels
    rules::Cost cost;
    std::vector<rules::Piece> sectors;  ///< by address
  };

  events::Site site;
  std::vector<Part> parts;  ///< none: there is no fetch

  /// The part of this array; made if need be.
  Part& of(u32 array);
};

/// A part as an access, with its first texel as its place, and what tells such accesses apart.
Form form_of(const Fetch::Part& part);
std::string key_of(const Form& form, u64 first);

}  // namespace ww::watch
