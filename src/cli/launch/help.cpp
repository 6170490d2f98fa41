#include "cli/launch/help.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <regex>

#include "base/file.h"
#include "base/text.h"
#include "cli/compile/cpp_types.h"

namespace ww::cli {

namespace {

using Kind = Parameter::Kind;

std::string in_shell(const std::string& word) {
  return word.find_first_of(" \t\n'\"\\$`*?<>|&;()#[]{}") == word.npos && !word.empty()
             ? word
             : fmt::format("'{}'", word);
}

std::string extent(const device::Dim3& d) {
  if (d.z > 1) return fmt::format("{},{},{}", d.x, d.y, d.z);
  return d.y > 1 ? fmt::format("{},{}", d.x, d.y) : fmt::format("{}", d.x);
}

std::string npy_element(const std::string& element) {
  return element.empty() ? "f32" : element == "bf16" ? "u16" : element;
}

/// What the arrays of one example are like.
struct ArrayTexts {
  std::string shape;
  ExampleLaunch& example;

  /// `written`, `loaded`: by the kernel. Floating-point numbers that it loads are random.
  std::string of(const std::string& name, const std::string& element, bool loaded, bool written,
                 const std::string& file) const {
    using Integers = ExampleLaunch::Integers;
    const std::string type = npy_element(element);
    const bool real = type[0] == 'f';
    if (loaded && !real) example.read.push_back(name);
    const char* kind = !loaded                                        ? "out"
                       : real || example.integers == Integers::Random ? "random"
                       : example.integers == Integers::Range          ? "range"
                                                                      : "out";
    std::string out = fmt::format("{}:{}[{}]", kind, type, shape);
    if (written) out += ":" + file + ".npy";
    return example.halo > 0 ? fmt::format("{}+{}", out, example.halo) : out;
  }
};

std::string number_text(const Parameter& p, uint64_t n) {
  if (p.kind == Kind::Float) return "1.5";
  if (p.bytes == 1) return "1";
  return p.kind == Kind::Unknown ? fmt::format("u{}:{}", 8 * p.bytes, n) : std::to_string(n);
}

constexpr size_t kMostMembers = 48;  // of a struct that is written member by member

/// Threads of the grid, and elements of arrays.
struct ThreadSpan {
  std::string wide, high;  ///< no height: a row
  std::string shape;
};

/// What --arg gets for one parameter; several for a struct.
void add_texts(const Parameter& p, size_t index, const ThreadSpan& span, uint64_t n, ExampleLaunch& e) {
  const ArrayTexts arrays{span.shape, e};
  std::vector<std::string>& out = e.arguments;
  const std::string name = p.name.empty() ? "" : p.name + "=";
  const std::string file = p.name.empty() ? fmt::format("array{}", index + 1) : p.name;
  const bool array = p.pointer || (p.bytes == 8 && p.kind == Kind::Integer && p.cpp.empty());
  if (!p.object.empty()) {
    out.push_back(name + texture_text(p.texture, span.wide, span.high));
  } else if (array) {
    const bool written = !p.read_only && !p.unwritten;
    out.push_back(name + arrays.of(file, p.element, !written || p.loaded, written, file));
  } else if (p.kind != Kind::Struct) {
    out.push_back(name + number_text(p, n));
  } else if (p.members.empty() || p.name.empty() || p.members.size() > kMostMembers) {
    out.push_back(name + "hex:" + std::string(2 * p.bytes, '0'));
  } else {
    for (const ptx::DebugMember& m : p.members) {
      const std::string element = element_name(m.type),
                        path = p.name + (m.path.empty() ? "" : "." + m.path) + "=";
      const bool input = m.type.starts_with("const ");
      if (is_pointer(m.type))
        out.push_back(
            path + arrays.of(path.substr(0, path.size() - 1), element, input, !input, file + "_" + m.path));
      else if (!element.empty())
        out.push_back(path + (element[0] == 'f' || element == "bf16" ? "1.5"
                              : m.bytes == 1                         ? "1"
                                                                     : std::to_string(n)));
    }
  }
}

/// Bytes from row to row, as cudaMallocPitch gives them.
bool is_pitch(const Parameter& p) {
  return p.kind == Kind::Integer && !p.pointer && p.bytes == 8 && p.name.find("itch") != p.name.npos;
}

/// Of the first array whose elements are known.
uint64_t element_bytes(const std::vector<Parameter>& parameters) {
  for (const Parameter& p : parameters) {
    const size_t digits = p.element.find_first_of("0123456789");
    if (p.pointer && digits != p.element.npos) return std::stoul(p.element.substr(digits)) / 8;
  }
  return 1;
}

/// The largest power of two whose `factors`-th power is not above `elements`, and at least 8.
uint64_t factor_of(uint64_t elements, uint64_t factors) {
  uint64_t out = 8;
  while (std::pow(2.0 * static_cast<double>(out), static_cast<double>(factors)) <=
         static_cast<double>(elements))
    out *= 2;
  return out;
}

/// Arrays as large as the threads ask, numbers as they are.
void fill_arguments(const std::vector<Parameter>& parameters, ExampleLaunch& e) {
  const uint64_t wide = uint64_t{e.grid.x} * e.block.x,
                 high = uint64_t{e.grid.y} * e.block.y * e.grid.z * e.block.z;
  const uint64_t row = wide * e.elements;
  ThreadSpan span{std::to_string(wide), high > 1 ? std::to_string(high) : "",
                  high > 1 ? fmt::format("{},{}", high, row) : std::to_string(row)};
  if (e.halo > 0) span.shape = std::to_string(std::max<uint64_t>(high, 1) * row + 2 * e.halo);
  e.arguments.clear();
  e.read.clear();
  const uint64_t n = e.factors > 0 ? factor_of(wide * high * e.elements, e.factors)
                     : e.size > 0  ? e.size
                                   : wide;
  for (size_t i = 0; i < parameters.size(); ++i)
    add_texts(parameters[i], i, span, is_pitch(parameters[i]) ? n * element_bytes(parameters) : n, e);
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
  if (p.pointer) return p.read_only ? "an array: random:…, in:FILE.npy" : "an array: out:…, inout:FILE.npy";
  switch (p.kind) {
    case Kind::Float:
      return "a number";
    case Kind::Integer:
      return p.bytes == 8 && p.cpp.empty() ? "a whole number or an array" : "a whole number";
    case Kind::Struct:
      return "a struct: its members, {…}, or hex:…";
    case Kind::Unknown:
      return "a number with its type, as s32:1";
  }
  return "";
}

}  // namespace

bool asks_for_plane(const ir::Module& module, const std::string& kernel) {
  const ir::Function* f = module.find_function(kernel);
  if (!f) return false;
  const auto& names = ir::special_registers();
  for (const ir::Block& block : f->blocks)
    for (const ir::Instruction& in : block.instructions)
      for (const ir::Operand& o : in.operands)
        if (o.kind == ir::Operand::Kind::Special &&
            (names[o.special].name == "tid.y" || names[o.special].name == "ctaid.y"))
          return true;
  return false;
}

uint64_t directions_of(const ir::Module& module, const std::string& kernel) {
  const ir::Function* f = module.find_function(kernel);
  uint64_t out = 1;
  if (!f) return out;
  const auto& names = ir::special_registers();
  for (const ir::Block& block : f->blocks)
    for (const ir::Instruction& in : block.instructions)
      for (const ir::Operand& o : in.operands)
        if (o.kind == ir::Operand::Kind::Special)
          out = std::max<uint64_t>(out, names[o.special].name == "ctaid.z"   ? 3
                                        : names[o.special].name == "ctaid.y" ? 2
                                                                             : 1);
  return out;
}

bool wants_dynamic_shared(const ir::Module& module) {
  for (ir::SymbolId symbol = 0; symbol < module.symbols.size(); ++symbol) {
    if (module.symbols[symbol].variable < 0) continue;
    const ir::Variable& v = module.variable(symbol);
    if (v.space == ir::Space::Shared && v.bytes == 0) return true;
  }
  return false;
}

std::vector<ExampleLaunch> examples_for(const std::vector<Parameter>& parameters, const device::Dim3& grid,
                                        const device::Dim3& block, const std::vector<device::Dim3>& likely,
                                        uint64_t directions, uint64_t shared, bool wants_shared) {
  std::vector<device::Dim3> blocks = {block};
  if (block.x == 0) {
    blocks = {{256, 1, 1}, {32, 1, 1}};
    if (directions == 2) blocks = {{16, 16, 1}, {32, 32, 1}, {32, 8, 1}};
    if (directions == 3) blocks = {{8, 8, 4}, {8, 8, 8}, {32, 4, 4}};
    std::erase_if(blocks, [&](const device::Dim3& b) {
      return std::find(likely.begin(), likely.end(), b) != likely.end();
    });
    blocks.insert(blocks.begin(), likely.begin(), likely.end());
  }
  const auto whole = [](const Parameter& p) {
    return p.kind == Kind::Integer && !p.pointer && p.object.empty();
  };
  const auto sizes = static_cast<uint64_t>(std::count_if(parameters.begin(), parameters.end(), whole));
  std::vector<ExampleLaunch> out;
  const auto add = [&](const device::Dim3& b, uint64_t more, uint64_t factors) {
    ExampleLaunch e;
    e.block = b;
    e.grid = grid;
    e.shared = shared;
    e.directions = directions, e.elements = more, e.factors = factors;
    if (wants_shared && shared == 0) e.shared = std::max<uint64_t>(4096, 8 * b.count());
    if (grid.x == 0)
      e.grid = directions == 3
                   ? device::Dim3{32 / std::min(b.x, 32u), 32 / std::min(b.y, 32u), 32 / std::min(b.z, 32u)}
               : directions == 2 ? device::Dim3{64 / std::min(b.x, 64u), 64 / std::min(b.y, 64u), 1}
                                 : device::Dim3{1024 / std::min(b.x, 1024u), 1, 1};
    fill_arguments(parameters, e);
    out.push_back(std::move(e));
  };
  for (const uint64_t more : {1, 4, 32})  // elements of arrays for each thread
    for (const device::Dim3& b : blocks) add(b, more, 0);
  if (sizes > 1)
    for (const uint64_t more : {1, 32})
      for (const device::Dim3& b : blocks) add(b, more, sizes);
  // Sizes that the source has, 1024 x 1024; a thread for each row; eight million elements.
  for (const uint64_t more : {256, 1024, 8192})
    if (more == 256 || directions == 1)
      for (const device::Dim3& b : blocks) add(b, more, 0);
  return out;
}

ExampleLaunch grown(const ExampleLaunch& example, const std::vector<Parameter>& parameters, uint32_t times,
                    bool same_sizes) {
  ExampleLaunch e = example;
  if (same_sizes && e.size == 0 && e.factors == 0) e.size = uint64_t{e.grid.x} * e.block.x;
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
                         printable(file), printable(in_shell(file)));
  }
  return {};
}

std::string command_of(const LaunchOptions& o, const ExampleLaunch& e, bool cooperative) {
  std::string line = fmt::format("warpwright {}", o.purpose == Purpose::Launch  ? "launch"
                                                  : o.purpose == Purpose::Watch ? "watch"
                                                                                : "explain");
  for (const std::string& file : o.files) line += " " + in_shell(file);
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
  if (examples.empty()) return out;
  const auto good = std::find_if(examples.begin(), examples.end(), runs);
  out += good == examples.end() ? "For example, with guessed sizes:\n" : "For example (tried, it runs):\n";
  return out + "  " + command_of(o, good == examples.end() ? examples.front() : *good, cooperative) + "\n";
}

}  // namespace ww::cli
