#include "cli/launch/example_arguments.h"

#include <fmt/format.h>

#include <bit>

#include "cli/compile/cpp_types.h"

namespace ww::cli {

namespace {

using Kind = Parameter::Kind;

bool is_real(const std::string& element) { return element[0] == 'f' || element == "bf16"; }
bool is_digits(const std::string& text) { return text.find_first_not_of("0123456789") == text.npos; }

/// "4" times "n" is "4 * n", times "256" is "1024".
std::string times(uint64_t factor, const std::string& size) {
  if (factor == 1) return size;
  return is_digits(size) ? std::to_string(factor * std::stoull(size)) : fmt::format("{} * {}", factor, size);
}

class Writer {
 public:
  Writer(const ExampleSizes& sizes, uint64_t pitch) : sizes_(sizes), pitch_(pitch) {}

  void add(const Parameter& p, size_t index);
  ExampleArguments done() { return std::move(out_); }

 private:
  std::string shape(uint64_t lanes) const {
    const std::string row = times(sizes_.times * lanes, sizes_.wide);
    if (sizes_.halo > 0 && sizes_.study)
      return fmt::format("{}{} + {}", sizes_.high.empty() ? "" : sizes_.high + " * ", row, 2 * sizes_.halo);
    if (sizes_.halo > 0) {
      const uint64_t all = std::stoull(row) * (sizes_.high.empty() ? 1 : std::stoull(sizes_.high));
      return std::to_string(all + 2 * sizes_.halo);
    }
    return sizes_.high.empty() ? row : fmt::format("{}{}{}", sizes_.high, sizes_.study ? ", " : ",", row);
  }

  /// `written`, `loaded`: by the kernel. Floating-point numbers that it loads are random.
  std::string array(const std::string& name, const std::string& element, uint64_t lanes, bool loaded,
                    bool written, const std::string& file, bool flag = false, bool places = false) {
    const std::string type = element.empty() ? "f32" : element;
    const bool real = is_real(type);
    flag = flag && written && !real;
    const bool first = out_.read.empty();
    if (loaded && !real) (!flag ? out_.read : places ? out_.places : out_.flags).push_back(name);
    const char* kind = flag && places                                ? "range"
                       : !loaded || flag                             ? "out"
                       : real || sizes_.integers == Integers::Random ? "random"
                       : sizes_.integers == Integers::Range          ? "range"
                       : sizes_.integers == Integers::First && first ? "range"
                                                                     : "out";
    std::string text = fmt::format("{}:{}[{}]", kind, type, shape(lanes));
    if (written && !sizes_.study && type != "bf16") text += ":" + file + ".npy";
    return sizes_.halo > 0 ? fmt::format("{}+{}", text, sizes_.halo) : text;
  }

  /// Of a parameter of this many bytes; `type`: "" where it is not known.
  std::string number(bool real, uint64_t bytes, bool known, size_t index) const {
    if (real) return sizes_.real;
    if (const auto it = sizes_.fixed.find(index); it != sizes_.fixed.end()) return std::to_string(it->second);
    if (bytes == 1) return known ? "1" : "u8:1";
    return known ? sizes_.whole : fmt::format("u{}:{}", 8 * bytes, sizes_.whole);
  }

  void members(const Parameter& p, const std::string& file, size_t index);

  const ExampleSizes& sizes_;
  const uint64_t pitch_;
  ExampleArguments out_;
};

void Writer::members(const Parameter& p, const std::string& file, size_t index) {
  for (const ptx::DebugMember& m : p.members) {
    const std::string element = element_name(m.type), path = p.name + (m.path.empty() ? "" : "." + m.path);
    const bool input = m.type.starts_with("const ");
    if (is_pointer(m.type))
      out_.texts.push_back(path + "=" +
                           array(path, element, lanes_of(m.type), input, !input, file + "_" + m.path));
    else if (!element.empty())
      out_.texts.push_back(path + "=" + number(is_real(element), m.bytes, true, index));
  }
}

/// Bytes from row to row, as cudaMallocPitch gives them.
bool is_pitch(const Parameter& p) {
  return p.kind == Kind::Integer && !p.pointer && p.bytes == 8 && p.name.find("itch") != p.name.npos;
}

/// A number of bits to shift by: 4 of them, where the size of an array would leave none of any number. The
/// stages of a fast Fourier transform or a sort are of 1, 2, 4, … elements.
bool is_shift(const Parameter& p) {
  return p.kind == Kind::Integer && !p.pointer && (p.name.find("shift") != p.name.npos || p.name == "stage");
}

/// Bits of a place in a table of a power of two: all of them, not the highest one alone.
bool is_mask(const Parameter& p) {
  return p.kind == Kind::Integer && !p.pointer && p.bytes >= 4 && p.name.find("mask") != p.name.npos;
}

/// The logarithm of a size.
bool is_logarithm(const Parameter& p) {
  return p.kind == Kind::Integer && !p.pointer && (p.name.starts_with("log") || p.name.ends_with("log2"));
}

void Writer::add(const Parameter& p, size_t index) {
  constexpr size_t kMostMembers = 48;  // of a struct that is written member by member
  std::vector<std::string>& out = out_.texts;
  std::string name = p.name.empty() ? "" : p.name + "=";
  const std::string file = p.name.empty() ? fmt::format("array{}", index + 1) : p.name;
  const bool array_of = p.pointer || (p.bytes == 8 && p.kind == Kind::Integer && p.cpp.empty());
  const std::string pointee = p.cpp.substr(0, std::min(p.cpp.rfind('*'), p.cpp.size()));
  if (name.empty() && array_of && sizes_.study)
    name = fmt::format("arg{}=", index + 1);  // arrays have names there
  if (!p.object.empty()) {
    out.push_back(name + texture_text(p.texture, sizes_.wide, sizes_.high));
  } else if (p.pointer && is_pointer(pointee)) {  // float**
    const std::string element = element_name(pointee);
    const std::string type = element.empty() ? "f32" : element;
    out.push_back(fmt::format("{}{}*{}:{}[{}]", name, sizes_.arrays, is_real(type) ? "random" : "out", type,
                              times(sizes_.times * lanes_of(pointee), sizes_.wide)));
  } else if (array_of) {
    const bool written = !p.read_only && !p.unwritten;
    out.push_back(name + array(file, p.element.empty() ? p.accessed : p.element, lanes_of(p.cpp),
                               !written || p.loaded, written, file, sizes_.flags.contains(index), p.places));
  } else if (p.kind == Kind::Unknown && !p.cpp.empty() && element_name(p.cpp).empty()) {
    out.push_back(name + (sizes_.study ? "hex:" + std::string(2 * p.bytes, '0')
                                       : "{}"));  // a struct without members, as functors are
  } else if (p.kind != Kind::Struct) {
    std::string text = number(p.kind == Kind::Float, p.bytes, p.kind != Kind::Unknown, index);
    if (is_pitch(p)) text = times(pitch_, sizes_.whole);
    if (is_shift(p) && !sizes_.fixed.contains(index)) text = "4";
    if (is_mask(p) && !sizes_.fixed.contains(index))
      text = is_digits(sizes_.whole) ? std::to_string(std::stoull(sizes_.whole) - 1) : sizes_.whole + " - 1";
    if (is_logarithm(p) && !sizes_.fixed.contains(index))
      text = is_digits(sizes_.whole) ? std::to_string(std::bit_width(std::stoull(sizes_.whole)) - 1)
                                     : fmt::format("log2({})", sizes_.whole);
    out.push_back(name + text);
  } else if (p.members.empty() || p.name.empty() || p.members.size() > kMostMembers) {
    out.push_back(name + "hex:" + std::string(2 * p.bytes, '0'));
  } else {
    members(p, file, index);
  }
}

}  // namespace

uint64_t element_bytes(const std::vector<Parameter>& parameters) {
  for (const Parameter& p : parameters) {
    const size_t digits = p.element.find_first_of("0123456789");
    if (p.pointer && digits != p.element.npos) return std::stoul(p.element.substr(digits)) / 8;
  }
  return 1;
}

ExampleArguments example_arguments(const std::vector<Parameter>& parameters, const ExampleSizes& sizes) {
  Writer writer(sizes, element_bytes(parameters));
  for (size_t i = 0; i < parameters.size(); ++i) writer.add(parameters[i], i);
  return writer.done();
}

}  // namespace ww::cli
