// Tagged values and tables of them: what studies produce and reports print. Reports know nothing else.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/axis.h"

namespace ww {

/// Where a number comes from. Nothing modelled is ever shown as measured.
enum class Provenance {
  Input,      ///< given by the user or by the case itself
  Published,  ///< printed in a document
  Counted,    ///< counted by the engine while the kernel ran, or by the compiler in its code (registers,
              ///< spills)
  Theory,     ///< a closed formula
  Modelled,   ///< predicted by model/ for a GPU
  Measured,   ///< measured on real hardware (a GPU, or the host for sequential rows)
};
std::string_view name(Provenance provenance);

/// One number (or word) with its name, unit, description and origin.
struct Value {
  std::string tag;  ///< "flop", "global_load_requests", …
  std::variant<double, int64_t, std::string> value;
  std::string unit;  ///< "" for a pure number
  Provenance provenance = Provenance::Counted;
  std::string description;

  /// The shortest text that reads back as the same number; words as they are.
  std::string text() const;
  /// The value as a double; NaN for words.
  double number() const;
};

/// One configuration and what was found out about it.
struct Row {
  Axes axes;
  std::vector<Value> values;
  std::string refused;  ///< why the configuration could not run; "" when it did

  std::string& operator[](Axis axis) { return axes[axis]; }
  const std::string& operator[](Axis axis) const { return axes[axis]; }
  /// The first value with this tag, or nullptr.
  const Value* find(std::string_view tag) const;
};

struct Table {
  std::string title;
  std::vector<Row> rows;
  std::vector<std::string> notes;  ///< remarks that belong under the table, one sentence each
  /// What its study says of axes of its own, in the order of their columns. A row may have others.
  std::vector<AxisInfo> axes = {};
};

}  // namespace ww
