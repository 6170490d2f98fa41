// The list of all figures: key, unit, range, meaning. Reading, checking and printing go through it.
#pragma once

#include <span>
#include <variant>

#include "gpus/gpu.h"

namespace ww::gpus {

using Slot = std::variant<Count*, Rate*, Maybe<Count>*, Maybe<Rate>*>;

struct Field {
  std::string_view key;   ///< in files and in the CSV tables of compute capabilities
  std::string_view unit;  ///< "" for a pure number
  std::string_view description;
  double min, max;  ///< what is possible at all
  Slot (*slot)(Gpu&);
};

std::span<const Field> fields();
/// nullptr when there is no such figure.
const Field* find_field(std::string_view key);

/// Sets a figure. Counts take whole numbers only.
void set(Gpu& gpu, const Field& field, double value, std::string source);
/// Whether the figure has a value.
bool has(const Gpu& gpu, const Field& field);
bool is_count(const Field& field);
/// Whether every GPU must have this figure.
bool is_required(const Field& field);

}  // namespace ww::gpus
