// Mean value analysis of a closed queueing network: how long customers take that share stations.
#pragma once

#include <span>

namespace ww::model {

/// A fixed number of customers goes round: each waits `delay` without disturbing the others, then asks every
/// station for `demand` of service, where it queues. Returns the mean time of a round for one customer;
/// customers / that is the throughput. Exact for exponential service (Reiser and Lavenberg, Mean-Value
/// Analysis of Closed Multichain Queuing Networks, J. ACM 27, 1980). With one customer it is delay + the sum
/// of demands; with many it tends to customers · the largest demand. A fraction of a customer is interpolated
/// between whole numbers. At least one customer.
double round_time(double customers, std::span<const double> demand, double delay);

}  // namespace ww::model
