// Provenances as text and back.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/table.h"

namespace ww::report {

inline constexpr Provenance kProvenances[] = {Provenance::Input,    Provenance::Published,
                                              Provenance::Counted,  Provenance::Theory,
                                              Provenance::Modelled, Provenance::Measured};

/// The reverse of name(Provenance).
inline std::optional<Provenance> provenance_named(std::string_view text) {
  for (Provenance p : kProvenances)
    if (name(p) == text) return p;
  return {};
}

/// "one of input, published, …", for error messages.
inline std::string provenance_hint() {
  std::string out = "one of";
  for (Provenance p : kProvenances) out.append(p == kProvenances[0] ? " " : ", ").append(name(p));
  return out;
}

}  // namespace ww::report
