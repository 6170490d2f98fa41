// warpwright verify-published: published counters against counted ones, cell by cell.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <memory>
#include <thread>

#include "base/file.h"
#include "cli/commands.h"
#include "cli/shared/destination.h"
#include "cli/shared/interrupt.h"
#include "cli/shared/output.h"
#include "cli/shared/progress.h"
#include "device/engine_device.h"
#include "study/bands.h"
#include "study/published_model.h"
#include "study/published_occupancy.h"

namespace ww::cli {

namespace {

constexpr uint64_t kMaxTable = 64 << 20;  // bytes

struct VerifyOptions {
  std::string table, out;
  std::vector<std::string> what = {"counters", "times", "formulas"};
  bool cells = false, bands = false;
  int threads = 0;
  OutputOptions output;
};

constexpr size_t kWorst = 10;

bool wanted(const VerifyOptions& o, std::string_view what) {
  return std::find(o.what.begin(), o.what.end(), what) != o.what.end();
}

/// The cells of one table that are wanted. Errors: those of the table, or that there are none.
Result<std::vector<study::Cell>> cells_of(const VerifyOptions& o, const study::PublishedFile& file) {
  std::vector<study::Cell> cells;
  Diagnostics why;
  if (wanted(o, "counters")) {
    if (auto read = study::read_cells(file))
      cells = std::move(*read);
    else
      why = read.error();
  }
  if (wanted(o, "times")) {
    auto read = study::read_modelled_cells(file);
    if (!read) return read.error();
    cells.insert(cells.end(), read->begin(), read->end());
  }
  if (cells.empty())
    return why.empty() ? Diagnostics{error("the table has no cell that the model predicts")} : why;
  return cells;
}

/// One after another on the terminal; files and other formats hold their rows together.
Status deliver_all(std::vector<Table> tables, const Destination& to) {
  if (to.format == report::Format::Table && to.out.empty()) {
    for (const Table& table : tables)
      if (auto ok = deliver(table, to.format, to.out); !ok) return ok;
    return {};
  }
  for (size_t i = 1; i < tables.size(); ++i)
    tables[0].rows.insert(tables[0].rows.end(), tables[i].rows.begin(), tables[i].rows.end());
  return deliver(tables[0], to.format, to.out);
}

std::vector<Table> tables_of(const VerifyOptions& o, const std::vector<study::Cell>& cells) {
  if (o.cells) return {study::list_cells(cells)};
  if (o.bands) return {study::error_bands(cells)};
  std::vector<study::Cell> counted, modelled;
  for (const study::Cell& c : cells) (study::is_modelled(c) ? modelled : counted).push_back(c);
  std::vector<Table> tables;
  if (!counted.empty()) tables.push_back(study::agreement(counted));
  if (!modelled.empty()) {
    tables.push_back(study::model_agreement(modelled));
    tables.push_back(study::worst_times(modelled, kWorst));
  }
  if (wanted(o, "formulas") && o.table.empty())
    tables.push_back(study::formula_agreement(study::formula_cells()));
  return tables;
}

int verify(VerifyOptions& o) {
  const auto to = destination(o.output, false);
  if (!to) return complain(to.error());
  if (o.bands) {
    if (!wanted(o, "times"))
      return complain({error("--bands are those of times", "leave out --what, or add times")});
    o.what = {"times"};
  }
  std::vector<study::Cell> cells;
  if (!o.table.empty()) {
    auto text = read_file(o.table, kMaxTable);
    if (!text) return complain(text.error());
    auto read = cells_of(o, {o.table, *text});
    if (!read) return complain(read.error(), *text);
    cells = std::move(*read);
  } else {
    for (const auto& file : study::published_files()) {
      if (!wanted(o, "counters")) break;
      auto read = study::read_cells(file);
      if (!read) return complain(read.error());
      std::erase_if(*read, study::is_modelled);
      cells.insert(cells.end(), read->begin(), read->end());
    }
    for (const auto& file : study::modelled_files()) {
      if (!wanted(o, "times")) break;
      auto read = study::read_modelled_cells(file);
      if (!read) return complain(read.error());
      cells.insert(cells.end(), read->begin(), read->end());
    }
  }
  handle_interrupts();
  StopOnInterrupt stop;
  // Sampled runs are short and a GPU's caches are replayed by one thread: several runs at a time.
  engine::Settings settings;
  settings.threads = 1;
  settings.cancel = &stop.flag();
  std::vector<std::unique_ptr<device::Device>> devices;
  const int threads =
      o.threads > 0 ? o.threads : std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
  while (static_cast<int>(devices.size()) < threads) devices.push_back(device::make_engine_device(settings));
  {
    Progress progress("verify-published", cells.size());
    study::count_cells(cells, devices,
                       [&](size_t done, size_t, const std::string& name) { progress.update(done, name); });
  }
  if (interrupted()) return interrupted_exit_code();
  auto ok = deliver_all(tables_of(o, cells), *to);
  return ok ? 0 : complain(ok.error());
}

}  // namespace

void add_verify_published(CLI::App& app, int& exit_code) {
  auto o = std::make_shared<VerifyOptions>();
  auto* c =
      app.add_subcommand("verify-published",
                         "Compare published counters, times and occupancies of GPUs with ours, cell by cell");
  c->add_option(
       "--table", o->table,
       "A CSV file with columns gpu, kernel, n, block, metric, value ... instead of the built-in tables")
      ->type_name("FILE");
  c->add_option("--what", o->what, "Only these: counters, times, formulas")
      ->delimiter(',')
      ->type_name("W,...")
      ->check(CLI::IsMember({"counters", "times", "formulas"}));
  auto* cells = c->add_flag("--cells", o->cells, "Show every cell instead of one line per metric");
  c->add_flag(
       "--bands", o->bands,
       "Errors of predicted times by kind of kernel and GPU (with --format csv, the file in data/accuracy)")
      ->excludes(cells);
  c->add_option("--threads", o->threads, "Host threads (default: all cores)")
      ->type_name("T")
      ->check(CLI::Range(1, 1024));
  add_output(*c, o->output, "Write to this file instead of the terminal");
  c->callback([o, &exit_code] { exit_code = verify(*o); });
}

}  // namespace ww::cli
