// Words as a shell takes them, for commands that a person copies.
#pragma once

#include <string>

namespace ww::cli {

/// The word, in quotes where the shell would not take it as it is.
std::string in_shell(const std::string& word);
/// The same of a file's name; one that begins with a dash would be taken for an option.
std::string file_in_shell(const std::string& name);

}  // namespace ww::cli
