#include "checks/explain.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <utility>

#include "base/symbol_name.h"
#include "base/text.h"
#include "checks/json.h"

namespace ww::checks {

namespace {

constexpr int kAround = 2;      // lines shown before and behind the one that is meant
constexpr size_t kColumn = 44;  // of the second party

struct Cure {
  const char *kind, *text;
};
/// By the beginning of the kind.
constexpr Cure kCures[] = {
    {"out-of-bounds",
     "compare the index with the number of elements before the access; check the size that was allocated "
     "and the grid that was launched"},
    {"use after free", "free memory only after a synchronisation with the last kernel that uses it"},
    {"misaligned",
     "vector types need addresses that are multiples of their size: align the rows, or load single elements"},
    {"array", "compare the index with the array's own size, not with that of the block"},
    {"uninitialised",
     "set it on every path that leads here: cudaMemset, an initial value, the other branch, the elements "
     "past the end of the data"},
    {"mask",
     "name the lanes that execute the instruction: __ballot_sync() before the branch gives that mask, "
     "__activemask() does not"},
    {"mbarrier deadlock",
     "let as many threads arrive in each phase as the mbarrier was initialised for, and copy as many bytes "
     "as "
     "it expects"},
    {"barrier",
     "let all threads of the block reach the same __syncthreads(): move it out of the branch, and let "
     "threads without work go on to it instead of returning"},
    {"warp",
     "pass the mask of the lanes that execute the instruction, or let all lanes execute it: compute in the "
     "branch, shuffle outside of it"},
    {"endless loop",
     "the kernel waits for something that never happens: a lock that is never released, a flag set by a "
     "block that has not started"},
    {"lock order", "take the locks in one order everywhere, for example by address: the lower one first"},
    {"division by zero", "compare with 0 before dividing"},
    {"index overflow", "compute the index in 64 bits"},
    {"write to constant memory", "use a __device__ variable, or cudaMemcpyToSymbol between launches"},
    {"leak", "free it, or keep it in an object that does"},
    {"bad", "compare sizes in bytes with what was allocated: sizeof(T) * count"},
    {"overlapping copy", "copy through other memory, or let a kernel move the elements"},
    {"error returned",
     "check what the call returns (after <<<>>>: cudaGetLastError()), and compare the sizes of the launch "
     "with the GPU's limits"},
    {"stale read", "use plain loads for data that the same launch writes, or write to other memory"},
    {"invalid free", "free the address that the allocation returned, with the matching call"},
    {"double free", "set the pointer to nullptr when it is freed"},
};

std::string who(const Party& p) {
  if (p.everyone) return fmt::format("threads of launch {}", p.by.launch);
  return fmt::format("thread ({},{},{}) of block ({},{},{})", p.by.thread[0], p.by.thread[1], p.by.thread[2],
                     p.by.block[0], p.by.block[1], p.by.block[2]);
}
std::string where(const Party& p) {
  return p.where.line > 0 ? fmt::format("{}:{}", p.where.file, p.where.line) : "an unknown place";
}

std::string two_columns(const std::string& left, size_t width, const std::string& right) {
  return fmt::format("  {:<{}}{}\n", left, width, right);
}

/// Both parties beside each other and what should stand between them.
std::string picture(const Party& a, const Party& b) {
  const size_t width = std::max({size_t{kColumn}, where(a).size() + 4, a.what.size() + 4});
  // From below the left bar to below the right one.
  const std::string words = " no order between the two ";
  const size_t dashes = width - 1 - words.size();
  const std::string line(dashes / 2, '-'), rest(dashes - dashes / 2, '-');
  const auto row = [&](const std::string& left, const std::string& right) {
    return two_columns(left, width, right);
  };
  return row(who(a), who(b)) + row("  |", "  |") + row("  " + a.what, "  " + b.what) +
         row("  " + where(a), "  " + where(b)) + row("  |", "  |") +
         fmt::format("    o{}{}{}o\n\n", line, words, rest);
}

std::string code(const Party& p, const LineOf& line_of) {
  std::string text;
  for (int n = std::max(1, p.where.line - kAround); n <= p.where.line + kAround; ++n)
    if (const auto line = line_of(p.where.file, n))
      text += fmt::format("  {} {:>5} | {}\n", n == p.where.line ? '>' : ' ', n, printable(*line));
  return text;
}

}  // namespace

std::string usual_cure(const Finding& f) {
  for (const Cure& c : kCures)
    if (f.kind.starts_with(c.kind)) return c.text;
  return {};
}

std::string explain(const Finding& f, size_t number, const LineOf& line_of) {
  std::string text = fmt::format("{}. {}: {}", number, name(f.severity), f.kind);
  if (!f.kernel.empty()) text += " in kernel " + printable(abbreviated(f.kernel));
  text += "\n" + (f.message == f.kind ? std::string() : printable(f.message) + "\n") + "\n";
  if (f.kind == "race" && f.parties.size() == 2) {
    text += picture(f.parties[0], f.parties[1]);
  } else {
    for (const Party& p : f.parties) text += fmt::format("  {}: {} at {}\n", who(p), p.what, where(p));
    if (!f.parties.empty()) text += "\n";
  }
  std::set<std::pair<std::string, int>> shown;
  for (const Party& p : f.parties) {
    if (!shown.emplace(p.where.file, p.where.line).second) continue;
    if (const std::string lines = code(p, line_of); !lines.empty())
      text += fmt::format("{}\n{}\n", printable(where(p)), lines);
  }
  bool says_what_is_missing = false;
  for (const std::string& m : f.more) {
    text += "  " + printable(m) + "\n";
    says_what_is_missing |= m.starts_with("missing: ");
  }
  if (!f.launched.empty()) text += "  the host: " + printable(abbreviated(f.launched.front())) + "\n";
  if (const std::string cure = usual_cure(f); !cure.empty() && !says_what_is_missing)
    text += "  usual cure: " + cure + "\n";
  return text;
}

}  // namespace ww::checks
