// What the memory spaces cost: shared, constant, texture, local and global memory.
#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>

#include "kernels/families.h"

namespace ww::kernels {

namespace {

constexpr int64_t kRounds = 64;  // reads of each thread, where one would not show what it costs
constexpr int64_t kLargestN = int64_t{1} << 24;  // threads

device::Argument argument(int64_t value) { return device::Argument::of(static_cast<int32_t>(value)); }

std::vector<double> elements_of(const Input& input, int64_t n) {
  std::vector<float> elements(static_cast<size_t>(n));
  input.read(0, elements);
  return {elements.begin(), elements.end()};
}

void absolute(std::span<const double> exact, std::span<double> magnitude) {
  std::transform(exact.begin(), exact.end(), magnitude.begin(), [](double v) { return std::abs(v); });
}

Status at_most(const char* axis, int64_t value, int64_t most, const char* why) {
  if (value <= most) return {};
  return error(fmt::format("{} = {}, it is at most {}: {}", axis, value, most, why));
}

/// n threads in whole blocks, one element of `out` each, and `inputs` elements of `in`: buffers 0 and 1 and
/// one launch.
Result<Plan> plan_threads(const Config& config, const char* name, int64_t inputs) {
  if (auto ok = at_most("n", config.n, kLargestN, "indices have 32 bits"); !ok) return ok.error();
  if (auto ok = require_multiple(config.n, config.shape.block, "the threads of a block"); !ok)
    return ok.error();
  const auto n = static_cast<uint64_t>(config.n), read = static_cast<uint64_t>(inputs);
  auto in = make_input(config, 0, read);
  if (!in) return in.error();
  Plan plan;
  plan.task = {Problem::Given, config.n, 0, {*in}, fmt::format("spaces/{} k={}", name, config.k), n, {}};
  plan.buffers = {{"in", read, *in}, {"out", n, Poison{}}};
  plan.output = 1;
  plan.module = fmt::format("spaces/{}", name);
  const auto threads = static_cast<uint32_t>(config.shape.block);
  plan.launches = {{fmt::format("spaces_{}", name),
                    {static_cast<uint32_t>(n / threads)},
                    {threads},
                    0,
                    {BufferArgument{0}, BufferArgument{1}}}};
  return plan;
}

// ---- shared memory ----

constexpr int64_t kSharedWords = 1024;

Result<Plan> shared_static(const Config& config) {
  const int64_t block = config.shape.block;
  auto plan = plan_threads(config, "shared_static", config.n / block * kSharedWords);
  if (!plan) return plan;
  plan->problem = "shared";
  plan->launches[0].arguments.push_back(argument(config.k));
  plan->launches[0].arguments.push_back(argument(kRounds));
  plan->flop = static_cast<double>(kRounds * config.n);
  plan->rounding = kRounds;
  plan->task.answer = [in = plan->task.inputs[0], n = config.n, block, stride = int64_t{config.k}](
                          std::span<double> exact, std::span<double> magnitude) {
    const std::vector<double> x = elements_of(in, n / block * kSharedWords);
    for (int64_t i = 0; i < n; ++i) {
      const int64_t t = i % block, lane = t % 32, warp = t / 32;
      for (int64_t r = 0; r < kRounds; ++r) {
        const double v =
            x[static_cast<size_t>(i / block * kSharedWords + (lane * stride + warp + r) % kSharedWords)];
        exact[static_cast<size_t>(i)] += v;
        magnitude[static_cast<size_t>(i)] += std::abs(v);
      }
    }
  };
  return plan;
}

Result<Plan> shared_dynamic(const Config& config) {
  auto plan = plan_threads(config, "shared_dynamic", config.n);
  if (!plan) return plan;
  plan->problem = "shared arrays";
  const int64_t block = config.shape.block;
  plan->launches[0].dynamic_shared =
      static_cast<uint64_t>(block) * (sizeof(double) + sizeof(float) + sizeof(short));
  plan->flop = 2.0 * static_cast<double>(config.n);
  plan->rounding = 3;
  plan->task.name += fmt::format(" block={}", block);
  plan->task.answer = [in = plan->task.inputs[0], n = config.n, block](std::span<double> exact,
                                                                       std::span<double> magnitude) {
    const std::vector<double> x = elements_of(in, n);
    for (int64_t i = 0; i < n; ++i) {
      const int64_t other = block - 1 - i % block;
      const double v = x[static_cast<size_t>(i / block * block + other)];
      exact[static_cast<size_t>(i)] = 4.5 * v + static_cast<double>(other);
      magnitude[static_cast<size_t>(i)] = 4.5 * std::abs(v) + static_cast<double>(other);
    }
  };
  return plan;
}

// ---- constant memory ----

Result<Plan> constant(const Config& config) {
  if (auto ok = at_most("k", config.k, 32, "a warp has 32 lanes"); !ok) return ok.error();
  auto plan = plan_threads(config, "constant", 0);
  if (!plan) return plan;
  plan->problem = "constant";
  plan->task.inputs.clear();
  plan->buffers.erase(plan->buffers.begin());
  plan->output = 0;
  plan->launches[0].arguments = {BufferArgument{0}, argument(config.k), argument(kRounds)};
  plan->flop = static_cast<double>(kRounds * config.n);
  plan->task.answer = [n = config.n, ways = config.k](std::span<double> exact, std::span<double> magnitude) {
    for (int64_t i = 0; i < n; ++i)
      for (int64_t r = 0; r < kRounds; ++r)
        exact[static_cast<size_t>(i)] += static_cast<double>((i % 32 % ways + r) * 37 % 101);
    absolute(exact, magnitude);  // integers: no rounding at all
  };
  return plan;
}

// ---- images ----

// Beyond each edge, and in x a quarter and in y half a texel beside its middle: weights that 8 bits hold.
constexpr float kDx = 3.25f, kDy = -2.5f;

/// The launch over an n × n image with 256 threads per block, each warp covering k columns
/// (kernels/spaces/image.h).
Result<Plan> plan_image(const Config& config, const char* name) {
  if (config.n < 256 || config.n > 8192 || !std::has_single_bit(static_cast<uint64_t>(config.n)))
    return error(
        fmt::format("n = {}, the side of an image here is a power of two from 256 to 8192", config.n));
  if (config.k > 32 || !std::has_single_bit(static_cast<unsigned>(config.k)))
    return error(fmt::format("k = {}, a warp of 32 lanes covers 1, 2, 4, 8, 16 or 32 columns", config.k));
  const auto n = static_cast<uint64_t>(config.n), wide = static_cast<uint64_t>(config.k);
  auto in = make_input(config, 0, n * n);
  if (!in) return in.error();
  Plan plan;
  plan.task = {Problem::Given, config.n, 0, {*in}, "", n * n, {}};
  plan.buffers = {{"image", n * n, *in}, {"out", n * n, Poison{}}};
  plan.output = 1;
  plan.problem = "image";
  plan.module = fmt::format("spaces/{}", name);
  const uint64_t rows = uint64_t{256} / wide;  // that a block covers
  plan.launches = {{fmt::format("spaces_{}", name),
                    {static_cast<uint32_t>(n / wide), static_cast<uint32_t>(n / rows)},
                    {256},
                    0,
                    {}}};
  return plan;
}

/// Reads the texels at (x + dx + i, y + dy + j) of `taps`, each with a weight.
struct Tap {
  int64_t dx, dy;
  double weight;
};

Answer image_answer(const Input& in, int64_t n, bool wrap, std::vector<Tap> taps) {
  return [in, n, wrap, taps = std::move(taps)](std::span<double> exact, std::span<double> magnitude) {
    const std::vector<double> image = elements_of(in, n * n);
    const auto index = [&](int64_t i) { return wrap ? (i + n) % n : std::clamp<int64_t>(i, 0, n - 1); };
    for (int64_t y = 0; y < n; ++y)
      for (int64_t x = 0; x < n; ++x)
        for (const Tap& tap : taps) {
          const double v = image[static_cast<size_t>(index(y + tap.dy) * n + index(x + tap.dx))];
          exact[static_cast<size_t>(y * n + x)] += tap.weight * v;
          magnitude[static_cast<size_t>(y * n + x)] += tap.weight * std::abs(v);
        }
  };
}

Result<Plan> texture(const Config& config, bool wrap, bool linear) {
  auto plan = plan_image(config, "texture");
  if (!plan) return plan;
  const auto n = static_cast<uint32_t>(config.n);
  plan->textures = {{0, {0, n, n, wrap, linear}}};
  plan->launches[0].arguments = {TextureArgument{0}, BufferArgument{1},         argument(config.n),
                                 argument(config.k), device::Argument::of(kDx), device::Argument::of(kDy)};
  plan->task.name = fmt::format("spaces/texture wrap={} linear={}", wrap, linear);
  // Nearest: the texel whose half-open square holds the point. Linear: the point lies a quarter of a texel
  // right of the middle of column x + 3 and half a texel above that of row y - 2.
  std::vector<Tap> taps = {{3, -2, 1}};
  if (linear) {
    taps = {{3, -3, 0.75 * 0.5}, {4, -3, 0.25 * 0.5}, {3, -2, 0.75 * 0.5}, {4, -2, 0.25 * 0.5}};
    plan->rounding = 8;  // three blends of two products and a sum, in whatever way the GPU does them
  }
  plan->task.answer = image_answer(plan->task.inputs[0], config.n, wrap, std::move(taps));
  return plan;
}

Result<Plan> point_clamp(const Config& c) { return texture(c, false, false); }
Result<Plan> point_wrap(const Config& c) { return texture(c, true, false); }
Result<Plan> linear_clamp(const Config& c) { return texture(c, false, true); }
Result<Plan> linear_wrap(const Config& c) { return texture(c, true, true); }

Result<Plan> read_only(const Config& config) {
  auto plan = plan_image(config, "read_only");
  if (!plan) return plan;
  plan->launches[0].arguments = {BufferArgument{0},  BufferArgument{1}, argument(config.n),
                                 argument(config.k), argument(3),       argument(-2)};
  plan->task.name = "spaces/read_only";
  plan->task.answer = image_answer(plan->task.inputs[0], config.n, false, {{3, -2, 1}});
  return plan;
}

// ---- local memory ----

constexpr int64_t kLocalElements = 16;

Result<Plan> local(const Config& config) {
  if (auto ok = at_most("k", config.k, kLocalElements, "a thread's array has 16 elements"); !ok)
    return ok.error();
  auto plan = plan_threads(config, "local", config.n);
  if (!plan) return plan;
  plan->problem = "local";
  plan->launches[0].arguments.push_back(argument(config.k));
  plan->launches[0].arguments.push_back(argument(kRounds));
  plan->flop = static_cast<double>((kRounds + kLocalElements) * config.n);
  plan->rounding = kRounds + 1;
  plan->task.answer = [in = plan->task.inputs[0], n = config.n, ways = config.k](
                          std::span<double> exact, std::span<double> magnitude) {
    const std::vector<double> x = elements_of(in, n);
    for (size_t i = 0; i < x.size(); ++i)
      for (int64_t r = 0; r < kRounds; ++r) {
        const auto index = static_cast<double>((static_cast<int64_t>(i) % 32 % ways + r) % kLocalElements);
        exact[i] += x[i] + index;
        magnitude[i] += std::abs(x[i]) + index;
      }
  };
  return plan;
}

// ---- global memory ----

Result<Plan> global(const Config& config, int64_t stride, int64_t offset) {
  auto plan = plan_threads(config, "global_copy", config.n * stride + offset);
  if (!plan) return plan;
  plan->problem = "global";
  plan->launches[0].arguments.push_back(argument(stride));
  plan->launches[0].arguments.push_back(argument(offset));
  plan->task.name = fmt::format("spaces/global stride={} offset={}", stride, offset);
  plan->task.answer = [in = plan->task.inputs[0], n = config.n, stride, offset](std::span<double> exact,
                                                                                std::span<double> magnitude) {
    const std::vector<double> x = elements_of(in, n * stride + offset);
    for (int64_t i = 0; i < n; ++i)
      exact[static_cast<size_t>(i)] = x[static_cast<size_t>(i * stride + offset)];
    absolute(exact, magnitude);
  };
  return plan;
}

constexpr const char* kWhyMost = "a larger one shows nothing more";

Result<Plan> global_aligned(const Config& config) { return global(config, 1, 0); }
Result<Plan> global_misaligned(const Config& config) {
  if (auto ok = at_most("k", config.k, 1024, kWhyMost); !ok) return ok.error();
  return global(config, 1, config.k);
}
Result<Plan> global_strided(const Config& config) {
  if (auto ok = at_most("k", config.k, 64, kWhyMost); !ok) return ok.error();
  return global(config, config.k, 0);
}

const std::vector<int64_t> kN = {1 << 16, 1 << 20}, kQuickN = {1 << 16};
const std::vector<int64_t> kSides = {512, 2048}, kQuickSides = {256};

}  // namespace

std::vector<Case> spaces_cases() {
  const auto threads = [](std::vector<int> k) { return Axes{{{256}}, {}, std::move(k), kN, kQuickN}; };
  const Axes image{{{256}}, {}, {32, 16, 8, 4, 2, 1}, kSides, kQuickSides};
  const char* columns = "columns of the image that a warp covers";
  return {
      {"spaces/shared_static", "64 reads of shared memory, each lane k words from its neighbour",
       "Shared memory has 32 banks (16 before 2.0). The words of a warp that lie in one bank come one after "
       "another: odd "
       "strides are free, a stride of 32 costs 32 passes.",
       "", "stride in words", threads({1, 2, 3, 4, 8, 16, 32, 33}), shared_static},
      {"spaces/shared_dynamic",
       "three arrays of different types in one piece of shared memory whose size the launch gives",
       "There is one dynamic array per block. Several share it, the widest type first, so that all are "
       "aligned; 8-byte words "
       "take two passes.",
       "",
       "",
       {{{64}, {128}, {256}, {512}}, {}, {}, kN, kQuickN},
       shared_dynamic},
      {"spaces/constant", "64 reads of a constant table, at k different places in a warp",
       "The constant cache serves one address per pass: one place for the whole warp is as cheap as a "
       "register, 32 places cost "
       "32 passes.",
       "", "different places in a warp", threads({1, 2, 4, 8, 16, 32}), constant},
      {"spaces/texture_point_clamp", "an image through a texture: nearest texel, edges go on",
       "Coordinates from 0 to 1, and no code for the edges. A texture unit takes four lanes of a warp at a "
       "time: what counts is how near to each other the texels of four neighbours lie. A row of 32 and 8 × 4 "
       "cost the same, a column more.",
       "", columns, image, point_clamp},
      {"spaces/texture_point_wrap", "the same, beyond an edge the image begins anew",
       "Another address mode is another texture object: the kernel stays the same.", "", columns, image,
       point_wrap},
      {"spaces/texture_linear_clamp", "the same with linear filtering: four texels weighed, edges go on",
       "The texture unit reads and weighs four texels for each lane in one instruction. Weights have 8 bits "
       "of fraction.",
       "", columns, image, linear_clamp},
      {"spaces/texture_linear_wrap", "linear filtering, beyond an edge the image begins anew",
       "Lanes at an edge weigh texels of opposite edges.", "", columns, image, linear_wrap},
      {"spaces/read_only", "the same walk over an image by loads through the read-only cache (ld.global.nc)",
       "What a texture does by itself, in code: clamped indices. A load is one request for the whole warp, "
       "so that here a patch of 8 columns already asks for more sectors than a row.",
       "", columns, image, read_only},
      {"spaces/local",
       "an array of each thread with an index known at run time only, at k different elements in a warp",
       "Such an array lies in local memory, that is, in global memory through L1. It is laid out so that "
       "lanes that use the same "
       "element share 4 sectors; lanes that use different ones do not.",
       "", "different elements in a warp", threads({1, 2, 4, 8, 16}), local},
      {"spaces/global_aligned", "each thread copies an element, a warp 128 bytes from a multiple of 128",
       "The best case: 4 sectors of 32 bytes, all of each used.", "", "", threads({}), global_aligned},
      {"spaces/global_misaligned", "the same, k elements further on",
       "A warp that does not begin at a sector touches one more. On GPUs of 2008 it was one transaction for "
       "each lane.",
       "", "offset in elements", threads({1, 2, 4, 8, 16, 32}), global_misaligned},
      {"spaces/global_strided", "the same with k elements from lane to lane",
       "Of every sector only 1/k is used, down to one element of eight: the memory moves up to eight times "
       "what is asked for.",
       "", "stride in elements", threads({1, 2, 3, 4, 8, 16, 32}), global_strided},
  };
}

}  // namespace ww::kernels
