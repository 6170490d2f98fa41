#include "cli/own_study/guess.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <optional>
#include <regex>
#include <vector>

#include "base/json.h"
#include "base/symbol_name.h"
#include "base/text.h"
#include "cli/compile/kernel_name.h"
#include "cli/launch/guess.h"
#include "cli/launch/kernel_shape.h"
#include "cli/own_study/growth.h"
#include "device/engine_device.h"

namespace ww::cli {

namespace {

struct Macro {
  std::string name, value;
};

/// "#ifndef TILE / #define TILE 16 / #endif": what -D may change. Where several macros stand in one #ifndef,
/// -D of one takes the others away.
std::vector<Macro> macros_of(std::string_view source) {
  static const std::regex kPattern(
      R"(#\s*ifndef\s+([A-Za-z_]\w*)\s*\n\s*#\s*define\s+([A-Za-z_]\w*)\s+([0-9]+)[ \t]*\n\s*#\s*endif)");
  std::vector<Macro> out;
  const std::string text(source);
  for (auto it = std::sregex_iterator(text.begin(), text.end(), kPattern); it != std::sregex_iterator(); ++it)
    if ((*it)[1] == (*it)[2]) out.push_back({(*it)[1], (*it)[3]});
  return out;
}

/// The macro that is the side of a block, by its name; without a name if none is.
Macro block_macro(const std::vector<Macro>& macros) {
  for (const Macro& macro : macros) {
    std::string name = macro.name;
    std::transform(name.begin(), name.end(), name.begin(), [](unsigned char c) { return std::tolower(c); });
    for (const char* usual : {"tile", "block", "tpb", "threads"})
      if (name.find(usual) != name.npos) return macro;
    if (name == "bs") return macro;
  }
  return {};
}

std::string quoted_list(const std::vector<std::string>& items) {
  std::string out;
  for (const std::string& item : items) out += (out.empty() ? "" : ", ") + json_quote(item);
  return "[" + out + "]";
}

/// A number of the launch that was guessed, as an expression of the axis n, which was `n` in it.
std::string of_n(uint64_t value, uint64_t n) {
  if (n > 1 && value == n) return "n";
  if (n > 1 && value % (n * n) == 0)
    return value == n * n ? "n * n" : fmt::format("{} * n * n", value / (n * n));
  if (n > 1 && value % n == 0) return fmt::format("{} * n", value / n);
  return n % value == 0 && n > value && value * 16 >= n ? fmt::format("n / {}", n / value)
                                                        : std::to_string(value);
}

/// Elements that each thread has of those that a block covers: of blockDim.x, or of `threads`, by which a
/// kernel may name its block's size.
uint64_t elements_of_thread(const KernelShape& shape, uint64_t threads) {
  if (shape.per_thread[0] > 1 || threads == 0 || shape.tile[0] % threads != 0) return shape.per_thread[0];
  return std::max<uint64_t>(shape.tile[0] / threads, 1);
}

/// The macro that says how many elements each thread has, of those whose value is that number: with twice the
/// value, the code of the kernel has twice the number. Without a name if none is. `side`: the macro that is
/// the block's size.
Macro thread_macro(const std::vector<Macro>& macros, const Macro& side, const ir::Module& module,
                   const std::string& kernel, const ExampleLaunch& e, const StudyTrials& trials) {
  const uint64_t threads = side.value == std::to_string(e.block.x) ? e.block.x : 0;
  const uint64_t own = elements_of_thread(kernel_shape(module, kernel), threads);
  for (const Macro& macro : macros) {
    if (own < 2 || macro.value != std::to_string(own) || macro.name == side.name) continue;
    const std::string ptx = trials.with_macro(macro.name, 2 * own);
    if (ptx.empty()) continue;
    const auto device = device::make_engine_device({});
    auto other = device->load("", ptx);
    if (!other) continue;
    const bool follows = elements_of_thread(kernel_shape(*(*other)->code(), kernel), threads) == 2 * own;
    other->reset();
    if (follows) return macro;
  }
  return {};
}

/// Macros that a launch follows; each may have no name.
struct LaunchMacros {
  Macro side;        ///< of a block
  Macro per_thread;  ///< elements of each thread
};

/// The kernel's entry in "kernels". `of`: its file.
std::string kernel_text(const std::string& of, const std::string& entry, const ExampleLaunch& e,
                        bool cooperative, const std::vector<Parameter>& parameters,
                        const LaunchMacros& macros) {
  constexpr uint64_t kMostArrays = 1024;
  const uint64_t n = whole_number_of(e);
  ExampleSizes sizes;
  sizes.study = true;
  sizes.wide = of_n(e.wide(), n), sizes.high = e.high() > 1 ? of_n(e.high(), n) : "";
  sizes.times = e.elements, sizes.halo = e.halo;
  sizes.whole = "n";
  sizes.arrays =
      std::max(n, e.high()) > kMostArrays ? std::to_string(kMostArrays) : of_n(std::max(n, e.high()), n);
  sizes.real = e.real;
  sizes.integers = e.integers, sizes.fixed = e.fixed, sizes.flags = e.flags;
  const auto side = [&](uint64_t number) {
    return std::to_string(number) == macros.side.value ? json_quote(macros.side.name)
                                                       : std::to_string(number);
  };
  const auto plain_side = [&](uint64_t number) {
    return std::to_string(number) == macros.side.value ? macros.side.name : std::to_string(number);
  };
  std::vector<std::string> grid, block = {side(e.block.x)};
  const auto blocks = [&](uint64_t elements, uint64_t each) {
    grid.push_back(fmt::format("cdiv({}, {})", of_n(elements, n), plain_side(each)));
  };
  if (e.one_block)
    grid.emplace_back("1");
  else if (macros.per_thread.name.empty())
    blocks(e.wide(), e.covers.x);
  else
    grid.push_back(
        fmt::format("cdiv({}, {} * {})", of_n(e.wide(), n), plain_side(e.block.x), macros.per_thread.name));
  if (e.directions > 1) blocks(uint64_t{e.grid.y} * e.covers.y, e.covers.y);
  if (e.directions > 2) blocks(uint64_t{e.grid.z} * e.covers.z, e.covers.z);
  if (e.block.y > 1 || e.block.z > 1) block.push_back(side(e.block.y));
  if (e.block.z > 1) block.push_back(side(e.block.z));
  return fmt::format(
      "    {{\n      \"kernel\": {},\n      \"grid\": {},\n      \"block\": [{}],\n{}{}      \"args\": {}\n  "
      "  }}",
      json_quote(of + ":" + entry), quoted_list(grid), fmt::join(block, ", "),
      e.shared > 0 ? fmt::format("      \"shared\": {},\n", e.shared) : "",
      cooperative ? "      \"cooperative\": true,\n" : "",
      quoted_list(example_arguments(parameters, sizes).texts));
}

}  // namespace

Result<FirstStudy> first_study(const StudySource& source, const StudyTrials& trials) {
  const auto device = device::make_engine_device({});
  const std::vector<device::Source> sources = {
      {source.file, source.debug.empty() ? source.ptx : source.debug}};
  auto loaded = device->load(source.file, sources[0].ptx);
  if (!loaded) return loaded.error();
  FirstStudy out;
  const std::string base = source.file.substr(source.file.rfind('/') + 1);
  const CompileOptions& compile = source.compile;
  const std::vector<Macro> macros = macros_of(source.text);
  const Macro macro = block_macro(macros);
  std::string more_axes, defines;
  for (const Macro& m : macros) {
    more_axes += fmt::format(", {}: [{}]", json_quote(m.name), m.value);
    defines += fmt::format("{}{}: {}", defines.empty() ? "" : ", ", json_quote(m.name), json_quote(m.name));
  }
  for (const std::string& given : compile.defines) {  // -D NAME or NAME=VALUE
    const size_t equals = std::min(given.find('='), given.size());
    defines += fmt::format("{}{}: {}", defines.empty() ? "" : ", ", json_quote(given.substr(0, equals)),
                           json_quote(equals < given.size() ? given.substr(equals + 1) : "1"));
  }
  std::string compiled;
  if (!compile.includes.empty()) compiled += "  \"include\": " + quoted_list(compile.includes) + ",\n";
  if (!compile.arch.empty()) compiled += "  \"arch\": " + json_quote(compile.arch) + ",\n";
  if (!compile.standard.empty()) compiled += "  \"std\": " + json_quote(compile.standard) + ",\n";
  if (!compile.compiler.empty()) compiled += "  \"compiler\": " + json_quote(compile.compiler) + ",\n";
  if (!compile.flags.empty()) compiled += "  \"flags\": " + quoted_list(compile.flags) + ",\n";
  if (!defines.empty()) compiled += "  \"define\": {" + defines + "},\n";
  LaunchOptions options;
  options.files = {source.file};
  std::vector<std::string> kernels;
  bool deep = false;  // n * n * n elements
  struct Found {
    std::string entry;
    std::optional<Guess> guess;
    std::vector<Parameter> parameters;
    bool cooperative = false;
    Macro per_thread;
  };
  std::vector<Found> all;
  for (const std::string& name : (*loaded)->kernels()) {
    Found found;
    LaunchInput in;
    in.launch.module = *loaded, in.launch.kernel = name;
    std::string why;
    found.guess = guess_launch(options, in, sources, why);
    std::string readable = demangled(name);
    if (readable.starts_with("void ")) readable.erase(0, 5);  // of a template
    found.entry = readable.substr(0, readable.find('('));
    found.parameters = in.parameters, found.cooperative = in.launch.cooperative;
    if (found.guess) deep |= found.guess->launch.directions == 3;
    const ExampleLaunch launch = found.guess ? found.guess->launch : ExampleLaunch();
    found.per_thread = thread_macro(macros, macro, *(*loaded)->code(), name, launch, trials);
    in.launch.module.reset();
    all.push_back(std::move(found));
  }
  loaded->reset();
  if (all.empty()) return error(fmt::format("'{}' has no kernels", printable(source.file)));
  out.quick = deep ? 32 : 256;
  // No array shorter than what one block covers.
  for (const Found& found : all)
    if (found.guess && found.guess->launch.directions == 1 && found.guess->launch.covers.x <= 4096)
      out.quick = std::max(out.quick, static_cast<int>(found.guess->launch.covers.x));
  out.sizes = deep ? std::vector<int>{64, 128} : std::vector<int>{4 * out.quick, 8 * out.quick};
  const auto study_of = [&](const std::string& texts, int quick, bool compiles) {
    return fmt::format(
        "{{\n  \"summary\": {},\n  \"gpus\": [\"h200\"],\n  \"axes\": {{\"n\": [{}]{}}},\n  \"quick\": "
        "{{\"n\": "
        "[{}]}},\n{}  \"kernels\": [\n{}\n  ]\n}}\n",
        json_quote("Kernels of " + base), fmt::join(out.sizes, ", "), compiles ? more_axes : "", quick,
        compiles ? compiled : "", texts);
  };
  std::vector<int> good = out.sizes;  // with which all that run with the quick one run, too
  good.insert(good.begin(), {2 * out.quick});
  Growth growth;
  for (const Found& found : all) {
    const ExampleLaunch open;  // where nothing runs
    ExampleLaunch e = found.guess ? found.guess->launch : open;
    if (!found.guess) e.grid = {4, 1, 1}, e.block = e.covers = {256, 1, 1};
    const auto text = [&](const std::string& of, const LaunchMacros& of_launch) {
      return kernel_text(of, found.entry, e, found.cooperative, found.parameters, of_launch);
    };
    const auto run_with = [&](int n) { return trials.run(study_of(text(kTriedFile, {}), n, false)); };
    if (!found.guess || !run_with(out.quick)) {
      out.not_run.push_back(found.entry);
    } else {
      std::map<int, double> work;
      std::erase_if(good, [&](int n) {
        const auto instructions = run_with(n);
        if (instructions) work[n] = *instructions;
        return !instructions;
      });
      const std::string plain = text(source.named, {});
      if (e.directions == 1 && plain.find("n * n") == plain.npos && plain.find("n,n") == plain.npos)
        growth.add(work, run_with);
      else
        growth.stop();
      for (Diagnostic note : found.guess->notes) {
        note.message = found.entry + ": " + note.message;
        out.notes.push_back(std::move(note));
      }
    }
    kernels.push_back(text(source.named, {macro, found.per_thread}));
  }
  if (good.size() > 2) good.erase(good.begin());
  out.sizes = good.empty() ? std::vector<int>{out.quick} : good;
  if (const std::vector<int> larger = growth.sizes(); !larger.empty()) out.sizes = larger;
  out.text = study_of(fmt::format("{}", fmt::join(kernels, ",\n")), out.quick, true);
  return out;
}

}  // namespace ww::cli
