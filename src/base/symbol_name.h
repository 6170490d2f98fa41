// What a symbol of object code is called in its source.
#pragma once

#include <string>
#include <string_view>

namespace ww {

/// "scale(float*, int)" of "_Z5scalePfi": a mangled C++ name as its source spells it, anything else
/// unchanged.
std::string demangled(std::string_view symbol);

}  // namespace ww
