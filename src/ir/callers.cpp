#include "ir/callers.h"

#include <fmt/format.h>

#include <map>
#include <string>
#include <utility>

#include "ir/places.h"

namespace ww::ir {

namespace {

constexpr size_t kMostCopies = 32;            // of one function
constexpr size_t kMostInstructions = 100000;  // of all copies

class Copies {
 public:
  explicit Copies(Module& module) : module_(module) {
    for (const Function& f : module.functions) {
      origin_.push_back(of_headers_.size());
      of_headers_.push_back(in_headers(f));
    }
  }

  void run() {
    if (module_.files.empty()) return;
    const size_t count = module_.functions.size();
    for (size_t f = 0; f < count; ++f)
      if (!of_headers_[f]) {
        std::string before;  // in code without optimisation (place_before)
        each_call(f, [&](const Instruction& in) {
          const auto chain = inlining_chain(module_, module_.functions[f], in.place);
          if (!has_users_place(module_, chain)) return module_.debug ? before : "";
          const Location& place = chain[users_place(chain)];
          return before = fmt::format("{}:{}", place.file, place.line);
        });
      }
  }

 private:
  /// Whether none of its code is the user's; some have no lines at all.
  bool in_headers(const Function& f) const {
    if (f.entry || !f.defined || !f.refused.empty()) return false;
    for (const Block& b : f.blocks)
      for (const Instruction& in : b.instructions)
        if (has_users_place(module_, inlining_chain(module_, f, in.place))) return false;
    return true;
  }

  /// `caller(instruction)`, of each instruction in turn: the line of the user, "" if there is none.
  template <class F>
  void each_call(size_t f, const F& caller) {
    for (size_t b = 0; b < module_.functions[f].blocks.size(); ++b)
      for (size_t k = 0; k < module_.functions[f].blocks[b].instructions.size(); ++k) {
        const Instruction& in = module_.functions[f].blocks[b].instructions[k];
        const std::string line = caller(in);
        if (in.call < 0 || line.empty()) continue;
        const auto call = static_cast<size_t>(in.call);
        const SymbolId target = module_.functions[f].calls[call].target;
        if (target == kNone || !module_.is_function(target)) continue;
        const size_t callee = origin_[static_cast<size_t>(module_.symbols[target].function)];
        if (!of_headers_[callee]) continue;
        const SymbolId own = called_from(callee, line);  // functions may have moved
        module_.functions[f].calls[call].target = own;
      }
  }

  /// The function for that line: itself for the first one that calls it.
  SymbolId called_from(size_t f, const std::string& line) {
    const SymbolId symbol = module_.functions[f].symbol;
    auto& all = copies_[f];
    if (const auto it = all.find(line); it != all.end()) return it->second;
    size_t own = f;
    if (!all.empty()) {
      size_t instructions = 0;
      for (const Block& b : module_.functions[f].blocks) instructions += b.instructions.size();
      if (all.size() >= kMostCopies || copied_ + instructions > kMostInstructions) return symbol;
      copied_ += instructions;
      own = copy(f);
    }
    const SymbolId called = module_.functions[own].symbol;
    all.emplace(line, called);
    each_call(own, [&](const Instruction&) { return line; });
    return called;
  }

  size_t copy(size_t f) {
    Function copied = module_.functions[f];
    Symbol symbol = module_.symbols[copied.symbol];
    symbol.name = fmt::format("{}.{}", symbol.name, copies_[f].size());
    symbol.linkage = Linkage::Internal;
    const size_t at = module_.functions.size();
    symbol.function = static_cast<int>(at);
    copied.symbol = static_cast<SymbolId>(module_.symbols.size());
    module_.symbols.push_back(std::move(symbol));
    module_.functions.push_back(std::move(copied));
    origin_.push_back(f);
    return at;
  }

  Module& module_;
  std::vector<bool> of_headers_;  ///< by function, without the copies
  std::vector<size_t> origin_;    ///< by function: what it is a copy of, or itself
  std::map<size_t, std::map<std::string, SymbolId>> copies_;  ///< by function and line
  size_t copied_ = 0;
};

}  // namespace

void copy_for_callers(Module& module) { Copies(module).run(); }

}  // namespace ww::ir
