// What a symbol of object code is called in its source.
#pragma once

#include <string>
#include <string_view>

namespace ww {

/// "scale(float*, int)" of "_Z5scalePfi": a mangled C++ name as its source spells it, anything else
/// unchanged.
std::string demangled(std::string_view symbol);

/// "ns::scale<…>(…)": a demangled name, in which template arguments and parameters are left out where it is
/// longer than `most` bytes. What is in short brackets stays.
std::string abbreviated(std::string_view name, size_t most = 100);

/// "void ns::scale<float>(float*, int)" → "ns::scale<float>".
std::string without_parameters(const std::string& readable);

/// A symbol's demangled name to print: on one line, and names of any length cut.
std::string name_for_people(const std::string& symbol);

/// "ns::scale<float>": without parameters, to print.
std::string short_name_for_people(const std::string& symbol);

/// A fault's message with the kernel's name for people in place of the mangled one.
std::string readable_message(std::string message, const std::string& kernel);

}  // namespace ww
