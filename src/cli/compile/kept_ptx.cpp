#include "cli/compile/kept_ptx.h"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <memory>
#include <set>

#include "base/file.h"
#include "base/process.h"
#include "study/digest.h"

namespace ww::cli {

namespace {

namespace fs = std::filesystem;

constexpr char kLayout[] = "1";             // of what a file holds
constexpr size_t kMostAbsent = 1 << 15;     // files that must not appear
constexpr uint64_t kMostOfAFile = 1 << 26;  // of a file that the compiler reads

/// A text with its length in front, so that lists of them are unambiguous.
void put_text(std::string& to, std::string_view text) { to += fmt::format("{}:{}", text.size(), text); }

std::optional<std::string> take_text(std::string_view& from) {
  const size_t colon = from.find(':');
  if (colon == from.npos || colon > 12) return {};
  const auto bytes = std::strtoull(std::string(from.substr(0, colon)).c_str(), nullptr, 10);
  from.remove_prefix(colon + 1);
  if (bytes > from.size()) return {};
  std::string text(from.substr(0, bytes));
  from.remove_prefix(bytes);
  return text;
}

/// Which file it is and when it was last changed.
std::string state_of(const std::string& path) {
  struct stat s {};
  if (path.empty() || stat(path.c_str(), &s) != 0) return "none";
  return fmt::format("{} {} {} {}.{}", path, s.st_ino, s.st_size, s.st_mtim.tv_sec, s.st_mtim.tv_nsec);
}

/// The compiler's parts, the host's compiler that it calls, and what they are told by the environment.
std::string compiler_of(const std::string& nvcc) {
  std::error_code none;
  const fs::path bin = fs::canonical(nvcc, none).parent_path();
  std::string all;
  for (const char* part : {"nvcc", "nvcc.profile", "cudafe++", "../nvvm/bin/cicc", "../version.json"})
    put_text(all, state_of((bin / part).string()));
  for (const char* name : {"gcc", "g++", "cc1plus"}) put_text(all, state_of(find_program(name)));
  for (const char* variable : {"PATH", "NVCC_PREPEND_FLAGS", "NVCC_APPEND_FLAGS", "NVCC_CCBIN", "CPATH",
                               "C_INCLUDE_PATH", "CPLUS_INCLUDE_PATH", "GCC_EXEC_PREFIX", "COMPILER_PATH",
                               "CUDA_HOME", "CUDA_PATH", "SOURCE_DATE_EPOCH", "LANG", "LC_ALL"}) {
    const char* value = std::getenv(variable);
    put_text(all, value ? value : "");
  }
  return all;
}

std::string key_of(const Compilation& what) {
  std::error_code none;
  std::string key = kLayout;
  put_text(key, fs::current_path(none).string());
  put_text(key, compiler_of(what.command.at(0)));
  for (const std::string& word : what.command) put_text(key, word);
  put_text(key, "");
  for (const std::string& folder : what.folders) put_text(key, folder);
  put_text(key, what.more);
  return key;
}

std::optional<std::string> content_of(const std::string& path) {
  auto text = read_file(path, kMostOfAFile, InputFile::Kind::Regular);
  if (!text) return {};
  return std::move(*text);
}

bool of_the_system(const std::string& path, const std::string& toolkit) {
  return path.starts_with("/usr/") || (!toolkit.empty() && path.starts_with(toolkit));
}

/// Files that do not exist, and that the compiler would read instead of one of those that it has read: under
/// the last names of each of them, in the folders that it looks into first. Nothing: there are too many.
std::optional<std::set<std::string>> absent_files(const Compilation& what,
                                                  const std::vector<std::string>& read,
                                                  const std::string& toolkit) {
  std::set<std::string> folders(what.folders.begin(), what.folders.end()), names, absent;
  for (const std::string& file : read) {
    const fs::path path(file);
    if (!of_the_system(file, toolkit)) folders.insert(path.parent_path().string());
    fs::path name;
    fs::path from = path;
    for (int parts = 0; parts < 4 && from.has_filename(); ++parts, from = from.parent_path()) {
      name = name.empty() ? from.filename() : from.filename() / name;
      names.insert(name.string());
    }
  }
  if (folders.size() * names.size() > kMostAbsent) return {};
  for (const std::string& folder : folders)
    for (const std::string& name : names)
      if (std::string path = folder + '/' + name; access(path.c_str(), F_OK) != 0)
        absent.insert(std::move(path));
  return absent;
}

}  // namespace

std::vector<std::string> dependencies(const std::string& rule) {
  std::vector<std::string> files;
  std::string word;
  bool target = true;
  const auto end = [&] {
    if (!word.empty() && !target) files.push_back(word);
    if (word.ends_with(':')) target = false;
    word.clear();
  };
  for (size_t k = 0; k < rule.size(); ++k) {
    const char c = rule[k], next = k + 1 < rule.size() ? rule[k + 1] : '\0';
    if (c == '\\' && (next == ' ' || next == '#' || next == '\\'))
      word += next, ++k;
    else if (c == '\\' && next == '\n')
      ++k, end();
    else if (c == '$' && next == '$')
      word += '$', ++k;
    else if (c == ' ' || c == '\n' || c == '\t' || c == '\r')
      end();
    else
      word += c;
  }
  end();
  return files;
}

std::optional<CompiledCuda> KeptPtx::find(const Compilation& what) const {
  const std::string key = key_of(what);
  const auto kept = files_.find(study::digest(key));
  if (!kept) return {};
  std::string_view rest = *kept;
  const auto digest = take_text(rest);
  if (!digest || study::digest(rest) != *digest || take_text(rest) != key) return {};
  for (auto file = take_text(rest); file && !file->empty(); file = take_text(rest)) {
    const auto was = take_text(rest), is = content_of(*file);
    if (!was || !is || study::digest(*is) != *was) return {};
  }
  for (auto file = take_text(rest); file && !file->empty(); file = take_text(rest))
    if (access(file->c_str(), F_OK) == 0) return {};
  auto messages = take_text(rest), ptx = take_text(rest);
  if (!messages || !ptx || !rest.empty()) return {};
  return CompiledCuda{true, std::move(*ptx), std::move(*messages)};
}

void KeptPtx::keep(const Compilation& what, const std::vector<std::string>& read,
                   const CompiledCuda& compiled) {
  if (read.empty()) return;
  std::error_code none;
  const std::string toolkit =
      fs::canonical(what.command.at(0), none).parent_path().parent_path().string() + '/';
  std::string rest;
  put_text(rest, key_of(what));
  for (const std::string& file : read) {
    const auto content = content_of(file);
    if (!content) return;
    const std::string where = fs::weakly_canonical(file, none).string();
    for (const char* word : {"__DATE__", "__TIME__", "__TIMESTAMP__", "__has_include"})
      if (!of_the_system(where, toolkit) && content->find(word) != content->npos) return;
    put_text(rest, file);
    put_text(rest, study::digest(*content));
  }
  put_text(rest, "");
  const auto absent = absent_files(what, read, toolkit);
  if (!absent) return;
  for (const std::string& file : *absent) put_text(rest, file);
  put_text(rest, "");
  put_text(rest, compiled.messages);
  put_text(rest, compiled.ptx);
  std::string all;
  put_text(all, study::digest(rest));
  files_.keep(study::digest(key_of(what)), all + rest);
}

KeptPtx* kept_ptx() {
  static const auto made = []() -> std::unique_ptr<KeptPtx> {
    KeptWhere where = kept_where("WARPWRIGHT_PTX_CACHE", "ptx", 64);
    return where.folder.empty() ? nullptr : std::make_unique<KeptPtx>(std::move(where));
  }();
  return made.get();
}

}  // namespace ww::cli
