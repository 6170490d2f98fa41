#include "ir/link.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <functional>
#include <unordered_map>

namespace ww::ir {

namespace {

using Rename = std::function<SymbolId(SymbolId)>;

void rename_in(Operand& o, const Rename& to) {
  if (o.symbol != kNone) o.symbol = to(o.symbol);
  for (Operand& e : o.elements) rename_in(e, to);
}

void rename_in(Function& f, const Rename& to) {
  if (f.symbol != kNone) f.symbol = to(f.symbol);
  for (auto* list : {&f.params, &f.results})
    for (Param& p : *list)
      if (p.symbol != kNone) p.symbol = to(p.symbol);
  for (SymbolId& s : f.variables) s = to(s);
  for (Block& b : f.blocks)
    for (Instruction& in : b.instructions)
      for (Operand& o : in.operands) rename_in(o, to);
  for (Call& c : f.calls) {
    if (c.target != kNone) c.target = to(c.target);
    for (SymbolId& s : c.possible) s = to(s);
    for (Operand& o : c.results) rename_in(o, to);
    for (Operand& o : c.arguments) rename_in(o, to);
  }
}

/// All modules one behind the other, names not yet brought together.
class Joined {
 public:
  explicit Joined(std::vector<Module> modules) {
    out_.name = modules[0].name;
    for (Module& m : modules) append(std::move(m));
  }

  Module& module() { return out_; }
  Location place_of(SymbolId s) const {
    return {files_[origin_[s]], out_.symbols[s].place.ptx_line, out_.symbols[s].place.ptx_column, 1};
  }

 private:
  static int number_of(const std::string& target) {
    size_t digit = target.find_first_of("0123456789");
    return digit == target.npos ? 0 : std::atoi(target.c_str() + digit);
  }

  void append(Module m) {
    const auto symbols = static_cast<SymbolId>(out_.symbols.size());
    const int functions = static_cast<int>(out_.functions.size()),
              variables = static_cast<int>(out_.variables.size());
    const int files = out_.files.empty() ? 0 : out_.files.rbegin()->first + 1;
    const bool first = files_.empty();
    files_.push_back(m.name);
    if (std::pair(m.version_major, m.version_minor) > std::pair(out_.version_major, out_.version_minor))
      out_.version_major = m.version_major, out_.version_minor = m.version_minor;
    if (number_of(m.target) > number_of(out_.target)) out_.target = m.target;
    int own = files;  // the PTX file itself, for what has no source line
    for (auto& [number, name] : m.files) {
      out_.files[files + number] = name;
      own = files + number + 1;
    }
    if (!first) out_.files[own] = m.name;
    auto move_place = [&](Place& p) {
      if (p.file >= 0) p.file += files;
      if (!first && (p.file < 0 || p.line == 0)) p.file = own, p.line = p.ptx_line;
    };
    const Rename shift = [symbols](SymbolId s) { return s + symbols; };
    for (Symbol& s : m.symbols) {
      if (s.function >= 0) s.function += functions;
      if (s.variable >= 0) s.variable += variables;
      origin_.push_back(files_.size() - 1);
      out_.symbols.push_back(std::move(s));
    }
    for (Variable& v : m.variables) {
      if (v.owner >= 0) v.owner += functions;
      for (Relocation& r : v.relocations) r.symbol = shift(r.symbol);
      out_.variables.push_back(std::move(v));
    }
    for (Function& f : m.functions) {
      rename_in(f, shift);
      move_place(f.place);
      for (Place& p : f.inlined_at) move_place(p);
      for (Block& b : f.blocks)
        for (Instruction& in : b.instructions) move_place(in.place);
      out_.functions.push_back(std::move(f));
    }
  }

  Module out_;
  std::vector<std::string> files_;
  std::vector<size_t> origin_;  ///< of each symbol: index into files_
};

class Linker {
 public:
  explicit Linker(std::vector<Module> modules) : joined_(std::move(modules)), out_(joined_.module()) {}

  Result<Module> run() {
    chosen_.resize(out_.symbols.size());
    for (SymbolId s = 0; s < chosen_.size(); ++s) chosen_[s] = s;
    std::unordered_map<std::string, SymbolId> by_name;
    for (SymbolId s = 0; s < out_.symbols.size(); ++s) {
      if (!is_shared_name(s)) continue;
      auto [it, fresh] = by_name.try_emplace(out_.symbols[s].name, s);
      if (!fresh) it->second = meet(it->second, s);
    }
    for (SymbolId s = 0; s < chosen_.size(); ++s)
      while (chosen_[s] != chosen_[chosen_[s]]) chosen_[s] = chosen_[chosen_[s]];
    if (!problems_.empty()) return problems_;
    compact();
    return std::move(out_);
  }

 private:
  const Variable* variable(SymbolId s) const {
    int v = out_.symbols[s].variable;
    return v < 0 ? nullptr : &out_.variables[static_cast<size_t>(v)];
  }
  const Function* function(SymbolId s) const {
    int f = out_.symbols[s].function;
    return f < 0 ? nullptr : &out_.functions[static_cast<size_t>(f)];
  }
  /// Whether other modules mean the same thing by its name.
  bool is_shared_name(SymbolId s) const {
    const Symbol& symbol = out_.symbols[s];
    if (const Variable* v = variable(s))
      return v->owner < 0 && v->space != Space::Param && symbol.linkage != Linkage::Internal;
    const Function* f = function(s);
    return f && (symbol.linkage != Linkage::Internal || !f->defined);
  }
  bool defines(SymbolId s) const {
    if (const Function* f = function(s)) return f->defined;
    return out_.symbols[s].linkage != Linkage::Extern;
  }

  bool same_type(SymbolId a, SymbolId b) const {
    if (!function(a) != !function(b)) return false;
    if (const Variable* v = variable(a)) {
      const Variable* w = variable(b);
      bool common = out_.symbols[a].linkage == Linkage::Common || out_.symbols[b].linkage == Linkage::Common;
      return v->space == w->space && (v->bytes == w->bytes || v->bytes == 0 || w->bytes == 0 || common);
    }
    const Function *f = function(a), *g = function(b);
    auto sizes = [&](const Function& of, const std::vector<Param>& list) {
      std::vector<uint64_t> bytes;
      for (const Param& p : list)
        bytes.push_back(p.symbol != kNone ? variable(p.symbol)->bytes
                                          : static_cast<uint64_t>(isa::bytes(of.registers[p.reg].type)));
      return bytes;
    };
    return f->entry == g->entry && sizes(*f, f->params) == sizes(*g, g->params) &&
           sizes(*f, f->results) == sizes(*g, g->results);
  }

  /// Two symbols of one name: which of them stays.
  SymbolId meet(SymbolId a, SymbolId b) {
    auto choose = [&](SymbolId stays, SymbolId goes) {
      chosen_[goes] = stays;
      return stays;
    };
    auto at = [&](SymbolId s) {
      Location where = joined_.place_of(s);
      return fmt::format("{}:{}", where.file, where.line);
    };
    if (!same_type(a, b)) {
      problems_.push_back(error_at(joined_.place_of(b), fmt::format("'{}' has another declaration in {}",
                                                                    out_.symbols[b].name, at(a))));
      return a;
    }
    if (!defines(b)) return choose(a, b);
    if (!defines(a)) return choose(b, a);
    Linkage la = out_.symbols[a].linkage, lb = out_.symbols[b].linkage;
    if (la == Linkage::Common && lb == Linkage::Common)
      return variable(b)->bytes > variable(a)->bytes ? choose(b, a) : choose(a, b);
    auto gives_way = [](Linkage l) { return l == Linkage::Weak || l == Linkage::Common; };
    if (gives_way(lb)) return choose(a, b);
    if (gives_way(la)) return choose(b, a);
    problems_.push_back(error_at(
        joined_.place_of(b), fmt::format("'{}' is defined twice, first in {}", out_.symbols[b].name, at(a))));
    return a;
  }

  /// Takes out the symbols that others stand for, with their functions and variables.
  void compact() {
    std::vector<bool> keep(out_.symbols.size(), true), keep_function(out_.functions.size(), true);
    for (SymbolId s = 0; s < chosen_.size(); ++s) {
      if (chosen_[s] == s) continue;
      keep[s] = false;
      if (int f = out_.symbols[s].function; f >= 0) keep_function[static_cast<size_t>(f)] = false;
    }
    for (SymbolId s = 0; s < chosen_.size(); ++s)  // an alias keeps what its other name gave up
      if (keep[s] && out_.symbols[s].function >= 0)
        keep_function[static_cast<size_t>(out_.symbols[s].function)] = true;
    for (size_t f = 0; f < out_.functions.size(); ++f) {
      if (keep_function[f]) continue;
      const Function& gone = out_.functions[f];
      for (const auto* list : {&gone.params, &gone.results})
        for (const Param& p : *list)
          if (p.symbol != kNone) keep[p.symbol] = false;
      for (SymbolId s : gone.variables) keep[s] = false;
    }
    std::vector<int> new_function(out_.functions.size(), -1), new_variable(out_.variables.size(), -1);
    std::vector<SymbolId> new_symbol(out_.symbols.size(), kNone);
    Module slim;
    slim.name = out_.name, slim.target = out_.target, slim.files = out_.files;
    slim.version_major = out_.version_major, slim.version_minor = out_.version_minor;
    for (size_t f = 0; f < out_.functions.size(); ++f) {
      if (!keep_function[f]) continue;
      new_function[f] = static_cast<int>(slim.functions.size());
      slim.functions.push_back(std::move(out_.functions[f]));
    }
    for (SymbolId s = 0; s < out_.symbols.size(); ++s) {
      if (!keep[s]) continue;
      Symbol symbol = out_.symbols[s];
      if (symbol.variable >= 0) {
        int& to = new_variable[static_cast<size_t>(symbol.variable)];
        if (to < 0) {
          to = static_cast<int>(slim.variables.size());
          slim.variables.push_back(std::move(out_.variables[static_cast<size_t>(symbol.variable)]));
        }
        symbol.variable = to;
      }
      if (symbol.function >= 0) symbol.function = new_function[static_cast<size_t>(symbol.function)];
      new_symbol[s] = static_cast<SymbolId>(slim.symbols.size());
      slim.symbols.push_back(std::move(symbol));
    }
    const Rename to = [&](SymbolId s) { return new_symbol[chosen_[s]]; };
    for (Function& f : slim.functions) rename_in(f, to);
    for (Variable& v : slim.variables) {
      if (v.owner >= 0) v.owner = new_function[static_cast<size_t>(v.owner)];
      for (Relocation& r : v.relocations) r.symbol = to(r.symbol);
    }
    out_ = std::move(slim);
  }

  Joined joined_;
  Module& out_;
  std::vector<SymbolId> chosen_;  ///< by symbol: the one that stands for it
  Diagnostics problems_;
};

}  // namespace

Result<Module> link(std::vector<Module> modules) {
  if (modules.empty()) return error("there is nothing to link");
  if (modules.size() == 1) return std::move(modules[0]);
  return Linker(std::move(modules)).run();
}

std::vector<SymbolId> undefined(const Module& module) {
  std::vector<bool> used(module.symbols.size(), false);
  std::function<void(const Operand&)> see = [&](const Operand& o) {
    if (o.symbol != kNone) used[o.symbol] = true;
    for (const Operand& e : o.elements) see(e);
  };
  for (const Function& f : module.functions) {
    for (const Block& b : f.blocks)
      for (const Instruction& in : b.instructions)
        for (const Operand& o : in.operands) see(o);
    for (const Call& c : f.calls)
      if (c.target != kNone) used[c.target] = true;
  }
  for (const Variable& v : module.variables)
    for (const Relocation& r : v.relocations) used[r.symbol] = true;
  std::vector<SymbolId> out;
  for (SymbolId s = 0; s < module.symbols.size(); ++s) {
    const Symbol& symbol = module.symbols[s];
    bool declared = symbol.function >= 0
                        ? !module.function(s).defined
                        : symbol.linkage == Linkage::Extern && module.variable(s).space != Space::Shared;
    if (used[s] && declared) out.push_back(s);
  }
  return out;
}

}  // namespace ww::ir
