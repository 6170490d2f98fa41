// Names and lines for the places in a program's host code that its processes wrote as FILE+0xADDRESS.
#pragma once

#include <string>
#include <vector>

#include "checks/finding.h"

namespace ww::cli {

/// Puts "main at app.cu:42" in their place, by addr2line where the machine has it and the program debug
/// lines, else "main in app" by the file's symbols, else "app+0x1234". `program` is what the processes were
/// started as, `file` where its code is read: another file where it was built from source for this run.
void name_host_places(std::vector<checks::Finding>& findings, const std::string& program,
                      const std::string& file);

}  // namespace ww::cli
