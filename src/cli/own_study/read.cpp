// A study of own kernels from its file: strict, every complaint with its place.
#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <filesystem>

#include "base/json_reader.h"
#include "base/text.h"
#include "cli/own_kernel.h"
#include "cli/own_study/own_study.h"
#include "cli/own_study/texts.h"
#include "report/axes.h"
#include "study/read_shown.h"
#include "study/read_sweep.h"

namespace ww::cli {

namespace {

namespace fs = std::filesystem;

/// What a kernel may say, or all of them at the top of the file.
const std::vector<std::string> kLaunchKeys = {"grid",   "block",  "shared",    "args",        "symbols",
                                              "define", "verify", "tolerance", "cooperative", "include",
                                              "std",    "arch",   "flags",     "then"};

/// What a kernel behind another may say; what it leaves out of grid, block and the compiler's is that one's.
const std::vector<std::string> kThenKeys = {"kernel", "grid",        "block",   "shared", "args", "symbols",
                                            "define", "cooperative", "include", "std",    "arch", "flags"};

/// What a table shows unless the file says otherwise.
const std::vector<std::string> kMainColumns = {"verified|",
                                               "time|wall_time",
                                               "achieved_occupancy|",
                                               "warp_instructions",
                                               "global_load_sectors|global_load_transactions|",
                                               "global_store_sectors|global_store_transactions|",
                                               "shared_load_bank_conflicts|",
                                               "shared_store_bank_conflicts|",
                                               "l2_hit_rate|",
                                               "dram_bytes_read|"};

std::string folder_of(const std::string& file) {
  const size_t slash = file.rfind('/');
  return slash == file.npos ? "" : file.substr(0, slash + 1);
}

std::string in_folder_of(const std::string& file, const std::string& path) {
  return path.starts_with('/') ? path : folder_of(file) + path;
}

class OwnStudyReader {
 public:
  OwnStudyReader(const std::string& file, const Json& root) : reader_(file), root_(root) {}

  Result<OwnStudy> read() {
    std::vector<std::string> keys = study::shown_keys();
    keys.insert(keys.end(), {"axes", "quick", "kernels", "laboratory"});
    keys.insert(keys.end(), kLaunchKeys.begin(), kLaunchKeys.end());
    if (!reader_.members(root_, "a study file", keys)) return reader_.errors;
    read_axes();
    for (const Json& kernel : reader_.list(root_, "kernels")) read_kernel(kernel);
    if (out_.kernels.empty() && reader_.errors.empty())
      reader_.complain(*root_.find("kernels"), "'kernels' is empty", "for example [\"mine.cu:kernel\"]");
    if (const Json* laboratory = root_.find("laboratory"))
      out_.study.full = out_.study.quick = study::read_sweeps(*laboratory, "laboratory", reader_);
    finish_axes();
    std::vector<AxisInfo> infos;
    for (const StudyAxis& axis : out_.axes) infos.push_back(axis.info);
    study::read_shown(root_, infos, reader_, out_.study);
    if (out_.study.metrics.empty()) out_.study.metrics = kMainColumns;
    if (!reader_.errors.empty()) return reader_.errors;
    return std::move(out_);
  }

 private:
  // --- axes

  /// Numbers and words as texts; an empty list is wrong.
  std::vector<std::string> values_at(const Json& json, const std::string& axis) {
    std::vector<std::string> out;
    for (const Json* one : JsonReader::items(json)) {
      if (const auto* whole = one->get<int64_t>())
        out.push_back(std::to_string(*whole));
      else if (const auto* real = one->get<double>())
        out.push_back(fmt::format("{}", *real));
      else if (const auto* word = one->get<std::string>(); word && !word->empty())
        out.push_back(*word);
      else
        reader_.complain(*one,
                         fmt::format("a value of '{}' is a number or a word, not {}", axis, one->kind()));
      if (!out.empty() && std::count(out.begin(), out.end(), out.back()) > 1)
        reader_.complain(*one, fmt::format("'{}' is there twice", printable(out.back())));
    }
    if (out.empty()) reader_.complain(json, fmt::format("the axis '{}' has no values", printable(axis)));
    return out;
  }

  void read_axes() {
    const Json* json = root_.find("axes");
    if (!json) return;
    const auto* object = json->get<Json::Object>();
    if (!object) {
      reader_.complain(*json, fmt::format("'axes' must be an object, not {}", json->kind()),
                       "for example {\"n\": [256, 1024], \"tile\": [16, 32]}");
      return;
    }
    for (const JsonMember& member : *object) read_axis(member);
    if (const Json* quick = root_.find("quick")) read_quick(*quick);
  }

  void read_axis(const JsonMember& member) {
    if (!report::is_declarable(member.key)) {
      const Status why = report::check_axis_name(member.key);
      reader_.complain(member.where(reader_.file()), why.error()[0].message, why.error()[0].hint);
      return;
    }
    StudyAxis axis;
    axis.info.name = member.key;
    const Json& json = member.value;
    if (!json.get<Json::Object>()) {
      axis.values = values_at(json, member.key);
    } else if (reader_.members(json, "an axis", {"values", "quick", "label", "unit", "problem"})) {
      axis.info.label = reader_.text(json, "label");
      axis.info.unit = reader_.text(json, "unit");
      if (const Json* problem = json.find("problem")) {
        reader_.flag(*problem, "problem", axis.info.problem);
        said_problem_.push_back(member.key);
      }
      if (const Json* values = json.find("values"))
        axis.values = values_at(*values, member.key);
      else
        reader_.complain(json, "'values' is missing");
      if (const Json* quick = json.find("quick")) axis.quick = values_at(*quick, member.key);
    }
    out_.axes.push_back(std::move(axis));
    places_.push_back(member.where(reader_.file()));
  }

  void read_quick(const Json& quick) {
    const auto* object = quick.get<Json::Object>();
    if (!object) {
      reader_.complain(
          quick, fmt::format("'quick' must be an object of axes and their values, not {}", quick.kind()));
      return;
    }
    for (const JsonMember& member : *object)
      if (StudyAxis* axis = axis_of(member.key, member.where(reader_.file())))
        axis->quick = values_at(member.value, member.key);
  }

  StudyAxis* axis_of(const std::string& name, const Location& where) {
    std::vector<std::string> names;
    for (StudyAxis& axis : out_.axes) {
      if (axis.info.name == name) return &axis;
      names.push_back(axis.info.name);
    }
    reader_.unknown(where, "axis", name, names);
    return nullptr;
  }

  /// An axis that no kernel depends on is a mistake. One that sizes depend on is part of the problem.
  void finish_axes() {
    for (size_t i = 0; i < out_.axes.size() && reader_.errors.empty(); ++i) {
      StudyAxis& axis = out_.axes[i];
      const std::string& name = axis.info.name;
      const bool used = std::any_of(out_.kernels.begin(), out_.kernels.end(), [&](const StudyKernel& k) {
        return std::find(k.axes.begin(), k.axes.end(), name) != k.axes.end();
      });
      if (!used)
        reader_.complain(places_[i], fmt::format("no kernel depends on the axis '{}'", name),
                         "name it in 'grid', 'block', 'args', 'define', …");
      if (std::find(said_problem_.begin(), said_problem_.end(), name) != said_problem_.end()) continue;
      for (const StudyKernel& kernel : out_.kernels)
        for (const StudyArgument& argument : kernel.arguments) {
          const auto names = axes_in_sizes(argument.text.text, out_.axes);
          axis.info.problem |= std::find(names.begin(), names.end(), name) != names.end();
        }
    }
  }

  // --- kernels

  /// The kernel's own, or that of the one before it, or what all of them share.
  const Json* of_kernel(const Json& kernel, std::string_view key) const {
    if (const Json* own = kernel.find(key)) return own;
    if (const Json* before = before_ ? before_->find(key) : nullptr) return before;
    return root_.find(key);
  }

  StudyText text_at(const Json& json, std::string_view what) {
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

  std::vector<StudyText> texts_of(const Json& kernel, const char* key, size_t most) {
    std::vector<StudyText> out;
    const Json* json = of_kernel(kernel, key);
    if (!json) return out;
    for (const Json* one : JsonReader::items(*json)) out.push_back(text_at(*one, fmt::format("'{}'", key)));
    if (out.size() > most)
      reader_.complain(*json, fmt::format("'{}' has {} values, at most {}", key, out.size(), most));
    return out;
  }

  /// "TILE=tile", or an object of them.
  std::vector<StudyText> defines_of(const Json& kernel) {
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
  static StudyArgument argument_named(StudyText text, size_t index) {
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
  static std::vector<std::string> array_names(const StudyKernel& kernel) {
    std::vector<std::string> out;
    for (const StudyArgument& a : kernel.arguments)
      if (!a.text.text.starts_with('@'))
        out.push_back(a.name + (a.path.empty() || a.path[0] == '[' ? "" : ".") + a.path);
    return out;
  }

  void read_kernel(const Json& json) {
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
    read_compiler(json, kernel);
    read_then(json, kernel);
    read_checks(json, kernel);
    read_values(json, kernel);
    note_axes(kernel, kernel);
    for (const StudyKernel& next : kernel.then) note_axes(next, kernel);
    for (const StudyKernel& other : out_.kernels)
      if (other.name == kernel.name)
        reader_.complain(json, fmt::format("there are two kernels '{}'", printable(kernel.name)),
                         "tell them apart: {\"kernel\": …, \"name\": …}");
    out_.kernels.push_back(std::move(kernel));
  }

  /// "then": what runs behind the kernel on its arrays, which @NAME names.
  void read_then(const Json& json, StudyKernel& kernel) {
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

  bool read_file_and_name(const Json& json, const std::string& named, StudyKernel& kernel) {
    const Json& place = json.find("kernel") ? *json.find("kernel") : json;
    const auto own = own_kernel(named);
    if (!own) {
      reader_.complain(
          place, fmt::format("'{}' is no FILE.cu or FILE.ptx", printable(named)),
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

  void read_compiler(const Json& json, StudyKernel& kernel) {
    const auto words = [&](const char* key) {
      const bool before = before_ && before_->find(key);
      return reader_.words(json.find(key) ? json : before ? *before_ : root_, key);
    };
    for (const std::string& path : words("include"))
      kernel.compile.includes.push_back(in_folder_of(reader_.file(), path));
    kernel.compile.flags = words("flags");
    if (const Json* standard = of_kernel(json, "std"))
      kernel.compile.standard = text_at(*standard, "'std'").text;
    const std::vector<std::string> known = {"", "c++11", "c++14", "c++17", "c++20", "c++23"};
    if (std::find(known.begin(), known.end(), kernel.compile.standard) == known.end())
      reader_.unknown(of_kernel(json, "std")->where(reader_.file()), "standard", kernel.compile.standard,
                      {known.begin() + 1, known.end()});
    if (const Json* arch = of_kernel(json, "arch")) {
      kernel.compile.arch = text_at(*arch, "'arch'").text;
      if (kernel.compile.arch.empty() || kernel.compile.arch.size() > 4 ||
          kernel.compile.arch.find_first_not_of("0123456789a") != std::string::npos)
        reader_.complain(*arch, fmt::format("'{}' is no compute capability", printable(kernel.compile.arch)),
                         "for example 75, 80 or \"90a\"");
    }
  }

  void read_checks(const Json& json, StudyKernel& kernel) {
    if (const Json* verify = of_kernel(json, "verify")) {
      const auto* object = verify->get<Json::Object>();
      if (!object)
        reader_.complain(*verify, fmt::format("'verify' must be an object, not {}", verify->kind()),
                         "the arguments and what they must hold: {\"out\": \"a.T\"}");
      for (const JsonMember& member : object ? *object : Json::Object()) {
        std::vector<std::string> names = array_names(kernel);
        for (const StudyKernel& next : kernel.then)
          for (std::string& name : array_names(next)) names.push_back(std::move(name));
        const std::string whole = member.key.substr(0, member.key.find_first_of(".["));  // p={out=…}
        if (std::find(names.begin(), names.end(), member.key) == names.end() &&
            std::find(names.begin(), names.end(), whole) == names.end()) {
          reader_.unknown(member.where(reader_.file()), "argument", member.key, names);
          continue;
        }
        kernel.checks.push_back({member.key, text_at(member.value, "a reference")});
      }
    }
    const Json* tolerance = of_kernel(json, "tolerance");
    if (!tolerance) return;
    const auto number = [&](const Json& one, double& into) {
      if (one.number() && one.as_double() >= 0)
        into = one.as_double();
      else
        reader_.complain(one, "a tolerance is a number, at least 0");
    };
    if (!tolerance->get<Json::Object>()) return number(*tolerance, kernel.relative);
    if (!reader_.members(*tolerance, "a tolerance", {"relative", "absolute"})) return;
    if (const Json* one = tolerance->find("relative")) number(*one, kernel.relative);
    if (const Json* one = tolerance->find("absolute")) number(*one, kernel.absolute);
  }

  /// "axes": {"tile": [32]}: this kernel has only these.
  void read_values(const Json& json, StudyKernel& kernel) {
    const Json* axes = json.find("axes");
    if (!axes) return;
    const auto* object = axes->get<Json::Object>();
    if (!object) {
      reader_.complain(*axes, fmt::format("'axes' must be an object, not {}", axes->kind()));
      return;
    }
    for (const JsonMember& member : *object)
      if (axis_of(member.key, member.where(reader_.file())))
        kernel.values[member.key] = values_at(member.value, member.key);
  }

  /// Which axes the kernel's texts name, into those that `into` depends on.
  void note_axes(const StudyKernel& kernel, StudyKernel& into) const {
    const auto note = [&](const StudyText& text) {
      for (const std::string& name : axes_in(text.text, out_.axes))
        if (std::find(into.axes.begin(), into.axes.end(), name) == into.axes.end()) into.axes.push_back(name);
    };
    for (const auto* list : {&kernel.grid, &kernel.block, &kernel.symbols})
      for (const StudyText& text : *list) note(text);
    for (const StudyText& text : kernel.defines)  // the macro's own name is none of ours
      note({text.text.substr(std::min(text.text.find('='), text.text.size())), text.where});
    note(kernel.shared);
    for (const StudyArgument& argument : kernel.arguments) note(argument.text);
  }

  JsonReader reader_;
  const Json& root_;
  OwnStudy out_;
  const Json* before_ = nullptr;           // the kernel whose "then" is read
  std::vector<Location> places_;           // of the axes
  std::vector<std::string> said_problem_;  // axes of which the file says whether they are part of the problem
};

constexpr size_t kMostConfigurations = 100000;

}  // namespace

bool is_own_study(const Json& root) { return root.find("kernels") != nullptr; }

Result<OwnStudy> read_own_study(const std::string& file, const Json& root) {
  return OwnStudyReader(file, root).read();
}

Result<std::vector<StudyConfiguration>> configurations(
    const OwnStudy& study, bool quick, const std::vector<std::string>& kernels,
    const std::map<std::string, std::vector<std::string>>& chosen) {
  Diagnostics wrong;
  std::vector<std::string> kernel_names, axis_names;
  for (const StudyKernel& kernel : study.kernels) kernel_names.push_back(kernel.name);
  for (const StudyAxis& axis : study.axes) axis_names.push_back(axis.info.name);
  const auto check = [&](const char* what, const std::string& name, const std::vector<std::string>& known) {
    if (std::find(known.begin(), known.end(), name) != known.end()) return;
    const std::string near = nearest(name, known);
    wrong.push_back(error(fmt::format("the study has no {} '{}'", what, printable(name)),
                          near.empty() ? fmt::format("it has {}", fmt::join(known, ", "))
                                       : fmt::format("did you mean '{}'?", near)));
  };
  for (const std::string& name : kernels) check("kernel", name, kernel_names);
  for (const auto& [name, values] : chosen) check("axis", name, axis_names);
  if (!wrong.empty()) return wrong;

  std::vector<StudyConfiguration> out;
  for (const StudyKernel& kernel : study.kernels) {
    if (!kernels.empty() && std::find(kernels.begin(), kernels.end(), kernel.name) == kernels.end()) continue;
    std::vector<StudyConfiguration> all = {{&kernel, {}}};
    for (const StudyAxis& axis : study.axes) {
      if (std::find(kernel.axes.begin(), kernel.axes.end(), axis.info.name) == kernel.axes.end()) continue;
      std::vector<std::string> values = quick && !axis.quick.empty() ? axis.quick : axis.values;
      if (const auto it = chosen.find(axis.info.name); it != chosen.end()) values = it->second;
      if (const auto own = kernel.values.find(axis.info.name); own != kernel.values.end())
        std::erase_if(values, [&](const std::string& v) {
          return std::find(own->second.begin(), own->second.end(), v) == own->second.end();
        });
      std::vector<StudyConfiguration> more;
      for (const StudyConfiguration& c : all)
        for (const std::string& value : values) {
          if (more.size() + out.size() >= kMostConfigurations)
            return error(fmt::format("the study has more than {} configurations", kMostConfigurations));
          more.push_back(c);
          more.back().values[axis.info.name] = value;
        }
      all = std::move(more);
    }
    out.insert(out.end(), all.begin(), all.end());
  }
  if (out.empty()) return error("no kernel of the study has these values of its axes");
  return out;
}

}  // namespace ww::cli
