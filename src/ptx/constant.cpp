#include "ptx/constant.h"

#include <fmt/format.h>

#include "ptx/parser.h"

namespace ww::ptx {

namespace {

using Kind = Constant::Kind;

Constant integer(uint64_t value, bool is_unsigned) {
  return {is_unsigned ? Kind::Unsigned : Kind::Signed, value, 0};
}
Constant truth(bool value) { return integer(value, false); }
double real_of(const Constant& c) {
  if (!c.is_integer()) return c.real;
  return c.kind == Kind::Unsigned ? static_cast<double>(c.integer) : static_cast<double>(c.as_signed());
}
bool is_true(const Constant& c) { return c.is_integer() ? c.integer != 0 : c.real != 0; }

struct Operator {
  std::string_view text;
  int level;  ///< binds the tighter the higher
};
// Two-character operators first: the first that fits is taken.
constexpr Operator kOperators[] = {{"<<", 8}, {">>", 8}, {"<=", 7}, {">=", 7}, {"==", 6}, {"!=", 6},
                                   {"&&", 2}, {"||", 1}, {"*", 10}, {"/", 10}, {"%", 10}, {"+", 9},
                                   {"-", 9},  {"<", 7},  {">", 7},  {"&", 5},  {"^", 4},  {"|", 3}};

class Expression {
 public:
  explicit Expression(Reader& in) : in_(in) {}

  std::optional<Constant> conditional() {
    auto left = binary(1);
    if (!left || !in_.token().is('?')) return left;
    in_.take();
    if (!enter()) return std::nullopt;
    auto yes = conditional();
    if (!yes || !in_.expect(':', "in this conditional expression")) return std::nullopt;
    auto no = conditional();
    --depth_;
    if (!no) return std::nullopt;
    return is_true(*left) ? yes : no;
  }

  std::optional<Constant> unary() {
    const Token& token = in_.token();
    if (token.kind == Token::Kind::Number) return read_number(in_);
    if (token.is_word() && token.text == "WARP_SZ") return in_.take(), integer(32, false);
    if (!token.is('(') && !token.is('-') && !token.is('+') && !token.is('!') && !token.is('~')) {
      in_.unexpected("a constant");
      return std::nullopt;
    }
    if (!enter()) return std::nullopt;
    auto value = token.is('(') ? parenthesised() : prefixed(in_.take());
    --depth_;
    return value;
  }

 private:
  bool enter() {
    if (++depth_ <= kMaxNesting) return true;
    in_.error(in_.token(), fmt::format("this constant is nested deeper than {}", kMaxNesting));
    return false;
  }

  std::optional<Constant> parenthesised() {
    in_.take();
    if (in_.token().is(".s64") || in_.token().is(".u64")) {  // a cast
      bool to_unsigned = in_.take().text == ".u64";
      if (!in_.expect(')', "behind the cast")) return std::nullopt;
      auto value = unary();
      if (!value) return value;
      return integer(value->is_integer() ? value->integer
                                         : static_cast<uint64_t>(static_cast<int64_t>(clamped(value->real))),
                     to_unsigned);
    }
    auto value = conditional();
    if (!value || !in_.expect(')', "behind this constant")) return std::nullopt;
    return value;
  }
  static double clamped(double x) { return x >= 9.2e18 ? 9.2e18 : x > -9.2e18 ? x : -9.2e18; }

  std::optional<Constant> prefixed(Token mark) {
    auto value = unary();
    if (!value) return value;
    switch (mark.text[0]) {
      case '+':
        return value;
      case '!':
        return truth(!is_true(*value));
      case '-':
        if (value->is_integer()) return integer(0 - value->integer, value->kind == Kind::Unsigned);
        return negated(*value);
      default:
        if (value->is_integer()) return integer(~value->integer, value->kind == Kind::Unsigned);
        in_.error(mark, "'~' needs an integer");
        return std::nullopt;
    }
  }
  static Constant negated(Constant c) {
    c.real = -c.real;
    if (c.kind == Kind::Bits32) c.integer ^= uint64_t{1} << 31;
    if (c.kind == Kind::Bits64) c.integer ^= uint64_t{1} << 63;
    return c;
  }

  const Operator* operator_here() const {
    if (in_.token().kind != Token::Kind::Mark) return nullptr;
    if (std::string_view(",;)}]{").find(in_.token().text[0]) != std::string_view::npos)
      return nullptr;  // nearly always
    char pair[2] = {in_.token().text[0], in_.following()};
    for (const Operator& op : kOperators)
      if (op.text == std::string_view(pair, op.text.size())) return &op;
    return nullptr;
  }

  std::optional<Constant> binary(int lowest) {
    auto left = unary();
    while (left) {
      const Operator* op = operator_here();
      if (!op || op->level < lowest) break;
      Token at = in_.take();
      if (op->text.size() == 2) in_.take();
      auto right = binary(op->level + 1);
      if (!right) return right;
      left = apply(at, op->text, *left, *right);
    }
    return left;
  }

  std::optional<Constant> apply(const Token& at, std::string_view op, const Constant& a, const Constant& b) {
    if (op == "&&") return truth(is_true(a) && is_true(b));
    if (op == "||") return truth(is_true(a) || is_true(b));
    if (a.is_integer() && b.is_integer()) return on_integers(at, op, a, b);
    double x = real_of(a), y = real_of(b);
    if (op == "+") return Constant{Kind::Float, 0, x + y};
    if (op == "-") return Constant{Kind::Float, 0, x - y};
    if (op == "*") return Constant{Kind::Float, 0, x * y};
    if (op == "/") return Constant{Kind::Float, 0, x / y};
    if (op == "<") return truth(x < y);
    if (op == ">") return truth(x > y);
    if (op == "<=") return truth(x <= y);
    if (op == ">=") return truth(x >= y);
    if (op == "==") return truth(x == y);
    if (op == "!=") return truth(x != y);
    in_.error(at, fmt::format("'{}' needs integers", op));
    return std::nullopt;
  }

  std::optional<Constant> on_integers(const Token& at, std::string_view op, const Constant& a,
                                      const Constant& b) {
    uint64_t x = a.integer, y = b.integer;
    int64_t sx = a.as_signed(), sy = b.as_signed();
    bool is_unsigned = a.kind == Kind::Unsigned || b.kind == Kind::Unsigned;
    bool less = is_unsigned ? x < y : sx < sy;
    if (op == "+") return integer(x + y, is_unsigned);
    if (op == "-") return integer(x - y, is_unsigned);
    if (op == "*") return integer(x * y, is_unsigned);
    if (op == "&") return integer(x & y, is_unsigned);
    if (op == "|") return integer(x | y, is_unsigned);
    if (op == "^") return integer(x ^ y, is_unsigned);
    if (op == "<") return truth(less);
    if (op == ">=") return truth(!less);
    if (op == "==") return truth(x == y);
    if (op == "!=") return truth(x != y);
    if (op == "<=") return truth(less || x == y);
    if (op == ">") return truth(!less && x != y);
    if (op == "<<") return integer(y < 64 ? x << y : 0, a.kind == Kind::Unsigned);
    if (op == ">>") {
      unsigned by = static_cast<unsigned>(y < 64 ? y : 63);
      if (a.kind == Kind::Unsigned) return integer(y < 64 ? x >> by : 0, true);
      return integer(static_cast<uint64_t>(sx >> by), false);
    }
    if (y == 0) {
      in_.error(at, "division by zero");
      return std::nullopt;
    }
    bool divide = op == "/";
    if (is_unsigned) return integer(divide ? x / y : x % y, true);
    if (sy == -1) return integer(divide ? 0 - x : 0, false);  // the one quotient that may not fit
    return integer(static_cast<uint64_t>(divide ? sx / sy : sx % sy), false);
  }

  Reader& in_;
  int depth_ = 0;
};

}  // namespace

std::optional<Constant> read_constant(Reader& in) { return Expression(in).conditional(); }
std::optional<Constant> read_primary(Reader& in) { return Expression(in).unary(); }

std::optional<uint64_t> read_count(Reader& in, std::string_view what, uint64_t most) {
  Token at = in.token();
  auto value = read_constant(in);
  if (!value) return std::nullopt;
  bool negative = value->kind == Kind::Signed && value->as_signed() < 0;
  if (value->is_integer() && !negative && value->integer <= most) return value->integer;
  in.error(at, fmt::format("{} must be an integer from 0 to {}", what, most));
  return std::nullopt;
}

}  // namespace ww::ptx
