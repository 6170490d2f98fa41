// Where --out sends results, by one rule in all commands.
#pragma once

#include <optional>
#include <string>

#include "base/result.h"
#include "cli/shared/app.h"
#include "report/report.h"

namespace ww::cli {

/// --format and --out as the user gave them.
struct OutputOptions {
  std::string out;
  std::optional<report::Format> format;
};

/// Adds both. `what` describes --out.
void add_output(CLI::App& command, OutputOptions& options, const std::string& what);

struct Destination {
  bool folder = false;  ///< a report: index.html, results.csv and results.json
  report::Format format = report::Format::Table;
  std::string out;  ///< "": the terminal
};

/// What an --out means. A name that ends in '/', a folder that exists, and a name without an ending are
/// folders; .json, .csv, .txt and .md say what is written into a file. With a --format any name is a file,
/// but for existing folders and names in '/'. Devices and pipes get a table unless told otherwise. Errors:
/// the name and the format contradict each other, an ending that says nothing, a folder where `folders` is
/// false, a file that cannot be written.
Result<Destination> destination(const OutputOptions& options, bool folders);

/// "results.json" → "results.json.partial", "report/" → "report.partial/": where results go that were cut
/// off, so that what is there already stays.
std::string partial_name(const std::string& out);

}  // namespace ww::cli
