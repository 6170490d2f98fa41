#include "cli/compile/cpp_parameters.h"

#include <algorithm>
#include <cctype>
#include <regex>

#include "cli/compile/cpp_types.h"

namespace ww::cli {

namespace {

bool word_char(char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_'; }

/// Comments, strings and lines of the preprocessor as blanks, so that places stay.
std::string only_code(std::string_view source) {
  std::string out(source);
  const auto blank = [&](size_t begin, size_t end) {
    for (size_t i = begin; i < std::min(end, out.size()); ++i)
      if (out[i] != '\n') out[i] = ' ';
  };
  bool line_begins = true;
  for (size_t i = 0; i < out.size(); ++i) {
    size_t end = out.npos;
    if (out.compare(i, 2, "//") == 0)
      end = out.find('\n', i);
    else if (out.compare(i, 2, "/*") == 0)
      end = out.find("*/", i + 2), end = end == out.npos ? end : end + 2;
    else if (out[i] == '#' && line_begins) {
      end = out.find('\n', i);
      while (end != out.npos && out[end - 1] == '\\') end = out.find('\n', end + 1);
    } else if (out[i] == '"') {
      for (end = i + 1; end < out.size() && out[end] != '"' && out[end] != '\n'; ++end)
        if (out[end] == '\\') ++end;
      end = end >= out.size() ? out.npos : end + 1;
    } else {
      if (out[i] == '\n')
        line_begins = true;
      else if (out[i] != ' ' && out[i] != '\t')
        line_begins = false;
      continue;
    }
    end = std::min(end, out.size());
    blank(i, end);
    i = end == 0 ? 0 : end - 1;
    line_begins = line_begins || (end < out.size() && out[end] == '\n');
  }
  return out;
}

/// Behind the bracket that closes the one at `open`; npos if none does.
size_t behind_bracket(const std::string& text, size_t open) {
  int depth = 0;
  for (size_t i = open; i < text.size(); ++i) {
    if (text[i] == '(') ++depth;
    if (text[i] == ')' && --depth == 0) return i + 1;
  }
  return text.npos;
}

Location place_of(const std::string& file, std::string_view source, size_t begin, size_t end) {
  const size_t line_begin = begin == 0 ? 0 : source.rfind('\n', begin - 1) + 1;
  Location out;
  out.file = file;
  out.line =
      1 + static_cast<int>(std::count(source.begin(), source.begin() + static_cast<long>(begin), '\n'));
  out.column = 1 + static_cast<int>(begin - line_begin);
  out.length = static_cast<int>(std::min(end, source.find('\n', begin)) - begin);
  return out;
}

/// "const float* __restrict__ in = nullptr" between the places.
SourceParameter parameter_at(const std::string& code, const std::string& file, size_t begin, size_t end) {
  while (begin < end && std::isspace(static_cast<unsigned char>(code[begin]))) ++begin;
  while (end > begin && std::isspace(static_cast<unsigned char>(code[end - 1]))) --end;
  SourceParameter out;
  out.where = place_of(file, code, begin, end);
  std::string text = code.substr(begin, end - begin);
  text.resize(std::min(text.find('='), text.size()));
  while (!text.empty() && std::isspace(static_cast<unsigned char>(text.back()))) text.pop_back();
  bool array = false;
  if (const size_t open = text.rfind('['); open != text.npos && text.back() == ']')
    text.resize(open), array = true;
  while (!text.empty() && text.back() == ' ') text.pop_back();
  size_t name = text.size();
  while (name > 0 && word_char(text[name - 1])) --name;
  out.name = text.substr(name);
  std::string type = text.substr(0, name);
  const std::string bare = usual_order(type);
  const bool word_of_type = element_name(out.name) != "" || out.name == "unsigned";
  if (bare.empty() || bare == "const" || word_of_type) type = text, out.name.clear();  // no name
  out.type = usual_order(type + (array ? "*" : ""));
  return out;
}

}  // namespace

std::vector<SourceParameter> parameters_in_source(std::string_view source, const std::string& file,
                                                  std::string_view name, size_t count) {
  const std::string code = only_code(source);
  for (size_t at = code.find("__global__"); at != code.npos; at = code.find("__global__", at + 1)) {
    // The function's name is the last word before a bracket that no attribute has.
    size_t i = at + 10;
    std::string word;
    size_t open = code.npos;
    while (i < code.size() && code[i] != ';' && code[i] != '{' && code[i] != '}') {
      if (word_char(code[i])) {
        const size_t begin = i;
        while (i < code.size() && word_char(code[i])) ++i;
        word = code.substr(begin, i - begin);
      } else if (code[i] == '(') {
        const bool attribute = word == "__launch_bounds__" || word == "__cluster_dims__" ||
                               word == "__attribute__" || word == "__maxnreg__" || word == "__block_size__";
        if (!attribute) {
          open = i;
          break;
        }
        i = behind_bracket(code, i);
      } else {
        ++i;
      }
    }
    if (open == code.npos || word != name) continue;
    const size_t close = behind_bracket(code, open);
    if (close == code.npos) continue;
    std::vector<SourceParameter> out;
    int depth = 0;
    size_t begin = open + 1;
    for (size_t k = begin; k < close; ++k) {
      const char c = code[k];
      if (c == '<' || c == '(' || c == '[' || c == '{') ++depth;
      if (c == '>' || c == ']' || c == '}' || (c == ')' && k + 1 < close)) --depth;
      if ((c != ',' || depth > 0) && k + 1 < close) continue;
      if (code.find_first_not_of(" \t\r\n", begin) < k) out.push_back(parameter_at(code, file, begin, k));
      begin = k + 1;
    }
    if (out.size() == count) return out;
  }
  return {};
}

namespace {

/// A likely argument for "typename T" or "int BLOCK"; "" where there is none.
std::string template_argument(const std::string& parameter) {
  static const std::regex type("^\\s*(typename|class)\\b.*"), flag("^\\s*bool\\b.*"),
      number(
          "^\\s*(?:const\\s+)?(?:unsigned|signed|int|long|short|size_t|uint32_t|int32_t|std::size_t)\\b.*?("
          "\\w*)\\s*$");
  std::smatch match;
  if (std::regex_match(parameter, type)) return "float";
  if (std::regex_match(parameter, flag)) return "true";
  if (!std::regex_match(parameter, match, number)) return {};
  std::string name = match[1];
  std::transform(name.begin(), name.end(), name.begin(), [](unsigned char c) { return std::tolower(c); });
  const auto has = [&](std::initializer_list<const char*> words) {
    return std::any_of(words.begin(), words.end(),
                       [&](const char* word) { return name.find(word) != name.npos; });
  };
  for (const char* side : {"bx", "by", "bm", "bn", "bk"})  // sides of a block or tile
    if (name == side) return "16";
  if (has({"tile", "dim", "width"})) return "16";
  return has({"block", "thread", "tpb", "bs", "size"}) ? "256" : "4";
}

}  // namespace

std::vector<KernelTemplate> kernel_templates(std::string_view source) {
  static const std::regex head(
      "template\\s*<([^<>()]*)>\\s*(?:static\\s+|inline\\s+)*__global__\\s+(?:void\\s+)?(?:static\\s+)?"
      "(?:__launch_bounds__\\s*\\([^()]*\\)\\s*)?(?:void\\s+)?(\\w+)\\s*\\(");
  const std::string code = only_code(source);
  std::vector<KernelTemplate> out;
  for (auto it = std::sregex_iterator(code.begin(), code.end(), head); it != std::sregex_iterator(); ++it) {
    KernelTemplate found{(*it)[2], ""};
    if (std::any_of(out.begin(), out.end(), [&](const auto& t) { return t.name == found.name; })) continue;
    const std::string list = (*it)[1];
    std::string arguments;
    bool known = true;
    for (size_t begin = 0; known && begin <= list.size();) {
      const size_t end = std::min(list.find(',', begin), list.size());
      const std::string parameter = list.substr(begin, end - begin);
      begin = end + 1;
      if (parameter.find('=') != parameter.npos) break;  // this one and those behind it have defaults
      const std::string argument = template_argument(parameter);
      known = !argument.empty();
      arguments += (arguments.empty() ? "" : ", ") + argument;
    }
    if (known) found.instance = found.name + "<" + arguments + ">";
    out.push_back(std::move(found));
  }
  return out;
}

std::map<std::string, std::string> variables_in_source(std::string_view source) {
  const std::string code = only_code(source);
  std::map<std::string, std::string> out;
  for (const std::string word : {"__constant__", "__device__"})
    for (size_t at = code.find(word); at != code.npos; at = code.find(word, at + 1)) {
      const size_t begin = at + word.size(), end = code.find_first_of(";={(", begin);
      if (end == code.npos || code[end] == '(') continue;  // a function
      std::string text = code.substr(begin, end - begin);
      for (const char* other : {"__constant__", "__device__", "__managed__", "static", "extern"})
        for (size_t i = text.find(other); i != text.npos; i = text.find(other))
          text.erase(i, std::string(other).size());
      text.resize(std::min(text.find('['), text.size()));
      while (!text.empty() && std::isspace(static_cast<unsigned char>(text.back()))) text.pop_back();
      size_t name = text.size();
      while (name > 0 && word_char(text[name - 1])) --name;
      if (name < text.size() && name > 0) out.emplace(text.substr(name), usual_order(text.substr(0, name)));
    }
  return out;
}

}  // namespace ww::cli
