// A page's frame with its gaps filled.
#pragma once

#include <string>
#include <string_view>

namespace ww::report {

/// `frame` with language, title (any text) and data (JSON without "<") in its gaps @LANGUAGE@, @TITLE@ and
/// @DATA@.
std::string fill_frame(std::string_view frame, const std::string& language, const std::string& title,
                       const std::string& data);

}  // namespace ww::report
