// What a kernel did, as tagged values, from one counted run. A file for each family; its metrics are declared
// beside the code that counts them.
#pragma once

#include <vector>

#include "base/table.h"
#include "engine/engine.h"

namespace ww::counters {

/// Warp and thread instructions, in all and by pipe.
void count_instructions(const engine::RunResult& run, std::vector<Value>& out);
/// How far the lanes of warps kept together: branches at which they parted, and the mean number of lanes in
/// an instruction.
void count_divergence(const engine::RunResult& run, std::vector<Value>& out);
/// Floating-point operations by type: an add, sub or mul is one, an fma two, for each active lane (packed
/// types: for each half); a matrix instruction is 2 · m · n · k of its shape for each warp (wgmma: a
/// quarter). Divisions, roots and special functions are not counted, as profilers do not (CUDA Profiler
/// User's Guide, flop_count_sp).
void count_flop(const engine::RunResult& run, std::vector<Value>& out);
/// All of them together.
int64_t flop_of(const engine::RunResult& run);
/// Requests (warp instructions) and bytes (active lanes times width) of loads, stores and atomics, by the
/// space the instruction names; generic addressing has a space of its own here.
void count_memory(const engine::RunResult& run, std::vector<Value>& out);

/// All of them, in this order.
std::vector<Value> count_all(const engine::RunResult& run);

}  // namespace ww::counters
