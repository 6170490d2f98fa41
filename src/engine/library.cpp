#include "engine/library.h"

#include <fmt/format.h>

namespace ww::engine {

void decode_library_call(FunctionDecoder& d, const ir::Instruction& in, const ir::Call& call) {
  d.refuse(in, fmt::format("function {} is declared but not defined", d.module().symbols[call.target].name));
}

}  // namespace ww::engine
