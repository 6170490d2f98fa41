#include "forecast/known_code.h"

namespace ww::forecast {

std::shared_ptr<const CodeOn> KnownCode::of(const std::shared_ptr<const engine::Program>& program,
                                            const gpus::Gpu& gpu, const std::function<CodeOn()>& find) {
  const auto key = std::pair(program, gpu.id);
  {
    std::lock_guard lock(mutex_);
    if (auto it = entries_.find(key); it != entries_.end()) return it->second;
  }
  auto found = std::make_shared<const CodeOn>(find());  // others may ask meanwhile
  std::lock_guard lock(mutex_);
  if (entries_.size() >= kMost) entries_.clear();
  return entries_.emplace(key, std::move(found)).first->second;
}

}  // namespace ww::forecast
