#include "engine/matrix/format.h"

#include <algorithm>
#include <bit>
#include <cstdio>
#include <optional>

#include "engine/library/printed.h"

namespace ww::engine {

namespace {

using Kind = Conversion::Kind;

// Wider fields than a launch may print are dropped with the whole text, so their exact width does not matter.
constexpr int kWidest = static_cast<int>(kPrintLimit) + 1;

Kind kind_of(char letter) {
  switch (letter) {
    case 'd':
    case 'i':
      return Kind::Signed;
    case 'o':
    case 'u':
    case 'x':
    case 'X':
      return Kind::Unsigned;
    case 'e':
    case 'E':
    case 'f':
    case 'F':
    case 'g':
    case 'G':
    case 'a':
    case 'A':
      return Kind::Float;
    case 'c':
      return Kind::Character;
    case 's':
      return Kind::Text;
    case 'p':
      return Kind::Pointer;
    default:
      return Kind::None;
  }
}

class Parser {
 public:
  explicit Parser(std::string_view text) : text_(text) {}

  std::vector<Conversion> parse() {
    std::vector<Conversion> all(1);
    while (at_ < text_.size()) {
      char c = text_[at_];
      if (c == '%' && at_ + 1 < text_.size() && text_[at_ + 1] == '%') {
        all.back().before += '%';
        at_ += 2;
      } else if (c == '%' && conversion(all.back())) {
        all.emplace_back();
      } else {
        all.back().before += c;
        ++at_;
      }
    }
    return all;
  }

 private:
  /// Reads a conversion from the '%'; false (and nothing changed) if it is none.
  bool conversion(Conversion& c) {
    size_t begin = at_++;
    Conversion read;
    while (at_ < text_.size() && std::string_view("#'0+- ").find(text_[at_]) != std::string_view::npos) {
      if (read.flags.find(text_[at_]) == std::string::npos) read.flags += text_[at_];
      ++at_;
    }
    number(read.width, read.width_is_argument);
    if (at_ < text_.size() && text_[at_] == '.') {
      ++at_;
      read.precision = 0;
      number(read.precision, read.precision_is_argument);
    }
    size_t size = at_;
    while (at_ < text_.size() && std::string_view("hlzjtL").find(text_[at_]) != std::string_view::npos) ++at_;
    std::string_view written = text_.substr(size, at_ - size);
    bool known = written.empty() || written == "h" || written == "hh" || written == "l" || written == "ll" ||
                 written == "L" || written == "z" || written == "j" || written == "t";
    read.kind = known && at_ < text_.size() ? kind_of(text_[at_]) : Kind::None;
    if (read.kind == Kind::None) {
      at_ = begin;
      return false;
    }
    read.letter = text_[at_++];
    if (read.kind == Kind::Signed || read.kind == Kind::Unsigned)
      read.size = written.empty() || written[0] == 'h' ? std::string(written) : "ll";
    read.before = std::move(c.before);
    read.written = text_.substr(begin, at_ - begin);
    c = std::move(read);
    return true;
  }

  void number(int& value, bool& is_argument) {
    if (at_ < text_.size() && text_[at_] == '*') {
      is_argument = true;
      ++at_;
      return;
    }
    for (; at_ < text_.size() && text_[at_] >= '0' && text_[at_] <= '9'; ++at_)
      value = std::min(std::max(value, 0) * 10 + (text_[at_] - '0'), kWidest);
  }

  std::string_view text_;
  size_t at_ = 0;
};

/// What the host's snprintf makes of one value under a format that was put together here.
template <class T>
void print(const std::string& format, T value, std::string& out) {
  char small[128];
  int length = std::snprintf(small, sizeof small, format.c_str(), value);
  if (length < 0) return;
  if (static_cast<size_t>(length) < sizeof small) {
    out.append(small, static_cast<size_t>(length));
    return;
  }
  std::string large(static_cast<size_t>(length) + 1, '\0');
  std::snprintf(large.data(), large.size(), format.c_str(), value);
  out.append(large, 0, static_cast<size_t>(length));
}

}  // namespace

std::vector<Conversion> parse_format(std::string_view format) { return Parser(format).parse(); }

int format_text(const std::vector<Conversion>& conversions, const PrintfSource& source, std::string& out) {
  int taken = 0;
  auto star = [&] { return static_cast<int>(static_cast<u32>(source.argument(4))); };
  for (const Conversion& c : conversions) {
    out += c.before;
    if (c.kind == Kind::None) continue;
    int needed = 1 + c.width_is_argument + c.precision_is_argument;
    if (taken + needed > kMostPrintfArguments) {
      taken = kMostPrintfArguments;  // those behind it are ignored as well
      out += c.written;
      continue;
    }
    taken += needed;
    std::string format = "%" + c.flags;
    int width = c.width_is_argument ? star() : c.width;
    if (c.width_is_argument && width < 0) {  // as C has it: the flag '-' and a width
      format += '-';
      width = width == INT32_MIN ? kWidest : -width;
    }
    if (width >= 0 && (c.width_is_argument || c.width >= 0))
      format += std::to_string(std::min(width, kWidest));
    int precision = c.precision_is_argument ? star() : c.precision;
    if (precision >= 0) format += "." + std::to_string(std::min(precision, kWidest));
    u64 value = source.argument(c.bytes());
    switch (c.kind) {
      case Kind::Signed:
      case Kind::Unsigned:
        format += c.size;
        format += c.letter;
        if (c.size == "ll")
          print(format, static_cast<unsigned long long>(value), out);
        else
          print(format, static_cast<u32>(value), out);
        break;
      case Kind::Float:
        print(format + c.letter, std::bit_cast<double>(value), out);
        break;
      case Kind::Character:
        print(format + 'c', static_cast<int>(value), out);
        break;
      case Kind::Pointer:
        print(format + 'p', reinterpret_cast<const void*>(value), out);
        break;
      default: {
        std::string text = "(null)";
        u64 most = precision >= 0 ? static_cast<u64>(precision) : kPrintLimit + 1;
        if (value != 0 && !source.text(value, most, text)) return -1;
        print(format + 's', text.c_str(), out);
      }
    }
  }
  return taken;
}

}  // namespace ww::engine
