#include "model/unmodelled.h"

namespace ww::model {

std::string_view name(Unmodelled what) {
  switch (what) {
    case Unmodelled::AtomicMeetings:
      return "atomic_meetings";
    case Unmodelled::ConstantPasses:
      return "constant_passes";
    case Unmodelled::LockAttempts:
      return "lock_attempts";
    case Unmodelled::TextureUnits:
      return "texture_units";
    case Unmodelled::BulkUnits:
      return "bulk_units";
  }
  return {};
}

std::vector<Unmodelled> unmodelled(const gpus::Gpu& gpu, const Activity& a, double clocks) {
  std::vector<Unmodelled> out;
  const double least = kCountsFrom * clocks;
  // A single atomic on the word does not wait.
  if (!gpu.atomic_pass && a.atomic_passes > 1 && a.atomic_passes >= least)
    out.push_back(Unmodelled::AtomicMeetings);
  if (!gpu.constant_pass && a.constant_passes > 0 && a.constant_passes / gpu.sm_count >= least)
    out.push_back(Unmodelled::ConstantPasses);
  if (a.spin_reads > 0) out.push_back(Unmodelled::LockAttempts);
  if (a.texture_requests > 0) out.push_back(Unmodelled::TextureUnits);
  if (a.bulk_operations > 0) out.push_back(Unmodelled::BulkUnits);
  return out;
}

}  // namespace ww::model
