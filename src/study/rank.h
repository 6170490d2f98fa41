// How well two ways of measuring agree on an order.
#pragma once

#include <span>
#include <utility>

namespace ww::study {

/// Kendall's tau-b: 1 for the same order, -1 for the opposite one; equal values count for neither side. 1 for
/// fewer than two different pairs. M. G. Kendall, The treatment of ties in ranking problems, Biometrika 33
/// (1945).
double kendall_tau(std::span<const std::pair<double, double>> pairs);

}  // namespace ww::study
