// Result<T>: a value, or the diagnostics that say why there is none.
#pragma once

#include <cassert>
#include <optional>
#include <utility>

#include "base/diagnostic.h"

namespace ww {

/// Holds a T, or the (non-empty) diagnostics of what went wrong. Never both.
/// Reading the value of a failed Result is a programming error (assertion).
template <class T>
class [[nodiscard]] Result {
 public:
  Result(T value) : value_(std::move(value)) {}                              // NOLINT: implicit by design
  Result(Diagnostics why) : why_(std::move(why)) { assert(!why_.empty()); }  // NOLINT
  Result(Diagnostic why) : why_{std::move(why)} {}                           // NOLINT

  bool ok() const { return value_.has_value(); }
  explicit operator bool() const { return ok(); }

  T& value() & {
    assert(ok());
    return *value_;
  }
  const T& value() const& {
    assert(ok());
    return *value_;
  }
  T&& value() && {
    assert(ok());
    return std::move(*value_);
  }
  T& operator*() & { return value(); }
  const T& operator*() const& { return value(); }
  T* operator->() { return &value(); }
  const T* operator->() const { return &value(); }

  const Diagnostics& error() const { return why_; }

 private:
  std::optional<T> value_;
  Diagnostics why_;
};

/// A Result without a value: success, or diagnostics.
template <>
class [[nodiscard]] Result<void> {
 public:
  Result() = default;
  Result(Diagnostics why) : why_(std::move(why)) { assert(!why_.empty()); }  // NOLINT
  Result(Diagnostic why) : why_{std::move(why)} {}                           // NOLINT

  bool ok() const { return why_.empty(); }
  explicit operator bool() const { return ok(); }
  const Diagnostics& error() const { return why_; }

 private:
  Diagnostics why_;
};

using Status = Result<void>;

}  // namespace ww
