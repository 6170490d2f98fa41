#include "engine/library/printed.h"

#include <fmt/format.h>

namespace ww::engine {

void PrintedText::add(u64 block, std::string text) {
  std::lock_guard lock(mutex_);
  if (block >= end_) {
    ++dropped_;
    return;
  }
  if (text.empty()) return;
  bytes_ += text.size();
  pieces_[block].push_back(std::move(text));
  while (bytes_ > kPrintLimit) {  // whatever else is printed, the last piece can no longer fit
    auto last = std::prev(pieces_.end());
    end_ = last->first;
    bytes_ -= last->second.back().size();
    last->second.pop_back();
    ++dropped_;
    if (last->second.empty()) pieces_.erase(last);
  }
}

std::string PrintedText::text() const {
  std::string all;
  for (const auto& [block, pieces] : pieces_)
    for (const auto& piece : pieces) all += piece;
  if (dropped_) {
    if (!all.empty() && all.back() != '\n') all += '\n';
    all +=
        fmt::format("[{} more calls of printf dropped: kernels may print {} bytes]\n", dropped_, kPrintLimit);
  }
  return all;
}

}  // namespace ww::engine
