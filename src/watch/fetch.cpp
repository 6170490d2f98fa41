#include "watch/fetch.h"

#include <algorithm>

namespace ww::watch {

Fetch::Part& Fetch::of(u32 array) {
  const auto it = std::find_if(parts.begin(), parts.end(), [&](const Part& p) { return p.array == array; });
  if (it != parts.end()) return *it;
  parts.push_back({});
  parts.back().array = array;
  return parts.back();
}

Form form_of(const Fetch::Part& part) {
  Form out;
  const u64 first = part.at.front().second;
  const auto behind = [&](u64 address) { return static_cast<int64_t>(address - first); };
  out.pattern.space = ir::Space::Global;
  out.pattern.bytes = part.bytes;
  out.array = part.array;
  out.texels = part.texels;
  out.issued = part.bytes;
  out.cost = part.cost;
  for (const auto& [lane, address] : part.at) {
    if (!(out.pattern.mask >> lane & 1)) out.pattern.offset[lane] = behind(address);
    out.pattern.mask |= u32{1} << lane;
    out.fetched.emplace_back(lane, behind(address));
  }
  for (const rules::Piece& s : part.sectors) {
    const rules::Piece piece{behind(static_cast<u64>(s.address)), s.bytes};
    if (std::find(out.pieces.begin(), out.pieces.end(), piece) == out.pieces.end())
      out.pieces.push_back(piece);
  }
  return out;
}

std::string key_of(const Form& form, u64 first) {
  std::string key = "fetch";
  const auto add = [&](const auto& value) {
    key.append(reinterpret_cast<const char*>(&value), sizeof value);
  };
  add(form.array);
  add(form.pattern.bytes);
  add(first % rules::kAlignment);
  for (const auto& [lane, offset] : form.fetched) add(lane), add(offset);
  return key;
}

}  // namespace ww::watch
