// A report: a folder with the page and the results as CSV and JSON.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "base/result.h"
#include "gpus/gpu.h"
#include "report/page.h"
#include "study/study.h"

namespace ww::cli {

/// How a study wants to be shown, without facts.
report::Presentation presentation_of(const study::Study& study);

/// The figures of a table's GPUs, as far as they are in `gpus`: a table of the main ones and one of all, or
/// nothing.
std::vector<Table> gpu_figures(const Table& table, std::span<const gpus::Gpu> gpus);

/// The page of a table: how it is to be shown, its conclusions, what verifies it, the figures of its GPUs,
/// the sources of its kernels. `language` is known to report::check_language.
report::Page page_of(Table table, report::Presentation presentation, const std::string& language);

/// How this program was called, as a shell would take it.
std::string command_line();

/// What is known of this run: the command line, date, version, CPU, system.
std::vector<report::Fact> facts_of_run(int threads);

/// Writes results.csv, results.json and index.html, each whole and then moved into place; makes the folder if
/// need be.
Status write_report(report::Page page, const std::string& folder);

}  // namespace ww::cli
