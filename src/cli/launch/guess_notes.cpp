#include "cli/launch/guess_notes.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/words.h"

namespace ww::cli {

namespace {

Diagnostic note_of(const std::string& message, const std::string& hint = "") {
  Diagnostic note = error(message, hint);
  note.severity = Severity::Note;
  return note;
}

/// What it reaches beyond the ends is a halo, or a mistake.
Diagnostics halo_note(const ExampleLaunch& example) {
  if (example.halo == 0) return {};
  Diagnostic note = error(
      fmt::format("it reaches beyond the ends of its arrays, so that here they have {} more on each side "
                  "(+{}: the kernel gets the address of a later element)",
                  counted(example.halo, "element"), example.halo),
      "if that is no halo, it is a mistake in the kernel");
  note.severity = Severity::Note;
  return {note};
}

/// Whole numbers that nobody chose may keep the kernel from working. Random ones need no word.
Diagnostics integers_note(const ExampleLaunch& example) {
  using Integers = ExampleLaunch::Integers;
  if (example.read.empty() || example.integers == Integers::Random) return {};
  if (example.integers == Integers::First) {
    const std::vector<std::string> others(example.read.begin() + 1, example.read.end());
    return {note_of(fmt::format("{} holds 0, 1, 2, … here, {} only zeros: with your data the kernel may do "
                                "something else",
                                example.read[0], fmt::join(others, ", ")),
                    fmt::format("--arg '{}=in:FILE.npy' reads them from a file", example.read[0]))};
  }
  Diagnostic note =
      error(fmt::format("{} {} {} here: with your data the kernel may do {}", fmt::join(example.read, ", "),
                        example.read.size() == 1 ? "holds" : "hold",
                        example.integers == Integers::Range ? "0, 1, 2, …" : "only zeros",
                        example.integers == Integers::Range ? "something else" : "more"),
            fmt::format("--arg '{}=in:FILE.npy' reads them from a file", example.read[0]));
  note.severity = Severity::Note;
  return {note};
}

/// Arrays that threads wait for, count in or lock begin with zeros.
Diagnostics flags_note(const ExampleLaunch& example) {
  Diagnostics out;
  const auto hold = [](const std::vector<std::string>& arrays) {
    return fmt::format("{} {}", fmt::join(arrays, ", "), arrays.size() == 1 ? "holds" : "hold");
  };
  if (!example.zeros.empty())
    out.push_back(note_of(hold(example.zeros) + " zeros here, as flags, locks and counters do at first"));
  if (!example.places.empty())
    out.push_back(note_of(hold(example.places) + " 0, 1, 2, … here: its elements are places in it"));
  return out;
}

/// A whole number that was made 1, so that more warps have work, small, so that it ends, or 0, so that what
/// its blocks cover is enough.
Diagnostics numbers_note(const ExampleLaunch& example, const std::vector<Parameter>& parameters) {
  Diagnostics out;
  for (const auto& [place, number] : example.fixed)
    out.push_back(note_of(fmt::format("{} is {} here: with {} it {}", argument_name(place, parameters),
                                      number, whole_number_of(example),
                                      number == 0                ? "asks for larger arrays"
                                      : number != kFewRounds     ? "does less"
                                      : example.behind_constants ? "reads behind the end of constant memory"
                                                                 : "does not end soon")));
  return out;
}

/// Floating-point numbers that were made small.
Diagnostics reals_note(const ExampleLaunch& example) {
  const std::string usual = ExampleLaunch().real;
  if (example.real == usual) return {};
  return {note_of(
      fmt::format("floating-point numbers are {} here: with {} its loops end sooner", example.real, usual))};
}

/// What the launch leaves out, or does that is seldom meant.
Diagnostics work_note(const Work& work) {
  const WorkSeen& seen = work.seen;
  Diagnostics out;
  if (work.accesses == 0)
    return {note_of("with these sizes it neither reads nor writes global memory: say others")};
  if (seen.written == 0) out.push_back(note_of("with these values it stores nothing: say others"));
  if (work.overlaps())
    out.push_back(note_of(fmt::format("{} of its {} stored elements were stored by another block before: the "
                                      "grid or the sizes may be wrong",
                                      seen.covered, seen.written),
                          "--check all says where"));
  const auto few = [&](const std::set<uint64_t>& working, const char* what) {
    const auto blocks = static_cast<size_t>(work.blocks);
    if (!work.idle() || seen.written == 0 || working.empty() || working.size() == blocks) return false;
    out.push_back(note_of(fmt::format("{} of its {} blocks {} nothing: the grid or the sizes may be wrong",
                                      blocks - working.size(), blocks, what)));
    return true;
  };
  const bool said = few(seen.storing, "store") || few(seen.loading, "read");
  if (const auto busy = static_cast<double>(seen.busy); !said && 2 * busy < work.warps)
    out.push_back(
        note_of(fmt::format("{} of its {} warps neither read nor write: the grid or the sizes may be "
                            "wrong",
                            work.warps - busy, work.warps)));
  if (const auto left = seen.never_reached(); !left.empty() && seen.written > 0)
    out.push_back(note_of(fmt::format(
        "with these values its accesses in {} never run: say others if they matter", fmt::join(left, ", "))));
  return out;
}

}  // namespace

Diagnostics notes_on(const Work& work, const ExampleLaunch& launch,
                     const std::vector<Parameter>& parameters) {
  Diagnostics out;
  for (const auto& notes : {work_note(work), numbers_note(launch, parameters), reals_note(launch),
                            halo_note(launch), integers_note(launch), flags_note(launch)})
    out.insert(out.end(), notes.begin(), notes.end());
  return out;
}

}  // namespace ww::cli
