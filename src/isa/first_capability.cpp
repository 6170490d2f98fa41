#include "isa/first_capability.h"

namespace ww::isa {

namespace {

struct From {
  std::string_view begin;  ///< of the notation
  int capability;
};

constexpr std::string_view kSparse =
    "mma.spkind";  ///< the notation's modifier is .sp or .sp::ordered_metadata

/// Only what older GPUs have no other instruction for: what merely advises the caches (discard,
/// applypriority, createpolicy) can be left out there. The longest that fits counts.
constexpr From kFrom[] = {
    {"shfl", 30},           {"mma", 70},        {"wmma", 70},
    {"match", 70},          {"nanosleep", 70},  {"ldmatrix", 75},
    {"movmatrix", 75},      {"cp.async", 80},   {"mbarrier", 80},
    {kSparse, 80},          {"redux", 80},      {"barrier.cluster", 90},
    {"cp.async.bulk", 90},  {"elect", 90},      {"getctarank", 90},
    {"griddepcontrol", 90}, {"mapa", 90},       {"cp.reduce.async", 90},
    {"red.async", 90},      {"setmaxnreg", 90}, {"st.async", 90},
    {"stmatrix", 90},       {"wgmma", 90},
};

const From* from_of(const Form& form) {
  const From* found = nullptr;
  for (const From& from : kFrom)
    if (form.notation.starts_with(from.begin) && (!found || from.begin.size() > found->begin.size()))
      found = &from;
  return found;
}

}  // namespace

int first_capability(const Form& form) {
  const From* found = from_of(form);
  return found ? found->capability : 0;
}

std::string_view later_operation(const Form& form) {
  const From* found = from_of(form);
  if (!found) return "";
  return found->begin == kSparse ? "mma.sp" : found->begin;
}

}  // namespace ww::isa
