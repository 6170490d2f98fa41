#include "cli/own_study/run.h"

#include <fmt/format.h>

#include <algorithm>

#include "cli/compile/kernel_name.h"
#include "cli/own_study/prepared.h"
#include "forecast/sentences.h"
#include "model/prediction.h"

namespace ww::cli {

namespace {

/// "mine.json:3:12: message (hint)".
std::string why_text(const Diagnostics& why) {
  std::string text;
  for (const Diagnostic& d : why) {
    text += text.empty() ? "" : "; ";
    if (d.where.known()) text += fmt::format("{}:{}:{}: ", d.where.file, d.where.line, d.where.column);
    text += d.message;
    if (!d.hint.empty()) text += " (" + d.hint + ")";
  }
  return text;
}

}  // namespace

OwnRunner::OwnRunner(const OwnStudy& study, device::Device& device, const kernels::RunOptions& options,
                     study::Cache* cache, std::string folder, uint64_t seed)
    : study_(study),
      device_(device),
      options_(options),
      cache_(cache),
      folder_(std::move(folder)),
      seed_(seed) {
  std::vector<gpus::Gpu> gpus;
  for (const gpus::Gpu* gpu : options_.gpus) gpus.push_back(*gpu);
  least_ = least_capability(gpus);
}

Result<std::vector<Row>> OwnRunner::run(const StudyConfiguration& configuration, const Prepared& prepared,
                                        const Row& named, const std::vector<const gpus::Gpu*>& gpus) {
  const bool verified = !options_.sample && !prepared.kernel->checks.empty();
  auto ran = launch(prepared, verified, &gpus);
  if (!ran) return ran.error();
  const Chain& chain = **ran;
  Row row = named;
  if (chain.fault()) {
    std::string text;
    for (const Fault& fault : chain.reports.back().faults)
      text +=
          (text.empty() ? "" : "\n") + readable_message(fault.message, chain.launched.back()->launch.kernel);
    row.values.push_back(
        {"verified", int64_t{0}, "", Provenance::Measured, "0: the kernel did something wrong"});
    row.values.push_back({"fault", text, "", Provenance::Measured, "what the kernel did wrong"});
  } else if (verified) {
    if (auto ok = verify(configuration, prepared, chain, row); !ok) return ok.error();
  }
  row.values.push_back(
      {"wall_time", chain.seconds, "s", Provenance::Measured, "the launches as the host saw them"});
  std::string grids = dim_text(prepared.grid);
  for (const Prepared& next : prepared.then) grids += ", " + dim_text(next.grid);
  row.values.push_back({"grid", grids, "", Provenance::Input, "blocks of the grid"});
  std::vector<Row> rows;
  for (size_t g = 0; g < chain.reports[0].gpus.size(); ++g)
    rows.push_back(row_of_gpu(row, chain, g, *gpus[g]));
  if (rows.empty()) {
    for (const device::LaunchReport& report : chain.reports) kernels::add_values(row.values, report.values);
    rows.push_back(std::move(row));
  }
  return rows;
}

Row OwnRunner::row_of_gpu(const Row& row, const Chain& chain, size_t g, const gpus::Gpu& gpu) const {
  Row out = row;
  std::vector<Value> values;
  std::vector<model::Prediction> predictions;
  std::string tried;
  for (size_t i = 0; i < chain.reports.size(); ++i) {
    const device::GpuReport& on = chain.reports[i].gpus[g];
    out[Axis::Gpu] = on.gpu;
    kernels::add_values(values, on.values);
    if (!on.figures) continue;
    const forecast::Figures& figures = *on.figures;
    predictions.push_back(figures.prediction);
    if (out.refused.empty()) out.refused = figures.prediction.refused;
    if (!figures.padding || !forecast::conflicts_matter(figures.prediction.activity)) continue;
    const std::string sentence = forecast::padding_sentence(gpu, figures.prediction, *figures.padding).text;
    if (sentence.empty()) continue;
    const std::string of = short_name_for_people(chain.launched[i]->launch.kernel);
    tried += (tried.empty() ? "" : " ") + (chain.reports.size() > 1 ? of + ": " + sentence : sentence);
  }
  for (Value& v : values) out.values.push_back(std::move(v));
  if (!predictions.empty())
    for (Value& v : model::values_of(predictions)) out.values.push_back(std::move(v));
  if (!tried.empty())
    out.values.push_back(
        {"tried", tried, "", Provenance::Modelled, "what longer rows in shared memory give"});
  return out;
}

std::vector<Row> OwnRunner::rows_of(const StudyConfiguration& configuration, bool& known) {
  const StudyKernel& kernel = *configuration.kernel;
  known = false;
  Row named;
  named[Axis::Study] = study_.study.name;
  named[Axis::Kernel] = kernel.name;
  named[Axis::Device] = device_.info().id;
  for (const auto& [axis, value] : configuration.values) named[axis_named(axis)] = value;
  const auto refuse = [&](const Diagnostics& why) {
    Row row = named;
    row.refused = why_text(why);
    return std::vector<Row>{row};
  };
  auto prepared = prepare(kernel, configuration.values);
  if (!prepared) return refuse(prepared.error());
  named[Axis::Block] = dim_text(prepared->block);

  std::vector<const gpus::Gpu*> gpus = options_.gpus, missing;
  if (gpus.empty()) gpus = {nullptr};
  std::vector<std::string> keys;
  std::vector<std::optional<Row>> found;
  for (const gpus::Gpu* gpu : gpus) {
    std::string what = prepared->key;
    for (const auto& [axis, text] : Axes(named.axes)) what += fmt::format("{}={}\n", axis.name(), text);
    keys.push_back(cache_ ? study::Cache::key(what, gpu, options_) : "");
    found.push_back(cache_ ? cache_->find(keys.back()) : std::nullopt);
    if (!found.back() && gpu) missing.push_back(gpu);
  }
  known = std::all_of(found.begin(), found.end(), [](const auto& row) { return row.has_value(); });
  if (!known) {
    auto rows = run(configuration, *prepared, named, missing);
    if (!rows) return refuse(rows.error());
    if (rows->size() < keys.size() && rows->size() != missing.size())
      return *rows;  // a fault, the same on all
    for (size_t i = 0, next = 0; i < gpus.size(); ++i) {
      if (found[i]) continue;
      if (cache_) cache_->store(keys[i], (*rows)[next]);
      found[i] = std::move((*rows)[next++]);
    }
  }
  std::vector<Row> rows;
  for (auto& row : found) rows.push_back(std::move(*row));
  return rows;
}

}  // namespace ww::cli
