// The cases of the box sum: out[(n−2r)²], each element the sum of the (2r+1)² inputs around it.
#include <fmt/format.h>

#include <algorithm>

#include "kernels/box_sum/strips.h"
#include "kernels/families.h"
#include "kernels/host_rows.h"

namespace ww::kernels {

namespace {

Result<Plan> plan_task(const Config& config) {
  const auto n = static_cast<uint64_t>(config.n);
  const int64_t side = config.n - 2 * int64_t{config.r}, width = 2 * int64_t{config.r} + 1;
  if (config.n > 32768)
    return error(fmt::format("n = {}, these kernels compute indices in 32 bits", n), "n is at most 32768");
  if (side < 1)
    return error(fmt::format("n = {} leaves no element that has all neighbours within r = {}", n, config.r),
                 fmt::format("n is at least {}", width));
  auto in = make_input(config, 0, n * n);
  if (!in) return in.error();
  Plan plan;
  plan.task = {Problem::BoxSum, config.n, config.r, {*in}};
  plan.flop = static_cast<double>(side) * static_cast<double>(side) * static_cast<double>(width * width);
  plan.rounding = width * width;
  return plan;
}

Result<Plan> direct(const Config& config) {
  auto plan = plan_task(config);
  if (!plan) return plan;
  const Task& task = plan->task;
  const auto n = static_cast<uint64_t>(task.n), side = n - 2 * static_cast<uint64_t>(task.r);
  const auto bs = static_cast<uint32_t>(config.shape.block);
  const auto rows = uint64_t{bs} * static_cast<uint64_t>(config.k);  // of the output per block
  plan->buffers = {{"in", n * n, task.inputs[0], 0, n}, {"out", side * side, Poison{}, 0, side}};
  plan->output = 1;
  plan->module = "box_sum/direct";
  plan->launches = {
      {"box_sum_direct",
       {static_cast<uint32_t>(divide_up(side, bs)), static_cast<uint32_t>(divide_up(side, rows))},
       {bs, bs},
       0,
       {BufferArgument{0}, BufferArgument{1}, device::Argument::of(static_cast<int32_t>(n)),
        device::Argument::of(int32_t{config.r}), device::Argument::of(int32_t{config.k})}}};
  return plan;
}

/// The one launch of `entry` over the strips.
void launch_strips(Plan& plan, const Config& config, const char* module, std::string entry,
                   const Strips& cut) {
  const auto n = static_cast<uint64_t>(config.n), side = n - 2 * static_cast<uint64_t>(config.r);
  plan.buffers = {{"in", n * n, plan.task.inputs[0], 0, n}, {"out", side * side, Poison{}, 0, side}};
  plan.output = 1;
  plan.module = module;
  plan.launches = {
      {std::move(entry),
       {cut.strips, cut.parts},
       {cut.threads},
       cut.bytes,
       {BufferArgument{0}, BufferArgument{1}, device::Argument::of(static_cast<int32_t>(n)),
        device::Argument::of(int32_t{config.r}), device::Argument::of(static_cast<int32_t>(cut.width)),
        device::Argument::of(static_cast<int32_t>(cut.height))}}};
}

Result<Plan> running(const Config& config) {
  auto plan = plan_task(config);
  if (!plan) return plan;
  const Running& chosen = config.shape.block == 128   ? kRunning128
                          : config.shape.block == 256 ? kRunningHold
                                                      : kRunning512;
  const int64_t side = config.n - 2 * int64_t{config.r};
  const auto cut = running_strips(chosen, config.r, side, side);
  if (!cut)
    return error(
        fmt::format("r = {}, a block's strip of {} columns has no window", config.r, 4 * chosen.threads),
        "blocks of 512 take r up to 1020");
  plan->rounding = 2;  // float64 sums, rounded once
  launch_strips(*plan, config, "box_sum/running",
                fmt::format("box_sum_running_{}{}", chosen.hold ? "hold_" : "", chosen.threads), *cut);
  return plan;
}

Result<Plan> block_sums(const Config& config) {
  auto plan = plan_task(config);
  if (!plan) return plan;
  if (config.r < 2)
    return error(fmt::format("r = {}, windows must be wider than four columns", config.r), "r is at least 2");
  const int64_t side = config.n - 2 * int64_t{config.r}, window = 2 * int64_t{config.r} + 1;
  const auto threads = static_cast<uint32_t>(config.shape.block);
  const auto cut = block_sums_strips(threads, config.r, side, side);
  if (!cut)
    return error(fmt::format("r = {}: {} rows of {} columns do not fit into shared memory", config.r, window,
                             4 * threads),
                 "smaller blocks take larger r");
  // A column's terms, the fours between, and what is added at the ends.
  plan->rounding = window + 4 + config.r / 2 + 4;
  launch_strips(*plan, config, "box_sum/block_sums",
                fmt::format("box_sum_block_sums_{}_{}", threads, cut->ahead), *cut);
  return plan;
}

Result<Plan> chunk_sums(const Config& config) {
  auto plan = plan_task(config);
  if (!plan) return plan;
  if (config.r < kChunkSumsFrom || config.r > kChunkSumsTo)
    return error(
        fmt::format("r = {}, 32 windows must have rows in common, and at most 8 chunks of 32", config.r),
        fmt::format("r is {} to {}", kChunkSumsFrom, kChunkSumsTo));
  const int64_t side = config.n - 2 * int64_t{config.r};
  const auto threads = static_cast<uint32_t>(config.shape.block);
  const auto cut = chunk_sums_strips(threads, config.r, side, side);
  if (!cut) return error(fmt::format("r = {}, a strip of {} columns has no window", config.r, threads));
  plan->rounding = 2 * (32 + 8 + 32);  // additions on a term's way, down and along
  launch_strips(*plan, config, "box_sum/chunk_sums", fmt::format("box_sum_chunk_sums_{}", threads), *cut);
  return plan;
}

Result<Plan> bulk_rows(const Config& config) {
  auto plan = plan_task(config);
  if (!plan) return plan;
  if (config.n % 4 != 0)
    return error(fmt::format("n = {}, rows are copied in multiples of 16 bytes", config.n),
                 fmt::format("n is a multiple of 4: {}", round_up(config.n, int64_t{4})));
  const int64_t side = config.n - 2 * int64_t{config.r}, window = 2 * int64_t{config.r} + 1;
  const auto chosen = bulk_rows_strips(config.r, side, side);
  if (!chosen)
    return error(
        fmt::format("r = {}: {} rows must fit into shared memory, and a lane's 12 columns into a window",
                    config.r, window),
        "r is 6 to 95");
  // Down: rows of the queue, of its chunks, those behind. Along: a lane's columns, lanes, a lane's columns.
  plan->rounding = 2 * window + 3 * kBulkRows + 2 * chosen->lane + window / chosen->lane;
  launch_strips(*plan, config, "box_sum/bulk_rows", fmt::format("box_sum_bulk_rows_{}", chosen->lane),
                chosen->cut);
  auto& arguments = plan->launches[0].arguments;
  arguments.insert(arguments.end() - 2, device::Argument::of(static_cast<int32_t>(chosen->columns)));
  arguments.push_back(device::Argument::of(static_cast<int32_t>(chosen->slots)));
  return plan;
}

Result<Plan> plan_rows_first(const Config& config, bool any) {
  auto plan = plan_task(config);
  if (!plan) return plan;
  const int64_t side = config.n - 2 * int64_t{config.r}, window = 2 * int64_t{config.r} + 1;
  const RowEnds ends = any ? RowEnds::any : side % kSector == 0 ? RowEnds::sectors : RowEnds::pairs;
  const auto chosen = rows_first_strips(config.r, side, side, ends);
  if (!chosen)
    return error(
        fmt::format("r = {}: a lane's columns must fit into a window, and sums of {} rows into shared "
                    "memory",
                    config.r, window),
        fmt::format("r is {} to {}", any ? kAnyRowsFrom : kRowsFirstFrom, kRowsFirstTo));
  const RowsFirstForm& form = chosen->form;
  // Down: chunks of the queue, the rows of one, those behind. Along: a lane's columns, lanes, a lane's
  // columns.
  plan->rounding = window / form.chunk + window + 2 * form.chunk + 2 * form.lane + window / form.lane;
  launch_strips(*plan, config, any ? "box_sum/any_rows" : "box_sum/rows_first",
                "box_sum_" + rows_first_name(form), chosen->cut);
  auto& arguments = plan->launches[0].arguments;
  for (int more : {chosen->slots, chosen->cut.ahead})
    arguments.push_back(device::Argument::of(int32_t{more}));
  return plan;
}

Result<Plan> rows_first(const Config& config) {
  if (config.n % 4 != 0)
    return error(fmt::format("n = {}, rows are copied in multiples of 16 bytes", config.n),
                 fmt::format("n is a multiple of 4: {}; box_sum/any_rows takes others",
                             round_up(config.n, int64_t{4})));
  return plan_rows_first(config, false);
}

Result<Plan> any_rows(const Config& config) { return plan_rows_first(config, true); }

Result<Plan> small_windows(const Config& config) {
  auto plan = plan_task(config);
  if (!plan) return plan;
  const int64_t side = config.n - 2 * int64_t{config.r};
  const auto words = [](int64_t n) { return n % 4 == 0 ? 4 : n % 2 == 0 ? 2 : 1; };
  const auto form = small_windows_form(config.r, words(config.n), words(side), kSmallMany);
  if (!form)
    return error(fmt::format("r = {}: a lane holds 2R rows of sums in registers", config.r),
                 "r is 1 to 5; also 6, 7, 8 and 10 for n that are multiples of 4");
  const Strips cut = small_windows_strips(*form, side, side);
  plan->rounding = 2 * (2 * config.r + 1);  // along a row, and down the columns
  launch_strips(*plan, config, "box_sum/small_windows", "box_sum_small_windows_" + small_windows_name(*form),
                cut);
  return plan;
}

void sum_on_host(const Task& task, std::span<const std::vector<float>> inputs, std::span<float> out) {
  const auto n = static_cast<size_t>(task.n), r = static_cast<size_t>(task.r), side = n - 2 * r;
  std::fill(out.begin(), out.end(), 0.0f);
  for (size_t y = 0; y < side; ++y)
    for (size_t dy = 0; dy <= 2 * r; ++dy)
      for (size_t dx = 0; dx <= 2 * r; ++dx) add_row(&out[y * side], &inputs[0][(y + dy) * n + dx], side);
}

Result<Plan> sequential(const Config& config) {
  auto plan = plan_task(config);
  if (plan) plan->host = sum_on_host;
  return plan;
}

constexpr const char* kRtx4070s = "RTX 4070 SUPER report (2024)";

}  // namespace

std::vector<Case> box_sum_cases() {
  return {
      {"box_sum/sequential",
       "the box sum by four nested loops on one core of the host",
       "Each input is read (2R+1)² times, from the caches.",
       kRtx4070s,
       "",
       {{}, {4, 8, 16}, {}, {2000, 4000, 8000}, {500}},
       sequential},
      {"box_sum/direct",
       "a thread computes K outputs one below another, straight from global memory",
       "Neighbouring lanes read neighbouring words, and the caches absorb the (2R+1)²-fold reads; K trades "
       "threads for "
       "work per thread.",
       kRtx4070s,
       "outputs per thread",
       {{{8}, {16}, {32}}, {4, 8, 16}, {1, 4, 16}, {2000, 4000, 8000}, {500}, {{2}, {4}}},
       direct},
      {"box_sum/running",
       "float64 sums of columns that run down a strip, and differences of their prefix sums along it",
       "The price does not depend on R: a row enters, a row leaves. Nothing of what has left the window "
       "stays in "
       "the result.",
       "",
       "",
       {{{128}, {256}, {512}}, {4, 8, 16, 64, 128}, {}, {2000, 4000, 8000}, {500}},
       running},
      {"box_sum/block_sums",
       "float32 sums over blocks of 2R+1 rows, from their ends and from their beginnings, a window being one "
       "of each",
       "Additions only, and few: no sum has more than 2R+1 rows, nothing is ever taken away, and float32 is "
       "enough.",
       "",
       "",
       {{{64}, {128}, {256}}, {4, 8, 16}, {}, {2000, 4000, 8000}, {500}},
       block_sums},
      {"box_sum/chunk_sums",
       "32 neighbouring windows together: what they have in common is added once, down the columns and along "
       "the rows",
       "Additions only, for any radius at the same price: a row is read when windows end there and again "
       "when windows "
       "begin, and no thread waits for another but at the borders of the two directions.",
       "",
       "",
       {{{512}, {1024}}, {16, 64, 128}, {}, {2000, 4000, 8000}, {500}},
       chunk_sums},
      {"box_sum/bulk_rows",
       "the copy engine brings and takes whole rows; some warps add up columns, others rows, a few rows "
       "behind",
       "Every row comes from memory once and stays until no window needs it. Nobody waits for all: barriers "
       "in shared "
       "memory lead from the copies to the columns, from there to the rows, and on to the copies of the "
       "results.",
       "",
       "",
       {{{kBulkRowsThreads}}, {8, 16, 32}, {}, {2000, 4000, 8000}, {500}},
       bulk_rows},
      {"box_sum/rows_first",
       "warps add up windows along the rows first, from rows that the copy engine brings; others add up "
       "those sums down "
       "the columns",
       "What stays in shared memory until no window needs it is sums, not elements: none for the 2R columns "
       "beside a "
       "strip. So strips are wide also where R is large, and each row comes once.",
       "",
       "",
       {{{kRowsFirst12.threads(kRowsFirst12.most())}}, {16, 32, 64, 128}, {}, {2000, 4000, 8000}, {500}},
       rows_first},
      {"box_sum/any_rows",
       "the same for rows that begin at any word: the copy engine brings whole 16 bytes, and the sums down "
       "the "
       "columns step over what lies before",
       "A row's windows are added up from where its 16 bytes begin, up to three columns early. Every fourth "
       "row "
       "begins alike, so a thread that adds up a column needs four places to read from and not one "
       "instruction "
       "more.",
       "",
       "",
       {{{kAnyRows20.threads(kAnyRows20.most())}}, {8, 16, 32, 64}, {}, {2001, 4001, 8001}, {501}},
       any_rows},
      {"box_sum/small_windows",
       "a lane has two or four columns in registers, learns by shuffles what its neighbours have, and keeps "
       "the sums of the last 2R rows",
       "No barrier: for windows of three to thirteen columns the registers of a warp hold all that is read "
       "twice.",
       "",
       "",
       {{{256}}, {1, 2, 3, 4, 5}, {}, {2000, 4000, 8000}, {500}},
       small_windows},
  };
}

}  // namespace ww::kernels
