// --schedule: in which order blocks and warps run.
#pragma once

#include <CLI/CLI.hpp>
#include <string>

#include "engine/schedule/order.h"

namespace ww::cli {

inline void add_schedule_option(CLI::App& command, std::string& text) {
  command
      .add_option("--schedule", text,
                  "Order of blocks and warps: forward, reverse, random:SEED, adversarial (default forward; "
                  "under checks random:0 for kernels whose threads wait for each other)")
      ->type_name("ORDER");
}

}  // namespace ww::cli
