#include "ptx/debug_types.h"

#include <algorithm>
#include <utility>

#include "ptx/dwarf.h"

namespace ww::ptx {

namespace {

constexpr int kDeepest = 16;               // structs in structs
constexpr size_t kMostMembers = 4096;      // a parameter has at most 32764 bytes
constexpr uint64_t kMostVisits = 200'000;  // of types, whatever damaged sections say

/// What the entries say of types.
class DebugTypes {
  using Entry = DebugEntry;

 public:
  explicit DebugTypes(std::map<uint64_t, Entry> entries) : entries_(std::move(entries)) {}

  std::map<std::string, DebugVariable> variables() const {
    std::map<std::string, DebugVariable> out;
    for (const auto& [offset, entry] : entries_) {
      const std::string name = entry.text(dwarf::kName);
      const Entry* type = plain(type_of(entry));
      if (entry.tag != dwarf::kVariable || name.empty() || !type || out.count(name)) continue;
      DebugVariable& v = out[name];
      if (type->tag == dwarf::kArrayType) v.extents = extents(*type), type = type_of(*type);
      v.element = type_text(plain(type));
      members(type_of(entry), "", 0, 0, v.members);
    }
    return out;
  }

  std::map<std::string, std::vector<DebugParameter>> parameters() const {
    std::map<std::string, std::vector<DebugParameter>> out;
    for (const auto& [offset, entry] : entries_) {
      if (entry.tag != dwarf::kSubprogram) continue;
      const Entry* named = &entry;
      for (int i = 0; i < kDeepest && linkage_of(*named).empty(); ++i) {
        const Entry* origin = find(
            named->number(dwarf::kSpecification, named->number(dwarf::kAbstractOrigin, Entry::kNowhere)));
        if (!origin) break;
        named = origin;
      }
      const std::string name = linkage_of(*named);
      if (name.empty()) continue;
      std::vector<DebugParameter> parameters;
      for (const uint64_t child : entry.children)
        if (const Entry& p = entries_.at(child); p.tag == dwarf::kFormalParameter)
          parameters.push_back(parameter(p));
      auto& kept = out[name];
      if (kept.empty()) kept = std::move(parameters);
    }
    return out;
  }

 private:
  static std::string linkage_of(const Entry& e) {
    const std::string linkage = e.text(dwarf::kLinkageName);
    return linkage.empty() ? e.text(dwarf::kName) : linkage;
  }

  const Entry* find(uint64_t offset) const {
    const auto it = entries_.find(offset);
    return it == entries_.end() ? nullptr : &it->second;
  }

  const Entry* type_of(const Entry& e) const { return find(e.number(dwarf::kTypeOf, Entry::kNowhere)); }

  std::string type_text(const Entry* type, int depth = 0) const {
    if (!type) return "void";
    if (depth > kDeepest) return "";
    switch (type->tag) {
      case dwarf::kPointerType:
        return type_text(type_of(*type), depth + 1) + "*";
      case dwarf::kReferenceType:
        return type_text(type_of(*type), depth + 1) + "&";
      case dwarf::kConstType: {
        const std::string inner = type_text(type_of(*type), depth + 1);
        return inner.ends_with('*') ? inner : "const " + inner;
      }
      case dwarf::kVolatileType:
      case dwarf::kRestrictType:
        return type_text(type_of(*type), depth + 1);
      default:
        return type->text(dwarf::kName);
    }
  }

  /// Without const, typedefs and so on.
  const Entry* plain(const Entry* type) const {
    for (int i = 0; i < kDeepest && type; ++i) {
      const uint64_t tag = type->tag;
      if (tag != dwarf::kConstType && tag != dwarf::kVolatileType && tag != dwarf::kRestrictType &&
          tag != dwarf::kTypedef)
        break;
      type = type_of(*type);
    }
    return type;
  }

  uint64_t bytes_of(const Entry* type, int depth = 0) const {
    type = plain(type);
    if (!type || depth > kDeepest) return 0;
    if (type->tag == dwarf::kPointerType || type->tag == dwarf::kReferenceType) return 8;
    if (type->tag != dwarf::kArrayType) return type->number(dwarf::kByteSize, 0);
    uint64_t count = 1;
    for (const uint64_t n : extents(*type)) count *= n;
    return count * bytes_of(type_of(*type), depth + 1);
  }

  std::vector<uint64_t> extents(const Entry& array) const {
    std::vector<uint64_t> out;
    for (const uint64_t child : array.children)
      if (const Entry& range = entries_.at(child); range.tag == dwarf::kSubrangeType)
        out.push_back(range.number(dwarf::kCount, range.number(dwarf::kUpperBound, Entry::kNowhere) + 1));
    return out;
  }

  /// __half and __nv_bfloat16 are structs of their bits to the compiler, and numbers to everybody else.
  static bool is_wrapped_number(const Entry& type) {
    const std::string name = type.text(dwarf::kName);
    return (type.tag == dwarf::kStructureType || type.tag == dwarf::kClassType) &&
           (name == "__half" || name == "__nv_bfloat16");
  }

  void members(const Entry* type, const std::string& path, uint64_t offset, int depth,
               std::vector<DebugMember>& out) const {
    const std::string spelled = type_text(plain(type));
    type = plain(type);
    if (!type || depth > kDeepest || out.size() >= kMostMembers || ++visited_ > kMostVisits) return;
    if (is_wrapped_number(*type)) {
      out.push_back({path, spelled, offset, bytes_of(type)});
      return;
    }
    switch (type->tag) {
      case dwarf::kStructureType:
      case dwarf::kClassType:
      case dwarf::kUnionType:
        for (const uint64_t child : type->children) {
          const Entry& m = entries_.at(child);
          const uint64_t at = offset + m.number(dwarf::kMemberLocation, 0);
          if (m.tag == dwarf::kInheritance) members(type_of(m), path, at, depth + 1, out);
          if (m.tag != dwarf::kMember ||
              (m.numbers.count(dwarf::kExternal) && !m.numbers.count(dwarf::kMemberLocation)))
            continue;
          const std::string name = m.text(dwarf::kName);
          const std::string dot = path.empty() || name.empty() ? "" : ".";
          members(type_of(m), path + dot + name, at, depth + 1, out);
        }
        return;
      case dwarf::kArrayType: {
        const uint64_t each = bytes_of(type_of(*type));
        uint64_t count = 1;
        for (const uint64_t n : extents(*type)) count *= n;
        for (uint64_t i = 0; i < std::min<uint64_t>(count, kMostMembers) && each > 0; ++i)
          members(type_of(*type), path + "[" + std::to_string(i) + "]", offset + i * each, depth + 1, out);
        return;
      }
      case dwarf::kEnumerationType:
        out.push_back({path, bytes_of(type) == 4 ? "int" : "", offset, bytes_of(type)});
        return;
      default:
        out.push_back({path, spelled, offset, bytes_of(type)});
    }
  }

  DebugParameter parameter(const Entry& p) const {
    DebugParameter out;
    const Entry* named = &p;
    if (named->text(dwarf::kName).empty())
      if (const Entry* origin = find(p.number(dwarf::kAbstractOrigin, Entry::kNowhere))) named = origin;
    out.name = named->text(dwarf::kName);
    out.type = type_text(type_of(*named));
    members(type_of(*named), "", 0, 0, out.members);
    return out;
  }

  std::map<uint64_t, Entry> entries_;
  mutable uint64_t visited_ = 0;
};

}  // namespace

std::map<std::string, std::vector<DebugParameter>> debug_parameters(std::string_view ptx) {
  auto entries = debug_entries(ptx);
  if (!entries) return {};
  return DebugTypes(std::move(*entries)).parameters();
}

std::map<std::string, DebugVariable> debug_variables(std::string_view ptx) {
  auto entries = debug_entries(ptx);
  if (!entries) return {};
  return DebugTypes(std::move(*entries)).variables();
}

}  // namespace ww::ptx
