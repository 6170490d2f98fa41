#include "report/terminal.h"

#include <algorithm>
#include <numeric>

#include "base/text.h"
#include "report/columns.h"

namespace ww::report {
namespace {

constexpr size_t kGap = 2;            // blanks between columns; 1 where that saves a second block
constexpr size_t kLeastWidth = 20;    // nothing sensible fits in less
constexpr size_t kLeastAxis = 6;      // axes are not squeezed below
constexpr size_t kLeastWords = 32;    // columns in which a text reads well
constexpr size_t kLeastRefusal = 16;  // columns beside the axes that a reason needs
constexpr std::string_view kBold = "\x1b[1m", kYellow = "\x1b[33m", kPlain = "\x1b[0m";

class Terminal {
 public:
  Terminal(const Table& table, const TerminalOptions& options)
      : table_(table),
        columns_(columns_of(table)),
        width_(options.width <= 0 ? 0 : std::max<size_t>(static_cast<size_t>(options.width), kLeastWidth)),
        colour_(options.colour) {
    choose_layout();
  }

  std::string render() {
    if (!table_.title.empty()) text(printable(table_.title), kBold);
    list(columns_.shared);
    if (table_.rows.empty()) text("(no rows)");
    if (!table_.rows.empty()) body();
    if (!columns_.legend.empty() || !table_.notes.empty()) out_ += '\n';
    list(columns_.legend);
    for (const auto& note : table_.notes) text(printable(note));
    return std::move(out_);
  }

 private:
  struct Placed {
    const Column* column;
    size_t width;
  };
  using Block = std::vector<Placed>;  // what tells the rows apart, then metrics

  /// Heads in one line if all columns then fit side by side; else folded heads, a narrower gap, and, when
  /// even that is too much, several blocks.
  void choose_layout() {
    if (width_ == 0 || whole_width() <= width_) return;
    for (auto* list : {&columns_.axes, &columns_.metrics})
      for (auto& column : *list) column.widest = column.folded;
    if (whole_width() <= width_) return;
    shorten_kernels(columns_);
    if (whole_width() <= width_) return;
    gap_ = 1;
    if (whole_width() > width_) gap_ = kGap;
  }

  size_t whole_width() const {
    size_t sum = 0, count = columns_.axes.size() + columns_.metrics.size();
    for (const auto* list : {&columns_.axes, &columns_.metrics})
      for (const auto& column : *list) sum += column.widest;
    return sum + gap_ * (count - std::min<size_t>(count, 1));
  }

  void body() {
    Block axes = fit_axes();
    std::vector<Block> blocks = blocks_of(axes, axes);
    Column numbers = row_numbers();
    const Block number = {{&numbers, numbers.widest}};
    // Where they leave room enough, every block has the axes, and can be read by itself.
    Block natural;
    for (const auto& axis : columns_.axes) natural.push_back({&axis, axis.widest});
    const bool repeat = total(natural) <= width_ / 2;
    if (blocks.size() > 1 && !axes.empty() && !repeat) {
      // Else they stand in the first block alone; the number of the row leads to the others.
      axes.insert(axes.begin(), number[0]);
      while (width_ != 0 && total(axes) > width_ * 3 / 4 && squeeze(axes)) {
      }
      blocks = blocks_of(axes, number);
    }
    for (const auto& block : blocks) {
      if (!out_.empty()) out_ += '\n';
      const bool first = &block == &blocks.front();
      const size_t keys =
          first || repeat || blocks.size() == 1 ? axes.size() : std::min(axes.size(), number.size());
      head(block);
      for (size_t r = 0; r < table_.rows.size(); ++r) row(block, r, keys, room_beside(axes), first);
    }
  }

  size_t room_beside(const Block& keys) const {
    const size_t used = total(keys);
    return width_ == 0 ? 0 : width_ - std::min(width_, used + (used ? gap_ : 0));
  }

  /// The metrics beside `first`, and those for which there is no room behind it beside `others`.
  std::vector<Block> blocks_of(const Block& first, const Block& others) const {
    std::vector<Block> blocks{first};
    size_t keys = first.size(), block_width = total(first);
    for (const auto& metric : columns_.metrics) {
      size_t width = metric.widest;
      if (width_ != 0) width = std::max(std::min(width, room_beside(first)), metric.least);
      // Words are rather wrapped than begun in another block.
      const size_t rest = width_ - std::min(width_, block_width + gap_);
      if (width_ != 0 && !metric.right && width > rest && rest >= kLeastWords) width = rest;
      if (width_ != 0 && blocks.back().size() > keys && block_width + gap_ + width > width_) {
        blocks.push_back(others);
        keys = others.size(), block_width = total(others);
      }
      block_width += width + (blocks.back().empty() ? 0 : gap_);
      blocks.back().push_back({&metric, width});
    }
    return blocks;
  }

  Column row_numbers() const {
    Column column;
    column.head = "#";
    column.right = true;
    const std::string last = std::to_string(table_.rows.size());
    for (size_t r = 1; r <= table_.rows.size(); ++r) {
      std::string text = std::to_string(r);
      column.cells.push_back(std::string(last.size() - text.size(), ' ') + text);
    }
    column.least = column.folded = column.widest = last.size();
    return column;
  }

  /// Squeezes the widest axes as long as they take more than three quarters of the width or leave too little
  /// for a number.
  Block fit_axes() const {
    Block axes;
    for (const auto& axis : columns_.axes) axes.push_back({&axis, axis.widest});
    if (width_ == 0 || axes.empty()) return axes;
    size_t number = 0;
    for (const auto& metric : columns_.metrics) number = std::max(number, metric.least);
    size_t allowed = std::min(width_ * 3 / 4, width_ - std::min(width_, number + gap_));
    while (total(axes) > allowed && squeeze(axes)) {
    }
    return axes;
  }

  /// Takes a column from the widest axis; false when none has one to give.
  static bool squeeze(Block& axes) {
    auto by_slack = [](const Placed& p) {
      size_t floor = std::max(p.column->least, kLeastAxis);
      return p.width > floor ? p.width : 0;
    };
    auto widest = std::max_element(axes.begin(), axes.end(),
                                   [&](auto& a, auto& b) { return by_slack(a) < by_slack(b); });
    if (by_slack(*widest) == 0) return false;
    --widest->width;
    return true;
  }

  size_t total(const Block& block) const {
    size_t sum = block.empty() ? 0 : gap_ * (block.size() - 1);
    for (const auto& placed : block) sum += placed.width;
    return sum;
  }

  void head(const Block& block) {
    std::vector<std::vector<std::string>> cells;
    size_t height = 0;
    bool units = false;
    for (const auto& placed : block) {
      cells.push_back(wrap(placed.column->head, placed.width));
      height = std::max(height, cells.back().size());
      units |= !placed.column->unit.empty();
    }
    for (auto& cell : cells) cell.insert(cell.begin(), height - cell.size(), "");  // tags stand on the rule
    lines(block, cells, kBold);
    if (units) {
      cells.clear();
      for (const auto& placed : block) cells.push_back(wrap(placed.column->unit, placed.width));
      lines(block, cells, {});
    }
    cells.clear();
    for (const auto& placed : block) cells.push_back({std::string(placed.width, '-')});
    lines(block, cells, {});
  }

  void row(const Block& block, size_t r, size_t axis_count, size_t room, bool first) {
    const Row& row = table_.rows[r];
    std::vector<std::vector<std::string>> cells;
    bool refused = !row.refused.empty();
    size_t shown = refused ? axis_count : block.size();
    if (refused && !row.values.empty()) {  // what is known of it all the same, theory for instance
      for (const auto& placed : block) cells.push_back(wrap(placed.column->cells[r], placed.width));
      lines(block, cells, {});
      if (!first) return;
      const std::string why = "refused: " + printable(row.refused);
      for (const auto& line : wrap(why, width_ - std::min(width_, 2 * gap_)))
        styled(std::string(2 * gap_, ' ') + line, kYellow);
      return;
    }
    for (size_t i = 0; i < shown; ++i) cells.push_back(wrap(block[i].column->cells[r], block[i].width));
    if (!refused) return lines(block, cells, {});

    std::string why = first ? "refused: " + printable(row.refused) : "refused";
    Block with_reason(block.begin(), block.begin() + static_cast<std::ptrdiff_t>(axis_count));
    static const Column kReason{};
    if (width_ == 0 || room >= std::min(kLeastRefusal, why.size())) {
      cells.push_back(wrap(why, room));
      with_reason.push_back({&kReason, 0});
      return lines(with_reason, cells, kYellow);
    }
    if (axis_count > 0) lines(with_reason, cells, kYellow);
    for (const auto& line : wrap(why, width_ - gap_)) styled(std::string(gap_, ' ') + line, kYellow);
  }

  /// Prints cells of several lines side by side.
  void lines(const Block& block, const std::vector<std::vector<std::string>>& cells, std::string_view style) {
    size_t height = 0;
    for (const auto& cell : cells) height = std::max(height, cell.size());
    for (size_t l = 0; l < height; ++l) {
      std::string line;
      for (size_t i = 0; i < cells.size(); ++i) {
        if (i > 0) line.append(gap_, ' ');
        std::string_view piece = l < cells[i].size() ? std::string_view(cells[i][l]) : std::string_view();
        size_t pad = block[i].width - std::min(block[i].width, columns(piece));
        if (block[i].column->right) line.append(pad, ' ');
        line += piece;
        if (!block[i].column->right) line.append(pad, ' ');
      }
      line.erase(line.find_last_not_of(' ') + 1);
      styled(line, style);
    }
  }

  /// Items side by side with three blanks between them, as many lines as it takes.
  void list(const std::vector<std::string>& items) {
    std::string line;
    for (const auto& item : items) {
      if (!line.empty() && width_ != 0 && columns(line) + 3 + columns(item) > width_)
        text(line), line.clear();
      line += (line.empty() ? "" : "   ") + item;
    }
    if (!line.empty()) text(line);
  }

  void text(const std::string& words, std::string_view style = {}) {
    for (const auto& line : wrap(words, width_)) styled(line, style);
  }

  void styled(const std::string& line, std::string_view style) {
    bool styled = colour_ && !style.empty();
    if (styled) out_ += style;
    out_ += line;
    if (styled) out_ += kPlain;
    out_ += '\n';
  }

  const Table& table_;
  Columns columns_;
  size_t width_;
  size_t gap_ = kGap;
  bool colour_;
  std::string out_;
};

}  // namespace

std::string render_terminal(const Table& table, const TerminalOptions& options) {
  return Terminal(table, options).render();
}

}  // namespace ww::report
