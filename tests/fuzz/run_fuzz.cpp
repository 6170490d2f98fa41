// Runs whatever the parser and the verifier accept: every kernel of the text, on small buffers and with small limits.
// Nothing may crash, hang or take much memory.   scripts/fuzz builds and runs it.
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "engine/engine.h"
#include "ir/verify.h"
#include "ptx/parser.h"

namespace {

using namespace ww;

constexpr uint64_t kBuffer = 16 << 10;

engine::Settings settings() {
  engine::Settings s;
  s.threads = 1;  // what libFuzzer finds must be found again
  s.memory_limit = 64 << 20;
  s.branch_limit = 50'000;
  s.multiprocessors = 2;
  return s;
}

/// Every parameter is the address of a buffer, as far as it is wide enough for one; small numbers otherwise.
std::vector<std::vector<uint8_t>> arguments(const ir::Module& module, const ir::Function& entry, uint64_t buffer) {
  std::vector<std::vector<uint8_t>> result;
  for (const auto& p : entry.params) {
    std::vector<uint8_t> bytes(module.variable(p.symbol).bytes, 3);
    if (bytes.size() >= 8) std::memcpy(bytes.data(), &buffer, 8);
    result.push_back(std::move(bytes));
  }
  return result;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  auto parsed = ptx::parse("fuzz.ptx", std::string_view(reinterpret_cast<const char*>(data), size));
  if (!parsed) return -1;  // parse_fuzz looks after those; here they are not worth keeping
  auto module = std::make_shared<const ir::Module>(std::move(*parsed));
  if (!ir::verify(*module).empty()) return -1;
  engine::Engine engine(settings());
  auto loaded = engine.load(module);
  if (!loaded) return 0;
  uint64_t buffer = *engine.memory().allocate(kBuffer);
  std::memset(engine.memory().host(buffer), 1, kBuffer);
  for (const ir::Function& f : module->functions) {
    if (!f.entry || !f.defined) continue;
    engine::LaunchRequest request;
    request.kernel = module->symbols[f.symbol].name;
    request.grid = {2, 1, 1};
    request.block = {40, 1, 1};
    request.dynamic_shared = 1024;
    request.counted = size % 2;
    request.arguments = arguments(*module, f, buffer);
    (void)engine.run(**loaded, request);
  }
  return 0;
}
