#include "cuda/core/host_wait.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cstring>
#include <thread>
#include <utility>

#include "analysis/polling_loads.h"
#include "analysis/reach.h"
#include "base/symbol_name.h"
#include "cuda/core/backlog.h"
#include "cuda/core/host_trace.h"
#include "cuda/core/platform.h"
#include "cuda/core/report.h"

namespace ww::cuda {

namespace {

constexpr auto kPatience = std::chrono::seconds(5);
constexpr auto kBetween = std::chrono::milliseconds(500);

/// The launch that is looked at. The thread that looks sleeps in between, so that a launch needs to wake
/// nobody.
struct Watched {
  std::mutex mutex;
  HostWait* launch = nullptr;
  int process = 0;  ///< whose thread it is: a child of fork() has none
};
Watched& watched() {
  static auto* all = new Watched;  // the thread may outlive what ends with the program
  return *all;
}

/// Whether a load may see what the host writes meanwhile: one that is not weak, or an atomic of system scope
/// (those of device scope are locks between threads of the GPU).
bool may_see_the_host(const ir::Instruction& in) {
  if (in.op == ir::Op::atom || in.op == ir::Op::atom_cas) return in.mod(isa::Slot::scope) == isa::Mod::sys;
  const isa::Mod order = in.mod(isa::Slot::loadsem);
  return in.op == ir::Op::ld && order != isa::Mod::none && order != isa::Mod::weak;
}

std::string line_of(const ir::Module& module, const ir::Instruction& in) {
  const ir::Place& place = in.place;
  if (place.file < 0) return fmt::format("{}:{}", module.name, place.ptx_line);
  return fmt::format("{}:{}", module.files.at(place.file), place.line);
}

}  // namespace

HostWait::HostWait(std::string kernel, std::string where, events::u64 blocks)
    : kernel_(std::move(kernel)), where_(std::move(where)), blocks_(blocks), beside_(Backlog::here()) {
  Watched& w = watched();
  std::lock_guard lock(w.mutex);
  w.launch = this;
  if (w.process == ::getpid()) return;
  w.process = ::getpid();
  std::thread(watch).detach();
}

HostWait::~HostWait() {
  std::lock_guard lock(watched().mutex);
  watched().launch = nullptr;
}

void HostWait::watch() {
  for (Watched& w = watched();; std::this_thread::sleep_for(kBetween)) {
    std::lock_guard lock(w.mutex);
    const HostWait* launch = w.launch;
    if (!launch || launch->ended_.load(std::memory_order_relaxed) ||
        std::chrono::steady_clock::now() - launch->since_ < kPatience)
      continue;
    if (launch->beside_ && !Backlog::get().awaited()) continue;
    say_once("host wait " + launch->kernel_,
             fmt::format(
                 "kernel {} has run for {} s, and none of its {} blocks has ended. At {} it loads a word "
                 "until it changes, and the host waits for it or for work behind it; if the host is to write "
                 "that word, neither ends. `--timeout SECONDS` ends such a program",
                 demangled(launch->kernel_), kPatience.count(), launch->blocks_, launch->where_));
  }
}

std::string HostWait::polls_at(const ir::Module& module, const ir::Function& kernel) {
  for (const ir::Function* f : analysis::reach(module, kernel).functions)
    for (ir::BlockId b = 0; b < f->blocks.size(); ++b)
      for (const ir::Instruction& in : f->blocks[b].instructions) {
        if (!may_see_the_host(in)) continue;
        if (!analysis::is_polling_load(*f, b, in)) continue;
        return line_of(module, in);
      }
  return "";
}

bool HostWait::reaches_host(const std::vector<std::vector<u8>>& arguments) {
  for (const auto& argument : arguments)
    for (size_t at = 0; at + sizeof(u64) <= argument.size(); at += sizeof(u64)) {
      u64 address;
      std::memcpy(&address, argument.data() + at, sizeof address);
      const auto block = address ? Platform::get().memory().find(address) : std::nullopt;
      if (block && (block->kind == BlockKind::Host || block->kind == BlockKind::Managed ||
                    block->kind == BlockKind::Registered))
        return true;
    }
  return false;
}

}  // namespace ww::cuda
