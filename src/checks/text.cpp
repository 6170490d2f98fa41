#include "checks/text.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/symbol_name.h"
#include "base/text.h"
#include "base/words.h"
#include "checks/json.h"
#include "ir/places.h"

namespace ww::checks {

namespace {

std::string triple(const std::array<u32, 3>& n) { return fmt::format("({},{},{})", n[0], n[1], n[2]); }

std::string render(const Party& p) {
  std::string text = fmt::format("  {} at {}:{}", p.what, printable(p.where.file), p.where.line);
  if (p.ptx_line && p.ptx_line != p.where.line) text += fmt::format(" (PTX line {})", p.ptx_line);
  text += p.everyone ? fmt::format("\n    in launch {}\n", p.by.launch)
                     : fmt::format("\n    by block {}, thread {} of launch {}\n", triple(p.by.block),
                                   triple(p.by.thread), p.by.launch);
  return text + ir::inlining_text(p.inlined, "    ");
}

/// Of "FUNCTION at FILE:LINE": whether the file is one of CUDA's headers.
bool in_cudas_headers(const std::string& call) {
  constexpr std::string_view kAt = " at ";
  const size_t at = call.rfind(kAt);
  if (at == call.npos) return false;
  Location header, users;
  header.file = call.substr(at + kAt.size());
  return ir::users_place({header, users}) == 1;
}

/// Of several calls in CUDA's headers (CUB and Thrust have dozens) the innermost, and the one that the user
/// made.
std::string render(std::string_view what, const HostTrace& trace) {
  std::string text;
  for (size_t k = 0; k < trace.size(); ++k) {
    text += k == 0 ? fmt::format("  {} by {}\n", what, printable(abbreviated(trace[k])))
                   : fmt::format("    from {}\n", printable(abbreviated(trace[k])));
    size_t end = k;
    while (end < trace.size() && in_cudas_headers(trace[end])) ++end;
    if (end < k + 4) continue;
    text +=
        fmt::format("    through {} in CUDA's headers\n", counted(static_cast<int64_t>(end - k - 2), "call"));
    k = end - 2;
  }
  return text;
}

}  // namespace

std::string render(const Finding& f) {
  std::string text = fmt::format("{}: {}", name(f.severity), f.kind);
  if (!f.kernel.empty()) text += " in kernel " + printable(abbreviated(f.kernel));
  text += "\n";
  if (f.message != f.kind) text += "  " + printable(f.message) + "\n";
  for (const Party& p : f.parties) text += render(p);
  for (const std::string& line : f.more) text += "  " + printable(line) + "\n";
  text +=
      render("allocated", f.allocated) + render("freed", f.freed) +
      render(f.kernel.empty() || (!f.other.empty() && !host_reads(f)) ? "called" : "launched", f.launched) +
      render(host_reads(f) ? "read" : "the other called", f.other);
  if (f.count > 1) text += fmt::format("  found {} times; the first is shown\n", f.count);
  return text;
}

bool host_reads(const Finding& f) { return f.kind == "uninitialised" && !f.other.empty(); }

std::string bytes_of(u64 bytes, const char* what) {
  return fmt::format("{} {}byte{}", bytes, what, bytes == 1 ? "" : "s");
}

std::string tally(const std::vector<Finding>& findings) {
  std::string text;
  for (Severity s : {Severity::Error, Severity::Warning, Severity::Hint}) {
    const auto n =
        std::count_if(findings.begin(), findings.end(), [&](const Finding& f) { return f.severity == s; });
    if (n) text += (text.empty() ? "" : ", ") + counted(static_cast<int64_t>(n), std::string(name(s)));
  }
  return text;
}

std::string render(const std::vector<Finding>& findings) {
  std::string text;
  for (const Finding& f : findings) text += render(f) + "\n";
  if (!findings.empty()) text += tally(findings) + "\n";
  return text;
}

bool any_error(const std::vector<Finding>& findings) {
  return std::any_of(findings.begin(), findings.end(),
                     [](const Finding& f) { return f.severity == Severity::Error; });
}

}  // namespace ww::checks
