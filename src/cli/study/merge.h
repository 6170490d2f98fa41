// warpwright study merge: the parts of a study as one.
#pragma once

#include "cli/shared/app.h"

namespace ww::cli {

CLI::App* add_merge(CLI::App& study, int& exit_code);

}  // namespace ww::cli
