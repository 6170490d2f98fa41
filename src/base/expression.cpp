#include "base/expression.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <optional>

#include "base/text.h"

namespace ww {

namespace {

bool letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
bool digit(char c) { return c >= '0' && c <= '9'; }

/// The identifier at `at` with what belongs to it; where it ends.
size_t end_of_name(std::string_view text, size_t at) {
  while (at < text.size() && (letter(text[at]) || digit(text[at]))) ++at;
  while (at < text.size() && (text[at] == '{' || text[at] == '@')) {
    if (text[at] == '{') {
      const size_t close = text.find('}', at);
      if (close == text.npos) break;
      at = close + 1;
    } else {
      ++at;
      while (at < text.size() && (letter(text[at]) || digit(text[at]) || text[at] == '.')) ++at;
    }
  }
  return at;
}

/// Where a number literal ends.
size_t end_of_number(std::string_view text, size_t at) {
  while (at < text.size() && (digit(text[at]) || text[at] == '.')) ++at;
  if (at < text.size() && (text[at] == 'e' || text[at] == 'E')) {
    size_t next = at + 1;
    if (next < text.size() && (text[next] == '+' || text[next] == '-')) ++next;
    if (next < text.size() && digit(text[next])) {
      at = next;
      while (at < text.size() && digit(text[at])) ++at;
    }
  }
  return at;
}

constexpr int kDeepestExpression = 100;

/// Reads and computes at once. After the first complaint everything is 0.
class Evaluator {
 public:
  Evaluator(std::string_view text, const Location& where, const ValueOfName& value_of)
      : text_(text), where_(where), value_of_(value_of) {}

  Result<ExpressionValue> run() {
    const ExpressionValue value = choice();
    skip();
    if (!wrong_ && at_ < text_.size())
      complain(at_, fmt::format("'{}' is not expected here", printable(text_.substr(at_, 1))));
    if (wrong_) return *wrong_;
    return value;
  }

 private:
  using Value = ExpressionValue;

  Value complain(size_t at, std::string message, std::string hint = {}) {
    if (!wrong_) {
      Location place = where_;
      if (place.known()) place.column += static_cast<int>(at);
      if (hint.empty()) hint = fmt::format("in '{}'", printable(shortened(text_, 100)));
      wrong_ = error_at(place, std::move(message), std::move(hint));
    }
    at_ = text_.size();
    return int64_t{0};
  }

  void skip() {
    while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\t')) ++at_;
  }
  bool take(std::string_view sign) {
    skip();
    if (!text_.substr(at_).starts_with(sign)) return false;
    at_ += sign.size();
    return true;
  }
  static bool truth(const Value& v) { return real_of(v) != 0; }
  static bool whole(const Value& a, const Value& b) {
    return std::holds_alternative<int64_t>(a) && std::holds_alternative<int64_t>(b);
  }

  Value choice() {
    if (++depth_ > kDeepestExpression) return complain(at_, "too many expressions in expressions");
    const Value condition = either();
    --depth_;
    if (!take("?")) return condition;
    const Value yes = choice();
    if (!take(":")) return complain(at_, "':' is missing after '?'");
    const Value no = choice();
    return truth(condition) ? yes : no;
  }
  Value either() {
    Value left = both();
    while (take("||")) {
      const Value right = both();
      left = int64_t{truth(left) || truth(right)};
    }
    return left;
  }
  Value both() {
    Value left = comparison();
    while (take("&&")) {
      const Value right = comparison();
      left = int64_t{truth(left) && truth(right)};
    }
    return left;
  }
  Value comparison() {
    const Value left = sum();
    for (std::string_view sign : {"==", "!=", "<=", ">=", "<", ">"}) {
      if (!take(sign)) continue;
      const Value right = sum();
      const auto compared = [&](auto a, auto b) {
        return sign == "=="   ? a == b
               : sign == "!=" ? a != b
               : sign == "<=" ? a <= b
               : sign == ">=" ? a >= b
               : sign == "<"  ? a < b
                              : a > b;
      };
      const bool holds = whole(left, right) ? compared(std::get<int64_t>(left), std::get<int64_t>(right))
                                            : compared(real_of(left), real_of(right));
      return int64_t{holds};
    }
    return left;
  }
  Value sum() {
    Value left = product();
    for (;;) {
      const size_t at = at_;
      if (take("+"))
        left = arithmetic('+', left, product(), at);
      else if (take("-"))
        left = arithmetic('-', left, product(), at);
      else
        return left;
    }
  }
  Value product() {
    Value left = single();
    for (;;) {
      const size_t at = at_;
      if (take("*"))
        left = arithmetic('*', left, single(), at);
      else if (take("/"))
        left = arithmetic('/', left, single(), at);
      else if (take("%"))
        left = arithmetic('%', left, single(), at);
      else
        return left;
    }
  }

  Value arithmetic(char sign, const Value& a, const Value& b, size_t at) {
    if (wrong_) return int64_t{0};
    if (!whole(a, b)) {
      const double x = real_of(a), y = real_of(b);
      if (sign == '%') return y == 0 ? complain(at, "division by zero") : Value(std::fmod(x, y));
      return sign == '+' ? x + y : sign == '-' ? x - y : sign == '*' ? x * y : x / y;
    }
    const int64_t x = std::get<int64_t>(a), y = std::get<int64_t>(b);
    int64_t out = 0;
    bool over = false;
    if (sign == '/' || sign == '%') {
      if (y == 0) return complain(at, "division by zero");
      over = x == INT64_MIN && y == -1;
      if (!over) out = sign == '/' ? x / y : x % y;
    } else {
      over = sign == '+'   ? __builtin_add_overflow(x, y, &out)
             : sign == '-' ? __builtin_sub_overflow(x, y, &out)
                           : __builtin_mul_overflow(x, y, &out);
    }
    return over ? complain(at, "the result does not fit 64 bits") : Value(out);
  }

  Value single() {
    skip();
    if (++depth_ > kDeepestExpression) return complain(at_, "too many expressions in expressions");
    const Value value = operand();
    --depth_;
    return value;
  }

  Value operand() {
    if (at_ >= text_.size())
      return complain(at_, text_.empty() ? "an empty expression" : "the expression ends too early");
    const size_t begin = at_;
    if (take("-")) return arithmetic('-', int64_t{0}, single(), begin);
    if (take("+")) return single();
    if (take("!")) return int64_t{!truth(single())};
    if (take("(")) {
      const Value value = choice();
      return take(")") ? value : complain(at_, "')' is missing");
    }
    if (digit(text_[at_]) || text_[at_] == '.') return literal();
    if (!letter(text_[at_]))
      return complain(at_, fmt::format("'{}' is not expected here", printable(text_.substr(at_, 1))));
    at_ = end_of_name(text_, at_);
    const std::string_view name = text_.substr(begin, at_ - begin);
    if (take("(")) return call(name, begin);
    auto value = value_of_(name);
    if (value) return *value;
    return complain(begin, value.error()[0].message, value.error()[0].hint);
  }

  Value literal() {
    const size_t begin = at_;
    at_ = end_of_number(text_, at_);
    const std::string number(text_.substr(begin, at_ - begin));
    if (number.find_first_of(".eE") == number.npos) {
      int64_t out = 0;
      const auto [end, trouble] = std::from_chars(number.data(), number.data() + number.size(), out);
      return trouble == std::errc() ? Value(out) : complain(begin, "the number does not fit 64 bits");
    }
    char* end = nullptr;
    const double out = std::strtod(number.c_str(), &end);
    if (end != number.c_str() + number.size())
      return complain(begin, fmt::format("'{}' is no number", number));
    return out;
  }

  Value call(std::string_view name, size_t begin) {
    std::vector<Value> given;
    if (!take(")")) {
      do given.push_back(choice());
      while (take(","));
      if (!take(")")) return complain(at_, "')' is missing");
    }
    const bool one = name == "abs" || name == "log2", any = name == "min" || name == "max";
    if (!one && !any && name != "cdiv")
      return complain(begin, fmt::format("there is no function '{}'", printable(name)),
                      "min, max, cdiv, log2 and abs");
    if (any ? given.empty() : given.size() != (one ? 1u : 2u))
      return complain(begin, fmt::format("{} takes {}", name,
                                         one   ? "one number"
                                         : any ? "numbers"
                                               : "two numbers"));
    if (name == "log2") {
      const auto* number = std::get_if<int64_t>(&given[0]);
      if (!number || *number <= 0) return complain(begin, "log2 takes a whole number above 0");
      return static_cast<int64_t>(std::bit_width(static_cast<uint64_t>(*number))) - 1;
    }
    if (one) return real_of(given[0]) < 0 ? arithmetic('-', int64_t{0}, given[0], begin) : given[0];
    if (any) {
      Value best = given[0];
      for (const Value& v : given)
        if (name == "min" ? real_of(v) < real_of(best) : real_of(v) > real_of(best)) best = v;
      return best;
    }
    if (!whole(given[0], given[1])) return complain(begin, "cdiv takes whole numbers");
    const Value quotient = arithmetic('/', given[0], given[1], begin);
    const Value rest = arithmetic('%', given[0], given[1], begin);
    const bool up = real_of(rest) != 0 && (real_of(rest) > 0) == (real_of(given[1]) > 0);
    return arithmetic('+', quotient, int64_t{up}, begin);
  }

  std::string_view text_;
  const Location& where_;
  const ValueOfName& value_of_;
  size_t at_ = 0;
  int depth_ = 0;
  std::optional<Diagnostic> wrong_;
};

}  // namespace

std::string text_of(const ExpressionValue& value) {
  if (const auto* whole = std::get_if<int64_t>(&value)) return fmt::format("{}", *whole);
  std::string text = fmt::format("{}", std::get<double>(value));
  return text.find_first_of(".einf") == text.npos ? text + ".0" : text;
}

double real_of(const ExpressionValue& value) {
  return std::visit([](auto v) { return static_cast<double>(v); }, value);
}

Result<ExpressionValue> evaluate(std::string_view text, const Location& where, const ValueOfName& value_of) {
  return Evaluator(text, where, value_of).run();
}

std::vector<std::string> names_in_expression(std::string_view text) {
  std::vector<std::string> names;
  for (size_t at = 0; at < text.size();) {
    if (digit(text[at]) || text[at] == '.') {
      at = end_of_number(text, at);
    } else if (letter(text[at])) {
      const size_t end = end_of_name(text, at);
      std::string name(text.substr(at, end - at));
      at = end;
      while (at < text.size() && text[at] == ' ') ++at;
      const bool function = at < text.size() && text[at] == '(';
      if (!function && std::find(names.begin(), names.end(), name) == names.end())
        names.push_back(std::move(name));
    } else {
      ++at;
    }
  }
  return names;
}

}  // namespace ww
