#include "engine/decode.h"

namespace ww::engine {

SpecialDecoder texture_decoder(isa::Op) { return nullptr; }

}  // namespace ww::engine
