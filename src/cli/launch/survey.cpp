#include "cli/launch/survey.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <tuple>

#include "base/file.h"
#include "base/text.h"
#include "base/words.h"
#include "cli/compile/kernel_name.h"
#include "cli/launch/output.h"
#include "cli/launch/prepare.h"
#include "cli/shared/output.h"
#include "cli/shared/report_folder.h"

namespace ww::cli {

bool wants_survey(const LaunchOptions& o, const LaunchInput& in) {
  return o.purpose != Purpose::Watch && o.kernel.empty() && leaves_launch_open(o, in) && in.symbols.empty() &&
         in.checks.empty() && o.verify.empty() && o.repeat == 0 && o.shared == 0 && o.count;
}

std::vector<LaunchOptions> options_for_each(const LaunchOptions& o, const std::vector<std::string>& kernels) {
  std::vector<LaunchOptions> out;
  for (const std::string& kernel : kernels) {
    if (out.size() == kMostSurveyed) break;
    const std::string name = short_name_for_people(kernel);
    const bool only = std::count_if(kernels.begin(), kernels.end(), [&](const std::string& other) {
                        return short_name_for_people(other) == name;
                      }) == 1;
    LaunchOptions one = o;
    one.kernel = only ? name : name_for_people(kernel);
    out.push_back(std::move(one));
  }
  return out;
}

std::string left_out_text(const std::vector<LeftOut>& left_out) {
  std::string text;
  for (const LeftOut& kernel : left_out)
    text += fmt::format("{}\n  no launch that was guessed runs{}{}\n", printable(kernel.kernel),
                        kernel.why.empty() ? "" : "; the last one ended with: ", printable(kernel.why));
  return text;
}

std::vector<std::string> own_kernels(const LaunchOptions& o, const std::vector<std::string>& kernels) {
  std::string sources;
  for (const std::string& file : o.files)
    if (auto text = file.ends_with(".cu") ? read_file(file) : Result<std::string>(std::string()))
      sources += *text;
  std::vector<std::string> own;
  for (const std::string& kernel : kernels)
    if (sources.find(plain_name(kernel)) != sources.npos) own.push_back(kernel);
  return own.empty() ? kernels : own;
}

bool same_sizes(const ExampleLaunch& a, const ExampleLaunch& b) {
  const auto sizes = [](const ExampleLaunch& e) {
    return std::tuple(e.wide() * e.elements, e.high(), whole_number_of(e), e.fixed);
  };
  return sizes(a) == sizes(b);
}

Status show_survey(const LaunchOptions& o, const Destination& to, const std::vector<ShownLaunch>& launches,
                   const std::vector<Guess>& guesses, const std::vector<LeftOut>& left_out,
                   const std::vector<gpus::Gpu>& gpus) {
  if (to.format != report::Format::Table || to.folder || o.purpose == Purpose::Explain || o.figures.lines) {
    fmt::print(stderr, "{}", left_out_text(left_out));
    return show_figures(o, to, launches, gpus, command_line() + "  # these launches are guessed");
  }
  const int width = to.out.empty() ? terminal_width(STDOUT_FILENO, 100) : 100;
  const Table table =
      launch_table(launches, gpus, printable(o.files[0]) + ": its kernels, by guessed launches");
  std::string text = report::render(main_columns(table), report::Format::Table, {width, false}) + "\n";
  for (size_t i = 0; i < launches.size(); ++i) {
    text += printable(launches[i].kernel) + "\n";
    for (const ShownGpu& on : launches[i].gpus)
      if (!on.sentences.empty()) text += "- " + printable(on.sentences[0]) + "\n";
    text += "  " + guesses[i].command + "\n";
  }
  text += left_out_text(left_out);
  if (std::any_of(guesses.begin(), guesses.end(),
                  [&](const Guess& g) { return !same_sizes(g.launch, guesses[0].launch); }))
    text += "The guessed sizes differ, so the times do not say which kernel is faster.\n";
  text +=
      fmt::format("\nwarpwright launch {}:KERNEL shows one with all counters and advice that was tried.\n",
                  printable(o.files[0]));
  return deliver_text(text, to.out);
}

}  // namespace ww::cli
