// The axes of rows: what a study varies, by name. Each study and each family of kernels declares its own.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace ww {

/// An axis, by the name that stands in files and heads of columns. The name must outlive it: a literal, or
/// axis_named().
class Axis {
 public:
  constexpr explicit Axis(std::string_view name) : name_(name) {}
  constexpr std::string_view name() const { return name_; }
  friend constexpr bool operator==(Axis a, Axis b) { return a.name_ == b.name_; }

  // What a row of any study may have.
  static const Axis Study, Kernel, Gpu, Device;
  static const Axis Block;  ///< of the launch: "16", "32x8"

 private:
  std::string_view name_;
};
inline constexpr Axis Axis::Study{"study"};
inline constexpr Axis Axis::Kernel{"kernel"};
inline constexpr Axis Axis::Gpu{"gpu"};
inline constexpr Axis Axis::Device{"device"};
inline constexpr Axis Axis::Block{"block"};

inline std::string_view name(Axis axis) { return axis.name(); }

/// The axis of this name, which is kept for the life of the program.
Axis axis_named(std::string_view name);

/// An axis as a study declares it.
struct AxisInfo {
  std::string name;   ///< "tile": letters, digits and '_', no digit first
  std::string label;  ///< for people; "" is the name
  std::string unit;   ///< "" for a pure number or a word
  /// It says what is computed (a size), not how (a block): rows that differ in it are no rivals.
  bool problem = false;

  friend bool operator==(const AxisInfo&, const AxisInfo&) = default;
};

/// What a row's axes are: name and value of each, in the order in which they were set. An axis that the row
/// does not have reads as "", and one that is "" is as good as none.
class Axes {
 public:
  std::string& operator[](Axis axis);
  const std::string& operator[](Axis axis) const;

  /// Takes over what is set there and is not here.
  void complete(const Axes& other);

  auto begin() const { return values_.begin(); }
  auto end() const { return values_.end(); }

  /// The same values, in whatever order they were set.
  friend bool operator==(const Axes& a, const Axes& b) { return a.sorted() == b.sorted(); }
  friend bool operator<(const Axes& a, const Axes& b) { return a.sorted() < b.sorted(); }

 private:
  std::vector<std::pair<std::string_view, std::string_view>> sorted() const;

  std::vector<std::pair<Axis, std::string>> values_;
};

}  // namespace ww
