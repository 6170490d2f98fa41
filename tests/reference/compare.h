// Runs a program on the engine and on the reference and says where they differ.
#pragma once

#include <string>

#include "engine/engine.h"
#include "random_program.h"

namespace ww::reference {

/// "" when the engine, with these settings, counted or not, leaves every buffer and (counted) every execution count as
/// the reference does; else what differs, or what is wrong with the program.
std::string difference(const RandomProgram& program, const engine::Settings& settings, bool counted);

/// Leaves lines out as long as the two still differ in results.
RandomProgram shrunk(RandomProgram program, const engine::Settings& settings, bool counted);

}  // namespace ww::reference
