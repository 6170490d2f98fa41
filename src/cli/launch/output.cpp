#include "cli/launch/output.h"

#include <fmt/format.h>

#include "base/text.h"
#include "cli/launch/banks.h"
#include "cli/program/check_output.h"
#include "cli/shared/output.h"
#include "cli/shared/report_folder.h"
#include "report/json.h"
#include "report/list.h"

namespace ww::cli {

namespace {

Row without_axes(Row row) {
  row.axes = {};
  return row;
}

}  // namespace

std::string text_of(const device::Dim3& d) {
  if (d.z > 1) return fmt::format("{}x{}x{}", d.x, d.y, d.z);
  return d.y > 1 ? fmt::format("{}x{}", d.x, d.y) : fmt::format("{}", d.x);
}

Result<std::string> gpu_names(const LaunchOptions& o, const Destination& to) {
  const bool asked = !o.figures.gpus.empty() || o.figures.lines || o.figures.registers > 0 || to.folder;
  if (!o.count && asked)
    return error("--gpu, --lines, --registers and a page need the counters, but --no-count leaves them out",
                 "leave out --no-count");
  if (!o.checks.empty() && asked)
    return error(
        "--check looks for mistakes and cannot be combined with --gpu, --lines, --registers or a page",
        "one after the other");
  if (!o.checks.empty()) return std::string();
  if (!o.figures.gpus.empty()) return o.figures.gpus;
  const bool read = o.count && o.repeat == 0 && to.format == report::Format::Table;
  return asked || read ? std::string("h200") : std::string();
}

Status show_figures(const LaunchOptions& o, const Destination& to, const std::vector<ShownLaunch>& launches,
                    const std::vector<gpus::Gpu>& gpus, const std::string& command) {
  const auto title_of = [](const ShownLaunch& l) {
    return fmt::format("{}: grid {}, block {}", l.kernel, l.grid, l.block);
  };
  const std::string title =
      launches.size() == 1 ? title_of(launches[0]) : fmt::format("{} launches", launches.size());
  const Table table = launch_table(launches, gpus, title);
  if (to.format != report::Format::Table && !to.folder) return deliver(table, to.format, to.out);
  const int width = terminal_width(1, 100);
  std::string text;
  for (size_t i = 0; i < launches.size(); ++i) {
    const ShownLaunch& launch = launches[i];
    Table rows{title_of(launch), {}, {}};
    for (size_t g = 0; g < gpus.size(); ++g) rows.rows.push_back(table.rows[i * gpus.size() + g]);
    text += (i > 0 ? "\n" : "") + printable(rows.title) + "\n";
    // An explanation has none, but for the lines; a page has its own. What they mean comes last: in a
    // terminal that is what one sees.
    if (o.purpose != Purpose::Explain && !to.folder)
      text += "\n" + (gpus.size() == 1 ? report::render_list({"", {without_axes(rows.rows[0])}, {}})
                                       : beside_each_other(rows, width));
    if (o.figures.lines)
      for (size_t g = 0; g < gpus.size(); ++g) text += "\n" + lines_text(gpus[g], launch.gpus[g], width);
    for (size_t g = 0; g < gpus.size(); ++g) {
      text += "\n" + sentences_text(gpus[g], launch.gpus[g], rows.rows[g], terminal_width(1, 0));
      text += banks_text(launch.gpus[g]);
    }
  }
  if (to.folder) {
    const std::string page =
        launch_page(launches, gpus, table, launches[0].kernel, command, o.picture.language);
    if (auto ok = write_launch_folder(to.out, page, table); !ok) return ok;
    text += fmt::format("\nThe page: {}{}index.html\n", to.out, to.out.ends_with('/') ? "" : "/");
  }
  if (!to.folder && to.out.empty() && o.purpose == Purpose::Launch)
    text += "\n--out page/ shows all this as a page.\n";
  return deliver_text(text, to.folder ? "" : to.out);
}

Status show_rows(const Destination& to, std::vector<std::pair<std::string, Row>> launches,
                 const std::vector<checks::Finding>* findings) {
  if (to.format != report::Format::Table) {
    Table table{
        launches.size() == 1 ? launches[0].first : fmt::format("{} launches", launches.size()), {}, {}};
    for (auto& [title, row] : launches) table.rows.push_back(std::move(row));
    if (findings && to.format == report::Format::Json)
      return deliver_text("{" + findings_members(*findings) + ",\n" + report::write_json(table).substr(1),
                          to.out);
    return deliver(table, to.format, to.out);
  }
  std::string text;
  for (const auto& [title, row] : launches)
    text += (text.empty() ? "" : "\n") + report::render_list({title, {without_axes(row)}, {}});
  return deliver_text(text, to.out);
}

}  // namespace ww::cli
