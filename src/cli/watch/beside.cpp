#include "cli/watch/beside.h"

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <memory>
#include <set>

#include "base/text.h"
#include "cli/commands.h"
#include "cli/shared/output.h"
#include "cli/watch/picture.h"
#include "kernels/case.h"
#include "report/page.h"
#include "userkernel/own_kernel.h"
#include "watch/watch.h"

namespace ww::cli {

namespace {

/// "--grid" of "--grid=4", "-D" of "-DN=3"; "" for what is no option ("-7").
std::string option_of(const std::string& word) {
  if (word.size() < 2 || word[0] != '-') return {};
  if (word[1] == '-') return word.substr(0, word.find('='));
  return std::isalpha(static_cast<unsigned char>(word[1])) ? word.substr(0, 2) : std::string();
}

bool names_kernel(const std::string& word) {
  return (userkernel::own_kernel(word) && word.find(":f32") == word.npos) || kernels::find_case(word).ok();
}

/// Runs `watch` with these words; the recording goes to `out`.
int record_words(const std::vector<std::string>& words, std::vector<watch::Recording>& out) {
  CLI::App app("", "warpwright");
  app.require_subcommand(1);
  app.failure_message(CLI::FailureMessage::simple);
  int exit_code = 0;
  const bool own = std::any_of(words.begin(), words.end(), [](const std::string& word) {
    return word[0] != '-' && userkernel::own_kernel(word).has_value();
  });
  (own ? add_watch_own : add_watch)(app, exit_code, &out);
  std::vector<std::string> all(words.rbegin(), words.rend());  // CLI11 wants the last first
  all.push_back("watch");
  try {
    app.parse(all);
  } catch (const CLI::ParseError& e) {
    return app.exit(e) == 0 ? 0 : 2;
  }
  return exit_code;
}

/// The value of an option of one word, by its last mention.
std::string value_of(const std::vector<std::string>& words, const std::string& option,
                     const std::string& otherwise) {
  std::string out = otherwise;
  for (size_t i = 0; i < words.size(); ++i) {
    if (words[i] == option && i + 1 < words.size()) out = words[i + 1];
    if (words[i].starts_with(option + "=")) out = words[i].substr(option.size() + 1);
  }
  return out;
}

}  // namespace

void add_beside_option(CLI::App& c) {
  c.add_option("--beside",
               "Another kernel beside it, and the options in which it differs: --beside B --block 16")
      ->type_name("KERNEL …");
}

std::vector<std::string> words_of_second(const std::vector<std::string>& first,
                                         const std::vector<std::string>& behind) {
  std::vector<std::string> out = behind;
  std::set<std::string> there;
  bool names_entry = false;
  for (std::string& word : out) {
    if (const std::string option = option_of(word); !option.empty()) there.insert(option);
    if (!word.starts_with(':')) continue;
    for (const std::string& w : first)
      if (const auto own = userkernel::own_kernel(w)) word = own->file + word;
  }
  for (const std::string& word : out)
    if (const auto own = userkernel::own_kernel(word)) names_entry |= !own->kernel.empty();
  if (names_entry) there.insert("--kernel");
  // A kernel of the laboratory has other options than one of the user's own.
  const auto own = [](const std::vector<std::string>& words) {
    return std::any_of(words.begin(), words.end(),
                       [](const std::string& w) { return userkernel::own_kernel(w).has_value(); });
  };
  const bool alike = own(first) == own(out);
  const std::set<std::string> common = {"--gpu", "--lang", "--out"};
  bool inherits = false;
  for (const std::string& word : first) {
    const std::string option = option_of(word);
    if (!option.empty()) inherits = !there.contains(option) && (alike || common.contains(option));
    if (inherits && (!option.empty() || !names_kernel(word))) out.push_back(word);
  }
  return out;
}

std::optional<int> watch_beside(int argc, char** argv) {
  if (argc < 2 || std::string(argv[1]) != "watch") return {};
  const std::vector<std::string> words(argv + 2, argv + argc);
  const auto at = std::find(words.begin(), words.end(), "--beside");
  if (at == words.end()) return {};
  const std::vector<std::string> first(words.begin(), at), behind(at + 1, words.end());
  if (behind.empty() || behind[0].starts_with('-'))
    return complain({error("--beside names no kernel", "watch a.cu:naive … --beside :padded")});
  if (std::find(behind.begin(), behind.end(), "--beside") != behind.end())
    return complain({error("two kernels can stand side by side, not three")});
  const std::vector<std::string> second = words_of_second(first, behind);
  const std::string language = value_of(second, "--lang", "en"),
                    out = value_of(second, "--out", "watch.html");
  if (auto ok = report::check_language(language); !ok) return complain(ok.error());
  if (value_of(second, "--format", "html") == "json" || out.ends_with(".json"))
    return complain({error("--beside makes a page", "the recordings as JSON: one after the other")});
  std::vector<watch::Recording> recordings;
  for (const auto* w : {&first, &second})
    if (const int code = record_words(*w, recordings); code != 0) return code;
  if (recordings.size() != 2) return 0;  // --help
  return deliver_beside(recordings, out, language);
}

}  // namespace ww::cli
