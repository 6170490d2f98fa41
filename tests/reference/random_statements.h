// Statements of random kernels: arithmetic, memory and atomics on registers that hold anything.
#pragma once

#include <fmt/format.h>

#include <random>
#include <string>

#include "random_program.h"

namespace ww::reference {

// Registers that statements may use as they like; everything else has names of its own.
constexpr int kWords = 8, kLongs = 4, kShorts = 4, kFloats = 5, kDoubles = 3, kPredicates = 4;

class Statements {
 public:
  explicit Statements(uint64_t seed) : random_(seed) {}

  void arithmetic();
  void memory();
  void atomics();

 protected:
  uint32_t below(uint32_t n) { return uint32_t(random_() % n); }
  bool chance(uint32_t percent) { return below(100) < percent; }
  template <size_t N>
  const char* one_of(const char* const (&names)[N]) {
    return names[below(N)];
  }
  std::string word() { return fmt::format("%r{}", below(kWords)); }
  std::string pred() { return fmt::format("%p{}", below(kPredicates)); }
  std::string fresh_label(const char* what) { return fmt::format("{}_{}", what, labels_++); }
  template <class... T>
  void line(fmt::format_string<T...> f, T&&... args) {
    text_ += "  " + fmt::format(f, std::forward<T>(args)...) + ";\n";
  }
  void label(const std::string& name) { text_ += name + ":\n"; }

  // A register of a class of types, or (as a source) sometimes a constant.
  std::string reg(char kind) {
    switch (kind) {
      case 'h':
        return fmt::format("%h{}", below(kShorts));
      case 'l':
        return fmt::format("%l{}", below(kLongs));
      case 'f':
        return fmt::format("%f{}", below(kFloats));
      case 'd':
        return fmt::format("%d{}", below(kDoubles));
      default:
        return word();
    }
  }
  std::string source(char kind) {
    if (!chance(20)) return reg(kind);
    static const char* const integers[] = {"0",  "1",  "-1",  "2",    "7",   "31",
                                           "32", "33", "100", "-128", "255", "32767"};
    static const char* const floats[] = {"0f3F800000", "0fBF000000", "0f7F800000", "0f7FC00000",
                                         "0f00000001", "0f80000000", "0f4F800000", "0f42280000"};
    static const char* const doubles[] = {"0d3FF0000000000000", "0d7FF0000000000000", "0d0000000000000001",
                                          "0dC024000000000000", "0d43E0000000000000"};
    return kind == 'f' ? one_of(floats) : kind == 'd' ? one_of(doubles) : one_of(integers);
  }
  /// Of a bit, or how many. Constants: ptxas takes 0 to 255 alone, and those beyond the value (bfe.s32 d, a,
  /// 70, 36) give other results on an H200 than the same numbers in registers, which follow the manual.
  std::string position() { return chance(20) ? fmt::format("{}", below(32)) : word(); }
  static int bits_of(const std::string& type) { return std::stoi(type.substr(1)); }
  static char kind_of(int bits) { return bits == 16 ? 'h' : bits == 32 ? 'r' : 'l'; }
  std::string guard() { return chance(15) ? fmt::format("@{}{} ", chance(50) ? "!" : "", pred()) : ""; }

  std::mt19937_64 random_;
  std::string text_;
  int labels_ = 0;
  bool in_entry_ = false;

 private:
  void comparison(const std::string& g, const std::string& type, char k);
  void sums_of_product(const std::string& g, char k, const char* type, const std::string& ftz);
  void floating(const std::string& g);
};

}  // namespace ww::reference
