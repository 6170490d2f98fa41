#include "checks/all.h"

#include <algorithm>
#include <sstream>

#include "checks/arrays.h"
#include "checks/atomics.h"
#include "checks/barriers.h"
#include "checks/locals.h"
#include "checks/memory.h"
#include "checks/numbers.h"
#include "checks/races.h"
#include "checks/read_only.h"
#include "checks/rows.h"
#include "checks/streams.h"
#include "checks/values.h"
#include "checks/warps.h"

namespace ww::checks {

namespace {

struct Entry {
  Known known;
  std::unique_ptr<Check> (*make)(Findings& findings);
};

template <class C>
std::unique_ptr<Check> made(Findings& findings) {
  return std::make_unique<C>(findings);
}

/// But "memory", which make() adds itself.
const std::vector<Entry>& entries() {
  static const std::vector<Entry> all = {
      {{"arrays", "accesses that run from one array into the next"}, made<Arrays>},
      {{"values", "uninitialised values, where they matter"}, made<Values>},
      {{"warps", "wrong masks and barriers"}, made<Warps>},
      {{"races", "accesses to the same bytes without synchronisation between them"}, made<Races>},
      {{"divisions", "integers divided by zero"}, made<Divisions>},
      {{"overflows", "32-bit products that overflow and become addresses"}, made<Overflows>},
      {{"constants", "stores to __constant__ variables and to input arrays"}, made<ReadOnly>},
      {{"rows", "accesses to the padding after rows of pitched allocations (hints)"}, made<Rows>},
      {{"locals", "pointers to another thread's local or another block's shared memory"}, made<Locals>},
      {{"unwritten", "every load of uninitialised global memory, whether or not it matters", true},
       [](Findings& findings) -> std::unique_ptr<Check> { return std::make_unique<Values>(findings, true); }},
      {{"benign", "stores of one value without synchronisation between them", true},
       [](Findings& findings) -> std::unique_ptr<Check> { return std::make_unique<Races>(findings, true); }},
      {{"numbers", "floating-point results that are not finite", true}, made<Floats>},
      {{"hints",
        "what is right but slow: bank conflicts, uncoalesced accesses, divergence, atomics, spills, barriers",
        true},
       made<Atomics>},
  };
  return all;
}

}  // namespace

const std::vector<Known>& known() {
  static const std::vector<Known> all = [] {
    std::vector<Known> list = {{"memory",
                                "accesses outside of allocations, to freed memory, misaligned; "
                                "bad copies and frees of the host"}};
    for (const Entry& e : entries()) list.push_back(e.known);
    return list;
  }();
  return all;
}

Result<std::vector<std::string>> names_in(const std::string& text) {
  std::vector<std::string> names, there, usual;
  for (const Known& k : known()) {
    there.emplace_back(k.name);
    if (!k.only_when_asked) usual.emplace_back(k.name);
  }
  std::istringstream in(text);
  for (std::string name; std::getline(in, name, ',');) {
    if (name == "all") {
      for (const std::string& u : usual)
        if (std::find(names.begin(), names.end(), u) == names.end()) names.push_back(u);
      continue;
    }
    if (std::find(there.begin(), there.end(), name) == there.end()) {
      std::string list = "all";
      for (const std::string& t : there) list += ", " + t;
      return error("no check is called '" + name + "'", "there are: " + list);
    }
    if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
  }
  if (names.empty()) return error("which checks?", "a comma-separated list of names, or all");
  return names;
}

std::optional<Finding> of_no_warp(const Fault& fault, const LaunchFacts& facts) {
  const bool deadlock = fault.kind == "mbarrier deadlock";
  if (fault.kind != "time limit" && fault.kind != "endless loop" && !deadlock) return {};
  Finding f;
  f.kind = fault.kind;
  f.kernel = facts.kernel;
  // Whether it would have ended is not known.
  if (fault.kind == "time limit") f.severity = Severity::Warning;
  if (facts.shared_with_host && !deadlock) {
    // Another thread of the host may be about to write what it waits for.
    f.severity = Severity::Warning;
    f.more.push_back("it may wait for the host, which shares memory with it and waits for it, too");
  }
  Party p;
  p.what = "most warps stand";
  p.everyone = true;
  p.where = fault.where;
  p.by.launch = facts.number;
  f.parties.push_back(p);
  std::istringstream lines(fault.message);
  std::string line;
  std::getline(lines, line);  // kind and kernel
  while (std::getline(lines, line)) {
    line.erase(0, std::min(line.find_first_not_of(' '), line.size()));
    if (f.message.empty())
      f.message = line;
    else if (!line.empty())
      f.more.push_back(line);
  }
  return f;
}

std::vector<std::unique_ptr<Check>> make(const std::vector<std::string>& names, Findings& findings) {
  const auto wanted = [&](const char* name) {
    return std::find(names.begin(), names.end(), name) != names.end();
  };
  std::vector<std::unique_ptr<Check>> checks;
  checks.push_back(std::make_unique<Memory>(findings, wanted("memory")));
  for (const Entry& e : entries())
    if (wanted(e.known.name)) checks.push_back(e.make(findings));
  if (wanted("races")) checks.push_back(std::make_unique<Streams>(findings));
  if (wanted("hints")) checks.push_back(std::make_unique<Barriers>(findings));
  return checks;
}

}  // namespace ww::checks
