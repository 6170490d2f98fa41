#include "cli/launch/assign.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <optional>

#include "base/text.h"
#include "cli/compile/cpp_types.h"

namespace ww::cli {

namespace {

bool names_members(const LaunchArgument& value) {
  const auto* structure = std::get_if<StructArgument>(&value);
  return structure && !structure->pointers;
}

/// {random:f32[64],null,in:FILE.npy} for a pointer to pointers.
Result<LaunchArgument> table_of(StructArgument list, const std::string& title) {
  for (const LaunchArgument& member : list.members) {
    const auto* number = std::get_if<ScalarArgument>(&member);
    if (!std::holds_alternative<ArrayArgument>(member) && !(number && number->type == "u64"))
      return error(fmt::format("{} is a table of pointers, but something in the list is no array", title),
                   "{random:f32[64],in:FILE.npy,null}, for example");
  }
  list.pointers = true;
  list.names.clear();
  return LaunchArgument(std::move(list));
}

/// "2" is the second.
std::optional<size_t> place_named(const std::string& name, size_t count) {
  size_t number = 0;
  const auto [end, wrong] = std::from_chars(name.data(), name.data() + name.size(), number);
  if (wrong != std::errc() || end != name.data() + name.size() || number < 1 || number > count) return {};
  return number - 1;
}

Result<size_t> parameter_named(const NamedArgument& argument, const std::vector<Parameter>& parameters,
                               const std::string& kernel) {
  if (const auto place = place_named(argument.name, parameters.size())) return *place;
  std::vector<std::string> names;
  for (size_t i = 0; i < parameters.size(); ++i) {
    if (parameters[i].name == argument.name) return i;
    if (!parameters[i].name.empty()) names.push_back(parameters[i].name);
  }
  const std::string near = nearest(argument.name, names);
  const std::string why = names.empty()
                              ? "the names are not known here; use numbers: 2=… is the second argument"
                          : near.empty() ? fmt::format("it has {}", fmt::join(names, ", "))
                                         : fmt::format("did you mean '{}'?", near);
  return error(fmt::format("kernel {} has no parameter '{}'", kernel, printable(argument.name)), why);
}

/// The member's own part of a parameter, so that one value is fitted like an argument.
Parameter parameter_of(const ptx::DebugMember& m, const Location& where) {
  Parameter p;
  p.bytes = m.bytes;
  p.where = where;
  p.cpp = m.type;
  p.pointer = is_pointer(m.type);
  p.element = element_name(m.type);
  p.type = p.pointer ? "u64" : p.element;
  if (p.pointer)
    p.kind = Parameter::Kind::Integer;
  else if (p.element.empty())
    p.kind = Parameter::Kind::Unknown;
  else
    p.kind = p.element[0] == 'f' || p.element == "bf16" ? Parameter::Kind::Float : Parameter::Kind::Integer;
  return p;
}

/// Values for the members of one parameter, gathered from all arguments that speak of it.
class Members {
 public:
  Members(const Parameter& parameter, std::string title)
      : parameter_(parameter), title_(std::move(title)), values_(parameter.members.size()) {}

  /// `path`: what the value is for; "" is the whole struct.
  Status give(const std::string& path, const LaunchArgument& value) {
    if (path.starts_with('+')) return give_at(path, value);
    if (const auto* inner = std::get_if<StructArgument>(&value); inner && !inner->pointers)
      return give_struct(path, *inner);
    for (size_t i = 0; i < values_.size(); ++i)
      if (parameter_.members[i].path == path) return give_one(i, value);
    if (!leaves(path).empty())
      return error_at(parameter_.where, fmt::format("{}: '{}' is a struct or an array", title_, path),
                      fmt::format("{}={{…}}, or its members: {}", path, names_of(leaves(path))));
    std::vector<std::string> names;
    for (const auto& m : parameter_.members) names.push_back(m.path);
    const std::string near = nearest(path, names);
    return error_at(parameter_.where, fmt::format("{} has no member '{}'", title_, printable(path)),
                    near.empty() ? fmt::format("it has {}", names_of(leaves("")))
                                 : fmt::format("did you mean '{}'?", near));
  }

  /// The struct, and a note of what nobody gave.
  LaunchArgument value(Diagnostics& notes) const {
    StructArgument out;
    out.bytes = parameter_.bytes;
    std::vector<size_t> missing;
    for (size_t i = 0; i < values_.size(); ++i) {
      if (!values_[i]) {
        missing.push_back(i);
        continue;
      }
      out.members.push_back(*values_[i]);
      out.offsets.push_back(parameter_.members[i].offset);
    }
    for (const auto& [offset, value] : placed_) out.members.push_back(value), out.offsets.push_back(offset);
    if (!missing.empty() && placed_.empty())
      notes.push_back({Severity::Note,
                       fmt::format("{}: {} was not given and holds zeros", title_, names_of(missing)),
                       {},
                       ""});
    if (!placed_.empty())
      notes.push_back(
          {Severity::Note, fmt::format("{}: bytes that were not given are zeros", title_), {}, ""});
    return out;
  }

 private:
  Status give_one(size_t i, LaunchArgument value) {
    const ptx::DebugMember& m = parameter_.members[i];
    if (values_[i]) return error_at(parameter_.where, fmt::format("{}: {} is given twice", title_, m.path));
    if (auto* number = std::get_if<ScalarArgument>(&value); number && number->guessed)
      *number = ScalarArgument{"", number->text, {}, false, number->raw};
    const std::string what = fmt::format("{}, member {}", title_, m.path);
    if (auto ok = fit_argument(value, parameter_of(m, parameter_.where), what); !ok) return ok;
    values_[i] = std::move(value);
    return {};
  }

  Status give_struct(const std::string& path, const StructArgument& given) {
    if (!given.names.empty()) {
      for (size_t i = 0; i < given.members.size(); ++i)
        if (auto ok =
                give(path + (path.empty() || given.names[i].starts_with('[') ? "" : ".") + given.names[i],
                     given.members[i]);
            !ok)
          return ok;
      return {};
    }
    std::vector<LaunchArgument> flat;
    flatten(given, flat);
    const std::vector<size_t> wanted = leaves(path);
    if (wanted.size() != flat.size())
      return error_at(parameter_.where,
                      fmt::format("{} has {} members{}, but {} are given", title_, wanted.size(),
                                  path.empty() ? "" : " in " + path, flat.size()),
                      fmt::format("they are {}; {{NAME=…,…}} gives only some", names_of(wanted)));
    for (size_t i = 0; i < wanted.size(); ++i)
      if (auto ok = give_one(wanted[i], flat[i]); !ok) return ok;
    return {};
  }

  Status give_at(const std::string& path, const LaunchArgument& value) {
    uint64_t offset = 0;
    const char *begin = path.data() + 1, *last = path.data() + path.size();
    const auto [end, wrong] = std::from_chars(begin, last, offset);
    const auto* number = std::get_if<ScalarArgument>(&value);
    if (wrong != std::errc() || end != last)
      return error(fmt::format("{}: '{}' is not an offset in bytes", title_, printable(path)),
                   "for example 2+8=f32:1");
    if (number && number->type.empty())
      return error(fmt::format("{}: the type of {} at byte {} is not known", title_, number->text, offset),
                   fmt::format("s32:{} or f32:{}, for example", number->text, number->text));
    const uint64_t bytes = number ? number->bytes.size() : 8;
    if (std::holds_alternative<StructArgument>(value) || offset + bytes > parameter_.bytes ||
        offset + bytes < offset)
      return error(
          fmt::format("{} has {} bytes: {} at byte {} do not fit", title_, parameter_.bytes, bytes, offset));
    placed_.emplace_back(offset, value);
    return {};
  }

  static void flatten(const StructArgument& s, std::vector<LaunchArgument>& out) {
    for (const LaunchArgument& member : s.members) {
      if (const auto* inner = std::get_if<StructArgument>(&member); inner && !inner->pointers)
        flatten(*inner, out);
      else
        out.push_back(member);
    }
  }

  std::vector<size_t> leaves(const std::string& path) const {
    std::vector<size_t> out;
    for (size_t i = 0; i < parameter_.members.size(); ++i) {
      const std::string& p = parameter_.members[i].path;
      const bool below =
          p.starts_with(path) && p.size() > path.size() && (p[path.size()] == '.' || p[path.size()] == '[');
      if (path.empty() || p == path || below) out.push_back(i);
    }
    return out;
  }

  std::string names_of(const std::vector<size_t>& indices) const {
    constexpr size_t kMost = 12;
    std::string out;
    for (size_t k = 0; k < indices.size() && k < kMost; ++k)
      out += (k ? ", " : "") + parameter_.members[indices[k]].path;
    if (indices.size() > kMost) out += fmt::format(" and {} more", indices.size() - kMost);
    return out;
  }

  const Parameter& parameter_;
  std::string title_;
  std::vector<std::optional<LaunchArgument>> values_;
  std::vector<std::pair<uint64_t, LaunchArgument>> placed_;
};

}  // namespace

bool asks_for_members(const std::vector<NamedArgument>& arguments) {
  return std::any_of(arguments.begin(), arguments.end(), [](const NamedArgument& a) {
    return (!a.path.empty() && a.path[0] != '+') || names_members(a.value);
  });
}

Result<std::vector<LaunchArgument>> assign_arguments(const std::vector<NamedArgument>& arguments,
                                                     const std::vector<Parameter>& parameters,
                                                     const std::string& kernel, Diagnostics& notes) {
  std::vector<std::vector<const NamedArgument*>> of(parameters.size());
  Diagnostics wrong;
  for (const NamedArgument& a : arguments) {
    if (a.name.empty()) continue;
    auto index = parameter_named(a, parameters, kernel);
    if (!index)
      wrong.insert(wrong.end(), index.error().begin(), index.error().end());
    else
      of[*index].push_back(&a);
  }
  size_t next = 0, extra = 0;
  for (const NamedArgument& a : arguments) {
    if (!a.name.empty()) continue;
    while (next < of.size() && !of[next].empty()) ++next;
    if (next < of.size())
      of[next].push_back(&a);
    else
      ++extra;
  }
  if (!wrong.empty()) return wrong;
  std::vector<std::string> missing;
  for (size_t i = 0; i < of.size(); ++i)
    if (of[i].empty())
      missing.push_back(parameters[i].name.empty() ? std::to_string(i + 1) : parameters[i].name);
  if (!missing.empty() || extra > 0) {
    const size_t given = parameters.size() - missing.size() + extra;
    std::string what =
        fmt::format("kernel {} takes {} argument{}, but {} {} given", kernel, parameters.size(),
                    parameters.size() == 1 ? "" : "s", given, given == 1 ? "is" : "are");
    if (!missing.empty() && given > 0)
      what += fmt::format(": {} {} missing", fmt::join(missing, ", "), missing.size() == 1 ? "is" : "are");
    return error(what);
  }
  std::vector<LaunchArgument> out;
  for (size_t i = 0; i < of.size(); ++i) {
    const Parameter& p = parameters[i];
    const std::string title = argument_title(i, parameters, kernel);
    const bool whole = of[i].size() == 1 && of[i][0]->path.empty();
    const bool members = p.kind == Parameter::Kind::Struct && !p.members.empty();
    const auto* given = whole ? std::get_if<StructArgument>(&of[i][0]->value) : nullptr;
    if (given && given->members.empty() && p.kind != Parameter::Kind::Integer && !members) {
      // {} for a struct without members, such as a functor
      out.push_back(StructArgument{{}, {}, {}, p.bytes});
      continue;
    }
    if (given && p.pointer && !given->pointers) {
      if (auto table = table_of(*given, title); table)
        out.push_back(std::move(*table));
      else
        wrong.push_back(table.error()[0]);
      continue;
    }
    if (whole && (!given || given->pointers || (!members && given->names.empty()))) {
      out.push_back(of[i][0]->value);
      continue;
    }
    if (of[i].size() > 1 &&
        std::any_of(of[i].begin(), of[i].end(), [](auto* a) { return a->path.empty(); })) {
      wrong.push_back(error_at(p.where, title + " is given twice"));
      continue;
    }
    const bool by_place =
        std::all_of(of[i].begin(), of[i].end(), [](auto* a) { return a->path.starts_with('+'); });
    if (p.kind != Parameter::Kind::Struct && !by_place) {
      wrong.push_back(error_at(p.where, fmt::format("{} is not a struct{}: it has no members", title,
                                                    p.cpp.empty() ? "" : " (" + p.cpp + ")")));
      continue;
    }
    if (!members && !by_place) {
      wrong.push_back(error_at(p.where, fmt::format("the members of {} are not known here", title),
                               fmt::format("give them by byte offset, {}+0=s32:1 {}+4=f32:2.5, or all in "
                                           "order, {{s32:1,f32:2.5}}; PTX compiled with -G has the names",
                                           i + 1, i + 1)));
      continue;
    }
    std::vector<std::pair<std::string, LaunchArgument>> values;
    for (const NamedArgument* a : of[i]) values.emplace_back(a->path, a->value);
    if (auto value = struct_of_members(p, title, values, notes); value)
      out.push_back(std::move(*value));
    else
      wrong.insert(wrong.end(), value.error().begin(), value.error().end());
  }
  if (!wrong.empty()) return wrong;
  return out;
}

Result<LaunchArgument> struct_of_members(const Parameter& parameter, const std::string& title,
                                         const std::vector<std::pair<std::string, LaunchArgument>>& values,
                                         Diagnostics& notes) {
  Members gathered(parameter, title);
  Diagnostics wrong;
  for (const auto& [path, value] : values)
    if (auto ok = gathered.give(path, value); !ok)
      wrong.insert(wrong.end(), ok.error().begin(), ok.error().end());
  if (!wrong.empty()) return wrong;
  return gathered.value(notes);
}

Status take_arguments(const std::vector<NamedArgument>& named, const std::vector<Parameter>& parameters,
                      const std::string& kernel, std::vector<LaunchArgument>& out, Diagnostics& notes) {
  auto assigned = assign_arguments(named, parameters, kernel, notes);
  if (!assigned) return assigned.error();
  out = std::move(*assigned);
  return fit_arguments(out, parameters, kernel);
}

}  // namespace ww::cli
