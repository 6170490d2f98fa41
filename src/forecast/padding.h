// What the shared accesses of a kernel would cost if the rows of its arrays were longer: tried on the
// addresses of a run.
#pragma once

#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <unordered_set>
#include <vector>

#include "events/bus.h"
#include "rules/access_totals.h"

namespace ww::forecast {

/// Passes through the banks of shared memory, and those of them that conflicts add.
struct Passes {
  uint64_t loads = 0, stores = 0, conflicts = 0;  ///< atomics are stores
  uint64_t all() const { return loads + stores; }
};

/// The words of an array that the lanes of one access go to: entry by entry a lane and a word (several of a
/// lane where it reads more than a word), and how many passes they take.
struct BankUse {
  std::vector<uint64_t> lanes, words;
  uint64_t passes = 0;
};

/// Rows of one array with some words more.
struct Padding {
  std::string array;                  ///< "As"
  uint64_t columns = 0;               ///< words of a row as it is
  bool inferred = false;              ///< from the accesses: the array need not be declared with rows
  uint64_t words = 0;                 ///< more in every row
  uint64_t more_bytes = 0;            ///< of shared memory in a block
  Passes before, after;               ///< of the array's accesses
  BankUse banks_before, banks_after;  ///< of the access with most conflicts
};

/// What trying found out about one launch.
struct PaddingTrial {
  std::vector<Padding> better;       ///< for each array that gains, the least padding that gains most
  std::vector<std::string> in_vain;  ///< arrays with conflicts that no padding tried lessens
  Passes before, after;              ///< of all shared accesses: as it is, and with all of `better`
  uint64_t more_bytes = 0;
};

/// Paddings of 1 to this many words are tried.
inline constexpr uint64_t kMostPadding = 8;
/// Rows of arrays whose columns are not given are taken to have at least so many words.
inline constexpr uint64_t kFewestColumns = 8;

/// The name of a variable as its source has it: "void tiled<16>(…)::As", mangled or not, is "As".
std::string source_name(const std::string& symbol);

/// Keeps the shared accesses of a launch's first blocks.
class SharedAccesses : public events::Listener {
 public:
  static constexpr uint64_t kBlocks = 8;              ///< that are looked at
  static constexpr uint64_t kMostAccesses = 1 << 20;  ///< by warps

  /// `enough` (may be null) becomes true when no more is wanted.
  explicit SharedAccesses(std::atomic<bool>* enough = nullptr) : enough_(enough) {}

  uint32_t wants() const override { return events::kMemory; }
  bool takes_notes() const override { return true; }
  void launch_begins(const engine::Program& program, int workers) override;
  void memory(int worker, const events::Memory& event) override;
  void block_ends(int worker, uint64_t block) override;

  /// One access as often as it came: instruction and the lanes' addresses.
  struct Seen {
    uint32_t instruction = 0;
    rules::Pattern pattern;
    uint64_t first = 0, count = 0;
  };
  /// Each once, in no order that means anything.
  const std::vector<Seen>& seen() const { return seen_; }
  /// Of the launch, as long as that is kept (RunResult::program); null before it.
  const engine::Program* program() const { return program_; }

 private:
  struct SameAccess {
    const std::vector<Seen>* seen;
    bool operator()(size_t a, size_t b) const;
  };
  struct HashAccess {
    const std::vector<Seen>* seen;
    size_t operator()(size_t a) const;
  };
  size_t number_of(const events::Memory& event);

  /// What a worker has just seen, by the numbers that tell patterns apart: found without a look at its lanes.
  struct Recent {
    uint64_t serial = 0, first = 0;
    uint32_t instruction = 0, mask = 0;
    size_t number = 0;
  };
  static constexpr size_t kRecent = 4096;

  std::mutex mutex_;
  const engine::Program* program_ = nullptr;
  std::vector<Seen> seen_;
  std::unordered_set<size_t, HashAccess, SameAccess> numbers_{64, HashAccess{&seen_}, SameAccess{&seen_}};
  std::vector<std::vector<Recent>> recent_;  ///< by worker
  uint64_t accesses_ = 0, ended_ = 0;
  std::atomic<bool> full_ = false;
  std::atomic<bool>* enough_;
};

/// Prices each access by the GPU's rules: at its own addresses, and at those that it would have with longer
/// rows. A padding that would misalign an access is none. `columns`: words of a row, by the array's source
/// name. With `infer`, an array that is not among them is taken to have rows as long as the step with which
/// the lanes of its conflicting accesses mostly go through it. `dynamic_bytes`: of dynamic shared memory.
PaddingTrial try_padding(const SharedAccesses& seen, rules::Capability capability,
                         const std::map<std::string, uint64_t>& columns, uint64_t dynamic_bytes, bool infer);

}  // namespace ww::forecast
