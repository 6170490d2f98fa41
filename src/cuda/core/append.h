// Files that the processes of a program append to for the command that started it.
#pragma once

#include <string>

namespace ww::cuda {

constexpr unsigned kLacking = 0700;  // as opposed to 0600

/// Appends all of it at once; a file that is not there is made where `make` says so. False: it is not all
/// there. A limit on the size of files (`ulimit -f`) is no reason to end the program: its signal is kept off.
/// The reader learns from the file's mode, kLacking, that something is lacking: on a full disk it can be
/// changed.
bool append_to(const std::string& file, const std::string& text, bool make = true);

}  // namespace ww::cuda
