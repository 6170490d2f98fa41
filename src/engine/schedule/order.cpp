#include "engine/schedule/order.h"

#include <charconv>

#include "base/text.h"

namespace ww::engine {

namespace {

/// splitmix64 (Steele, Lea, Flood: Fast splittable pseudorandom number generators, 2014).
uint64_t mixed(uint64_t x) {
  x += 0x9e3779b97f4a7c15;
  x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9;
  x = (x ^ x >> 27) * 0x94d049bb133111eb;
  return x ^ x >> 31;
}

/// A permutation of 0 … n - 1: four rounds of a Feistel network over the next even number of bits, again and
/// again until the result is below n (Luby and Rackoff; cycle walking: Black and Rogaway).
uint64_t shuffled(uint64_t k, uint64_t n, uint64_t key) {
  uint32_t half = 1;
  while (half < 32 && n > uint64_t{1} << 2 * half) ++half;
  const uint64_t mask = (uint64_t{1} << half) - 1;
  do {
    uint64_t left = k >> half, right = k & mask;
    for (uint64_t r = 0; r < 4; ++r) {
      const uint64_t next = left ^ (mixed(key + r * 0x632be59bd9b4e019 + right) & mask);
      left = right, right = next;
    }
    k = left << half | right;
  } while (k >= n);
  return k;
}

}  // namespace

uint64_t Order::at(uint64_t k, uint64_t n, uint64_t round) const {
  switch (kind) {
    case Kind::Reverse:
      return n - 1 - k;
    case Kind::Random:
      return shuffled(k, n, mixed(seed) + round);
    case Kind::Adversarial:
      return round % 2 ? k : n - 1 - k;
    default:
      return k;
  }
}

bool Order::ends_turn(uint64_t n) const {
  return kind == Kind::Adversarial || (kind == Kind::Random && mixed(mixed(seed) ^ n) % 2);
}

Result<Order> order_of(std::string_view text) {
  if (text == "forward") return Order{Order::Kind::Forward, 0};
  if (text == "reverse") return Order{Order::Kind::Reverse, 0};
  if (text == "adversarial") return Order{Order::Kind::Adversarial, 0};
  constexpr std::string_view kRandom = "random:";
  if (text.substr(0, kRandom.size()) == kRandom) {
    const std::string_view digits = text.substr(kRandom.size());
    Order order{Order::Kind::Random, 0};
    const auto [end, problem] = std::from_chars(digits.data(), digits.data() + digits.size(), order.seed);
    if (problem == std::errc() && end == digits.data() + digits.size() && !digits.empty()) return order;
  }
  return error("no schedule is called '" + printable(std::string(text)) + "'",
               "there are: forward, reverse, random:SEED, adversarial");
}

}  // namespace ww::engine
