// warpwright exercise list | start NAME | check FOLDER: exercises for courses.
#include <fmt/format.h>
#include <unistd.h>
#include <CLI/CLI.hpp>

#include <filesystem>
#include <memory>

#include "base/file.h"
#include "base/json.h"
#include "base/text.h"
#include "base/words.h"
#include "cli/commands.h"
#include "cli/exercise/exercise.h"
#include "cli/shared/junit.h"
#include "cli/shared/output.h"

namespace ww::cli {

namespace fs = std::filesystem;

namespace {

struct ExerciseOptions {
  std::string name, folder, definition, format = "text", out;
  bool hints = false;
};

int run_list(const ExerciseOptions& o) {
  std::string text;
  for (const Exercise& e : built_in_exercises())
    text += o.format == "json"
                ? fmt::format("{}{{\"exercise\":{},\"level\":{},\"title\":{},\"about\":{},\"points\":{}}}",
                              text.empty() ? "[" : ",\n ", json_quote(e.name), e.level, json_quote(e.title),
                              json_quote(e.about), e.points())
                : fmt::format("{:>2}  {:<14}  {:>2} points  {}: {}\n", e.level, e.name, e.points(), e.title,
                              e.about);
  if (o.format == "json")
    text += "]\n";
  else
    text += "\n`warpwright exercise start NAME` (or its number) makes a folder with a kernel to improve.\n";
  auto ok = deliver_text(text, o.out);
  return ok ? 0 : complain(ok.error());
}

/// The story and the goals, for the student's folder.
std::string readme_of(const Exercise& e, const std::string& folder) {
  std::string text = fmt::format("# {}\n", e.title);
  for (const std::string& paragraph : e.story) text += "\n" + paragraph + "\n";
  text += "\n## Goals\n\n";
  for (const Goal& goal : e.goals) {
    const std::string how = goal.that.empty() ? "checks: " + goal.checks : goal.that;
    text += fmt::format("- {} ({}): `{}`\n", goal.goal, counted(goal.points, "point"), how);
  }
  text += fmt::format(
      "\nChange `kernel.cu`, then\n\n    warpwright exercise check {}\n\n`--hints` helps. `reference.cu` is "
      "what results are compared with; `exercise.json` says how the kernel is run.\n",
      folder);
  return text;
}

int run_start(const ExerciseOptions& o) {
  std::vector<std::string> known;
  for (const Exercise& e : built_in_exercises()) {
    known.push_back(e.name);
    // `exercise list` numbers them.
    if (o.name != e.name && o.name != std::to_string(known.size())) continue;
    const std::string folder = o.folder.empty() ? e.name : o.folder;
    std::error_code wrong;
    if (fs::exists(folder + "/kernel.cu", wrong))
      return complain({error(fmt::format("'{}/kernel.cu' is there already", printable(folder)),
                             "name another folder behind the exercise")});
    fs::create_directories(folder, wrong);
    if (wrong)
      return complain(
          {error(fmt::format("cannot make the folder '{}': {}", printable(folder), wrong.message()))});
    const std::pair<const char*, std::string> files[] = {
        {"exercise.json", std::string(exercise_text(e.name, ".json"))},
        {"reference.cu", std::string(exercise_text(e.name, ".reference.cu"))},
        {"README.md", readme_of(e, folder)},
        {"kernel.cu", std::string(exercise_text(e.name, ".cu"))}};
    for (const auto& [name, text] : files)
      if (auto ok = write_file_atomically(fmt::format("{}/{}", folder, name), text); !ok)
        return complain(ok.error());
    fmt::print("{}\n\nThe kernel: {}/kernel.cu. When you have changed it: warpwright exercise check {}\n",
               readme_of(e, folder).substr(2), folder, folder);
    return 0;
  }
  const std::string near = nearest(o.name, known);
  return complain({error(
      fmt::format("there is no exercise '{}'", printable(o.name)),
      near.empty() ? "`warpwright exercise list` names them" : fmt::format("did you mean '{}'?", near))});
}

std::string grade_json(const Exercise& e, const Grade& g) {
  std::string goals, trouble;
  for (size_t i = 0; i < e.goals.size(); ++i)
    goals += fmt::format(
        "{}\n  "
        "{{\"goal\":{},\"that\":{},\"checks\":{},\"points\":{},\"of\":{},\"reached\":{},\"figures\":{}}}",
        i > 0 ? "," : "", json_quote(e.goals[i].goal), json_quote(e.goals[i].that),
        json_quote(e.goals[i].checks), g.goals[i].held ? e.goals[i].points : 0, e.goals[i].points,
        g.goals[i].held, json_quote(g.goals[i].figures));
  for (const std::string& text : g.trouble)
    trouble += fmt::format("{}{}", trouble.empty() ? "" : ",", json_quote(text));
  return fmt::format(
      "{{\"exercise\":{},\"title\":{},\"points\":{},\"of\":{},\"passed\":{},\n \"goals\":[{}],\n "
      "\"trouble\":[{}]}}\n",
      json_quote(e.name), json_quote(e.title), g.points, e.points(), g.points == e.points(), goals, trouble);
}

/// Lines behind a margin.
std::string indented(std::string_view text) {
  std::string out;
  while (!text.empty()) {
    const size_t end = std::min(text.find('\n'), text.size());
    if (end > 0) out += fmt::format("      {}\n", printable(text.substr(0, end)));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return out;
}

std::string grade_text(const Exercise& e, const Grade& g, bool hints) {
  std::string out = fmt::format("{}: {}\n", printable(e.name), printable(e.title));
  bool hinted = false;
  for (size_t i = 0; i < e.goals.size(); ++i) {
    out += fmt::format("  {} {} ({})\n", g.goals[i].held ? "✓" : "✗", printable(e.goals[i].goal),
                       counted(e.goals[i].points, "point"));
    if (g.goals[i].held) continue;
    out += indented(g.goals[i].figures);
    if (hints && !e.goals[i].hint.empty()) out += indented("Hint: " + e.goals[i].hint);
    hinted |= !e.goals[i].hint.empty();
  }
  for (const std::string& text : g.trouble) out += indented(text);
  out += fmt::format("{} of {}{}\n", g.points, counted(e.points(), "point"),
                     g.points == e.points() ? ". Done!"
                     : hinted && !hints     ? ". --hints helps."
                                            : ".");
  return out;
}

int run_check(const ExerciseOptions& o) {
  std::string text, file = o.folder + "/exercise.json";
  if (o.definition.empty()) {
    auto read = read_file(file);
    if (!read) return complain(read.error());
    text = std::move(*read);
  } else if (const auto built_in = exercise_text(o.definition, ".json"); !built_in.empty()) {
    text = built_in;
  } else {
    file = o.definition + "/exercise.json";
    auto read = read_file(file);
    if (!read) return complain(read.error());
    text = std::move(*read);
  }
  auto exercise = read_exercise(text, file);
  if (!exercise) return complain(exercise.error(), text);
  auto graded = grade(*exercise, o.folder);
  if (!graded) return complain(graded.error(), text);
  std::string out;
  if (o.format == "json") {
    out = grade_json(*exercise, *graded);
  } else if (o.format == "junit") {
    std::vector<JunitCase> cases;
    for (size_t i = 0; i < exercise->goals.size(); ++i)
      cases.push_back({exercise->goals[i].goal, graded->goals[i].held,
                       graded->goals[i].figures.empty() ? "not reached" : graded->goals[i].figures});
    out = junit(exercise->name, cases);
  } else {
    out = grade_text(*exercise, *graded, o.hints);
  }
  if (auto ok = deliver_text(out, o.out); !ok) return complain(ok.error());
  return graded->points == exercise->points() ? 0 : 1;
}

}  // namespace

void add_exercise(CLI::App& app, int& exit_code) {
  auto o = std::make_shared<ExerciseOptions>();
  auto* c = app.add_subcommand("exercise",
                               "Exercises for courses: kernels to improve, graded by counters and checks");
  c->require_subcommand(1);
  auto* list = c->add_subcommand("list", "List the built-in exercises, in the order of a course");
  list->add_option("--format", o->format, "text (default) or json")
      ->type_name("F")
      ->check(CLI::IsMember({"text", "json"}));
  list->add_option("--out", o->out, "Write into this file")->type_name("FILE");
  list->callback([o, &exit_code] { exit_code = run_list(*o); });
  auto* start = c->add_subcommand("start", "Make a folder with a kernel to improve and its text");
  start->add_option("NAME", o->name, "An exercise of the list")->required()->type_name("");
  start->add_option("FOLDER", o->folder, "The folder (default: NAME)")->type_name("");
  start->callback([o, &exit_code] { exit_code = run_start(*o); });
  auto* check =
      c->add_subcommand("check", "Run the kernel of an exercise's folder and say which goals it reaches");
  check->add_option("FOLDER", o->folder, "A folder made by `exercise start` or by a teacher")
      ->required()
      ->type_name("");
  check
      ->add_option(
          "--as", o->definition,
          "Grade by this built-in exercise, or by another folder's exercise.json, not by FOLDER's own")
      ->type_name("NAME");
  check->add_flag("--hints", o->hints, "A hint for each goal that is not reached");
  check->add_option("--format", o->format, "text (default), or json or junit for grading scripts")
      ->type_name("F")
      ->check(CLI::IsMember({"text", "json", "junit"}));
  check->add_option("--out", o->out, "Write into this file")->type_name("FILE");
  check->footer("Exit code: 0 all goals are reached; 1 some are not; 2 wrong usage or exercise.");
  check->callback([o, &exit_code] { exit_code = run_check(*o); });
}

}  // namespace ww::cli
