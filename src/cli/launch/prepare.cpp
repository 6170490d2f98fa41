#include "cli/launch/prepare.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <optional>

#include "base/file.h"
#include "base/words.h"
#include "cli/compile/cpp_parameters.h"
#include "cli/compile/cpp_types.h"
#include "cli/compile/kernel_name.h"
#include "cli/launch/assign.h"
#include "cli/launch/guess.h"
#include "cli/launch/help.h"
#include "cli/launch/work_seen.h"
#include "cli/shared/output.h"
#include "device/engine_device.h"
#include "ptx/debug_types.h"

namespace ww::cli {

namespace {

/// The texts with debugging information that there are or can be made: PTX that has it, sources compiled once
/// more. `kernel`: of the file that defines it alone; "": of all.
std::vector<std::string> debug_texts(const LaunchOptions& o, const std::string& kernel,
                                     const std::vector<device::Source>& sources) {
  std::vector<std::string> out;
  for (size_t i = 0; i < sources.size(); ++i) {
    const bool here = kernel.empty() || sources[i].ptx.find(".entry " + kernel + "(") != std::string::npos;
    if (!here) continue;
    if (sources[i].ptx.find(".debug_info") != std::string::npos) {
      out.push_back(sources[i].ptx);
    } else if (i < o.files.size() && o.files[i].ends_with(".cu")) {
      CompileOptions options = o.compile;
      options.linked = o.files.size() > 1;
      options.debug = true;
      auto compiled = options.linked ? compile_cuda(o.files[i], options)
                                     : compile_cuda_for(o.files[i], options, o.kernel);
      if (compiled && compiled->ok) out.push_back(std::move(compiled->ptx));
    }
  }
  return out;
}

std::vector<ptx::DebugParameter> debug_of(const LaunchOptions& o, const std::string& kernel,
                                          const std::vector<device::Source>& sources) {
  for (const std::string& text : debug_texts(o, kernel, sources)) {
    const auto all = ptx::debug_parameters(text);
    if (const auto it = all.find(kernel); it != all.end()) return it->second;
  }
  return {};
}

/// Said once for a kernel, not for each array.
void note_unknown_elements(const std::vector<LaunchArgument>& arguments,
                           const std::vector<Parameter>& parameters, const std::string& kernel,
                           Diagnostics& notes) {
  for (size_t i = 0; i < arguments.size() && i < parameters.size(); ++i) {
    const auto* array = std::get_if<ArrayArgument>(&arguments[i]);
    if (!array || array->raw || !parameters[i].element.empty() || !parameters[i].cpp.empty()) continue;
    notes.push_back(
        {Severity::Note,
         fmt::format(
             "the element types of the pointers of {} are not known: arrays are passed as they are given",
             kernel),
         {},
         ""});
    return;
  }
}

std::string indented(std::string text) {
  while (text.ends_with('\n')) text.pop_back();
  for (size_t at = text.find('\n'); at != text.npos; at = text.find('\n', at + 3)) text.insert(at + 1, "  ");
  return text;
}

}  // namespace

std::vector<Parameter> known_parameters(const LaunchOptions& o, const ir::Module& code,
                                        const std::string& kernel, const std::vector<device::Source>& sources,
                                        bool members) {
  auto out = parameters_of(code, kernel);
  const std::string name = plain_name(kernel);
  for (const std::string& file : o.files) {
    if (!file.ends_with(".cu")) continue;
    if (const auto text = read_file(file)) add_source(out, *text, file, name);
  }
  members &= std::any_of(out.begin(), out.end(),
                         [](const Parameter& p) { return p.kind == Parameter::Kind::Struct; });
  const bool told = std::any_of(sources.begin(), sources.end(), [](const device::Source& s) {
    return s.ptx.find(".debug_info") != std::string::npos;
  });
  if (members || told) add_debug(out, debug_of(o, kernel, sources));
  return out;
}

std::map<std::string, watch::Declared> declared_variables(const LaunchOptions& o,
                                                          const std::vector<device::Source>& sources) {
  std::map<std::string, watch::Declared> out;
  for (const std::string& text : debug_texts(o, "", sources))
    for (const auto& [name, variable] : ptx::debug_variables(text)) {
      watch::Declared d;
      d.type = is_pointer(variable.element) ? "" : element_name(variable.element);
      if (d.type == "bool") d.type = "u8";
      if (variable.extents.size() > 1) d.columns = variable.extents.back();
      if (d.type.ends_with("64")) d.columns *= 2;  // pictures have words
      out.emplace(name, d);
    }
  return out;
}

KnownVariables known_variables(const LaunchOptions& o, const std::vector<device::Source>& sources,
                               bool members) {
  KnownVariables out;
  for (const std::string& file : o.files)
    if (const auto text = file.ends_with(".cu") ? read_file(file) : Result<std::string>(std::string()))
      out.types.merge(variables_in_source(*text));
  if (members)
    for (const std::string& text : debug_texts(o, "", sources))
      for (auto& [name, variable] : ptx::debug_variables(text))
        out.members.emplace(name, std::move(variable.members));
  return out;
}

bool leaves_launch_open(const LaunchOptions& o, const LaunchInput& in) {
  return o.grid.empty() && o.block.empty() && in.named.empty() && o.next.empty();
}

bool arguments_ready(const LaunchOptions& o, const device::Info& info, LaunchInput& in,
                     const std::vector<device::Source>& sources) {
  const ir::Module* code = in.launch.module->code();
  const std::string& entry = in.launch.kernel;
  const std::string kernel = name_for_people(entry);
  in.parameters = known_parameters(o, *code, entry, sources, asks_for_members(in.named));
  auto& parameters = in.parameters;
  Diagnostics notes;
  Status ok;
  const bool whole_grid = meets_grid(*code, entry);
  std::string why;
  if (leaves_launch_open(o, in)) {
    if (const auto guess = guess_launch(o, in, sources, why)) {
      fmt::print(stderr,
                 "note: no launch of {} was given; this one is guessed (and runs):\n"
                 "  {}\n{}",
                 kernel, guess->command, render(guess->notes));
      in.guessed = guess->command;
      in.remarks = {"this launch is guessed"};
      for (const Diagnostic& note : guess->notes) in.remarks.push_back(note.message);
      return true;
    }
  }
  if (!in.extents)
    ok = error("the number of blocks and threads is missing", "give --grid and --block");
  else
    ok = take_arguments(in.named, parameters, kernel, in.arguments, notes);
  if (ok) {
    if (!in.launch.cooperative && whole_grid)
      notes.push_back(
          {Severity::Note,
           fmt::format("{} waits for its whole grid, and the launch is no cooperative one", kernel),
           {},
           "--cooperative makes it one"});
    note_unknown_elements(in.arguments, parameters, kernel, notes);
    std::fflush(stdout);
    fmt::print(stderr, "{}", render(notes));
    return true;
  }
  std::string file;
  for (const Diagnostic& d : ok.error())
    if (d.where.known()) file = d.where.file;
  complain_in_file(ok.error(), file);
  if (!why.empty())
    fmt::print(stderr, "note: no launch that was guessed runs; the last one ended with:\n  {}\n",
               indented(readable_message(why, entry)));
  if (leaves_launch_open(o, in)) fmt::print(stderr, "{}", own_launches_note(o));
  parameters = known_parameters(o, *code, entry, sources, true);
  const auto all = possible_launches(o, in, parameters, device::check_launch(info, in.launch).ok());
  fmt::print(stderr, "{}",
             parameters_help(o, kernel, parameters, all, in.launch.cooperative, [&](const ExampleLaunch& e) {
               return why.empty() && runs(o, in, e, parameters, sources);
             }));
  return false;
}

}  // namespace ww::cli
