#include "cli/shared/shell.h"

namespace ww::cli {

std::string in_shell(const std::string& word) {
  if (!word.empty() && word.find_first_of(" \t\n'\"\\$`*?<>|&;()#[]{}!~") == word.npos) return word;
  std::string out = "'";
  for (const char c : word) out += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return out + "'";
}

std::string file_in_shell(const std::string& name) {
  return in_shell(name.starts_with('-') ? "./" + name : name);
}

}  // namespace ww::cli
