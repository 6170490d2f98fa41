#include "ptx/link.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <map>
#include <set>
#include <unordered_map>

#include "base/text.h"
#include "ptx/link_items.h"

namespace ww::ptx {

namespace {

using Kind = Item::Kind;
using Linkage = Item::Linkage;

struct LinkModule {
  const LinkInput* input;
  std::vector<Item> items;
  std::map<std::string_view, std::string, std::less<>> renamed;
  int first_file = 0;  ///< added to its numbers of source files
};

/// The number at the start of the word; -1 where there is none.
int number_of(std::string_view word) {
  int value = -1;
  std::from_chars(word.data(), word.data() + word.size(), value);
  return value;
}

/// The item's text with names and numbers of source files as they are in the whole.
void copy(const LinkModule& module, std::string_view text, std::string& out) {
  const char* copied = text.data();
  auto replace = [&](std::string_view word, std::string_view by) {
    out.append(copied, word.data());
    out.append(by);
    copied = word.data() + word.size();
  };
  bool file_follows = false;
  Words words(text);
  for (Word word = words.next(); !word.text.empty(); word = words.next()) {
    if (file_follows && number_of(word.text) >= 0)
      replace(word.text, std::to_string(number_of(word.text) + module.first_file));
    file_follows = word.is(".loc") || word.is(".file") || word.is("inlined_at");
    if (!word.is_name() || module.renamed.empty()) continue;
    if (auto found = module.renamed.find(word.text); found != module.renamed.end())
      replace(word.text, found->second);
  }
  out.append(copied, text.data() + text.size());
  out += '\n';
}

bool is_named(const Item& item) {
  return item.kind == Kind::Variable || item.kind == Kind::Function || item.kind == Kind::Entry;
}

class Linker {
 public:
  explicit Linker(std::vector<LinkModule> modules) : modules_(std::move(modules)) {}

  Result<std::string> link() {
    number_files();
    find_definitions();
    if (!wrong_.empty()) return wrong_;
    rename_locals();
    return text();
  }

 private:
  std::vector<LinkModule> modules_;
  std::unordered_map<std::string_view, const Item*> definitions_;  ///< of names that all files see
  std::unordered_map<std::string_view, const LinkModule*> owners_;
  Diagnostics wrong_;

  void number_files() {
    int last = 0;
    for (LinkModule& module : modules_) {
      module.first_file = last;
      for (const Item& item : module.items) {
        if (item.kind != Kind::File) continue;
        Words words(item.text);
        words.next();
        last = std::max(last, module.first_file + number_of(words.next().text));
      }
    }
  }

  void find_definitions() {
    for (const LinkModule& module : modules_)
      for (const Item& item : module.items) {
        if (!is_named(item) || !item.defines || item.linkage == Linkage::Local) continue;
        auto [place, added] = definitions_.try_emplace(item.name, &item);
        bool weak = item.linkage == Linkage::Weak, weak_before = place->second->linkage == Linkage::Weak;
        if (!added && !weak && !weak_before)
          wrong_.push_back(error(fmt::format("{} is defined in {} and in {}", printable(item.name),
                                             owners_[item.name]->input->name, module.input->name)));
        if (!added && !(weak_before && !weak)) continue;
        place->second = &item;
        owners_[item.name] = &module;
      }
  }

  /// Whatever is local gets a name of its own where another file has the same one.
  void rename_locals() {
    std::set<std::string, std::less<>> taken;
    for (const LinkModule& module : modules_)
      for (const Item& item : module.items)
        if (is_named(item) && item.linkage != Linkage::Local) taken.insert(std::string(item.name));
    for (LinkModule& module : modules_) {
      std::set<std::string_view> own;  // declared and defined are one
      for (const Item& item : module.items)
        if (is_named(item) && item.linkage == Linkage::Local) own.insert(item.name);
      for (std::string_view name : own) {
        std::string fresh(name);
        for (int i = 1; !taken.insert(fresh).second; i++) fresh = fmt::format("{}$file{}", name, i);
        if (fresh != name) module.renamed[name] = fresh;
      }
    }
  }

  /// "sm_90a" before "sm_90" before "sm_80"; the same for versions, "9.0" before "8.5".
  static bool later(std::string_view a, std::string_view b) {
    auto numbers = [](std::string_view text) {
      text.remove_prefix(std::min(text.find_first_of("0123456789"), text.size()));
      int major = number_of(text), minor = 0;
      if (size_t dot = text.find('.'); dot != text.npos) minor = number_of(text.substr(dot + 1));
      return std::pair(major, minor);
    };
    return numbers(a) != numbers(b) ? numbers(a) > numbers(b) : a.size() > b.size();
  }

  std::string latest(Kind kind) const {
    std::string best;
    for (const LinkModule& module : modules_)
      for (const Item& item : module.items) {
        if (item.kind != kind) continue;
        std::string_view value = item.text.substr(item.text.find_first_of(" \t") + 1);
        value = value.substr(0, value.find_first_of(", \t\r/"));
        if (best.empty() || later(value, best)) best = value;
      }
    return best;
  }

  /// Whether the item is the one that stays.
  bool stays(const Item& item) const {
    if (!is_named(item) || item.linkage == Linkage::Local || !item.defines) return true;
    return definitions_.at(item.name) == &item;
  }

  /// A function that is declared .extern here and defined in another file is .visible or .weak in the whole,
  /// as its definition is.
  void write_item(const LinkModule& module, const Item& item, std::string& out) const {
    constexpr std::string_view kExtern = ".extern";
    auto found = definitions_.find(item.name);
    if (item.kind != Kind::Function || item.linkage != Linkage::Extern || found == definitions_.end() ||
        !item.text.starts_with(kExtern))
      return copy(module, item.text, out);
    out += found->second->linkage == Linkage::Weak ? ".weak" : ".visible";
    copy(module, item.text.substr(kExtern.size()), out);
  }

  template <class F>
  void write(std::string& out, F wanted) const {
    for (const LinkModule& module : modules_)
      for (const Item& item : module.items)
        if (wanted(item) && stays(item)) write_item(module, item, out);
  }

  std::string text() const {
    std::string out = fmt::format(".version {}\n.target {}\n.address_size 64\n", latest(Kind::Version),
                                  latest(Kind::Target));
    write(out, [](const Item& i) { return i.kind == Kind::File; });
    // Declarations first, so that every definition may name every other.
    write(out, [](const Item& i) { return i.kind == Kind::Other || (is_named(i) && !i.defines); });
    write(out, [](const Item& i) { return i.kind == Kind::Variable && i.defines; });
    write(out, [](const Item& i) { return i.kind != Kind::Variable && is_named(i) && i.defines; });
    return out;
  }
};

}  // namespace

Result<std::string> link(const std::vector<LinkInput>& inputs) {
  std::vector<LinkModule> modules;
  Diagnostics wrong;
  for (const LinkInput& input : inputs) {
    auto items = items_of(input.text);
    if (items)
      modules.push_back({&input, std::move(*items), {}, 0});
    else
      wrong.push_back(error(input.name + ": " + items.error()[0].message));
  }
  if (!wrong.empty()) return wrong;
  return Linker(std::move(modules)).link();
}

}  // namespace ww::ptx
