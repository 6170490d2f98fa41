// Exercises for courses: a kernel to improve, a story, goals in counters (docs/exercises.md).
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "userkernel/study_file.h"

namespace ww::cli {

/// A text of a built-in exercise: "race.json", "race.cu", "race.reference.cu".
struct ExerciseText {
  std::string_view name, text;
};
std::span<const ExerciseText> exercise_texts();

/// Something to reach: an expression of metrics ("verified == 1"), or checks that find nothing.
struct Goal {
  std::string goal;    ///< in words
  std::string that;    ///< as in a study's `expect`; "" where it is about checks
  std::string checks;  ///< checks::names_in: "race", "all"
  int64_t points = 1;
  std::string hint;
  Location where;
};

struct Exercise {
  std::string name, title, about;
  int64_t level = 0;               ///< its place in the path; 0: none
  std::vector<std::string> story;  ///< paragraphs
  std::vector<Goal> goals;
  Json study;  ///< how the kernel is run, as docs/studies.md has it; the student's kernel is named "yours"

  int64_t points() const;
};

/// Reads exercise.json. Errors, located in `file`, several at once.
Result<Exercise> read_exercise(const std::string& text, const std::string& file);

/// The built-in ones in the order of their levels.
std::vector<Exercise> built_in_exercises();
/// The text of a built-in exercise's file ("race", ".cu"); "" where there is none.
std::string_view exercise_text(std::string_view name, std::string_view ending);

/// What became of a goal.
struct Reached {
  bool held = false;
  std::string figures;  ///< why not: "global_load_sectors = 65536, …"
};

struct Grade {
  std::vector<Reached> goals;
  std::vector<std::string> trouble;  ///< what kept rows from running, or was wrong with their results
  int64_t points = 0;
};

/// Runs the kernel.cu (or what the exercise's study names) of `folder` and judges it. Errors: of the exercise
/// itself; what is wrong with the student's kernel is in the grade.
Result<Grade> grade(const Exercise& exercise, const std::string& folder);

}  // namespace ww::cli
