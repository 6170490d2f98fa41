// warpwright study FILE.json where the file names kernels of the user's own.
#pragma once

#include "cli/study/options.h"
#include "userkernel/study_file.h"

namespace ww::cli {

/// Runs it and delivers its rows; the exit code.
int run_own_study(StudyOptions& o, const Destination& to, const userkernel::OwnStudy& own);

}  // namespace ww::cli
