#include "kernels/reference.h"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>
#include <cmath>
#include <functional>

#include "base/in_parts.h"
#include "base/round.h"
#include "kernels/blas.h"
#include "kernels/host_rows.h"

namespace ww::kernels {

std::string Task::identity() const {
  std::string text = fmt::format("{} n={} r={}", static_cast<int>(problem), n, r);
  if (problem == Problem::Given) text += fmt::format(" {} outputs={}", name, outputs);
  for (const Input& input : inputs) text += "; " + input.identity();
  return text;
}

namespace {

constexpr uint64_t kPanel = 256;  // rows at a time, to keep what is held twice small

void read_as_double(const Input& input, uint64_t first, std::span<double> out) {
  std::vector<float> chunk(std::min<size_t>(out.size(), 1 << 16));
  for (size_t done = 0; done < out.size(); done += chunk.size()) {
    const std::span<float> part(chunk.data(), std::min(chunk.size(), out.size() - done));
    input.read(first + done, part);
    std::copy(part.begin(), part.end(), out.begin() + static_cast<ptrdiff_t>(done));
  }
}

/// work(first row of each panel), on all cores.
void for_each_panel(uint64_t rows, const std::function<void(uint64_t)>& work) {
  in_parts(divide_up(rows, kPanel), 1, [&](uint64_t first, uint64_t end) {
    for (uint64_t panel = first; panel < end; ++panel) work(panel * kPanel);
  });
}

void make_absolute(std::span<double> values) {
  for (double& v : values) v = std::abs(v);
}

class Product final : public Reference {
 public:
  Product(const Task& task, Dgemm dgemm)
      : dgemm_(dgemm), n_(static_cast<uint64_t>(task.n)), exact_(n_ * n_), magnitude_(n_ * n_) {
    const bool transposed = task.problem == Problem::MatmulTransposed;
    const Input& a = task.inputs[0];
    std::vector<double> right(n_ * n_);
    read_as_double(transposed ? a : task.inputs[1], 0, right);
    for_each_panel(n_, [&](uint64_t row) { multiply(a, row, right, transposed, false); });
    make_absolute(right);
    for_each_panel(n_, [&](uint64_t row) { multiply(a, row, right, transposed, true); });
  }

  uint64_t rows() const override { return n_; }
  uint64_t row_length() const override { return n_; }
  void read(uint64_t first, uint64_t count, std::span<double> exact,
            std::span<double> magnitude) const override {
    std::copy_n(exact_.begin() + static_cast<ptrdiff_t>(first * n_), count * n_, exact.begin());
    std::copy_n(magnitude_.begin() + static_cast<ptrdiff_t>(first * n_), count * n_, magnitude.begin());
  }

 private:
  void multiply(const Input& a, uint64_t row, const std::vector<double>& right, bool transposed,
                bool absolute) {
    const uint64_t rows = std::min(kPanel, n_ - row);
    std::vector<double> left(rows * n_), product(rows * n_);
    read_as_double(a, row * n_, left);
    if (absolute) make_absolute(left);
    const int n = static_cast<int>(n_);
    dgemm_(CblasRowMajor, CblasNoTrans, transposed ? CblasTrans : CblasNoTrans, static_cast<int>(rows), n, n,
           1.0, left.data(), n, right.data(), n, 0.0, product.data(), n);
    const auto offset = static_cast<ptrdiff_t>(row * n_);
    if (absolute) {
      std::copy(product.begin(), product.end(), magnitude_.begin() + offset);
    } else {
      std::copy(product.begin(), product.end(), exact_.begin() + offset);
    }
  }

  Dgemm dgemm_;
  uint64_t n_;
  std::vector<double> exact_;
  std::vector<float> magnitude_;
};

/// out[i] = the sum of `window` vectors of `length` from in[i] on, vector after vector. Sums of 1, 2, 4, …
/// vectors, as the window's binary digits ask for: log2 additions deep, and nothing is subtracted. Changes
/// `in`, which has window − 1 vectors more than `out`.
void window_sums(std::span<double> in, uint64_t window, uint64_t length, std::span<double> out) {
  std::fill(out.begin(), out.end(), 0.0);
  uint64_t taken = 0;                                // vectors of every window that are in its sum
  for (uint64_t has = 1; has <= window; has *= 2) {  // in[i] is the sum of so many
    if (window & has) {
      add_row(out.data(), in.data() + taken * length, out.size());
      taken += has;
    }
    if (2 * has <= window) add_from_ahead(in.data(), has * length, in.size() - (2 * has - 1) * length);
  }
}

class BoxSums final : public Reference {
 public:
  explicit BoxSums(const Task& task)
      : n_(static_cast<uint64_t>(task.n)), r_(static_cast<uint64_t>(task.r)), in_(task.inputs[0]) {}

  uint64_t rows() const override { return n_ - 2 * r_; }
  uint64_t row_length() const override { return n_ - 2 * r_; }
  void read(uint64_t first, uint64_t count, std::span<double> exact,
            std::span<double> magnitude) const override {
    // A core has columns side by side, since rows above and below one another share most of their windows.
    in_parts(divide_up(row_length(), kColumns), 1, [&](uint64_t begin, uint64_t end) {
      for (uint64_t strip = begin; strip < end; ++strip)
        read_strip(first, count, strip * kColumns, exact, magnitude);
    });
  }

 private:
  static constexpr uint64_t kColumns = 256;  // what a strip holds stays in a core's cache

  void read_strip(uint64_t first, uint64_t count, uint64_t column, std::span<double> exact,
                  std::span<double> magnitude) const {
    const uint64_t window = 2 * r_ + 1, columns = std::min(kColumns, row_length() - column);
    const uint64_t rows = count + window - 1;
    std::vector<float> row(columns + window - 1);
    std::vector<double> elements(row.size()), sums(rows * columns), out(count * columns);
    for (const bool absolute : {false, true}) {
      for (uint64_t y = 0; y < rows; ++y) {
        in_.read((first + y) * n_ + column, row);
        std::copy(row.begin(), row.end(), elements.begin());
        if (absolute) make_absolute(elements);
        window_sums(elements, window, 1, std::span(sums).subspan(y * columns, columns));
      }
      window_sums(sums, window, columns, out);
      const std::span<double> to = absolute ? magnitude : exact;
      for (uint64_t y = 0; y < count; ++y)
        std::copy_n(out.begin() + static_cast<ptrdiff_t>(y * columns), columns,
                    to.begin() + static_cast<ptrdiff_t>(y * row_length() + column));
    }
  }

  uint64_t n_, r_;
  Input in_;
};

class VectorSum final : public Reference {
 public:
  explicit VectorSum(const Task& task) {
    std::vector<float> chunk(1 << 16);
    const auto n = static_cast<uint64_t>(task.n);
    for (uint64_t first = 0; first < n; first += chunk.size()) {
      const std::span<float> part(chunk.data(), std::min<uint64_t>(chunk.size(), n - first));
      task.inputs[0].read(first, part);
      double sum = 0, absolute_sum = 0;
      for (float v : part) {
        sum += v;
        absolute_sum += std::abs(v);
      }
      sum_ += sum;
      absolute_sum_ += absolute_sum;
    }
  }

  uint64_t rows() const override { return 1; }
  uint64_t row_length() const override { return 1; }
  void read(uint64_t, uint64_t, std::span<double> exact, std::span<double> magnitude) const override {
    exact[0] = sum_;
    magnitude[0] = absolute_sum_;
  }

 private:
  double sum_ = 0, absolute_sum_ = 0;
};

class GivenAnswer final : public Reference {
 public:
  explicit GivenAnswer(const Task& task) : exact_(task.outputs), magnitude_(task.outputs) {
    task.answer(exact_, magnitude_);
  }

  uint64_t rows() const override { return 1; }
  uint64_t row_length() const override { return exact_.size(); }
  void read(uint64_t, uint64_t, std::span<double> exact, std::span<double> magnitude) const override {
    std::copy(exact_.begin(), exact_.end(), exact.begin());
    std::copy(magnitude_.begin(), magnitude_.end(), magnitude.begin());
  }

 private:
  std::vector<double> exact_, magnitude_;
};

}  // namespace

Result<std::shared_ptr<const Reference>> compute_reference(const Task& task) {
  switch (task.problem) {
    case Problem::Matmul:
    case Problem::MatmulTransposed: {
      auto dgemm = find_dgemm();
      if (!dgemm) return dgemm.error();
      return {std::make_shared<Product>(task, *dgemm)};
    }
    case Problem::BoxSum:
      return {std::make_shared<BoxSums>(task)};
    case Problem::Sum:
      return {std::make_shared<VectorSum>(task)};
    case Problem::Given:
      return {std::make_shared<GivenAnswer>(task)};
  }
  assert(false);
  return error("no such problem");
}

}  // namespace ww::kernels
