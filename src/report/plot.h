// A plot as a study declares it: which values of the table against which, as data.
#pragma once

#include <string>
#include <vector>

namespace ww::report {

/// Names an axis of the table ("n", "block", "kernel", "gpu", …; see base/table.h), a metric tag ("time"), or
/// a product of axes ("rx*ry": the results per thread).
using Quantity = std::string;

struct Plot {
  /// Only rows whose axis has one of these values.
  struct Filter {
    std::string axis;
    std::vector<std::string> values;
  };

  std::string title;
  Quantity x;
  /// Metric tags. A tag stands for all provenances that it has in the table, each a line of its own;
  /// "time@published" for one of them.
  std::vector<std::string> y;
  /// Axes whose values are lines of their own. Other axes that vary become choices of the reader.
  std::vector<std::string> series;
  std::vector<Filter> filter;
  bool log_x = false, log_y = false;
};

}  // namespace ww::report
