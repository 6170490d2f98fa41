#include "engine/schedule/standing.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "analysis/polling_loads.h"
#include "engine/async/awaited.h"
#include "engine/schedule/called_place.h"
#include "engine/schedule/launch_state.h"
#include "ir/flow.h"

namespace ww::engine {

namespace {

constexpr size_t kShown = 6;  // places

/// A loop as a piece of the function's blocks, in their order.
struct Loop {
  ir::BlockId first = 0, last = 0;
};

/// The smallest loop around the block.
std::optional<Loop> loop_around(const ir::Function& f, ir::BlockId block) {
  const ir::Flow flow = ir::flow_of(f);
  std::optional<Loop> found;
  for (ir::BlockId from = block; from < f.blocks.size(); ++from)
    for (ir::BlockId to : flow.successors[from])
      if (to <= block && (!found || from - to < found->last - found->first)) found = Loop{to, from};
  return found;
}

struct LoopFacts {
  int first_line = 0, last_line = 0;
  std::string file;
  std::vector<std::string> reads;  ///< "ld.volatile.global at x.cu:12"
  std::vector<std::string> waits;  ///< those of them that it repeats until their value changes
  bool others = false;             ///< it exchanges values with other lanes, calls, or waits at barriers
};

void add_once(std::vector<std::string>& list, std::string text) {
  if (std::find(list.begin(), list.end(), text) == list.end()) list.push_back(std::move(text));
}

LoopFacts facts_of(const Program& program, const ir::Function& f, const Loop& loop) {
  LoopFacts facts;
  for (ir::BlockId b = loop.first; b <= loop.last; ++b)
    for (const ir::Instruction& in : f.blocks[b].instructions) {
      const Location at = ir::location(*program.module, in.place);
      if (facts.file.empty()) facts.file = at.file, facts.first_line = facts.last_line = at.line;
      if (at.file == facts.file) {
        facts.first_line = std::min(facts.first_line, at.line);
        facts.last_line = std::max(facts.last_line, at.line);
      }
      const isa::Pipe pipe = in.form().pipe;
      const bool memory = pipe == isa::Pipe::Memory || pipe == isa::Pipe::Atomic;
      if (memory && in.op != isa::Op::st && ir::space_of(in) != ir::Space::Param &&
          ir::space_of(in) != ir::Space::Local) {
        std::string text = fmt::format("{} at {}:{}", in.form().mnemonic, at.file, at.line);
        if (analysis::is_polling_load(f, b, in)) add_once(facts.waits, text);
        add_once(facts.reads, std::move(text));
      } else if (in.call >= 0 || (!memory && in.form().kind != isa::RowKind::Lane && !ir::ends_block(in.op) &&
                                  in.op != isa::Op::mov)) {
        facts.others = true;
      }
    }
  return facts;
}

std::string loop_text(const Program& program, u32 instruction) {
  const InstInfo& info = program.infos[instruction];
  const auto loop = loop_around(*info.function, info.block);
  if (!loop) return {};
  const LoopFacts facts = facts_of(program, *info.function, *loop);
  std::string text =
      facts.first_line == facts.last_line
          ? fmt::format("in the loop at {}:{}", facts.file, facts.first_line)
          : fmt::format("in the loop of {}:{} to {}", facts.file, facts.first_line, facts.last_line);
  const auto listed = [](const std::vector<std::string>& list) {
    return list[0] + (list.size() > 1 ? fmt::format(" and {} more", list.size() - 1) : "");
  };
  if (!facts.waits.empty())
    text += fmt::format(", which goes on until what it reads changes ({})", listed(facts.waits));
  else if (!facts.reads.empty())
    text += fmt::format(", which reads memory ({})", listed(facts.reads));
  else if (!facts.others)
    text += ", which reads no memory: only its own counting can end it";
  return text;
}

std::string why_text(const StandingPlace& place) {
  switch (place.why) {
    case StandingPlace::Why::Barrier:
      return "wait at a barrier of their block, ";
    case StandingPlace::Why::Phase:
      return "wait at ";
    case StandingPlace::Why::OtherLanes:
      return "wait for other lanes of their warp, ";
    default:
      return "at ";
  }
}

}  // namespace

bool only_waits(const Standing& standing) {
  return std::none_of(standing.places.begin(), standing.places.end(),
                      [](const auto& group) { return group.first.why == StandingPlace::Why::Running; });
}

void add_standing(Standing& standing, const BlockState& block) {
  ++standing.blocks;
  for (const auto& w : block.warps)
    for (const Split* s : w->splits) {
      StandingPlace place;
      const Inst* i = s->pc;
      if (s->state == Split::State::Barrier) place.why = StandingPlace::Why::Barrier, --i;
      if (s->state == Split::State::Collective) place.why = StandingPlace::Why::OtherLanes;
      const AwaitedPhase* phase = s->state == Split::State::Ready ? awaited_by(*w, s->mask) : nullptr;
      if (phase) place.why = StandingPlace::Why::Phase, i = phase->at;
      const auto last = static_cast<u32>(block.launch.program->infos.size() - 1);
      place.instruction = std::min(i->index, last);
      Standing::Group& group = standing.places[place];
      const u32 lanes = s->state == Split::State::Collective ? s->waiting : s->mask;
      group.lanes += lane_count(lanes), group.of += lane_count(w->live);
      if (group.warps++ == 0) {
        group.example = thread_text(*w, lanes == w->live || lanes == 0 ? -1 : __builtin_ctz(lanes));
        if (phase) group.phase = phase_text(block, *phase);
      }
    }
}

std::string standing_text(const Standing& standing, const Program& program, u64 ended, u64 all) {
  std::string out = fmt::format("{} of {} {} ended, {} {} begun and not ended", ended, all,
                                all == 1 ? "block has" : "blocks have", standing.blocks,
                                standing.blocks == 1 ? "has" : "have");
  std::vector<std::pair<StandingPlace, Standing::Group>> places(standing.places.begin(),
                                                                standing.places.end());
  std::stable_sort(places.begin(), places.end(),
                   [](const auto& a, const auto& b) { return a.second.warps > b.second.warps; });
  for (size_t k = 0; k < std::min(kShown, places.size()); ++k) {
    const auto& [place, group] = places[k];
    const std::string some =
        group.lanes < group.of ? fmt::format("{} of {} threads of ", group.lanes, group.of) : "";
    out +=
        fmt::format("\n    {}{} {} (one is {}): {}{}", some, group.warps, group.warps == 1 ? "warp" : "warps",
                    group.example, why_text(place), place_with_calls(program, place.instruction));
    if (!group.phase.empty()) out += "\n      for " + group.phase;
    if (place.why == StandingPlace::Why::Running)
      if (const std::string loop = loop_text(program, place.instruction); !loop.empty())
        out += "\n      " + loop;
  }
  if (places.size() > kShown) out += fmt::format("\n    and {} more places", places.size() - kShown);
  return out;
}

}  // namespace ww::engine
