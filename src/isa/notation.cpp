#include "isa/notation.h"

#include <cassert>
#include <cctype>

namespace ww::isa {

namespace {

struct SlotInfo {
  std::string_view name;
  std::string_view alternatives;
};

constexpr SlotInfo kSlots[] = {
    {"", ""},
#define SLOT(id, alternatives) {#id, alternatives},
#include "isa/slots.inc"
#undef SLOT
};

Slot slot_of(std::string_view name) {
  for (size_t i = 1; i < std::size(kSlots); ++i)
    if (kSlots[i].name == name) return static_cast<Slot>(i);
  return Slot::literal;
}

bool is_type_slot(Slot slot) {
  return slot == Slot::type || slot == Slot::dtype || slot == Slot::atype || slot == Slot::btype ||
         slot == Slot::ctype;
}

std::vector<Mod> words(std::string_view text) {
  std::vector<Mod> mods;
  size_t i = 0;
  while (i < text.size()) {
    size_t end = text.find_first_of(" ,", i);
    if (end == text.npos) end = text.size();
    if (end > i) {
      mods.push_back(mod_of(text.substr(i, end - i)));
      assert(mods.back() != Mod::none && "unknown modifier in a slot or type list");
    }
    i = end + 1;
  }
  return mods;
}

class Reader {
 public:
  Reader(Form& form, std::string_view type_lists) : form_(form), text_(form.notation), lists_(type_lists) {}

  void read() {
    form_.mnemonic = word();
    if (form_.kind == RowKind::Missing) return;  // only its name matters
    while (peek() == '.' || (peek() == '{' && next_is('.'))) read_modifier();
    skip_space();
    while (at_ < text_.size()) read_operand();
  }

 private:
  char peek() const { return at_ < text_.size() ? text_[at_] : '\0'; }
  bool next_is(char c) const { return at_ + 1 < text_.size() && text_[at_ + 1] == c; }
  bool eat(std::string_view what) {
    if (text_.substr(at_, what.size()) != what) return false;
    at_ += what.size();
    return true;
  }
  void skip_space() {
    while (peek() == ' ') ++at_;
  }
  std::string word() {
    size_t begin = at_;
    while (std::isalnum(static_cast<unsigned char>(peek())) || peek() == '_' ||
           (peek() == ':' && next_is(':')) || (peek() == ':' && at_ > begin && text_[at_ - 1] == ':'))
      ++at_;
    return std::string(text_.substr(begin, at_ - begin));
  }

  void read_modifier() {
    SlotSpec spec;
    spec.optional = eat("{");
    bool dot = eat(".");
    assert(dot);
    (void)dot;
    std::string name = word();
    spec.slot = slot_of(name);
    if (is_type_slot(spec.slot))
      spec.allowed = next_type_list();
    else
      spec.allowed = words(spec.slot == Slot::literal ? std::string_view(name)
                                                      : kSlots[static_cast<int>(spec.slot)].alternatives);
    if (spec.optional) {
      bool closed = eat("}");
      assert(closed && "notation: '}' expected");
      (void)closed;
    }
    form_.slots.push_back(std::move(spec));
  }

  std::vector<Mod> next_type_list() {
    size_t open = lists_.find('('), close = lists_.find(')');
    assert(open != lists_.npos && close != lists_.npos && "a type slot without a type list");
    std::vector<Mod> types = words(lists_.substr(open + 1, close - open - 1));
    lists_.remove_prefix(close + 1);
    return types;
  }

  void read_operand() {
    skip_space();
    OperandSpec spec;
    bool braces = false;
    if (eat("{,")) spec.optional = braces = true;
    eat(",");
    skip_space();
    read_one(spec);
    form_.operands.push_back(spec);
    if (eat("|") || eat("{|")) {  // a second destination; alone inside braces it may be left out
      OperandSpec second;
      second.optional = text_[at_ - 2] == '{';
      read_one(second);
      second.dest = true;
      second.fixed = Type::pred;
      if (second.optional) eat("}");
      form_.operands.push_back(second);
    }
    if (braces) eat("}");
    skip_space();
  }

  void read_one(OperandSpec& spec) {
    if (eat("{!}")) spec.negatable = true;
    bool memory = eat("[");
    spec.name = word();
    assert(!spec.name.empty() && "notation: operand expected");
    spec.dest = form_.operands.empty() && !memory && (spec.name[0] == 'd' || spec.name == "p");
    Slot own = slot_of(spec.name.substr(0, 1) + "type");
    spec.type_slot = has_slot(own) ? own : has_slot(Slot::type) ? Slot::type : first_type_slot();
    if (spec.name == "p" || spec.name == "q") spec.fixed = Type::pred;
    if (memory) {
      spec.kind = OperandKind::Memory;
      bool closed = eat("]");
      assert(closed);
      (void)closed;
    }
    while (eat(":")) annotate(spec, word());
    if (eat("+")) spec.wider = true;
  }

  void annotate(OperandSpec& spec, const std::string& what) {
    if (what == "wide")
      spec.twice = true;
    else if (what == "sel")
      spec.selects = true;
    else if (what == "label")
      spec.kind = OperandKind::Label;
    else if (what == "imm")
      spec.kind = OperandKind::Immediate;
    else if (what == "list")
      spec.kind = OperandKind::List;
    else if (what == "fragment")
      spec.kind = OperandKind::List, spec.type_slot = Slot::literal;
    else if (what == "object")
      spec.kind = OperandKind::Object;
    else if (what == "name")
      spec.kind = OperandKind::Name;
    else if (what == "vec")
      spec.kind = OperandKind::Vector;
    else if (is_type_slot(slot_of(what)))
      spec.type_slot = slot_of(what);
    else {
      spec.fixed = type_of(mod_of(what));
      assert(spec.fixed != Type::none && "notation: unknown annotation");
    }
  }

  bool has_slot(Slot slot) const {
    for (const auto& s : form_.slots)
      if (s.slot == slot && slot != Slot::literal) return true;
    return false;
  }
  Slot first_type_slot() const {
    for (const auto& s : form_.slots)
      if (is_type_slot(s.slot)) return s.slot;
    return Slot::literal;
  }

  Form& form_;
  std::string_view text_;
  std::string_view lists_;
  size_t at_ = 0;
};

}  // namespace

void read_notation(Form& form, std::string_view type_lists) { Reader(form, type_lists).read(); }

}  // namespace ww::isa
