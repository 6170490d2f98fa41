#include "engine/decode.h"

namespace ww::engine {

SpecialDecoder matrix_decoder(isa::Op) { return nullptr; }

}  // namespace ww::engine
