#include "test_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <sstream>

#include "base/file.h"

namespace ww::runtest {

namespace {

std::vector<std::string> words(const std::string& text) {
  std::istringstream in(text);
  std::vector<std::string> out;
  for (std::string w; in >> w;) out.push_back(w);
  return out;
}

class Header {
 public:
  explicit Header(TestFile& file) : file_(file) {}

  void read() {
    std::istringstream in(file_.text);
    for (std::string text; std::getline(in, text) && (text.empty() || text.starts_with("//"));) {
      ++line_;
      if (text.size() > 3) read_line(text.substr(3));
    }
    finish();
  }

  Diagnostics errors;

 private:
  void wrong(std::string what) { errors.push_back(error_at({file_.path, line_, 4, 1}, std::move(what))); }

  void read_line(const std::string& text) {
    auto w = words(text);
    if (w.empty()) return;
    if (w[0] == "ENTRY" && w.size() == 2) {
      finish();
      file_.entries.push_back({.name = w[1], .line = line_});
      return;
    }
    if (file_.entries.empty()) return;  // text for people
    Entry& e = file_.entries.back();
    if (w[0] == "IN")
      fields(text.substr(2), e.in, e.in_size);
    else if (w[0] == "OUT")
      fields(text.substr(3), e.out, e.out_size);
    else if (w[0] == "LAUNCH")
      launch(e, w);
    else if (w[0] == "GROUP" && w.size() == 2)
      e.group = static_cast<uint32_t>(std::atoi(w[1].c_str()));
    else if (w[0] == "CLOCK")
      e.clock = true;
    else if (w[0] == "DRAW" && w.size() > 2)
      draw_rule(e, w);
    else if (w[0] == "BOUND" && w.size() == 4)
      bound_rule(e, w);
    else if (w[0] == "OPEN" && w.size() == 2)
      e.open.resize(e.out.size()), mark_open(e, w[1]);
    else if (std::find(w.begin(), w.end(), "->") != w.end())
      read_case(e, w);
  }

  void fields(const std::string& text, std::vector<Field>& out, size_t& size) {
    size_t at = 0, top = 1;
    std::istringstream in(text);
    for (std::string part; std::getline(in, part, ',');) {
      auto w = words(part);
      Field f;
      if (w.size() != 2 || !set_type(f, w[0]))
        return wrong(fmt::format("'{}' is not a type and a name", part));
      f.name = w[1];
      at = (at + f.bytes() - 1) / f.bytes() * f.bytes();
      f.offset = at;
      at += f.bytes();
      top = std::max(top, f.bytes());
      out.push_back(f);
    }
    size = std::max<size_t>(1, (at + top - 1) / top * top);
  }

  void launch(Entry& e, const std::vector<std::string>& w) {
    block_given_ = true;
    for (size_t k = 1; k < w.size(); ++k) {
      if (w[k].starts_with("block="))
        e.block = static_cast<uint32_t>(std::atoi(w[k].c_str() + 6));
      else if (w[k].starts_with("shared="))
        e.shared = static_cast<uint32_t>(std::atoi(w[k].c_str() + 7));
      else
        wrong(fmt::format("LAUNCH knows block= and shared=, not '{}'", w[k]));
    }
  }

  size_t index(const std::vector<Field>& fields, const std::string& name) {
    for (size_t k = 0; k < fields.size(); ++k)
      if (fields[k].name == name) return k;
    wrong(fmt::format("there is no field '{}'", name));
    return fields.size();
  }

  void draw_rule(Entry& e, const std::vector<std::string>& w) {
    size_t k = index(e.in, w[1]);
    e.draws.resize(e.in.size());
    if (k == e.in.size()) return;
    Draw& d = e.draws[k];
    if (w[2] == "nonzero")
      d.kind = Draw::Kind::Nonzero;
    else if (w[2] == "finite")
      d.kind = Draw::Kind::Finite;
    else if (w[2] == "same")
      d.same = true;
    else if (w[2] == "range" && w.size() == 5) {
      d.kind = Draw::Kind::Range, d.low = std::strtod(w[3].c_str(), nullptr),
      d.high = std::strtod(w[4].c_str(), nullptr);
    } else if (w[2] == "oneof" && w.size() > 3) {
      d.kind = Draw::Kind::OneOf;
      for (size_t n = 3; n < w.size(); ++n)
        if (auto v = parse_value(e.in[k], w[n]))
          d.values.push_back(*v);
        else
          wrong(fmt::format("'{}' is not a value of {}", w[n], e.in[k].type));
    } else {
      wrong(fmt::format("DRAW knows nonzero, finite, same, range LO HI, oneof V …, not '{}'", w[2]));
    }
  }

  void bound_rule(Entry& e, const std::vector<std::string>& w) {
    size_t k = index(e.out, w[1]);
    e.bounds.resize(e.out.size());
    auto bound = parse_bound(w[2], w[3]);
    if (k < e.out.size() && bound)
      e.bounds[k].push_back(*bound);
    else
      wrong("BOUND takes an output, ulp, abs or rel, and a number");
  }
  void mark_open(Entry& e, const std::string& name) {
    size_t k = index(e.out, name);
    if (k < e.out.size()) e.open[k] = true;
  }

  void read_case(Entry& e, const std::vector<std::string>& w) {
    Case c{.line = line_};
    size_t arrow = static_cast<size_t>(std::find(w.begin(), w.end(), "->") - w.begin());
    if (arrow != e.in.size() || w.size() - arrow - 1 != e.out.size())
      return wrong(fmt::format("{} takes {} values -> {} values", e.name, e.in.size(), e.out.size()));
    for (size_t k = 0; k < e.in.size(); ++k) {
      auto v = parse_value(e.in[k], w[k]);
      if (!v) return wrong(fmt::format("'{}' is not a value of {}", w[k], e.in[k].type));
      c.in.push_back(*v);
    }
    for (size_t k = 0; k < e.out.size(); ++k) {
      auto v = parse_expected(e.out[k], w[arrow + 1 + k]);
      if (!v) return wrong(fmt::format("'{}' is not a value of {}", w[arrow + 1 + k], e.out[k].type));
      c.out.push_back(*v);
    }
    e.cases.push_back(std::move(c));
  }

  void finish() {
    if (file_.entries.empty()) return;
    Entry& e = file_.entries.back();
    e.draws.resize(e.in.size());
    e.bounds.resize(e.out.size());
    e.open.resize(e.out.size());
    if (e.group > 1 && !block_given_) e.block = e.group;
    block_given_ = false;
    if (e.cases.empty() && !e.clock) wrong(fmt::format("{} has no cases", e.name));
    if (e.group == 0 || e.block == 0 || e.cases.size() % e.group != 0)
      wrong(fmt::format("{}: the cases do not fill whole groups", e.name));
  }

  TestFile& file_;
  int line_ = 0;
  bool block_given_ = false;
};

}  // namespace

Result<TestFile> read_test(const std::filesystem::path& path) {
  auto text = read_file(path.string());
  if (!text) return text.error();
  TestFile file{path.string(), std::move(*text), {}};
  Header header(file);
  header.read();
  if (!header.errors.empty()) return std::move(header.errors);
  if (file.entries.empty()) return error(fmt::format("{} has no ENTRY", file.path));
  return file;
}

std::vector<std::filesystem::path> test_files(const std::vector<std::string>& paths) {
  std::vector<std::filesystem::path> out;
  for (const std::string& p : paths) {
    if (!std::filesystem::is_directory(p)) {
      out.push_back(p);
      continue;
    }
    for (const auto& item : std::filesystem::recursive_directory_iterator(p))
      if (item.path().extension() == ".ptx") out.push_back(item.path());
  }
  std::sort(out.begin(), out.end());
  return out;
}

}  // namespace ww::runtest
