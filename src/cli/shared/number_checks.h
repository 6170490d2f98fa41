// Validators of numbers on the command line, with messages for people.
#pragma once

#include <CLI/CLI.hpp>
#include <string>

namespace ww::cli {

/// Refuses zero and what is negative. It leaves no mark in the help.
inline CLI::Validator positive() {
  return {[](std::string& text) -> std::string {
            double value = 0;
            return CLI::detail::lexical_cast(text, value) && !(value > 0) ? text + " is not positive" : "";
          },
          ""};
}

/// Refuses what is negative: options without a sign would take it as a huge number.
inline CLI::Validator not_negative() {
  return {[](std::string& text) -> std::string {
            double value = 0;
            return CLI::detail::lexical_cast(text, value) && !(value >= 0) ? text + " is negative" : "";
          },
          ""};
}

}  // namespace ww::cli
