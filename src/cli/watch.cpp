// warpwright watch KERNEL: a picture of what it reads and writes, step by step.
#include "watch/watch.h"

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <cstdio>
#include <filesystem>
#include <memory>

#include "base/text.h"
#include "cli/commands.h"
#include "cli/shared/gpu_option.h"
#include "cli/shared/kernel_axes.h"
#include "cli/shared/output.h"
#include "cli/watch/beside.h"
#include "cli/watch/picture.h"
#include "report/page.h"

namespace ww::cli {

namespace {

struct WatchOptions {
  KernelAxes axes;
  std::string gpu = "h200", out, format, language = "en";
  std::vector<watch::Recording>* collect = nullptr;
};

int run(WatchOptions& o) {
  auto chosen = chosen_case(o.axes);
  if (!chosen) return complain(chosen.error());
  if (auto ok = report::check_language(o.language); !ok) return complain(ok.error());
  auto gpu = gpu_named(o.gpu);
  if (!gpu) return 2;
  const std::string ending = std::filesystem::path(o.out).extension();
  std::error_code ignored;
  if (!o.out.empty() && o.format.empty() && ending != ".html" && ending != ".json" &&
      !std::filesystem::exists(o.out, ignored))
    return complain({error(fmt::format("the name '{}' does not tell the format", printable(o.out)),
                           "end it in .html or .json, or add --format")});
  const bool json = o.format.empty() ? o.out.ends_with(".json") : o.format == "json";
  if ((*chosen)->needs_gpu)
    return complain({error(
        fmt::format("{} shows what only a real GPU has: there is nothing to watch", (*chosen)->name))});
  if ((*chosen)->on_host())
    return complain({error(fmt::format("{} runs on the host: there is nothing to watch", (*chosen)->name))});
  complete_for_watching(o.axes.config, **chosen);
  std::atomic<bool> stop = false;  // nobody else sets it: an interruption ends the program
  auto recording = watch::record(**chosen, o.axes.config, *gpu, stop);
  if (!recording) return complain(recording.error());
  if (!o.collect) return deliver_watch(*recording, json, o.out, o.language);
  o.collect->push_back(std::move(*recording));
  return 0;
}

}  // namespace

void add_watch(CLI::App& app, int& exit_code, std::vector<watch::Recording>* collect) {
  auto o = std::make_shared<WatchOptions>();
  o->collect = collect;
  auto* c = app.add_subcommand("watch", "A picture of what a kernel reads and writes, step by step");
  add_kernel_axes(*c, o->axes)
      ->description("Size of the problem (default: the smallest that shows something)");
  c->add_option("--gpu", o->gpu, "A GPU's id, or a JSON file: whose transactions and banks are shown")
      ->type_name("G")
      ->capture_default_str();
  c->add_option("--out", o->out, "The file (default: watch.html; JSON: stdout)")->type_name("FILE");
  c->add_option("--format", o->format, "html or json (default: by the file's name, else html)")
      ->type_name("F")
      ->check(CLI::IsMember({"html", "json"}));
  c->add_option("--lang", o->language, "Language of the page: en, pl, cs, ru; readers can change it")
      ->type_name("L")
      ->capture_default_str();
  add_beside_option(*c);
  c->callback([o, &exit_code] { exit_code = run(*o); });
}

}  // namespace ww::cli
