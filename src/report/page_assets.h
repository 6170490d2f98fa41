// What the build makes of page/: the page without its data, style, code, charts and messages inside.
#pragma once

#include <string_view>

namespace ww::report {

/// HTML with the gaps @LANGUAGE@, @TITLE@ and @DATA@, each once and in this order.
std::string_view page_frame();

/// The same for the pictures of a kernel's accesses (watch/).
std::string_view watch_frame();

/// The same for the page of launches (launch/).
std::string_view launch_frame();

/// Where its charting library is from: "d3 from npm", "d3 from src/report/page/vendor".
std::string_view page_library();

}  // namespace ww::report
