#include "userkernel/read_kernel.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <filesystem>

#include "base/text.h"
#include "userkernel/own_kernel.h"
#include "userkernel/texts.h"

namespace ww::userkernel {

namespace {

namespace fs = std::filesystem;

const std::vector<std::string> kLaunchKeys = {
    "grid",        "block",   "shared", "args", "symbols", "define",   "verify", "tolerance",
    "cooperative", "include", "std",    "arch", "flags",   "compiler", "then",   "problem"};

/// What a kernel behind another may say; what it leaves out of grid, block and the compiler's is that one's.
const std::vector<std::string> kThenKeys = {"kernel",  "grid",   "block",       "shared",  "args",
                                            "symbols", "define", "cooperative", "include", "std",
                                            "arch",    "flags",  "compiler"};

}  // namespace

const std::vector<std::string>& launch_keys() { return kLaunchKeys; }

std::string in_folder_of(const std::string& file, const std::string& path) {
  const size_t slash = file.rfind('/');
  return path.starts_with('/') || slash == file.npos ? path : file.substr(0, slash + 1) + path;
}

const Json* KernelReader::of_kernel(const Json& kernel, std::string_view key) const {
  if (const Json* own = kernel.find(key)) return own;
  if (const Json* before = before_ ? before_->find(key) : nullptr) return before;
  return root_.find(key);
}

StudyText KernelReader::text_at(const Json& json, std::string_view what) {
  Location where = json.where(reader_.file());
  if (const auto* word = json.get<std::string>()) {
    ++where.column;  // behind the quote
    return {*word, where};
  }
  if (const auto* whole = json.get<int64_t>()) return {std::to_string(*whole), where};
  if (const auto* real = json.get<double>()) {
    std::string text = fmt::format("{}", *real);
    if (text.find_first_of(".e") == text.npos) text += ".0";
    return {text, where};
  }
  reader_.complain(json, fmt::format("{} is a string or a number, not {}", what, json.kind()));
  return {"", where};
}

std::vector<StudyText> KernelReader::texts_of(const Json& kernel, const char* key, size_t most) {
  std::vector<StudyText> out;
  const Json* json = of_kernel(kernel, key);
  if (!json) return out;
  for (const Json* one : JsonReader::items(*json)) out.push_back(text_at(*one, fmt::format("'{}'", key)));
  if (out.size() > most)
    reader_.complain(*json, fmt::format("'{}' has {} values, at most {}", key, out.size(), most));
  return out;
}

/// "TILE=tile", or an object of them.
std::vector<StudyText> KernelReader::defines_of(const Json& kernel) {
  const Json* json = of_kernel(kernel, "define");
  const auto* object = json ? json->get<Json::Object>() : nullptr;
  if (!object) return texts_of(kernel, "define", 1000);
  std::vector<StudyText> out;
  for (const JsonMember& member : *object) {
    StudyText text = text_at(member.value, "a macro");
    text.where.column -= static_cast<int>(member.key.size()) + 1;  // so that the value's place is right
    text.text = member.key + "=" + text.text;
    out.push_back(std::move(text));
  }
  return out;
}

/// "a=…", "p.x=…", "…".
StudyArgument KernelReader::argument_named(StudyText text, size_t index) {
  StudyArgument out{fmt::format("arg{}", index), "", std::move(text)};
  const std::string& t = out.text.text;
  const auto letters = [&](size_t from, std::string_view more) {
    while (from < t.size() && (std::isalnum(static_cast<unsigned char>(t[from])) || t[from] == '_' ||
                               more.find(t[from]) != more.npos))
      ++from;
    return from;
  };
  const size_t end = letters(0, ""), equals = letters(end, ".[]");
  const bool named = end > 0 && equals + 1 < t.size() && !std::isdigit(static_cast<unsigned char>(t[0])) &&
                     t[equals] == '=' && t[equals + 1] != '=';
  if (!named) return out;
  out.name = t.substr(0, end);
  if (equals > end) out.path = t.substr(t[end] == '.' ? end + 1 : end, std::string::npos);
  out.path.resize(equals > end ? out.path.find('=') : 0);
  out.text = {t.substr(equals + 1), out.text.where};
  out.text.where.column += static_cast<int>(equals) + 1;
  return out;
}

/// The names by which 'verify' may ask for arrays; of structs, their members' too.
std::vector<std::string> KernelReader::array_names(const StudyKernel& kernel) {
  std::vector<std::string> out;
  for (const StudyArgument& a : kernel.arguments)
    if (!a.text.text.starts_with('@'))
      out.push_back(a.name + (a.path.empty() || a.path[0] == '[' ? "" : ".") + a.path);
  return out;
}

void KernelReader::read(const Json& json) {
  StudyKernel kernel;
  kernel.where = json.where(reader_.file());
  std::string named;
  if (const auto* word = json.get<std::string>()) {
    named = *word;
  } else {
    std::vector<std::string> keys = {"kernel", "name", "axes"};
    keys.insert(keys.end(), kLaunchKeys.begin(), kLaunchKeys.end());
    if (!reader_.members(json, "a kernel", keys)) return;
    named = reader_.text(json, "kernel");
    if (!json.find("kernel"))
      reader_.complain(json, "'kernel' is missing", "for example \"mine.cu:transpose\"");
    kernel.name = reader_.text(json, "name");
  }
  if (named.empty()) return;
  if (!read_file_and_name(json, named, kernel)) return;
  kernel.grid = texts_of(json, "grid", 3);
  kernel.block = texts_of(json, "block", 3);
  for (const char* key : {"grid", "block"})
    if (!of_kernel(json, key))
      reader_.complain(json, fmt::format("'{}' is missing for {}", key, printable(kernel.name)),
                       "a number, an expression of the axes, or up to three of them");
  kernel.defines = defines_of(json);
  kernel.symbols = texts_of(json, "symbols", 1000);
  if (const Json* shared = of_kernel(json, "shared")) kernel.shared = text_at(*shared, "'shared'");
  for (StudyText& text : texts_of(json, "args", 4096))
    kernel.arguments.push_back(argument_named(std::move(text), kernel.arguments.size()));
  if (const Json* together = of_kernel(json, "cooperative"))
    reader_.flag(*together, "cooperative", kernel.cooperative);
  if (const Json* problem = of_kernel(json, "problem")) {
    const auto* word = problem->get<std::string>();
    if (word && !word->empty())
      kernel.problem = *word;
    else
      reader_.complain(*problem, "'problem' is a word for what the kernel computes",
                       "kernels with the same word are compared");
  }
  read_compiler(json, kernel);
  read_then(json, kernel);
  read_checks(json, kernel);
  read_values(json, kernel);
  note_axes(kernel, kernel);
  for (const StudyKernel& next : kernel.then) note_axes(next, kernel);
  for (const StudyKernel& other : kernels_)
    if (other.name == kernel.name)
      reader_.complain(json, fmt::format("there are two kernels '{}'", printable(kernel.name)),
                       "tell them apart: {\"kernel\": …, \"name\": …}");
  kernels_.push_back(std::move(kernel));
}

/// "then": what runs behind the kernel on its arrays, which @NAME names.
void KernelReader::read_then(const Json& json, StudyKernel& kernel) {
  const Json* then = of_kernel(json, "then");
  if (!then) return;
  before_ = &json;
  for (const Json* item : JsonReader::items(*then)) {
    StudyKernel next;
    next.where = item->where(reader_.file());
    if (!reader_.members(*item, "a kernel behind another", kThenKeys)) continue;
    std::string named = reader_.text(*item, "kernel");
    if (named.empty()) {
      reader_.complain(*item, "'kernel' is missing",
                       "for example {\"kernel\": \":add_sums\", \"args\": [\"@out\"]}");
      continue;
    }
    if (!own_kernel(named)) {  // of the same file
      next.file = kernel.file;
      next.entry = named.starts_with(':') ? named.substr(1) : named;
    } else if (!read_file_and_name(*item, named, next)) {
      continue;
    }
    next.grid = texts_of(*item, "grid", 3);
    next.block = texts_of(*item, "block", 3);
    next.defines = defines_of(*item);
    if (item->find("symbols")) next.symbols = texts_of(*item, "symbols", 1000);
    if (const Json* shared = item->find("shared")) next.shared = text_at(*shared, "'shared'");
    if (item->find("args"))
      for (StudyText& text : texts_of(*item, "args", 4096))
        next.arguments.push_back(argument_named(std::move(text), next.arguments.size()));
    if (const Json* together = item->find("cooperative"))
      reader_.flag(*together, "cooperative", next.cooperative);
    read_compiler(*item, next);
    kernel.then.push_back(std::move(next));
  }
  before_ = nullptr;
}

bool KernelReader::read_file_and_name(const Json& json, const std::string& named, StudyKernel& kernel) {
  const Json& place = json.find("kernel") ? *json.find("kernel") : json;
  const auto own = own_kernel(named);
  if (!own) {
    reader_.complain(
        place, fmt::format("'{}' is not a FILE.cu or FILE.ptx", printable(named)),
        "with :KERNEL behind it where there are several; kernels of the laboratory stand in 'laboratory'");
    return false;
  }
  kernel.file = in_folder_of(reader_.file(), own->file);
  kernel.entry = own->kernel;
  std::error_code ignored;
  if (!fs::exists(kernel.file, ignored)) {
    reader_.complain(place, fmt::format("there is no file '{}'", printable(kernel.file)));
    return false;
  }
  if (kernel.name.empty())
    kernel.name = kernel.entry.empty() ? fs::path(own->file).stem().string() : kernel.entry;
  return true;
}

/// Which axes the kernel's texts name, into those that `into` depends on.
void KernelReader::note_axes(const StudyKernel& kernel, StudyKernel& into) const {
  const auto note = [&](const StudyText& text) {
    for (const std::string& name : axes_in(text.text, axes_.axes()))
      if (std::find(into.axes.begin(), into.axes.end(), name) == into.axes.end()) into.axes.push_back(name);
  };
  for (const auto* list : {&kernel.grid, &kernel.block, &kernel.symbols})
    for (const StudyText& text : *list) note(text);
  for (const StudyText& text : kernel.defines)  // the macro's own name is none of ours
    note({text.text.substr(std::min(text.text.find('='), text.text.size())), text.where});
  note(kernel.shared);
  for (const StudyArgument& argument : kernel.arguments) note(argument.text);
}

}  // namespace ww::userkernel
