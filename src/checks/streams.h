// Races between launches, copies and sets of different streams without synchronisation, and between them and
// the host's own accesses: docs/races.md says what is found.
#pragma once

#include <array>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <unordered_map>

#include "checks/check.h"

namespace ww::checks {

/// Every launch, copy and set is an operation of a stream. For as long as the host has not waited for it, the
/// bytes that it touched are kept, to be compared with those of operations that are not ordered behind it.
/// Before a program has made a second stream, only what lies in memory that the host can touch itself is
/// kept.
class Streams : public Check {
 public:
  explicit Streams(Findings& findings) : Check(findings) {}
  std::string name() const override { return "races"; }
  u32 wants() const override {
    return several_ || any_host_ ? u32{events::kMemory} | events::kBulk | events::kFences : 0;
  }
  bool in_order() const override { return several_ || any_host_; }
  events::Registers registers() const override { return events::Registers::Never; }

  void launch_begins(const engine::Program& program, int workers) override;
  void memory(int worker, const events::Memory& event) override;
  void bulk_access(int worker, const events::BulkAccess& event) override;
  void fence(int worker, const events::Fence& event) override;
  void launch_ends() override;
  void host_access(const events::HostAccess& event) override;
  void stream_order(const events::StreamOrder& event) override;
  void allocated(const events::Allocated& event) override;
  void freed(u64 address) override;

  /// Where this thread of the host calls from: a number for it, and the trace of a number.
  struct Callers {
    std::function<size_t()> here;
    std::function<HostTrace(size_t)> trace;
  };
  /// Without it no finding says where the host asked for its operations.
  void know_callers(Callers callers) { callers_ = std::move(callers); }

  /// Whether a query may say that a stream or an event is over. Here all is over when it is asked, but on a
  /// GPU it may not be: so who has not waited hears it only when he asks again. Who does not look at the
  /// answer has waited for nothing.
  bool asked(const events::StreamOrder& event);

  /// The stream that stands for a node of a graph.
  static constexpr u64 graph_node(u64 graph, u64 node) { return kNode | graph << 24 | (node & 0xffffff); }

  // Who sees the host's own loads and stores asks what they may be (cuda/core/host_guard.h).
  static constexpr u64 kPage = 4096;
  /// The host can touch these bytes itself from now on: managed, page-locked, registered memory.
  void host_memory(u64 address, u64 bytes);
  void no_host_memory(u64 address);
  struct HostPage {
    u64 number = 0;        ///< address / kPage
    bool written = false;  ///< by operations that the host has not waited for; else they only read
  };
  /// Pages of such memory that the host may not touch (`written`) or not change, ascending. None that belong
  /// to operations which may tell the host by themselves that they are done, by a fence or release of system
  /// scope; of those with atomics or volatile accesses there, only what they store plainly: without the fence
  /// no flag says that this is there.
  std::vector<HostPage> host_pages();
  /// The host touches one byte. What is wrong with that, each operation once; its trace is left to the
  /// caller.
  std::optional<Finding> host_touches(u64 address, bool writes);
  /// The host gives back memory that it can touch itself. What is wrong with that, likewise; a warning, as
  /// the call may wait, of which CUDA promises nothing. `unmapped`: it has done so by free() or munmap(),
  /// which know nothing of it.
  std::optional<Finding> host_frees(u64 address, u64 bytes, bool unmapped = false);

 private:
  static constexpr u64 kNode = u64{1} << 62;
  static constexpr size_t kMostOperations = 256;  // kept; the oldest are forgotten
  enum Access { kRead, kWrite, kAtomic, kAccesses };
  using Bytes = std::array<u64, kPage / 64>;  ///< a bit for each
  struct Page {
    std::unique_ptr<Bytes> bytes[kAccesses];
    u32 first[kAccesses] = {};  ///< who was the first to touch it so: index into `parties`; 0: no kernel
  };
  static const char* verb(Access access);
  static std::string name_of(u64 stream);
  static std::optional<Access> touched(const Page& page, u64 number, u64 begin, u64 end);
  struct Operation {
    u64 stream = 0;
    u64 number = 0;  ///< in its stream, from 1
    std::string doing;
    size_t caller = 0;
    std::string kernel;  ///< "": a copy or a set
    std::unordered_map<u64, Page> pages;
    std::vector<Party> parties{1};
    std::map<std::pair<const engine::Program*, u32>, u32> party_of;  ///< by instruction
    std::vector<u64> host_pages;                                     ///< those that the host can touch itself
    u64 made = 0, made_bytes = 0;                                    ///< the memory that it allocated
    bool told = false, told_host = false;
    bool asked = false;      ///< a query was answered that it is not over
    bool flags = false;      ///< it may tell the host something by atomic or volatile accesses
    bool publishes = false;  ///< and what it has stored, too: by a fence or a release of system scope
    std::vector<std::shared_ptr<Operation>> open;  ///< while it runs: those that it is not ordered behind
  };
  /// By stream: how many of its operations are known to have ended.
  using Clock = std::map<u64, u64>;
  struct Stream {
    int device = 0;
    bool blocking = true, legacy = false;
    u64 count = 0;  ///< operations so far
    Clock knows;    ///< what its next operation comes after
  };

  static void join(Clock& to, const Clock& from) {
    for (const auto& [stream, number] : from)
      if (u64& n = to[stream]; n < number) n = number;
  }
  Stream& stream_of(const events::StreamOrder& event);
  Clock all_before(const events::StreamOrder& event);
  void begin(const events::StreamOrder& event);
  void forget();
  static bool hides(const Operation& operation, Access access);
  bool in_host_memory(u64 address) const;
  bool misses_host_memory(u64 begin, u64 end);
  /// The present operation touches bytes.
  void touch(Operation& now, u64 address, u64 bytes, Access access, const events::Site* site, int lane);
  void meet(Operation& now, u64 page, u32 first, u32 end, Access access, const events::Site* site, int lane);
  std::string place_of(u64 address, Finding& finding) const;
  void report(Operation& now, Operation& other, const Page& page, Access how, Access access, u64 address,
              const events::Site* site, int lane);

  Callers callers_;
  std::mutex mutex_;
  std::atomic<bool> several_{false}, any_host_{false};
  std::map<u64, u64> host_memory_;     ///< bytes by address
  u64 gap_begin_ = 0, gap_end_ = 0;    ///< none of it lies between: where it was looked for last
  u64 host_begin_ = 0, host_end_ = 0;  ///< all of it lies between
  std::map<u64, Stream> streams_;
  std::map<u64, Clock> events_;
  std::map<std::pair<events::StreamOrder::What, u64>, Clock> asked_;  ///< of what was not over: as it stood
  std::map<u64, u64> allocations_;                                    ///< bytes by address
  Clock host_;
  std::vector<std::shared_ptr<Operation>> operations_;  ///< for which the host has not waited, in order
  std::shared_ptr<Operation> now_;                      ///< the launch that runs
  /// What this thread of the host does.
  static thread_local std::shared_ptr<Operation> working_;
  const engine::Program* program_ = nullptr;
};

}  // namespace ww::checks
