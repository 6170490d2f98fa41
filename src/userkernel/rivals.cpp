#include "userkernel/rivals.h"

#include <algorithm>
#include <cctype>
#include <utility>
#include <vector>

namespace ww::userkernel {

namespace {

/// "f32[n,n]" of "random:f32[n, n]:FILE.npy"; "" where the text is no array with a size.
std::string array_of(const std::string& text) {
  const size_t open = text.find('['), close = text.find(']', open);
  if (open == std::string::npos || close == std::string::npos) return "";
  const size_t colon = text.rfind(':', open);
  if (colon == std::string::npos) return "";
  std::string out = text.substr(colon + 1, close - colon);
  std::erase(out, ' ');
  return out;
}

std::vector<std::string> arrays_of(const StudyKernel& kernel) {
  std::vector<std::string> out;
  for (const StudyArgument& argument : kernel.arguments)
    if (std::string array = array_of(argument.text.text); !array.empty()) out.push_back(std::move(array));
  std::sort(out.begin(), out.end());
  return out;
}

bool is_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_'; }

/// The reference without blanks, with the arrays' types and sizes in place of the names that this kernel
/// gives them.
std::string reference_of(const StudyKernel& kernel, const std::string& text) {
  std::map<std::string, std::string> arrays;
  for (const StudyArgument& argument : kernel.arguments)
    if (argument.path.empty()) arrays[argument.name] = array_of(argument.text.text);
  std::string out;
  for (size_t i = 0; i < text.size();) {
    size_t end = i;
    while (end < text.size() && is_word(text[end])) ++end;
    const std::string word = text.substr(i, std::max<size_t>(end - i, 1));
    const auto array = arrays.find(word);
    if (array != arrays.end() && !array->second.empty())
      out += "<" + array->second + ">";
    else if (word != " ")
      out += word;
    i += word.size();
  }
  return out;
}

std::vector<std::string> references_of(const StudyKernel& kernel) {
  std::vector<std::string> out;
  for (const StudyCheck& check : kernel.checks) out.push_back(reference_of(kernel, check.reference.text));
  std::sort(out.begin(), out.end());
  return out;
}

bool verified_by(const StudyKernel& kernel, const StudyKernel& other) {
  return std::any_of(kernel.checks.begin(), kernel.checks.end(),
                     [&](const StudyCheck& check) { return check.reference.text == "kernel:" + other.name; });
}

bool do_the_same(const StudyKernel& a, const StudyKernel& b) {
  if (!a.problem.empty() || !b.problem.empty()) return a.problem == b.problem;
  if (verified_by(a, b) || verified_by(b, a)) return true;
  if (a.checks.empty() || b.checks.empty()) return arrays_of(a) == arrays_of(b);
  return references_of(a) == references_of(b);
}

}  // namespace

std::map<std::string, Problem> problems_of(const OwnStudy& study) {
  std::vector<size_t> first(study.kernels.size());
  const auto join = [&](size_t from, size_t to) {
    for (size_t& f : first)
      if (f == from) f = to;
  };
  const bool beside_laboratory = !study.study.full.empty();
  for (size_t i = 0; i < first.size(); ++i) {
    first[i] = i;
    for (size_t j = 0; j < i; ++j)
      if (first[j] != first[i] && (beside_laboratory || do_the_same(study.kernels[i], study.kernels[j])))
        join(std::max(first[i], first[j]), std::min(first[i], first[j]));
  }
  std::map<std::string, Problem> out;
  for (size_t i = 0; i < first.size(); ++i) {
    const StudyKernel& named = study.kernels[first[i]];
    Problem& problem = out[study.kernels[i].name];
    problem.name = named.problem.empty() ? named.name : named.problem;
    for (size_t j = 0; j < first.size(); ++j)
      if (first[j] == first[i] && study.kernels[j].checks.empty())
        problem.known =
            beside_laboratory || !named.problem.empty() ? Problem::Known::Said : Problem::Known::Arrays;
  }
  return out;
}

std::string known_by(Problem::Known known) {
  return known == Problem::Known::Said ? "study" : known == Problem::Known::Arrays ? "arrays" : "";
}

}  // namespace ww::userkernel
