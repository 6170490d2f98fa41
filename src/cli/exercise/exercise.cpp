#include "cli/exercise/exercise.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/json_reader.h"
#include "base/text.h"
#include "checks/all.h"

namespace ww::cli {

namespace {

constexpr int64_t kMostPoints = 1000;  // of a goal

/// The whole number at this key; `otherwise` where there is none.
int64_t number_at(JsonReader& reader, const Json& object, const char* key, int64_t otherwise) {
  const Json* json = object.find(key);
  if (!json) return otherwise;
  const auto all = reader.numbers<int64_t>(*json, key, 0, kMostPoints);
  return all.size() == 1 ? all[0] : otherwise;
}

Goal read_goal(JsonReader& reader, const Json& json) {
  Goal out;
  out.where = json.where(reader.file());
  if (!reader.members(json, "a goal", {"goal", "that", "checks", "points", "hint"})) return out;
  out.goal = reader.text(json, "goal");
  out.that = reader.text(json, "that");
  out.checks = reader.text(json, "checks");
  out.hint = reader.text(json, "hint");
  out.points = number_at(reader, json, "points", 1);
  if (out.goal.empty()) reader.complain(json, "a goal needs words: 'goal'");
  if (out.that.empty() == out.checks.empty())
    reader.complain(json, "a goal is either 'that', an expression of metrics, or 'checks'",
                    R"("that": "verified == 1" or "checks": "race")");
  if (!out.checks.empty())
    if (auto names = checks::names_in(out.checks); !names)
      for (const Diagnostic& d : names.error()) reader.complain(json, d.message, d.hint);
  return out;
}

}  // namespace

int64_t Exercise::points() const {
  int64_t all = 0;
  for (const Goal& goal : goals) all += goal.points;
  return all;
}

Result<Exercise> read_exercise(const std::string& text, const std::string& file) {
  auto root = parse_json(text, file);
  if (!root) return root.error();
  JsonReader reader(file);
  Exercise out;
  if (!reader.members(*root, "an exercise",
                      {"exercise", "level", "title", "about", "story", "goals", "study"}))
    return reader.errors;
  out.name = reader.text(*root, "exercise");
  out.title = reader.text(*root, "title");
  out.about = reader.text(*root, "about");
  out.level = number_at(reader, *root, "level", 0);
  out.story = reader.words(*root, "story");
  for (const Json& goal : reader.list(*root, "goals")) out.goals.push_back(read_goal(reader, goal));
  if (out.name.empty()) reader.complain(*root, "'exercise' is missing: its name");
  if (out.goals.empty()) reader.complain(*root, "'goals' is missing: what is to be reached");
  const Json* study = root->find("study");
  if (!study || !userkernel::is_own_study(*study))
    reader.complain(*root, "'study' is missing: how the kernel is run", "as docs/studies.md has it");
  else
    out.study = *study;
  if (!reader.errors.empty()) return reader.errors;
  return out;
}

std::string_view exercise_text(std::string_view name, std::string_view ending) {
  for (const ExerciseText& text : exercise_texts())
    if (text.name.size() == name.size() + ending.size() && text.name.starts_with(name) &&
        text.name.ends_with(ending))
      return text.text;
  return {};
}

std::vector<Exercise> built_in_exercises() {
  std::vector<Exercise> out;
  for (const ExerciseText& text : exercise_texts())
    if (text.name.ends_with(".json"))
      if (auto read = read_exercise(std::string(text.text), std::string(text.name)))
        out.push_back(std::move(*read));
  std::stable_sort(out.begin(), out.end(),
                   [](const Exercise& a, const Exercise& b) { return a.level < b.level; });
  return out;
}

}  // namespace ww::cli
