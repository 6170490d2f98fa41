// Numbers as text: exact for machines, short for people.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <variant>

#include "base/table.h"

namespace ww::report {

using Number = std::variant<double, int64_t, std::string>;  ///< what a Value holds

/// The reverse of Value::text: "nan", "inf", "-inf" and decimal numbers. Whole numbers that fit are int64_t,
/// others double. Nothing for any other text, and for numbers outside double's range.
std::optional<Number> parse_number(std::string_view text);

/// Whether the text has the form of a number (parse_number may still refuse it: 1e999).
bool looks_like_number(std::string_view text);

/// For tables: integers (of either type, below 1e15) in full, other numbers with at most 5 significant digits
/// (4 below 1) and no exponent between 1e-4 and 1e15.
std::string short_text(const Value& value);

}  // namespace ww::report
