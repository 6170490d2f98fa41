// Feeds any bytes to the parser, and what it accepts to the verifier, the printer and the control-flow graph.
// scripts/fuzz builds and runs it.
#include <cstddef>
#include <cstdint>

#include "ir/print.h"
#include "ir/verify.h"
#include "ptx/parser.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  std::string_view text(reinterpret_cast<const char*>(data), size);
  auto module = ww::ptx::parse("fuzz.ptx", text);
  if (!module) {
    ww::render(module.error(), text);
    return 0;
  }
  auto wrong = ww::ir::verify(*module);
  if (!wrong.empty()) ww::render(wrong, text);
  ww::ir::print(*module);  // must not fall over what the verifier refuses either
  return 0;
}
