#include "cli/shared/gpu_option.h"

#include <fmt/format.h>

#include <cstdio>

#include "base/file.h"
#include "gpus/catalog.h"

namespace ww::cli {

std::optional<gpus::Gpu> gpu_named(const std::string& name) {
  auto gpu = gpus::find_gpu(name);
  if (gpu) return std::move(*gpu);
  // A located message is about a file that could be read: its text again, for the excerpt.
  auto text = gpu.error().front().where.known() ? read_file(name, gpus::kMaxGpuFile)
                                                : Result<std::string>(std::string());
  fmt::print(stderr, "{}", render(gpu.error(), text ? *text : std::string()));
  return {};
}

namespace {

template <class Format>
void add_format_into(CLI::App& command, Format& format) {
  auto parse = [&format](const std::string& name) {
    auto found = report::format_named(name);
    if (!found) throw CLI::ValidationError("--format", render(found.error()));
    format = *found;
  };
  command.add_option_function<std::string>("--format", parse, "table, csv, json or markdown")
      ->default_str("table");
}

}  // namespace

void add_format(CLI::App& command, report::Format& format) { add_format_into(command, format); }
void add_format(CLI::App& command, std::optional<report::Format>& format) {
  add_format_into(command, format);
}

}  // namespace ww::cli
