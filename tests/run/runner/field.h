// A field of a test's record: its type, and its values as text, bits and numbers.
#pragma once

#include <cstdint>
#include <optional>
#include <random>
#include <string>
#include <string_view>
#include <vector>

namespace ww::runtest {

struct Field {
  std::string type, name;
  unsigned bits = 32;
  size_t offset = 0;

  size_t bytes() const { return bits / 8; }
  bool is_float() const { return type[0] == 'f' || type.starts_with("bf16"); }
  bool packed() const { return type.find("x2") != type.npos; }
};

/// Sets `bits`; false: no such type.
bool set_type(Field& field, std::string_view type);

/// A bound on a difference: ulp, abs or rel.
struct Bound {
  enum class Kind { Ulp, Abs, Rel } kind;
  double size;
};

/// What a field must be after the run.
struct Expected {
  enum class Kind { Bits, AnyNan, Open } kind = Kind::Bits;
  uint64_t bits = 0;
  std::vector<Bound> bounds;
};

std::optional<uint64_t> parse_value(const Field& field, std::string_view text);
std::optional<Expected> parse_expected(const Field& field, std::string_view text);
std::optional<Bound> parse_bound(std::string_view kind, std::string_view size);

/// The value as a person reads it, with its bits where they say more.
std::string shown(const Field& field, uint64_t bits);
std::string shown(const Field& field, const Expected& expected);

bool is_nan(const Field& field, uint64_t bits);
/// The number that the bits stand for (floating types).
double number(const Field& field, uint64_t bits);
/// Whether got is `want` or as near as one of the bounds allows.
bool within(const Field& field, uint64_t want, uint64_t got, const std::vector<Bound>& bounds);
bool matches(const Field& field, const Expected& expected, uint64_t got);

/// How a field's values are drawn in random runs.
struct Draw {
  enum class Kind { Any, Nonzero, Range, OneOf, Finite } kind = Kind::Any;
  bool same = false;  ///< equal within a group
  double low = 0, high = 0;
  std::vector<uint64_t> values;
};
uint64_t draw(const Field& field, const Draw& how, std::mt19937_64& random);

}  // namespace ww::runtest
