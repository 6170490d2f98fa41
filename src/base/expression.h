// Expressions of named numbers, as study files have them: "n*n", "(n + tile - 1) / tile", "time < 2*best".
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/result.h"

namespace ww {

using ExpressionValue = std::variant<int64_t, double>;

/// Its digits; a real number keeps a point: "2.0".
std::string text_of(const ExpressionValue& value);
double real_of(const ExpressionValue& value);

/// What a name stands for. A name is an identifier, with what follows it in braces or behind '@':
/// "time{kernel=naive}", "time@h200".
using ValueOfName = std::function<Result<ExpressionValue>(std::string_view name)>;

/// C's operators ?: || && == != < <= > >= + - * / % ! with their ranks, and min, max, cdiv (a / b rounded
/// up), abs. Whole numbers stay whole, their division rounds towards zero; 0 is false. Both sides of && and
/// || are evaluated. `where` is the place of the text's first character. Errors, located: syntax, an unknown
/// function, overflow, division by zero, and those of `value_of`, whose place becomes the name's.
Result<ExpressionValue> evaluate(std::string_view text, const Location& where, const ValueOfName& value_of);

/// The names in it, each once, as far as it can be read.
std::vector<std::string> names_in_expression(std::string_view text);

}  // namespace ww
