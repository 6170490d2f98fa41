// What a study file says must hold: "shared_load_bank_conflicts == 0".
#pragma once

#include <string>
#include <vector>

#include "base/json_reader.h"
#include "base/table.h"
#include "report/plot.h"

namespace ww::study {

struct Expectation {
  std::string text;
  Location where;
  std::vector<report::Plot::Filter> rows;  ///< only rows whose axes have these values
};

/// The list at "expect": strings, or {"that": "…", "rows": {"kernel": "padded"}}. Complaints go to `reader`.
std::vector<Expectation> read_expectations(const Json& object, JsonReader& reader);

/// What became of one.
struct Outcome {
  const Expectation* expectation = nullptr;
  size_t held = 0;    ///< rows of which it was true
  std::string wrong;  ///< why it could not be computed: no row has its metrics; a wrong expression
  struct Failure {
    size_t row = 0;
    std::string what;  ///< the figures: "time@h200 = 3, time@a100 = 5"
  };
  std::vector<Failure> failures;

  bool good() const { return wrong.empty() && failures.empty(); }
};

/// Computes each expectation for each row that has all of its metrics. A name is a metric of the row, or an
/// axis that holds a number; "time@h200" is that of the row that differs from it in the GPU alone,
/// "time{kernel=naive, tile=16}" of the one that differs in these axes. The same figures are judged once.
std::vector<Outcome> judge(const Table& table, const std::vector<Expectation>& expectations);

}  // namespace ww::study
