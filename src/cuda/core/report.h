// What we say to the person who runs a program: on standard error, because the program's output is its own.
#pragma once

#include <string>

namespace ww::cuda {

/// One line (or several), each begun with "warpwright: ", written at once.
void say(const std::string& text);
/// The same, but only the first time for this key.
void say_once(const std::string& key, const std::string& text);
/// "main.cu:12" is more than we can know without the program's debug lines; "app(main+0x1c)" is what we have.
std::string place_of_caller(const void* return_address);

/// The kernels' text that was not printed because the program ended without waiting for them.
void tell_lost_output();

}  // namespace ww::cuda
