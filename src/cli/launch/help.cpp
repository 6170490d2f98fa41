#include "cli/launch/help.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <regex>

#include "analysis/reach.h"
#include "base/file.h"
#include "base/text.h"
#include "cli/compile/cpp_types.h"
#include "cli/launch/block_guess.h"
#include "cli/shared/shell.h"

namespace ww::cli {

namespace {

using Kind = Parameter::Kind;

std::string extent(const device::Dim3& d) {
  if (d.z > 1) return fmt::format("{},{},{}", d.x, d.y, d.z);
  return d.y > 1 ? fmt::format("{},{}", d.x, d.y) : fmt::format("{}", d.x);
}

/// The largest power of two whose `factors`-th power is not above `elements`, and at least 8.
uint64_t factor_of(uint64_t elements, uint64_t factors) {
  uint64_t out = 8;
  while (std::pow(2.0 * static_cast<double>(out), static_cast<double>(factors)) <=
         static_cast<double>(elements))
    out *= 2;
  return out;
}

/// Arrays as large as what the blocks cover asks, numbers as they are.
void fill_arguments(const std::vector<Parameter>& parameters, ExampleLaunch& e) {
  constexpr uint64_t kMostArrays = 1024;  // of a table of pointers
  const uint64_t n = whole_number_of(e), high = e.high();
  ExampleSizes sizes;
  sizes.wide = std::to_string(e.wide());
  sizes.high = high > 1 ? std::to_string(high) : "";
  sizes.times = e.elements, sizes.halo = e.halo;
  sizes.whole = std::to_string(n);
  sizes.arrays = std::to_string(std::min(std::max(n, high), kMostArrays));
  sizes.real = e.real;
  sizes.integers = e.integers, sizes.fixed = e.fixed, sizes.flags = e.flags;
  ExampleArguments filled = example_arguments(parameters, sizes);
  e.arguments = std::move(filled.texts), e.read = std::move(filled.read);
  e.zeros = std::move(filled.flags), e.places = std::move(filled.places);
}

device::Dim3 dim(uint64_t x, uint64_t y, uint64_t z) {
  return {static_cast<uint32_t>(x), static_cast<uint32_t>(y), static_cast<uint32_t>(z)};
}

/// Blocks, as many as a small piece of work has: 1024 elements, 64 x 64, 32 x 32 x 32, and at least two in
/// each direction where there are several.
device::Dim3 small_grid(const device::Dim3& covers, uint64_t directions) {
  const auto blocks = [](uint32_t elements, uint32_t each, uint32_t least) {
    return std::max(elements / std::min(each, elements), least);
  };
  if (directions == 3) return {blocks(32, covers.x, 1), blocks(32, covers.y, 1), blocks(32, covers.z, 1)};
  // As many elements in both directions: a kernel may have one size for both.
  if (directions == 2) {
    const uint32_t side = std::max({64u, 2 * covers.x, 2 * covers.y});
    return {blocks(side, covers.x, 1), blocks(side, covers.y, 1), 1};
  }
  return {blocks(1024, covers.x, 1), 1, 1};
}

/// As C++ has it, or as far as the PTX tells.
std::string shown_type(const Parameter& p) {
  if (!p.cpp.empty()) return p.cpp;
  if (p.kind == Kind::Struct) return fmt::format("{} bytes", p.bytes);
  if (p.pointer && p.element.empty()) return "pointer";
  return p.pointer ? p.element + "*" : p.type.empty() ? fmt::format("b{}", 8 * p.bytes) : p.type;
}

const char* wanted(const Parameter& p) {
  if (!p.object.empty())
    return p.object == "surface" ? "a surface: surf:out:…, surf:inout:FILE.npy"
                                 : "a texture: tex:random:…, tex,linear:in:FILE.npy";
  if (p.pointer && is_pointer(p.cpp.substr(0, std::min(p.cpp.rfind('*'), p.cpp.size()))))
    return "a table of arrays: 4*random:…, {random:…,in:FILE.npy}";
  if (p.pointer) return p.read_only ? "an array: random:…, in:FILE.npy" : "an array: out:…, inout:FILE.npy";
  switch (p.kind) {
    case Kind::Float:
      return "a number";
    case Kind::Integer:
      return p.bytes == 8 && p.cpp.empty() ? "a whole number or an array" : "a whole number";
    case Kind::Struct:
      return "a struct: its members, {…}, or hex:…";
    case Kind::Unknown:
      return p.bytes == 1 ? "a number with its type, as u8:1; {} for a struct without members"
                          : "a number with its type, as s32:1";
  }
  return "";
}

}  // namespace

bool wants_dynamic_shared(const ir::Module& module, const std::string& kernel) {
  const ir::Function* entry = module.find_function(kernel);
  if (!entry) return false;
  const auto shared = analysis::reach(module, *entry).shared;
  return std::any_of(shared.begin(), shared.end(),
                     [&](ir::SymbolId symbol) { return module.variable(symbol).bytes == 0; });
}

uint64_t whole_number_of(const ExampleLaunch& e) {
  return e.factors > 0 ? factor_of(e.wide() * e.high() * e.elements, e.factors)
         : e.size > 0  ? e.size
                       : e.wide();
}

std::vector<ExampleLaunch> examples_for(const std::vector<Parameter>& parameters, const device::Dim3& grid,
                                        const device::Dim3& block, const KernelShape& shape, uint64_t shared,
                                        bool wants_shared) {
  std::vector<BlockLayout> layouts = block_layouts(shape);
  if (block.x > 0) {
    BlockLayout given{block.x, block.y, block.z, block.x, block.y, block.z};
    cover(given, shape);
    layouts = {given};
  }
  const auto whole = [](const Parameter& p) {
    return p.kind == Kind::Integer && !p.pointer && p.object.empty();
  };
  const auto sizes = static_cast<uint64_t>(std::count_if(parameters.begin(), parameters.end(), whole));
  std::vector<ExampleLaunch> out;
  const auto add = [&](const BlockLayout& l, uint64_t more, uint64_t factors) {
    ExampleLaunch e;
    e.block = dim(l.x, l.y, l.z);
    e.covers = dim(l.wide, l.high, l.deep);
    e.tiles = e.covers != e.block && shape.per_thread == std::array<uint64_t, 3>{1, 1, 1};
    e.one_block = shape.one_block;
    e.grid = grid.x > 0 ? grid : shape.one_block ? dim(1, 1, 1) : small_grid(e.covers, shape.grid);
    e.shared = shared;
    e.directions = shape.grid, e.elements = more, e.factors = factors;
    if (wants_shared && shared == 0) e.shared = std::max<uint64_t>(4096, 8 * e.block.count());
    fill_arguments(parameters, e);
    out.push_back(std::move(e));
  };
  for (const uint64_t more : {1, 4, 32})  // elements of arrays for each thread
    for (const BlockLayout& l : layouts) add(l, more, 0);
  if (sizes > 1)
    for (const uint64_t more : {1, 32})
      for (const BlockLayout& l : layouts) add(l, more, sizes);
  if (sizes > 1 && shape.grid == 1) add(layouts[0], 1024, 0);  // a thread for each row
  if (sizes > 1)  // a row of a fixed length for each pair of them
    for (const BlockLayout& l : layouts) add(l, 1024, sizes + 1);
  // Sizes that the source has, 1024 x 1024; a thread for each row; eight million elements.
  for (const uint64_t more : {256, 1024, 8192})
    if (more == 256 || shape.grid == 1)
      for (const BlockLayout& l : layouts) add(l, more, 0);
  return out;
}

ExampleLaunch grown(const ExampleLaunch& example, const std::vector<Parameter>& parameters, uint32_t times,
                    bool same_sizes) {
  ExampleLaunch e = example;
  if (same_sizes && e.size == 0 && e.factors == 0) e.size = e.wide();
  e.grid.x *= times;
  if (e.directions > 1) e.grid.y *= times;
  if (e.directions > 2) e.grid.z *= times;
  if (e.directions > 1) e.halo *= times;  // a row, often
  fill_arguments(parameters, e);
  return e;
}

ExampleLaunch with_integers(const ExampleLaunch& example, const std::vector<Parameter>& parameters,
                            ExampleLaunch::Integers integers) {
  ExampleLaunch e = example;
  e.integers = integers;
  fill_arguments(parameters, e);
  return e;
}

ExampleLaunch with_real(const ExampleLaunch& example, const std::vector<Parameter>& parameters,
                        const std::string& real) {
  ExampleLaunch e = example;
  e.real = real;
  fill_arguments(parameters, e);
  return e;
}

ExampleLaunch with_number(const ExampleLaunch& example, const std::vector<Parameter>& parameters,
                          size_t place, uint64_t number) {
  ExampleLaunch e = example;
  e.fixed[place] = number;
  fill_arguments(parameters, e);
  return e;
}

std::optional<ExampleLaunch> with_halo(const ExampleLaunch& example, const std::vector<Parameter>& parameters,
                                       const std::string& fault) {
  constexpr uint64_t kMostBytes = 1 << 16;  // a row and more of the arrays that are tried
  const std::regex outside(example.halo > 0
                               ? "(\\d+) bytes (before the allocation|past the end of the allocation)"
                               : "(\\d+) bytes before the allocation");
  std::smatch match;
  if (!std::regex_search(fault, match, outside)) return {};
  const uint64_t element = std::max<uint64_t>(element_bytes(parameters), 1), bytes = std::stoull(match[1]);
  if (bytes > kMostBytes) return {};
  ExampleLaunch e = example;
  e.halo += (bytes + element) / element;  // past the end, 0 bytes are one element
  if (match[2].str().starts_with("before") || bytes > 0)
    e.halo = example.halo + (bytes + element - 1) / element;
  fill_arguments(parameters, e);
  return e;
}

bool meets_grid(const ir::Module& module, const std::string& kernel) {
  const auto& names = ir::special_registers();
  const ir::Function* entry = module.find_function(kernel);
  for (const ir::Function& f : module.functions) {
    if (f.entry && &f != entry) continue;
    for (const ir::Block& block : f.blocks)
      for (const ir::Instruction& in : block.instructions)
        for (const ir::Operand& o : in.operands)
          if (o.kind == ir::Operand::Kind::Special && names[o.special].name.starts_with("envreg"))
            return true;
  }
  return false;
}

std::string own_launches_note(const LaunchOptions& o) {
  for (const std::string& file : o.files) {
    const auto text = file.ends_with(".cu") ? read_file(file) : Result<std::string>(std::string());
    if (text && std::regex_search(*text, std::regex("\\bmain\\s*\\(")))
      return fmt::format("note: {} has a main(): `warpwright profile {}` counts the launches that it makes\n",
                         printable(file), printable(file_in_shell(file)));
  }
  return {};
}

std::string command_of(const LaunchOptions& o, const ExampleLaunch& e, bool cooperative) {
  std::string line = fmt::format("warpwright {}", o.purpose == Purpose::Launch  ? "launch"
                                                  : o.purpose == Purpose::Watch ? "watch"
                                                                                : "explain");
  for (const std::string& file : o.files) line += " " + file_in_shell(file);
  if (!o.kernel.empty()) line += " --kernel " + in_shell(o.kernel);
  line += fmt::format(" --grid {} --block {}", extent(e.grid), extent(e.block));
  if (e.shared > 0) line += fmt::format(" --shared {}", e.shared);
  if (cooperative) line += " --cooperative";
  for (const std::string& path : o.compile.includes) line += " -I " + in_shell(path);
  for (const std::string& define : o.compile.defines) line += " -D " + in_shell(define);
  for (const std::string& flag : o.compile.flags) line += " " + in_shell("--flag=" + flag);
  if (!e.arguments.empty()) line += " --arg";
  for (const std::string& text : e.arguments) line += " " + in_shell(text);
  return line;
}

std::string parameters_help(const LaunchOptions& o, const std::string& kernel,
                            const std::vector<Parameter>& parameters,
                            const std::vector<ExampleLaunch>& examples, bool cooperative,
                            const std::function<bool(const ExampleLaunch&)>& runs) {
  std::string out =
      parameters.empty() ? kernel + " has no parameters.\n" : fmt::format("The parameters of {}:\n", kernel);
  size_t name_width = 0, type_width = 1;
  for (const Parameter& p : parameters) {
    name_width = std::max(name_width, columns(p.name));
    type_width = std::max(type_width, columns(shown_type(p)));
  }
  for (size_t i = 0; i < parameters.size(); ++i) {
    const Parameter& p = parameters[i];
    out += fmt::format("  {:2}  {:{}}{}{:{}}  {}\n", i + 1, printable(p.name), name_width,
                       name_width > 0 ? "  " : "", printable(shown_type(p)), type_width, wanted(p));
    for (const ptx::DebugMember& m : p.members)
      if (p.members.size() <= 16 && !m.path.empty())
        out += fmt::format("        .{}  {}\n", printable(m.path), printable(m.type));
  }
  const auto good = std::find_if(examples.begin(), examples.end(), runs);
  if (good == examples.end()) return out + "What --arg takes: warpwright launch --help, docs/launch.md\n";
  return out + "For example (tried, it runs):\n  " + command_of(o, *good, cooperative) + "\n";
}

}  // namespace ww::cli
