#include "isa/effects.h"

#include <array>

namespace ww::isa {

namespace {

// ---- the words of EFFECTS in the chapters ----

Effects one(Direction direction, std::string_view operand, Range range, Mod space) {
  Effects e;
  e.memory.push_back({operand, direction, range, Path::LoadStore, space, false});
  return e;
}
Effects reads(std::string_view operand, Range range = Range::Lane, Mod space = Mod::none) {
  return one(Direction::Read, operand, range, space);
}
Effects writes(std::string_view operand, Range range = Range::Lane, Mod space = Mod::none) {
  return one(Direction::Write, operand, range, space);
}
Effects updates(std::string_view operand, Range range = Range::Lane, Mod space = Mod::none) {
  return one(Direction::Update, operand, range, space);
}
Effects sync(Sync what) {
  Effects e;
  e.sync = what;
  return e;
}
/// All memory effects of `e` by that way.
Effects through(Path path, Effects e) {
  for (MemoryEffect& m : e.memory) m.path = path;
  return e;
}
Effects later(Effects e) {
  for (MemoryEffect& m : e.memory) m.asynchronous = true;
  return e;
}
Effects by_warp(Effects e) {
  e.collective = Collective::Warp;
  return e;
}
Effects operator+(Effects a, const Effects& b) {
  a.memory.insert(a.memory.end(), b.memory.begin(), b.memory.end());
  if (b.sync != Sync::None) a.sync = b.sync;
  if (b.collective != Collective::Lane) a.collective = b.collective;
  return a;
}

using Table = std::array<Effects, kOpCount>;

Table made() {
  using enum Range;
  Table table;
#define CHAPTER(title)
#define LANE(...)
#define LANE2(...)
#define SPECIAL(...)
#define MISSING(...)
#define EFFECTS(id, ...) table[static_cast<size_t>(Op::id)] = __VA_ARGS__;
#include "isa/chapters.inc"
#undef CHAPTER
#undef LANE
#undef LANE2
#undef SPECIAL
#undef MISSING
#undef EFFECTS
  return table;
}

bool any(const Effects& e, bool (*is)(const MemoryEffect&)) {
  for (const MemoryEffect& m : e.memory)
    if (is(m)) return true;
  return false;
}

}  // namespace

bool Effects::reads() const {
  return any(*this, [](const MemoryEffect& m) { return m.direction != Direction::Write; });
}
bool Effects::writes() const {
  return any(*this, [](const MemoryEffect& m) { return m.direction != Direction::Read; });
}
bool Effects::updates() const {
  return any(*this, [](const MemoryEffect& m) { return m.direction == Direction::Update; });
}
bool Effects::asynchronous() const {
  return any(*this, [](const MemoryEffect& m) { return m.asynchronous; });
}

const Effects& effects(Op op) {
  static const Table table = made();
  return table[static_cast<size_t>(op)];
}

Mod space_of(const MemoryEffect& effect, const Form& form, const Chosen& mods) {
  if (effect.space != Mod::none) return effect.space;
  for (Slot slot : {Slot::space, Slot::sspace, Slot::mbspace})
    if (Mod m = chosen(form, mods, slot); m != Mod::none) return m;
  for (Mod literal : {Mod::global, Mod::shared})
    if (has(form, mods, literal)) return literal;
  return Mod::none;
}

int operand_index(const Form& form, std::string_view name) {
  for (size_t k = 0; k < form.operands.size(); ++k)
    if (form.operands[k].name == name) return static_cast<int>(k);
  return -1;
}

}  // namespace ww::isa
