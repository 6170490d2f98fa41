// What the host asks for that is wrong: frees, copies, sets, textures.
#include <fmt/format.h>

#include <algorithm>

#include "cuda/core/checking.h"
#include "cuda/core/copy.h"

namespace ww::cuda {

namespace {

const char* function_that_frees(BlockKind kind) {
  return kind == BlockKind::Host ? "cudaFreeHost" : "cudaFree";
}

}  // namespace

void Checking::bad_free(u64 address, BlockKind kind) {
  checks::Finding f;
  const char* call = function_that_frees(kind);
  auto near = engine_ ? engine_->memory().nearest(address) : std::nullopt;
  const bool inside = near && address - near->base < near->size;
  if (inside) f.allocation = near->base;
  f.kind = inside && near->freed ? "double free" : "invalid free";
  if (inside && near->freed)
    f.message = fmt::format("{} of memory that has been freed", call);
  else if (inside && near->base != address)
    f.message = fmt::format("{} of an address inside an allocation", call);
  else if (inside)
    f.message = fmt::format("{} of memory that belongs to another call", call);
  else
    f.message = fmt::format("{} of an address where no allocation starts", call);
  f.more.push_back(describe(address));
  add(std::move(f));
}

void Checking::bad_copy(const Copy& copy, Error error) {
  checks::Finding f;
  f.kind = error == Error::InvalidMemcpyDirection ? "copy in no direction" : "bad copy";
  const u64 bytes = copy.width * copy.height * copy.depth;
  static constexpr const char* kDirections[] = {"host to host", "host to device", "device to host",
                                                "device to device"};
  const auto kind = static_cast<size_t>(copy.kind);
  f.message = fmt::format("a copy of {} bytes{}{} is impossible", bytes, kind < 4 ? " from " : "",
                          kind < 4 ? kDirections[kind] : "");
  const auto end_of = [&](const char* which, const Place& place) {
    if (place.array) {
      f.more.push_back(fmt::format("{}: an array", which));
      return;
    }
    const u64 first = place.at(0, 0);
    std::string text = describe(first);
    if (auto near = engine_ ? engine_->memory().nearest(first) : std::nullopt;
        near && first - near->base < near->size) {
      f.allocation = near->base;
      const u64 last = place.at(copy.height - 1, copy.depth - 1) + copy.width;
      if (last > near->base + near->size)
        text += fmt::format("; the copy ends {} bytes past its end", last - near->base - near->size);
    }
    f.more.push_back(fmt::format("{}: {}", which, text));
  };
  end_of("from", copy.from);
  end_of("to", copy.to);
  add(std::move(f));
}

void Checking::overlapping_copy(const Copy& copy) {
  checks::Finding f;
  f.kind = "overlapping copy";
  const u64 from = copy.from.at(0, 0), to = copy.to.at(0, 0);
  f.message =
      fmt::format("source and destination of a copy of {} bytes share {} bytes: what it writes is undefined",
                  copy.width, copy.width - std::max(from, to) + std::min(from, to));
  if (auto near = engine_ ? engine_->memory().nearest(from) : std::nullopt;
      near && from - near->base < near->size)
    f.allocation = near->base;
  f.more = {"from: " + describe(from), "to: " + describe(to)};
  add(std::move(f), Call::Succeeds);
}

void Checking::bad_set(u64 to, u64 end) {
  checks::Finding f;
  f.kind = "bad set";
  f.message = fmt::format("a set of {} bytes is impossible", end - to);
  std::string text = describe(to);
  if (auto near = engine_ ? engine_->memory().nearest(to) : std::nullopt;
      near && to - near->base < near->size) {
    f.allocation = near->base;
    if (end > near->base + near->size)
      text += fmt::format("; the set ends {} bytes past its end", end - near->base - near->size);
  }
  f.more.push_back(text);
  add(std::move(f));
}

void Checking::empty_set(u64 to, u32 value, u32 element) {
  const auto near = engine_ ? engine_->memory().nearest(to) : std::nullopt;
  const bool inside = near && to - near->base < near->size;
  const auto as_int = static_cast<int32_t>(value);
  const bool no_byte = element == 1 && (as_int > 0xff || as_int < -0x80);
  const bool as_large = inside && u64{value} * element == near->base + near->size - to;
  if (!no_byte && !as_large) return;  // a count that happened to be 0
  checks::Finding f;
  f.kind = "empty set";
  f.severity = checks::Severity::Hint;
  f.message = fmt::format("a set with the value {} and a count of 0 sets nothing", as_int);
  f.more = {describe(to), "the value comes before the count, as in memset: were they exchanged?"};
  if (inside) f.allocation = near->base;
  add(std::move(f), Call::Succeeds);
}

void Checking::long_texture(u64 address, u64 bytes, u64 left) {
  checks::Finding f;
  f.kind = "bad texture";
  f.severity = checks::Severity::Warning;  // what is behind may never be fetched
  f.message =
      fmt::format("a texture of {} bytes of linear memory ends {} bytes past the end of the allocation",
                  bytes, bytes - left);
  if (auto near = engine_ ? engine_->memory().nearest(address) : std::nullopt) f.allocation = near->base;
  f.more = {describe(address), "missing: the size of what is there, in bytes"};
  add(std::move(f), Call::Succeeds);
}

}  // namespace ww::cuda
