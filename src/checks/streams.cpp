#include "checks/streams.h"

#include <fmt/format.h>

#include <algorithm>

namespace ww::checks {

using What = events::StreamOrder::What;

namespace {

/// The bits [first, end) of one word of 64.
u64 bits_of(u32 word, u32 first, u32 end) {
  const u32 low = std::max(first, word * 64) - word * 64, high = std::min(end, word * 64 + 64) - word * 64;
  return (high == 64 ? ~u64{0} : (u64{1} << high) - 1) & ~((u64{1} << low) - 1);
}

}  // namespace

thread_local std::shared_ptr<Streams::Operation> Streams::working_;

const char* Streams::verb(Access access) {
  static constexpr const char* kVerbs[] = {"reads", "writes", "updates"};
  return kVerbs[access];
}

std::string Streams::name_of(u64 stream) {
  return stream & kNode ? fmt::format("node {} of a graph", stream & 0xffffff)
                        : fmt::format("stream {}", stream);
}

// ---- order ----

Streams::Stream& Streams::stream_of(const events::StreamOrder& e) {
  Stream& s = streams_[e.stream];
  s.device = e.device, s.blocking = e.blocking, s.legacy = e.legacy;
  if (!s.legacy) several_ = true;
  return s;
}

/// What a stream has done so far; the default stream stands for what the blocking streams did, too.
Streams::Clock Streams::all_before(const events::StreamOrder& e) {
  Stream& s = stream_of(e);
  Clock all = s.knows;
  if (s.legacy)
    for (const auto& [number, other] : streams_)
      if (other.device == s.device && other.blocking) join(all, other.knows);
  return all;
}

bool Streams::asked(const events::StreamOrder& e) {
  std::lock_guard lock(mutex_);
  const bool of_event = e.what == What::HostEvent;
  Clock all;
  if (!of_event)
    all = all_before(e);
  else if (const auto at = events_.find(e.event); at != events_.end())
    all = at->second;
  const bool over = std::all_of(all.begin(), all.end(), [&](const auto& done) {
    const auto known = host_.find(done.first);
    return known != host_.end() && known->second >= done.second;
  });
  const std::pair key{e.what, of_event ? e.event : e.stream};
  if (over) return asked_.erase(key), true;
  Clock& last = asked_[key];
  if (last == all) return true;
  last = all;
  for (const auto& o : operations_)
    if (const auto known = all.find(o->stream); known != all.end() && known->second >= o->number)
      o->asked = true;
  return false;
}

void Streams::stream_order(const events::StreamOrder& e) {
  std::lock_guard lock(mutex_);
  switch (e.what) {
    case What::Work:
      begin(e);
      break;
    case What::WorkEnds:
      if (working_) working_->open.clear();
      working_ = nullptr;
      break;
    case What::Record:
      events_[e.event] = all_before(e);
      break;
    case What::Wait:
      if (const auto at = events_.find(e.event); at != events_.end()) join(stream_of(e).knows, at->second);
      break;
    case What::WaitWord:
      for (const auto& o : operations_) {
        const auto page = o->kernel.empty() ? o->pages.end() : o->pages.find(e.event / kPage);
        if (page == o->pages.end()) continue;
        const auto stored = [&](Access how) {
          const Bytes* bytes = page->second.bytes[how].get();
          return bytes && (*bytes)[e.event % kPage / 64] >> e.event % 64 & 1;
        };
        if (stored(kWrite) || stored(kAtomic)) join(stream_of(e).knows, {{o->stream, o->number}});
      }
      break;
    case What::HostStream:
      join(host_, all_before(e));
      forget();
      break;
    case What::HostEvent:
      if (const auto at = events_.find(e.event); at != events_.end()) join(host_, at->second);
      forget();
      break;
    case What::HostAll:
      for (const auto& [number, s] : streams_) join(host_, s.knows);
      forget();
      break;
  }
}

void Streams::begin(const events::StreamOrder& e) {
  Stream& s = stream_of(e);
  join(s.knows, host_);
  // The default stream and the blocking ones wait for each other.
  for (const auto& [number, other] : streams_)
    if (other.device == s.device && ((s.legacy && other.blocking) || (s.blocking && other.legacy)))
      join(s.knows, other.knows);
  if (!several_ && !operations_.empty()) {
    // All are in one order: what counts is only whether the host has waited for the last.
    working_ = operations_.back();
    s.knows[e.stream] = working_->number = ++s.count;
    working_->doing = e.doing, working_->told_host = false;
    if (callers_.here) working_->caller = callers_.here();
    working_->kernel.clear();
    return;
  }
  auto o = std::make_shared<Operation>();
  for (const auto& before : operations_) {
    const auto known = s.knows.find(before->stream);
    if (known == s.knows.end() || known->second < before->number) o->open.push_back(before);
  }
  s.knows[e.stream] = ++s.count;
  o->stream = e.stream, o->number = s.count, o->doing = e.doing;
  if (callers_.here) o->caller = callers_.here();
  working_ = o;
  if (operations_.size() >= kMostOperations) operations_.erase(operations_.begin());
  operations_.push_back(std::move(o));
}

/// What the host has waited for comes before all that it asks for from now on.
void Streams::forget() {
  std::erase_if(operations_, [&](const auto& o) {
    const auto known = host_.find(o->stream);
    return known != host_.end() && known->second >= o->number;
  });
}

void Streams::allocated(const events::Allocated& e) {
  std::lock_guard lock(mutex_);
  allocations_[e.address] = e.bytes;
  // Memory of cudaMallocAsync is there from its place in the stream on.
  if (several_ && working_ && working_->doing == "an allocation")
    working_->made = e.address, working_->made_bytes = e.bytes;
}

/// Its addresses do not come again; the memory that is kept for it may go. A free in a stream (cudaFreeAsync)
/// must come after what others do with it.
void Streams::freed(u64 address) {
  std::lock_guard lock(mutex_);
  const auto known = allocations_.find(address);
  const u64 bytes = known == allocations_.end() ? 1 : std::max<u64>(known->second, 1);
  if (known != allocations_.end()) allocations_.erase(known);
  const u64 first = address / kPage, last = (address + bytes - 1) / kPage;
  if (working_ && several_)
    for (const auto& other : working_->open)
      for (auto& [number, page] : other->pages) {
        if (number < first || number > last || other->told) continue;
        for (const Access how : {kWrite, kRead, kAtomic})
          if (page.bytes[how] && !other->told)
            report(*working_, *other, page, how, kWrite, std::max(address, number * kPage), nullptr, 0);
      }
  for (const auto& o : operations_)
    if (last - first < o->pages.size())
      for (u64 number = first; number <= last; ++number) o->pages.erase(number);
    else
      std::erase_if(o->pages, [&](const auto& page) { return page.first >= first && page.first <= last; });
}

// ---- accesses ----

void Streams::launch_begins(const engine::Program& program, int /*workers*/) {
  program_ = &program;
  std::lock_guard lock(mutex_);
  now_ = several_ || any_host_ ? working_ : nullptr;
  if (working_) working_->kernel = facts_.kernel;
}

void Streams::launch_ends() {
  program_ = nullptr;
  now_ = nullptr;
}

void Streams::memory(int /*worker*/, const events::Memory& e) {
  if (!now_) return;
  if (!e.texels.empty()) {
    std::lock_guard lock(mutex_);
    for (const events::TexelRead& r : e.texels)
      if (several_ || !misses_host_memory(r.address, r.address + e.texel_bytes))
        touch(*now_, r.address, e.texel_bytes, kRead, &e, static_cast<int>(r.lane));
    return;
  }
  u64 all = e.first;  // an address of device memory
  if (e.space == ir::Space::Const) {
    if (!several_ || !facts_.memory || !facts_.memory->unified()) return;
    if (all >= engine::kConstWindow) all -= engine::kConstWindow;
    all += reinterpret_cast<u64>(e.state->constants);
  } else if (e.space != ir::Space::Global) {
    return;
  }
  const bool strong = e.atomic() || (e.order != isa::Mod::none && e.order != isa::Mod::weak);
  if (strong && e.scope == isa::Mod::sys && (e.order == isa::Mod::release || e.order == isa::Mod::acq_rel))
    now_->publishes = true;
  if (!several_ && e.first - host_begin_ >= host_end_ - host_begin_ && __builtin_popcount(e.mask) == 1)
    return;
  std::lock_guard lock(mutex_);
  const Access access = strong ? kAtomic : e.load() ? kRead : kWrite;
  for (u32 m = e.mask; m;) {
    // Lanes that lie behind each other at once.
    const int lane = __builtin_ctz(m);
    const u64 begin = all + static_cast<u64>(e.offsets[lane]);
    u64 end = begin + e.bytes;
    for (m &= m - 1; m; m &= m - 1) {
      const u64 next = all + static_cast<u64>(e.offsets[__builtin_ctz(m)]);
      if (next < begin || next > end) break;
      end = std::max(end, next + e.bytes);
    }
    if (!several_ && misses_host_memory(begin, end)) continue;
    touch(*now_, begin, end - begin, access, &e, lane);
  }
}

void Streams::bulk_access(int /*worker*/, const events::BulkAccess& e) {
  if (!now_ || e.space != ir::Space::Global) return;
  std::lock_guard lock(mutex_);
  const Access access = e.direction == isa::Direction::Read    ? kRead
                        : e.direction == isa::Direction::Write ? kWrite
                                                               : kAtomic;
  for (const events::Piece& p : e.pieces) touch(*now_, p.address, p.bytes, access, &e, __builtin_ctz(e.mask));
}

/// A fence of the whole system makes what is stored behind it a message to the host.
void Streams::fence(int /*worker*/, const events::Fence& e) {
  if (now_ && e.scope == isa::Mod::sys) now_->publishes = true;
}

void Streams::host_access(const events::HostAccess& e) {
  if (!working_ || !(several_ || any_host_)) return;
  std::lock_guard lock(mutex_);
  if (e.direction == isa::Direction::Read) return touch(*working_, e.address, e.bytes, kRead, nullptr, 0);
  if (e.from) touch(*working_, e.from, e.bytes, kRead, nullptr, 0);
  touch(*working_, e.address, e.bytes, kWrite, nullptr, 0);
}

void Streams::touch(Operation& now, u64 address, u64 bytes, Access access, const events::Site* site,
                    int lane) {
  const u64 last = address + bytes;
  for (u64 at = address; at < last;) {
    const u64 number = at / kPage, stop = std::min(last, (number + 1) * kPage);
    const bool of_host = any_host_ && in_host_memory(at);
    if (!several_ && !of_host) {
      at = stop;
      continue;
    }
    const auto [page_at, new_page] = now.pages.try_emplace(number);
    Page& page = page_at->second;
    if (of_host && new_page) now.host_pages.push_back(number);
    if (of_host && access == kAtomic) now.flags = true;
    if (!page.bytes[access]) {
      page.bytes[access] = std::make_unique<Bytes>();
      if (site) {
        const auto [party_at, fresh] =
            now.party_of.try_emplace({program_, site->instruction}, static_cast<u32>(now.parties.size()));
        if (fresh)
          now.parties.push_back(
              party(*program_, *site, lane, fmt::format("{} in {}", verb(access), name_of(now.stream))));
        page.first[access] = party_at->second;
      }
    }
    const auto first = static_cast<u32>(at % kPage), end = first + static_cast<u32>(stop - at);
    u64 fresh = 0;
    for (u32 w = first / 64; w * 64 < end; ++w) {
      const u64 bits = bits_of(w, first, end);
      fresh |= bits & ~(*page.bytes[access])[w];
      (*page.bytes[access])[w] |= bits;
    }
    if (fresh && !now.open.empty()) meet(now, number, first, end, access, site, lane);
    at = stop;
  }
}

void Streams::meet(Operation& now, u64 number, u32 first, u32 end, Access access, const events::Site* site,
                   int lane) {
  for (const auto& other : now.open) {
    const u64 begin = number * kPage + first;
    if (!other->told && begin < other->made + other->made_bytes && other->made < number * kPage + end)
      report(now, *other, {}, kWrite, access, std::max(begin, other->made), site, lane);
    const auto at = other->told ? other->pages.end() : other->pages.find(number);
    if (at == other->pages.end()) continue;
    for (const Access how : {kWrite, kRead, kAtomic}) {
      const Bytes* theirs = at->second.bytes[how].get();
      if (!theirs || (how == access && access != kWrite)) continue;
      for (u32 w = first / 64; w * 64 < end && !other->told; ++w)
        if (const u64 both = (*theirs)[w] & bits_of(w, first, end))
          report(now, *other, at->second, how, access,
                 number * kPage + w * 64 + static_cast<u32>(__builtin_ctzll(both)), site, lane);
    }
  }
}

/// Where an address lies, for a message; the finding learns the allocation.
std::string Streams::place_of(u64 address, Finding& f) const {
  const auto in = facts_.memory ? facts_.memory->nearest(address) : std::nullopt;
  if (!in || address - in->base >= in->size) {
    const auto host =
        in_host_memory(address) ? std::prev(host_memory_.upper_bound(address)) : host_memory_.end();
    return host == host_memory_.end() ? fmt::format("0x{:x}", address)
                                      : fmt::format("byte {} of the host's page-locked memory at 0x{:x}",
                                                    address - host->first, host->first);
  }
  f.allocation = in->base;
  return fmt::format("byte {} of {}", address - in->base,
                     in->name.empty() ? fmt::format("an allocation of {} bytes", in->size) : in->name);
}

void Streams::report(Operation& now, Operation& other, const Page& page, Access how, Access access,
                     u64 address, const events::Site* site, int lane) {
  other.told = true;
  const auto side = [](const Operation& o, Access a) {
    const std::string in = name_of(o.stream);
    if (o.doing == "a free") return fmt::format("a free in {} gives back", in);
    if (o.doing == "an allocation") return fmt::format("an allocation in {} makes", in);
    return o.kernel.empty() ? fmt::format("{} in {} {}", o.doing, in, verb(a))
                            : fmt::format("kernel {} in {} {}", o.kernel, in, verb(a));
  };
  Finding f;
  f.kind = "race";
  f.message = fmt::format("data race between streams: {} what {}, unsynchronised", side(now, access),
                          side(other, how));
  if (site) {
    f.kernel = facts_.kernel;
    f.parties.push_back(
        party(*program_, *site, lane, fmt::format("{} in {}", verb(access), name_of(now.stream))));
  } else if (!other.kernel.empty()) {
    f.kernel = other.kernel;
  }
  if (page.first[how] && !other.kernel.empty()) f.parties.push_back(other.parties[page.first[how]]);
  const std::string first = name_of(other.stream), second = name_of(now.stream);
  const bool one_graph = (now.stream & kNode) && now.stream >> 24 == other.stream >> 24;
  f.more = {"where: " + place_of(address, f),
            one_graph ? fmt::format("missing: an edge of the graph between {} and {}", first, second)
                      : fmt::format(
                            "missing: an event recorded in {} after the first and waited for "
                            "(cudaStreamWaitEvent) in {} before the second, or a synchronisation by the host",
                            first, second)};
  if (callers_.trace) f.launched = callers_.trace(now.caller), f.other = callers_.trace(other.caller);
  findings_.add(std::move(f));
}

}  // namespace ww::checks
