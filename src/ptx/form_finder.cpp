#include <fmt/format.h>

#include <algorithm>

#include "ptx/instruction.h"

namespace ww::ptx {

namespace {

constexpr size_t kMaxModifiers = 24;

// Rows that are known but not implemented apply to all names that begin like their notation:
// "cp.async.bulk", "elect.sync d:b32|p, …", "mapa.type d, a, b" (up to the first slot or option).
std::vector<std::string_view> fixed_modifiers(const isa::Form& form) {
  std::vector<std::string_view> words;
  std::string_view rest = form.notation;
  rest = rest.substr(0, rest.find_first_of("{ "));
  rest.remove_prefix(std::min(rest.size(), form.mnemonic.size()));
  while (!rest.empty() && rest[0] == '.') {
    rest.remove_prefix(1);
    std::string_view word = rest.substr(0, rest.find('.'));
    if (word == "type") break;
    words.push_back(word);
    rest.remove_prefix(word.size());
  }
  return words;
}

bool is_missing(const isa::Form& form, const Name& name) {
  if (form.kind != isa::RowKind::Missing) return false;
  auto words = fixed_modifiers(form);
  if (words.size() > name.modifiers.size()) return false;
  return std::equal(words.begin(), words.end(), name.modifiers.begin(),
                    [](std::string_view word, const Token& token) { return token.text.substr(1) == word; });
}

// The manual's order is the rule, but ptxas takes modifiers in any, and compilers and libraries use that
// ("atom.global.sys.add.u32"). Only the types stay in order among themselves.
bool match_in_any_order(const isa::Form& form, const std::vector<isa::Mod>& mods, isa::Chosen& chosen) {
  chosen.assign(form.slots.size(), isa::Mod::none);
  size_t after_type = 0;
  for (isa::Mod mod : mods) {
    bool is_type = isa::type_of(mod) != isa::Type::none;
    size_t s = is_type ? after_type : 0;
    for (; s < form.slots.size(); ++s) {
      const auto& allowed = form.slots[s].allowed;
      if (chosen[s] == isa::Mod::none && std::find(allowed.begin(), allowed.end(), mod) != allowed.end())
        break;
      bool skips_type = is_type && !form.slots[s].optional && isa::type_of(allowed[0]) != isa::Type::none;
      if (skips_type && chosen[s] == isa::Mod::none) return false;
    }
    if (s == form.slots.size() || mod == isa::Mod::none) return false;
    chosen[s] = mod;
    if (is_type) after_type = s + 1;
  }
  for (size_t s = 0; s < form.slots.size(); ++s)
    if (chosen[s] == isa::Mod::none && !form.slots[s].optional) return false;
  return true;
}

void report_unknown(Context& context, const Name& name) {
  static const auto all = isa::mnemonics();
  std::string near = name.mnemonic.text.size() < 64 ? nearest(name.mnemonic.text, all) : "";
  context.in.refuse(name.mnemonic, fmt::format("PTX has no instruction '{}'", shown(name.mnemonic.text)),
                    near.empty() ? near : fmt::format("is '{}' meant?", near));
}

// Names the modifier where the form that fits longest stops fitting.
void report_misfit(Context& context, const Name& name, std::span<const ir::Op> ops,
                   const std::vector<isa::Mod>& mods) {
  int longest = -1;
  std::string hint;
  std::vector<std::pair<int, std::string_view>> forms;
  isa::Chosen unused;
  for (ir::Op op : ops) {
    const isa::Form& form = isa::form(op);
    if (form.kind == isa::RowKind::Missing) continue;
    int matched = 0;
    isa::match(form, mods, unused, &matched);
    forms.emplace_back(matched, form.notation);
    longest = std::max(longest, matched);
  }
  std::stable_sort(forms.begin(), forms.end(), [](auto& a, auto& b) { return a.first > b.first; });
  constexpr size_t kShown = 4;
  for (size_t i = 0; i < std::min(kShown, forms.size()); ++i)
    hint += fmt::format("{}{}", i == 0 ? "the forms are: " : " | ", forms[i].second);
  if (forms.size() > kShown) hint += " | ...";
  size_t at = static_cast<size_t>(std::max(longest, 0));
  if (at >= name.modifiers.size())
    context.in.refuse(name.whole(), fmt::format("'{}' needs more modifiers", shown(name.text)), hint);
  else
    context.in.refuse(
        name.modifiers[at],
        fmt::format("'{}' does not fit in '{}'", shown(name.modifiers[at].text), shown(name.text)), hint);
}

}  // namespace

Name read_name(Reader& in) {
  Name name;
  name.mnemonic = in.take();
  const char* end = name.mnemonic.text.data() + name.mnemonic.text.size();
  while (in.token().kind == Token::Kind::Dotted) {
    Token token = in.take();
    end = token.text.data() + token.text.size();
    if (name.modifiers.size() < kMaxModifiers) name.modifiers.push_back(token);
  }
  name.text =
      std::string_view(name.mnemonic.text.data(), static_cast<size_t>(end - name.mnemonic.text.data()));
  return name;
}

const std::vector<Candidate>& FormFinder::find(Context& context, const Name& name) {
  static const std::vector<Candidate> kNothing;
  if (auto it = known_.find(name.text); it != known_.end()) return it->second;
  auto ops = isa::forms_of(name.mnemonic.text);
  if (ops.empty()) return report_unknown(context, name), kNothing;
  std::vector<isa::Mod> mods;
  for (const Token& token : name.modifiers) mods.push_back(isa::mod_of(token.text.substr(1)));
  std::vector<Candidate> found;
  auto collect = [&](auto fits) {
    Candidate candidate;
    for (ir::Op op : ops) {
      candidate.op = op;
      const isa::Form& form = isa::form(op);
      if (form.kind != isa::RowKind::Missing && fits(form, candidate.chosen)) found.push_back(candidate);
    }
    return !found.empty();
  };
  if (collect([&](const isa::Form& form, isa::Chosen& chosen) { return isa::match(form, mods, chosen); }))
    return known_.emplace(name.text, std::move(found)).first->second;
  for (ir::Op op : ops)
    if (is_missing(isa::form(op), name)) {
      context.in.refuse(name.whole(), fmt::format("{} is not implemented", shown(name.text)));
      return kNothing;
    }
  if (collect(
          [&](const isa::Form& form, isa::Chosen& chosen) { return match_in_any_order(form, mods, chosen); }))
    return known_.emplace(name.text, std::move(found)).first->second;
  report_misfit(context, name, ops, mods);
  return kNothing;
}

}  // namespace ww::ptx
