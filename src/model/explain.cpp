#include "model/explain.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "base/words.h"
#include "model/count_text.h"
#include "model/explain_lines.h"
#include "model/peak.h"

namespace ww::model {

namespace {

std::string resource_of(std::string_view tag) {
  constexpr std::pair<std::string_view, std::string_view> kNames[] = {
      {"time_issue", "the issue slots of the warp schedulers"},
      {"time_fp32", "the single-precision lanes"},
      {"time_int", "the integer lanes"},
      {"time_fp64", "the double-precision lanes"},
      {"time_sfu", "the special-function units"},
      {"time_tensor", "the tensor cores"},
      {"time_tensor_power", "the tensor cores' power"},
      {"time_shared", "shared memory"},
      {"time_l1", "the L1 cache"},
      {"time_l1_tags", "the tags of the L1 cache"},
      {"time_load_store", "the load/store units"},
      {"time_constant", "the passes of constant memory"},
      {"time_atomics", "the atomics of one line (128 bytes) of memory, one after another"},
      {"time_data_path", "shared memory and L1 together"},
      {"time_l2", "the bandwidth of L2"},
      {"time_l2_port", "each SM's own port to L2"},
      {"time_dram", "the bandwidth of DRAM"},
      {"time_blocks", "the rate at which blocks begin"},
      {"time_tail", "SMs that have no block while others still work"},
      {"time_latency", "latency that the resident warps do not hide"},
      {"time_barriers", "barriers that separate loading from computing"},
      {"time_launch", "the launch itself"},
  };
  for (auto [key, name] : kNames)
    if (key == tag) return std::string(name);
  return std::string(tag);
}

/// As the catalogue's words.
Said::Words part_word(std::string_view tag) { return {{"launch.part." + std::string(tag)}}; }

/// How often something happens for each warp, which is no whole number: "0.9781", "13,713".
std::string mean_text(double count) {
  constexpr double kFourDigits = 9999.5;
  return count < kFourDigits ? fmt::format("{:.4g}", count) : count_text(count);
}

std::string sentence_case(std::string text) {
  if (!text.empty() && text[0] >= 'a' && text[0] <= 'z') text[0] = static_cast<char>(text[0] - 'a' + 'A');
  return text;
}

/// Which of moving data and computing takes longer, and how much; nothing where neither matters.
std::optional<Said> balance(const Time& t) {
  const auto most = [&](std::initializer_list<std::string_view> tags) {
    std::string_view largest = *tags.begin();
    for (auto tag : tags)
      if (t.part(tag) > t.part(largest)) largest = tag;
    return largest;
  };
  const auto arithmetic = most(
      {"time_issue", "time_fp32", "time_int", "time_fp64", "time_sfu", "time_tensor", "time_tensor_power"});
  const auto memory = most({"time_dram", "time_l2", "time_l2_port", "time_l1", "time_l1_tags", "time_shared",
                            "time_load_store", "time_constant", "time_atomics"});
  double a = t.part(arithmetic), m = t.part(memory);
  if (a <= 0 || m <= 0 || std::max(a, m) < kWorthTelling * t.total) return {};
  const double ratio = std::max(a, m) / std::min(a, m);
  // Not "bound by memory": what moves the data may be any part between the registers and DRAM.
  const auto longer = m > a ? memory : arithmetic, shorter = m > a ? arithmetic : memory;
  if (ratio < 1.05)
    return Said{fmt::format("{} would take {} alone, {} as long.", sentence_case(resource_of(longer)),
                            time_text(std::max(a, m)), resource_of(shorter)),
                "said.balanced",
                {{"longer", part_word(longer)},
                 {"long", Said::Time{std::max(a, m)}},
                 {"shorter", part_word(shorter)}}};
  return Said{
      fmt::format("{} would take {} alone, {} {}: {} takes {} times as long.",
                  sentence_case(resource_of(longer)), time_text(std::max(a, m)), resource_of(shorter),
                  time_text_beside(std::min(a, m), std::max(a, m)), m > a ? "moving data" : "computing",
                  ratio < 1000 ? fmt::format("{:.3g}", ratio) : count_text(std::round(ratio))),
      m > a ? "said.moving" : "said.computing",
      {{"longer", part_word(longer)},
       {"long", Said::Time{std::max(a, m)}},
       {"shorter", part_word(shorter)},
       {"short", Said::Time{std::min(a, m)}},
       {"times", ratio}}};
}

std::string_view left_out(Unmodelled what) {
  switch (what) {
    case Unmodelled::AtomicMeetings:
      return "atomics of one line (128 bytes) of global memory wait for each other, which is";
    case Unmodelled::ConstantPasses:
      return "warps read several words of constant memory at a time, whose passes are";
    case Unmodelled::LockAttempts:
      return "threads wait in a loop for other threads, and how often they try is";
    case Unmodelled::TextureUnits:
      return "threads read textures or surfaces, whose units are";
    case Unmodelled::BulkUnits:
      return "there are more bulk copies than were followed through the caches, and what the others move is";
  }
  return {};
}

/// What is worth a sentence, with the time that it concerns.
class Limits {
 public:
  Limits(const gpus::Gpu& gpu, const Activity& activity, const Time& time) : gpu(gpu), a(activity), t(time) {}

  /// The longest times first.
  std::vector<Said> sentences() {
    shared_memory();
    global_memory();
    local_memory();
    issue_slots();
    blocks_of_the_grid();
    waiting();
    if (t.binding != "time_launch")  // the first sentence says that one
      tell(t.launch, fmt::format("The launch alone takes {}.", time_text(t.launch)), "said.launch",
           {{"time", Said::Time{t.launch}}});
    std::stable_sort(found_.begin(), found_.end(),
                     [](const Finding& x, const Finding& y) { return x.weight > y.weight; });
    std::vector<Said> out;
    for (Finding& finding : found_) out.push_back(std::move(finding.said));
    return out;
  }

 private:
  void tell(double ms, std::string text, const char* message,
            std::vector<std::pair<std::string, Said::Gap>> gaps) {
    if (ms >= kWorthTelling * t.total) found_.push_back({ms, {std::move(text), message, std::move(gaps)}});
  }

  void shared_memory() {
    const double shared = t.part("time_shared");
    const double wavefronts = a.shared_load_wavefronts + a.shared_store_wavefronts;
    if (wavefronts > 0 && a.shared_conflicts > 0)
      tell(shared * a.shared_conflicts / wavefronts,
           fmt::format("Bank conflicts cause {} of the {} wavefronts of shared memory ({}).",
                       count_text(a.shared_conflicts), count_text(wavefronts),
                       time_text(shared * a.shared_conflicts / wavefronts)),
           "said.conflicts",
           {{"conflicts", Said::Count{a.shared_conflicts}},
            {"all", Said::Count{wavefronts}},
            {"time", Said::Time{shared * a.shared_conflicts / wavefronts}}});
    else if (t.binding == "time_shared")
      tell(shared,
           fmt::format("Its {} wavefronts of shared memory are free of bank conflicts.",
                       count_text(wavefronts)),
           "said.no_conflicts", {{"all", Said::Count{wavefronts}}});
  }

  void global_memory() {
    const double requests = a.global_requests;
    if (t.binding == "time_l1" && requests > 0)
      tell(t.part("time_l1"),
           fmt::format("Global memory takes {} passes through L1 for {} load and store instructions; "
                       "neighbouring lanes with neighbouring words need one.",
                       count_text(a.global_wavefronts), count_text(requests)),
           "said.l1_passes",
           {{"passes", Said::Count{a.global_wavefronts}}, {"requests", Said::Count{requests}}});
    const double dram = a.dram_bytes_read + a.dram_bytes_written;
    const double balanced =
        1e-3 * peak_of(gpu, a).flop_per_clock * gpu.sm_count * gpu.boost_clock / gpu.dram_bandwidth;
    if (t.binding == "time_dram")
      tell(t.part("time_dram"),
           fmt::format("It moves {:.4g} MB between the GPU and its memory for {} flop, {:.3g} flop per byte; "
                       "from {:.3g} on it would be bound by arithmetic.",
                       dram * 1e-6, count_text(a.flop), a.flop / dram, balanced),
           "said.dram",
           {{"mb", dram * 1e-6},
            {"flop", Said::Count{a.flop}},
            {"intensity", a.flop / dram},
            {"needed", balanced}});
  }

  /// Nothing in a source says that an array is in local memory; who sees the traffic can look for it.
  void local_memory() {
    const double sectors = a.global_load_sectors + a.global_store_sectors;
    if (a.local_sectors <= 0 || sectors <= 0) return;
    const double share = a.local_sectors / sectors;
    double longest = 0;
    for (auto tag : {"time_l1", "time_l1_tags", "time_l2", "time_l2_port", "time_dram"})
      longest = std::max(longest, t.part(tag));
    tell(share * longest,
         fmt::format("{:.3g} % of the sectors are of local memory: arrays of a thread that are indexed by "
                     "what is known only when it runs, or that registers cannot hold.",
                     100 * share),
         "said.local", {{"percent", 100 * share}});
  }

  void issue_slots() {
    if (t.binding == "time_issue")
      tell(
          t.part("time_issue"),
          fmt::format("Of {} warp instructions {} single-precision arithmetic.", count_text(a.instructions()),
                      a.fp32 == 0 ? "none is" : count_text(a.fp32) + (a.fp32 == 1 ? " is" : " are")),
          "said.issue", {{"all", Said::Count{a.instructions()}}, {"fp32", Said::Count{a.fp32}}});
  }

  void blocks_of_the_grid() {
    if (a.blocks < gpu.sm_count)
      tell(t.tail + t.latency,
           fmt::format("Its {} {} {} of {}.", counted(a.blocks, "block"),
                       plural(a.blocks, "occupies", "occupy"), a.blocks, counted(gpu.sm_count.value, "SM")),
           "said.few_blocks",
           {{"blocks", Said::Count{static_cast<double>(a.blocks)}},
            {"sms", Said::Count{static_cast<double>(gpu.sm_count.value)}}});
    else if (t.waves < 1)
      tell(t.tail,
           fmt::format("The GPU holds all {} at once, but {} do not share them evenly: some work longer "
                       "than others ({:.3g} % efficiency).",
                       counted(a.blocks, "block"), counted(gpu.sm_count.value, "SM"), t.sm_efficiency),
           "said.uneven",
           {{"blocks", Said::Count{static_cast<double>(a.blocks)}},
            {"sms", Said::Count{static_cast<double>(gpu.sm_count.value)}},
            {"efficiency", t.sm_efficiency}});
    else
      tell(t.tail,
           fmt::format("The grid is {:.3g} times what the GPU holds at once, so the last blocks leave "
                       "SMs idle ({:.3g} % efficiency).",
                       t.waves, t.sm_efficiency),
           "said.waves", {{"waves", t.waves}, {"efficiency", t.sm_efficiency}});
  }

  /// What an SM that has blocks holds: a small grid gives it fewer than it could hold.
  Occupancy resident() const {
    Occupancy o = t.occupancy;
    const auto most =
        static_cast<int64_t>(std::ceil(static_cast<double>(a.blocks) / static_cast<double>(gpu.sm_count)));
    if (most >= o.active_blocks) return o;
    o.active_blocks = most;
    o.active_warps = most * o.warps_per_block;
    o.percent = 100.0 * static_cast<double>(o.active_warps) / static_cast<double>(gpu.max_warps_per_sm);
    o.binding = {Resource::Grid};
    return o;
  }

  void waiting() {
    const Occupancy on_sm = resident();
    tell(t.latency,
         fmt::format("The {} of an SM ({:.3g} %, limited by {}) {} {} of latency unhidden; a warp {}.",
                     counted(on_sm.active_warps, "resident warp"), on_sm.percent, limiter(on_sm),
                     plural(on_sm.active_warps, "leaves", "leave"), time_text(t.latency),
                     a.global_rounds == 0 ? "never waits for global memory"
                     : a.global_rounds == 1
                         ? "waits for global memory once"
                         : fmt::format("waits for global memory {} times", mean_text(a.global_rounds))),
         "said.latency",
         {{"warps", Said::Count{static_cast<double>(on_sm.active_warps)}},
          {"percent", on_sm.percent},
          {"limiter", limiter_words(on_sm)},
          {"time", Said::Time{t.latency}},
          {"rounds", a.global_rounds}});
    tell(t.barriers,
         fmt::format("Barriers ({} per warp) separate loading from computing, and {} {} {} of it unhidden.",
                     mean_text(a.barriers), counted(on_sm.active_blocks, "resident block"),
                     plural(on_sm.active_blocks, "leaves", "leave"), time_text(t.barriers)),
         "said.barriers",
         {{"barriers", a.barriers},
          {"blocks", Said::Count{static_cast<double>(on_sm.active_blocks)}},
          {"time", Said::Time{t.barriers}}});
  }

  const gpus::Gpu& gpu;
  const Activity& a;
  const Time& t;
  std::vector<Finding> found_;
};

}  // namespace

std::string limiter(const Occupancy& o) {
  std::vector<std::string> names;
  for (Resource resource : o.binding)
    names.emplace_back(resource == Resource::Grid ? "the grid" : name(resource));
  return listed(names);
}

Said::Words limiter_words(const Occupancy& o) {
  Said::Words words;
  for (Resource resource : o.binding) words.keys.push_back("launch.word." + std::string(name(resource)));
  return words;
}

std::vector<Said> explain(const gpus::Gpu& gpu, const Activity& a, const Time& t) {
  double bound = t.part(t.binding);
  for (auto [tag, ms] : {std::pair<std::string_view, double>{"time_tail", t.tail},
                         {"time_latency", t.latency},
                         {"time_barriers", t.barriers},
                         {"time_launch", t.launch}})
    if (tag == t.binding) bound = ms;
  std::vector<Said> out = {{fmt::format("On {} it would take {}, {} of it for {} ({}).", gpu.name,
                                        time_text(t.total), 2 * bound > t.total ? "most" : "the largest part",
                                        resource_of(t.binding), time_text_beside(bound, t.total)),
                            "said.total",
                            {{"gpu", gpu.name},
                             {"time", Said::Time{t.total}},
                             {"resource", part_word(t.binding)},
                             {"part", Said::Time{bound}}}}};
  for (Unmodelled what : t.unmodelled)
    out.push_back({fmt::format("That is too short: {} not modelled on this GPU.", left_out(what)),
                   "said.too_short",
                   {{"what", Said::Words{{"unmodelled." + std::string(name(what))}}}}});
  if (auto said = balance(t)) out.push_back(std::move(*said));
  for (Said& said : Limits(gpu, a, t).sentences()) out.push_back(std::move(said));
  if (!t.missing.empty()) {
    std::string keys;
    Said::Words figures;
    for (auto key : t.missing) {
      keys += (keys.empty() ? "" : ", ") + std::string(key);
      figures.keys.push_back("figure." + std::string(key));
    }
    out.push_back(
        {fmt::format(
             "Figures of this GPU that are not known, so left out or replaced by the next smaller one: {}.",
             keys),
         "said.missing",
         {{"figures", std::move(figures)}}});
  }
  return out;
}

}  // namespace ww::model
