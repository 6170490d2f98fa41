// warpwright verify-published: published counters against counted ones, cell by cell.
#include <CLI/CLI.hpp>
#include <memory>

#include "base/file.h"
#include "cli/commands.h"
#include "cli/gpu_option.h"
#include "cli/interrupt.h"
#include "cli/output.h"
#include "cli/progress.h"
#include "device/engine_device.h"
#include "study/published.h"

namespace ww::cli {

namespace {

constexpr uint64_t kMaxTable = 64 << 20;  // bytes

struct Options {
  std::string table, out;
  bool cells = false;
  int threads = 0;
  report::Format format = report::Format::Table;
};

int verify(const Options& o) {
  std::vector<study::Cell> cells;
  if (!o.table.empty()) {
    auto text = read_file(o.table, kMaxTable);
    if (!text) return complain(text.error());
    auto read = study::read_cells({o.table, *text});
    if (!read) return complain(read.error(), *text);
    cells = std::move(*read);
  } else {
    for (const auto& file : study::published_files()) {
      auto read = study::read_cells(file);
      if (!read) return complain(read.error());
      cells.insert(cells.end(), read->begin(), read->end());
    }
  }
  handle_interrupts();
  StopOnInterrupt stop;
  engine::Settings settings;
  settings.threads = o.threads;
  settings.cancel = &stop.flag();
  auto device = device::make_engine_device(settings);
  {
    Progress progress("verify-published", cells.size());
    study::count_cells(cells, *device, [&](size_t done, size_t, const std::string& name) { progress.update(done, name); });
  }
  if (interrupted()) return 1;
  auto ok = deliver(o.cells ? study::list_cells(cells) : study::agreement(cells), o.format, o.out);
  return ok ? 0 : complain(ok.error());
}

}  // namespace

void add_verify_published(CLI::App& app, int& exit_code) {
  auto o = std::make_shared<Options>();
  auto* c = app.add_subcommand("verify-published", "Compare published counters of GPUs with what the engine counts, cell by cell");
  c->add_option("--table", o->table, "A CSV file with columns gpu, kernel, n, block, metric, value ... instead of the built-in tables")
      ->type_name("FILE");
  c->add_flag("--cells", o->cells, "Every cell instead of a line for each metric");
  c->add_option("--threads", o->threads, "Threads of this machine (default: all cores)")->type_name("T")->check(CLI::Range(1, 1024));
  add_format(*c, o->format);
  c->add_option("--out", o->out, "Write into this file instead of the terminal")->type_name("FILE");
  c->callback([o, &exit_code] { exit_code = verify(*o); });
}

}  // namespace ww::cli
