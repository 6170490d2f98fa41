// Names and lines for the places in a program's host code that its processes wrote as FILE+0xADDRESS.
#pragma once

#include <vector>

#include "checks/finding.h"

namespace ww::cli {

/// Puts "main at app.cu:42" in their place, by addr2line where the machine has it and the program debug
/// lines, else "main in app" by the file's symbols, else "app+0x1234".
void name_host_places(std::vector<checks::Finding>& findings);

}  // namespace ww::cli
