#include "base/symbol_name.h"

#include <cxxabi.h>

#include <cstdlib>
#include <memory>

#include "base/text.h"

namespace ww {

namespace {

/// Behind the bracket that begins at `at` and all that it encloses; behind the character there, if it is
/// none. Operators' names have brackets that enclose nothing.
size_t bracket_end(std::string_view name, size_t at) {
  constexpr std::string_view kOperator = "operator";
  if (name.substr(at).starts_with(kOperator)) {
    size_t end = at + kOperator.size();
    if (name.substr(end).starts_with("()")) return end + 2;
    while (end < name.size() && std::string_view("<>=-").find(name[end]) != std::string_view::npos) ++end;
    return end;
  }
  if (name[at] != '<' && name[at] != '(') return at + 1;
  int depth = 0;
  for (size_t i = at; i < name.size(); ++i) {
    if (name[i] == '<' || name[i] == '(') ++depth;
    const bool arrow = name[i] == '>' && i > 0 && name[i - 1] == '-';
    if (((name[i] == '>' && !arrow) || name[i] == ')') && --depth == 0) return i + 1;
  }
  return at + 1;  // it does not end
}

}  // namespace

std::string demangled(std::string_view symbol) {
  std::string name(symbol);
  if (!name.starts_with("_Z")) return name;  // "f" alone would be taken for a type: float
  int status = 0;
  const std::unique_ptr<char, decltype(&std::free)> text(
      abi::__cxa_demangle(name.c_str(), nullptr, nullptr, &status), &std::free);
  return status == 0 && text ? text.get() : name;
}

std::string abbreviated(std::string_view name, size_t most) {
  constexpr size_t kShort = 12;
  if (name.size() <= most) return std::string(name);
  std::string out;
  for (size_t i = 0; i < name.size();) {
    const size_t end = bracket_end(name, i);
    if (end > i + 2 + kShort && name.substr(i, end - i) != "(anonymous namespace)") {
      out += name[i];
      out += "…";
      out += name[end - 1];
    } else {
      out += name.substr(i, end - i);
    }
    i = end;
  }
  return out;
}

std::string without_parameters(const std::string& readable) {
  std::string name = readable;
  int depth = 0;
  for (size_t i = name.size(); i-- > 0;) {
    if (name[i] == ')') ++depth;
    if (name[i] == '(' && --depth == 0) {
      name.resize(i);
      break;
    }
  }
  // Template functions come with their result type.
  depth = 0;
  for (size_t i = name.size(); i-- > 0;) {
    if (name[i] == '>') ++depth;
    if (name[i] == '<') --depth;
    if (name[i] == ' ' && depth == 0) return name.substr(i + 1);
  }
  return name;
}

std::string readable_message(std::string message, const std::string& kernel) {
  const std::string mangled = "in kernel " + kernel;
  if (const size_t at = message.find(mangled); at != message.npos)
    message.replace(at, mangled.size(), "in kernel " + short_name_for_people(kernel));
  return message;
}

std::string name_for_people(const std::string& symbol) {
  constexpr size_t kMost = 200;
  std::string readable = demangled(symbol);
  if (readable.starts_with("void ")) readable.erase(0, 5);  // of templates alone; a kernel has no other type
  return printable(shortened(abbreviated(readable), kMost));
}

std::string short_name_for_people(const std::string& symbol) {
  constexpr size_t kMost = 200;
  return printable(shortened(abbreviated(without_parameters(demangled(symbol))), kMost));
}

}  // namespace ww
