#include "checks/races/grids.h"

#include <algorithm>

#include "base/symbol_name.h"
#include "checks/races.h"
#include "checks/races/words.h"

namespace ww::checks {

namespace races {

std::string Grid::kernel() const {
  return facts.kernel.empty() ? demangled(program->module->symbols[program->entry->symbol].name)
                              : facts.kernel;
}

void Grids::clear() {
  all_.clear(), open_.clear(), launched_.clear(), by_number_.clear(), codes_.clear();
  root_ = primary_ = 0;
  blocks_ = instructions_ = 0;
}

bool Grids::go_on(const Start& start, u64 stream) const {
  if (all_.empty()) return false;
  if (start.how == Start::How::Child) return launched_.count(start.number) > 0;
  return start.how == Start::How::Early && all_[root_].stream == stream;
}

Grid& Grids::begin(const LaunchFacts& facts, const engine::Program& program, u64 stream, Segment now) {
  const Start& start = facts.start;
  const auto launched = start.how == Start::How::Child ? launched_.find(start.number) : launched_.end();
  const bool child = launched != launched_.end(), early = !child && !all_.empty();
  Grid g;
  g.facts = facts;
  g.facts.arguments = nullptr;  // they are gone when this is needed
  g.program = program.weak_from_this().lock();
  if (!g.program) g.program = {std::shared_ptr<const engine::Program>(), &program};
  g.stream = stream;
  g.begin = now;
  g.early = early;
  g.parent = child ? launched->second.parent : static_cast<u32>(all_.size());
  // What does not enclose it has ended.
  while (!open_.empty() && !(child && open_.back() == g.parent)) {
    all_[open_.back()].end = now;
    open_.pop_back();
  }
  if (child) g.start = start_of_child(facts, launched->second, now);
  if (early) g.start = start_early();
  if (!child) primary_ = root_, root_ = static_cast<u32>(all_.size());
  g.first_block = static_cast<u32>(blocks_);
  blocks_ += facts.grid.count();
  const auto code = std::find_if(codes_.begin(), codes_.end(),
                                 [&](const Code& c) { return all_[c.grid].program.get() == &program; });
  if (code != codes_.end()) {
    g.first_instruction = code->first_instruction;
  } else {
    g.first_instruction = static_cast<u32>(instructions_);
    codes_.push_back({g.first_instruction, static_cast<u32>(all_.size())});
    instructions_ += program.infos.size() + 1;
  }
  if (child) by_number_[start.number] = static_cast<u32>(all_.size());
  open_.push_back(static_cast<u32>(all_.size()));
  all_.push_back(std::move(g));
  return all_.back();
}

/// What the thread that launches it knows; all of what its stream puts before it; a tail, all that its parent
/// has launched otherwise, and the parent.
Clock Grids::start_of_child(const LaunchFacts& facts, const Launched& launched, Segment now) const {
  Clock c = launched.by;
  const Grid& parent = all_[launched.parent];
  if (facts.start.tail) {
    c.join(parent.start);
    c.add(Span{parent.begin, now});
  }
  for (const u64 number : facts.start.behind) {
    const auto at = by_number_.find(number);
    if (at == by_number_.end()) continue;
    const Grid& before = all_[at->second];
    c.join(before.start);
    c.add(Span{before.begin, before.end ? before.end : now});
  }
  return c;
}

/// It may begin when all blocks of the one before have let it, or have ended: then what that one had waited
/// for has ended, if it waited first.
Clock Grids::start_early() const {
  const Grid& before = all_[root_];
  Clock c = before.start;
  if (before.waited) c.add(Span{all_[0].begin, before.waited});
  return c;
}

const Grid& Grids::of_block(u64 block) const {
  return *std::prev(std::upper_bound(all_.begin(), all_.end(), block,
                                     [](u64 b, const Grid& g) { return b < g.first_block; }));
}

std::pair<u32, const engine::Program*> Grids::code_of(u32 instruction) const {
  const auto code = std::prev(std::upper_bound(codes_.begin(), codes_.end(), instruction,
                                               [](u32 i, const Code& c) { return i < c.first_instruction; }));
  return {code->first_instruction, all_[code->grid].program.get()};
}

const engine::InstInfo& Grids::info_of(u32 instruction) const {
  const auto [first, program] = code_of(instruction);
  return program->infos[instruction - first];
}

}  // namespace races

using races::first_lane;
using races::Span;

thread_local u64 Races::working_stream_ = 0;

/// A launch begins early only right behind the one before it in its stream: whatever the host does between
/// orders them.
void Races::stream_order(const events::StreamOrder& e) {
  using What = events::StreamOrder::What;
  if (e.what == What::WorkEnds) return;
  if (e.what == What::Work && e.doing == std::string_view("a launch"))
    working_stream_ = e.stream;
  else
    interrupted_ = true;
}

void Races::on(const events::Grids& e) {
  using What = events::Grids::What;
  races::BlockOrder& b = order_.block(e.block);
  races::Grid& g = grids_.current();
  switch (e.what) {
    case What::Launches:
      grids_.launches(e.launch, order_.all_of(b, e.warp, e.mask));
      order_.new_segment(b, e.warp);
      break;
    case What::Triggers:
      g.triggers = true;
      break;
    case What::Waits: {
      if (!g.early) break;
      if (!g.triggers) g.waited = g.begin;
      races::Clock all;
      all.add(Span{order_.old(), g.begin});
      order_.learn(b, e.warp, e.mask, all);
      break;
    }
  }
}

Party Races::party_at(u32 instruction, const Lane& who, std::string what) const {
  const races::Grid& g = grids_.of_block(who.block);
  events::Site site;
  site.instruction = grids_.own_number(instruction);
  site.block = who.block - g.first_block;
  site.warp = who.warp;
  return party_in(g.facts, grids_.program_of(instruction), site, static_cast<int>(who.lane), std::move(what));
}

/// Whether a kernel runs beside the launch before or after it. (What a kernel launches itself is a call,
/// which analysis::written_params gives up at.)
bool Races::meets_grids(const engine::Program& program) {
  return std::any_of(program.infos.begin(), program.infos.end(), [](const engine::InstInfo& info) {
    const isa::Op op = info.instruction->op;
    return op == isa::Op::griddepcontrol_launch || op == isa::Op::griddepcontrol_wait;
  });
}

}  // namespace ww::checks
