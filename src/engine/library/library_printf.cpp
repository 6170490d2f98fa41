// vprintf: what printf in a kernel becomes, a format string and a buffer with the arguments.
#include <cstring>

#include "base/round.h"
#include "engine/library/library_call.h"
#include "engine/matrix/format.h"

namespace ww::engine {

namespace {

/// The argument buffer of one lane. Arguments lie behind each other as C promotes them, each aligned to its
/// size.
class ArgumentBuffer {
 public:
  ArgumentBuffer(Warp& w, const Inst* i, int lane, u64 address)
      : w_(w), i_(i), lane_(lane), address_(address) {}

  u64 next(u32 bytes) {
    offset_ = round_up(offset_, bytes);
    u64 value = 0;
    Resolved r = resolve(w_, AccessKey::Where::Generic, address_ + offset_, lane_, bytes, bytes, false);
    const events::Bus* bus = w_.launch->bus;
    if (r.host && bus && bus->hears(events::kValues)) tell(*bus, bytes);
    offset_ += bytes;
    if (r.host)
      std::memcpy(&value, r.host, bytes);
    else if (!problem)
      problem = std::move(r);
    return value;
  }

  std::optional<Resolved> problem;

 private:
  void tell(const events::Bus& bus, u32 bytes) const {
    const int64_t offsets[kLanes] = {};
    events::Memory e;
    e.instruction = i_->index;
    e.block = w_.block->number;
    e.warp = static_cast<WarpState&>(w_).id;
    e.mask = u32{1} << lane_;
    e.first = address_ + offset_;
    e.space = space_of(AccessKey::Where::Generic, e.first);
    e.bytes = bytes;
    e.offsets = offsets;
    e.state = &w_;
    bus.tell_printed(w_.block->worker, e);
  }

  Warp& w_;
  const Inst* i_;
  int lane_;
  u64 address_, offset_ = 0;
};

}  // namespace

const Inst* run_printf(Warp& w, const Inst* i) {
  const CallPlan& plan = *static_cast<const CallPlan*>(i->aux->more);
  LaunchState& launch = *w.launch;
  u64 block = w.block->number;
  u64 last = 0;
  std::vector<Conversion> conversions;  // lanes mostly print with the same format
  for (u32 m = active(w, i); m; m &= m - 1) {
    int l = __builtin_ctz(m);
    u64 format = argument(w, plan, 0, l);
    if (format == 0) {
      set_result(w, plan, l, ~u64{0});
      continue;
    }
    Resolved problem;
    if (format != last) {
      std::string text;
      if (!read_text(w, format, l, kPrintLimit, text, problem))
        return fault(w, i, l, std::string(problem.kind), "printf's format: " + problem.problem());
      conversions = parse_format(text);
      last =
          format - kLocalWindow < kWindowBytes ? 0 : format;  // local memory holds another text for each lane
    }
    ArgumentBuffer buffer(w, i, l, argument(w, plan, 1, l));
    PrintfSource source;
    source.argument = [&](u32 bytes) { return buffer.next(bytes); };
    source.text = [&](u64 address, u64 most, std::string& text) {
      return !buffer.problem && read_text(w, address, l, most, text, problem);
    };
    std::string out;
    int count = format_text(conversions, source, out);
    if (buffer.problem)
      return fault(w, i, l, std::string(buffer.problem->kind),
                   "printf's arguments: " + buffer.problem->problem());
    if (count < 0)
      return fault(w, i, l, std::string(problem.kind),
                   "a string that printf prints (%s): " + problem.problem());
    launch.printed.add(block, std::move(out));
    set_result(w, plan, l, static_cast<u32>(count));
  }
  return i + 1;
}

}  // namespace ww::engine
