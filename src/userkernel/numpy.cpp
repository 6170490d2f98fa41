#include "userkernel/numpy.h"

#include <fmt/format.h>

#include <cstdlib>
#include <filesystem>
#include <set>

#include "base/file.h"
#include "base/json.h"
#include "base/private_directory.h"
#include "base/process.h"
#include "base/text.h"

namespace ww::userkernel {

namespace {

constexpr double kPythonSeconds = 600;

/// The last line that is not blank: Python's own words.
std::string last_line(std::string text) {
  while (!text.empty() && (text.back() == '\n' || text.back() == ' ')) text.pop_back();
  return text.substr(text.rfind('\n') + 1);
}

/// A number as it is, a word in quotes.
std::string python_literal(const std::string& text) {
  char* end = nullptr;
  (void)std::strtod(text.c_str(), &end);
  const bool number = !text.empty() && end == text.c_str() + text.size();
  return number ? text : json_quote(text);
}

/// A parameter may be called "in", which is no name in Python: there it is in_.
bool python_keyword(const std::string& name) {
  static const std::set<std::string> kKeywords = {
      "and",  "as",     "assert", "async",  "await",  "break",   "class",    "continue", "def",
      "del",  "elif",   "else",   "except", "False",  "finally", "for",      "from",     "global",
      "if",   "import", "in",     "is",     "lambda", "None",    "nonlocal", "not",      "or",
      "pass", "raise",  "return", "True",   "try",    "while",   "with",     "yield"};
  return kKeywords.contains(name);
}

/// "s32" as NumPy calls it: "i4".
std::string numpy_type(const std::string& element) {
  const size_t digits = element.find_first_of("123456789");
  const int bits = digits == element.npos ? 0 : std::atoi(element.c_str() + digits);
  return fmt::format("{}{}", element[0] == 'f' ? 'f' : element[0] == 's' ? 'i' : 'u', bits / 8);
}

}  // namespace

Result<npy::Array> numpy_value(const std::string& expression, const std::map<std::string, std::string>& words,
                               const std::map<std::string, npy::Array>& arrays, const std::string& element) {
  const std::string python = find_program("python3");
  if (python.empty())
    return error("python3 is not in PATH", "it works out the expressions of 'verify' and numpy:");
  const PrivateDirectory folder;
  if (!folder) return error("cannot make a temporary folder");
  std::string script =
      "import sys\ntry:\n  import numpy as np\nexcept ImportError:\n  sys.exit('no NumPy')\n";
  std::string keywords;
  const auto python_name = [&](const std::string& name) {
    if (!python_keyword(name)) return name;
    keywords += (keywords.empty() ? "" : "|") + name;
    return name + "_";
  };
  for (const auto& [name, text] : words)
    script += fmt::format("{} = {}\n", python_name(name), python_literal(text));
  for (const auto& [name, array] : arrays) {
    const std::string file = folder.file(fmt::format("in_{}.npy", name));
    if (auto ok = npy::write(file, array); !ok) return ok.error();
    script += fmt::format("{} = np.load({})\n", python_name(name), json_quote(file));
  }
  const std::string out = folder.file("value.npy");
  script += fmt::format("expression = {}\n", json_quote(expression));
  if (!keywords.empty())
    script += fmt::format(
        "import re\ntry:\n  compile(expression, '', 'eval')\nexcept SyntaxError:\n"
        "  expression = re.sub(r'\\b({})\\b', r'\\1_', expression)\n",
        keywords);
  script += "value = np.ascontiguousarray(eval(expression))\n";
  if (!element.empty())  // rounding is as ever, but whole numbers stay what they are
    script += fmt::format(
        "typed = value.astype('{}')\n"
        "if typed.dtype.kind in 'iu' and not np.array_equal(typed, value):\n"
        "  sys.exit('it has values that {} cannot hold')\nvalue = typed\n",
        numpy_type(element), element);
  script += fmt::format("np.save({}, value)\n", json_quote(out));
  const std::string file = folder.file("script.py");
  if (auto ok = write_file_atomically(file, script); !ok) return ok.error();
  auto ran = run_process({python, file}, kPythonSeconds);
  // The first python3 may be one of several, and not the one that has NumPy.
  for (const char* other : {"/usr/bin/python3", "/usr/local/bin/python3"})
    if (std::error_code none; ran && ran->exit_code != 0 && last_line(ran->errors) == "no NumPy" &&
                              python != other && std::filesystem::exists(other, none))
      ran = run_process({other, file}, kPythonSeconds);
  if (!ran) return ran.error();
  if (ran->timed_out)
    return error(fmt::format("Python needs more than {} s for '{}'", kPythonSeconds, printable(expression)));
  if (ran->exit_code != 0) {
    const std::string said = last_line(ran->errors);
    if (said == "no NumPy")
      return error(fmt::format("{} has no NumPy", python), "python3 -m pip install numpy");
    return error(
        fmt::format("'{}': {}", printable(shortened(expression, 100)), printable(shortened(said, 200))));
  }
  return npy::read(out);
}

}  // namespace ww::userkernel
