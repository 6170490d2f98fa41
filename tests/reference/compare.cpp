#include "compare.h"

#include <fmt/format.h>

#include <cstring>

#include "interpreter.h"
#include "ir/verify.h"
#include "ptx/parser.h"

namespace ww::reference {

namespace {

std::vector<uint8_t> bytes_of(uint64_t v) {
  std::vector<uint8_t> b(8);
  std::memcpy(b.data(), &v, 8);
  return b;
}

constexpr const char* kInvalid = "invalid: ";

std::string run_both(const RandomProgram& p, const engine::Settings& settings, bool counted) {
  auto parsed = ptx::parse("random.ptx", p.text);
  if (!parsed) return kInvalid + render(parsed.error(), p.text);
  auto module = std::make_shared<const ir::Module>(std::move(*parsed));
  if (auto wrong = ir::verify(*module); !wrong.empty()) return kInvalid + render(wrong, p.text);

  engine::Engine engine(settings);
  auto loaded = engine.load(module);
  if (!loaded) return render(loaded.error(), p.text);
  Machine machine{*module, {}, {}, {}};
  Launch launch{"k", p.grid, p.block, {}};
  engine::LaunchRequest request;
  request.kernel = "k";
  request.grid = {p.grid, 1, 1};
  request.block = {p.block, 1, 1};
  request.counted = counted;
  const std::vector<uint8_t> buffers[] = {std::vector<uint8_t>(size_t{p.grid} * p.block * kOutBytes, 0),
                                          random_input(), std::vector<uint8_t>(kCommonBytes, 0)};
  std::vector<uint64_t> addresses;
  for (const auto& b : buffers) {
    uint64_t at = *engine.memory().allocate(b.size());
    std::memcpy(engine.memory().host(at), b.data(), b.size());
    machine.global[at] = b;
    addresses.push_back(at);
    request.arguments.push_back(bytes_of(at));
  }
  launch.arguments = request.arguments;
  if (std::string wrong = run(machine, launch); !wrong.empty()) return kInvalid + wrong;
  auto result = engine.run(**loaded, request);
  if (!result) return render(result.error(), p.text);
  if (!result->faults.empty()) return result->faults[0].message;

  for (size_t b = 0; b < addresses.size(); ++b) {
    const uint8_t* got = engine.memory().host(addresses[b]);
    const auto& wanted = machine.global[addresses[b]];
    for (size_t k = 0; k < wanted.size(); ++k)
      if (got[k] != wanted[k]) {
        if (b == 0)
          return fmt::format("thread {} of block {}, byte {}: engine {:02x}, reference {:02x}",
                             k / kOutBytes % p.block, k / kOutBytes / p.block, k % kOutBytes, got[k],
                             wanted[k]);
        return fmt::format("buffer {}, byte {}: engine {:02x}, reference {:02x}", b, k, got[k], wanted[k]);
      }
  }
  for (size_t k = 0; counted && k < result->executions.size(); ++k) {
    const ir::Instruction* in = result->program->infos[k].instruction;
    uint64_t wanted = machine.executed[in];
    if (result->executions[k].threads != wanted)
      return fmt::format("executions of line {} ({}): engine {} threads, reference {}", in->place.ptx_line,
                         in->form().mnemonic, result->executions[k].threads, wanted);
  }
  return "";
}

/// "executions", "thread", "buffer", or the kind of fault.
std::string kind_of(const std::string& what) { return what.substr(0, what.find(' ')); }

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  for (size_t at = 0; at < text.size();) {
    size_t end = text.find('\n', at);
    lines.push_back(text.substr(at, end - at + 1));
    at = end + 1;
  }
  return lines;
}

}  // namespace

std::string difference(const RandomProgram& program, const engine::Settings& settings, bool counted) {
  return run_both(program, settings, counted);
}

RandomProgram shrunk(RandomProgram program, const engine::Settings& settings, bool counted) {
  const std::string wanted = kind_of(run_both(program, settings, counted));
  std::vector<std::string> lines = lines_of(program.text);
  for (size_t chunk = 16; chunk > 0; chunk /= 2)
    for (size_t at = 0; at < lines.size();) {
      std::string rest, removed;
      for (size_t k = 0; k < lines.size(); ++k) (k >= at && k < at + chunk ? removed : rest) += lines[k];
      // Without its barriers a program may have several results.
      std::string what = removed.find("bar.sync") != std::string::npos
                             ? kInvalid
                             : run_both({rest, program.grid, program.block}, settings, counted);
      if (kind_of(what) != wanted) {
        at += chunk;
        continue;
      }
      lines = lines_of(rest);
    }
  program.text.clear();
  for (const auto& l : lines) program.text += l;
  return program;
}

}  // namespace ww::reference
