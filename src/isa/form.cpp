#include "isa/form.h"

#include <cassert>
#include <map>
#include <unordered_map>

#include "isa/notation.h"

namespace ww::isa {

namespace {

constexpr std::string_view kModNames[] = {"none",
#define WW_TYPE(name, bits, klass) #name,
                                          WW_TYPES(WW_TYPE)
#undef WW_TYPE
#define MOD(id, text) text,
#include "isa/modifiers.inc"
#undef MOD
};

struct RowText {
  std::string_view id;
  RowKind kind;
  Pipe pipe;
  std::string_view notation;
  std::string_view types;
  std::string_view chapter;
};

// A chapter's title applies to the rows below it; it is a row without a notation here.
constexpr RowText kRows[] = {
#define CHAPTER(title) {"", RowKind::Missing, Pipe::Control, "", "", title},
#define LANE(id, pipe, notation, types, ...) {#id, RowKind::Lane, Pipe::pipe, notation, #types, ""},
#define LANE2(id, pipe, notation, dtypes, atypes, ...) \
  {#id, RowKind::Lane, Pipe::pipe, notation, #dtypes #atypes, ""},
#define SPECIAL(id, pipe, notation, ...) {#id, RowKind::Special, Pipe::pipe, notation, "" #__VA_ARGS__, ""},
#define MISSING(id, notation) {#id, RowKind::Missing, Pipe::Control, notation, "", ""},
#define EFFECTS(...)
#include "isa/chapters.inc"
#undef CHAPTER
#undef EFFECTS
#undef LANE
#undef LANE2
#undef SPECIAL
#undef MISSING
};

struct Tables {
  std::vector<Form> forms;
  std::map<std::string, std::vector<Op>, std::less<>> by_mnemonic;
  std::unordered_map<std::string_view, Mod> mods;
};

const std::unordered_map<std::string_view, Mod>& mod_table() {
  static const auto table = [] {
    std::unordered_map<std::string_view, Mod> mods;
    for (size_t i = 1; i < std::size(kModNames); ++i) mods.emplace(kModNames[i], static_cast<Mod>(i));
    return mods;
  }();
  return table;
}

const Tables& tables() {
  static const Tables built = [] {
    Tables t;
    std::string_view chapter;
    for (const RowText& row : kRows) {
      if (row.notation.empty()) {
        chapter = row.chapter;
        continue;
      }
      Form form;
      form.op = static_cast<Op>(t.forms.size());
      form.id = row.id;
      form.kind = row.kind;
      form.notation = row.notation;
      form.pipe = row.pipe;
      form.chapter = chapter;
      read_notation(form, row.types);
      t.by_mnemonic[form.mnemonic].push_back(form.op);
      t.forms.push_back(std::move(form));
    }
    assert(t.forms.size() == static_cast<size_t>(kOpCount));
    return t;
  }();
  return built;
}

}  // namespace

std::string_view name(Mod mod) { return kModNames[static_cast<int>(mod)]; }

Mod mod_of(std::string_view text) {
  auto it = mod_table().find(text);
  return it == mod_table().end() ? Mod::none : it->second;
}

Type type_of(Mod mod) {
  return mod < Mod::rn ? static_cast<Type>(mod) : Type::none;  // rn is the first that is not a type
}

std::string_view name(Pipe pipe) {
  static constexpr std::string_view kNames[] = {"int",     "fp32",   "fp64",      "half",   "special",
                                                "convert", "move",   "predicate", "memory", "atomic",
                                                "texture", "tensor", "warp",      "sync",   "control"};
  static_assert(std::size(kNames) == kPipeCount);
  return kNames[static_cast<int>(pipe)];
}

const Form& form(Op op) { return tables().forms[static_cast<int>(op)]; }
std::span<const Form> forms() { return tables().forms; }

std::span<const Op> forms_of(std::string_view mnemonic) {
  auto it = tables().by_mnemonic.find(mnemonic);
  if (it == tables().by_mnemonic.end()) return {};
  return it->second;
}

std::vector<std::string> mnemonics() {
  std::vector<std::string> out;
  for (const auto& [name, ops] : tables().by_mnemonic) out.push_back(name);
  return out;
}

bool match(const Form& form, std::span<const Mod> modifiers, Chosen& chosen, int* matched) {
  chosen.assign(form.slots.size(), Mod::none);
  size_t next = 0;
  bool good = true;
  for (size_t s = 0; s < form.slots.size(); ++s) {
    const SlotSpec& slot = form.slots[s];
    bool fits = false;
    if (next < modifiers.size())
      for (Mod allowed : slot.allowed) fits |= allowed == modifiers[next];
    if (fits)
      chosen[s] = modifiers[next++];
    else if (!slot.optional) {
      good = false;
      break;
    }
  }
  if (matched) *matched = static_cast<int>(next);
  return good && next == modifiers.size();
}

Mod chosen(const Form& form, const Chosen& chosen, Slot slot) {
  for (size_t s = 0; s < form.slots.size(); ++s)
    if (form.slots[s].slot == slot) return chosen[s];
  return Mod::none;
}

bool has(const Form& form, const Chosen& chosen, Mod literal) {
  for (size_t s = 0; s < form.slots.size(); ++s)
    if (form.slots[s].slot == Slot::literal && chosen[s] == literal) return true;
  return false;
}

Type operand_type(const Form& form, const Chosen& mods, const OperandSpec& operand) {
  if (operand.fixed != Type::none) return operand.fixed;
  if (operand.type_slot == Slot::literal) return Type::none;
  Type type = type_of(chosen(form, mods, operand.type_slot));
  return operand.twice ? twice(type) : type;
}

}  // namespace ww::isa
