#include "cli/launch/texture_guess.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <map>
#include <regex>
#include <set>
#include <vector>

#include "analysis/uses.h"
#include "cli/compile/cpp_types.h"
#include "ir/print.h"

namespace ww::cli {

namespace {

std::vector<std::string> parts_of(const std::string& name) {
  std::vector<std::string> out(1);
  for (const char c : name) {
    if (c == '.')
      out.emplace_back();
    else
      out.back() += c;
  }
  return out;
}

/// "tex.level.2d.v4.u32.f32": elements of u32; "suld.b.2d.v4.b8.trap": four channels of a byte.
TextureUse use_of(const std::string& name) {
  TextureUse out;
  const std::vector<std::string> parts = parts_of(name);
  out.object = parts[0].starts_with("su") ? "surface" : "texture";
  static const std::set<std::string> kGeometries = {"1d", "2d", "3d", "a1d", "a2d", "cube", "acube"};
  static const std::map<std::string, std::string> kBits = {{"b8", "u8"}, {"b16", "u16"}, {"b32", "f32"}};
  size_t types = 0;
  for (const std::string& part : parts) {
    if (kGeometries.contains(part)) out.geometry = part;
    if (out.object == "surface") {
      if (part == "v2" || part == "v4") out.channels = part[1] - '0';
      if (const auto it = kBits.find(part); it != kBits.end()) out.element = it->second;
      if (part == "b64") out.channels = 2;
    } else if (part == "f16x2" || part == "f32" || part == "s32" || part == "u32") {
      if (types++ == 0)
        out.element = part == "f16x2" ? "f16" : part;
      else
        out.whole = part == "s32";
    }
  }
  return out;
}

}  // namespace

TextureUse texture_use(const ir::Function& f, ir::SymbolId symbol) {
  std::set<ir::RegId> from;
  TextureUse found;
  for (const ir::Block& block : f.blocks)
    for (const ir::Instruction& in : block.instructions) {
      if (in.op == isa::Op::ld && in.operands.size() > 1 &&
          in.operands[1].kind == ir::Operand::Kind::Memory && in.operands[1].symbol == symbol &&
          in.operands[0].kind == ir::Operand::Kind::Register)
        from.insert(in.operands[0].reg);
      const std::string name = ir::name_of(in);
      const bool asks = name.starts_with("txq.") || name.starts_with("suq.");  // say no geometry
      if (!found.geometry.empty() ||
          !(asks || name.starts_with("tex.") || name.starts_with("tld4.") || name.starts_with("suld.") ||
            name.starts_with("sust.") || name.starts_with("sured.")))
        continue;
      bool taken = false;
      analysis::each_use(f, in, [&](ir::RegId reg) { taken |= from.contains(reg); });
      if (taken) found = use_of(name);
    }
  return found;
}

void add_texels_of_source(TextureUse& use, std::string_view source, const std::string& name, int line) {
  if (use.object.empty() || name.empty()) return;
  for (const char c : name)
    if (!std::isalnum(static_cast<unsigned char>(c)) && c != '_') return;
  size_t begin = 0;
  for (int at = 1; at < line && begin < source.size(); ++at)
    begin = std::min(source.find('\n', begin), source.size() - 1) + 1;
  const std::string text(source.substr(std::min(begin, source.size())));
  const std::regex call("\\b(?:tex|surf)\\w+\\s*<\\s*([A-Za-z_][\\w ]*)>\\s*\\(\\s*" + name + "\\b");
  std::smatch match;
  if (!std::regex_search(text, match, call)) return;
  std::string type = match[1];
  while (type.ends_with(' ')) type.pop_back();
  const std::string element = element_name(type);
  if (element.empty() || (use.object == "texture" && (element[0] == 'f') != (use.element[0] == 'f'))) return;
  use.element = element, use.told = true;
  use.channels = type.ends_with('2') ? 2 : type.ends_with('4') ? 4 : 1;
}

std::string texture_text(const TextureUse& use, const std::string& wide, const std::string& high) {
  const std::string plane = high.empty() ? "64,64" : high + "," + wide;
  std::string head = use.object == "surface" ? "surf" : "tex", shape = plane;
  if (use.geometry == "1d") {
    if (use.whole && use.object == "texture") head += ",buffer";
    shape = wide;
  } else if (use.geometry == "3d") {
    shape = "8," + plane;
  } else if (use.geometry == "a1d" || use.geometry == "a2d") {
    head += ",layered";
    shape = "4," + (use.geometry == "a1d" ? wide : plane);
  } else if (use.geometry == "cube" || use.geometry == "acube") {
    head += use.geometry == "cube" ? ",cube" : ",cube,layered";
    shape = "6,64,64";
  }
  if (use.channels > 1) head += fmt::format(",x{}", use.channels), shape += fmt::format(",{}", use.channels);
  return fmt::format("{}:{}[{}]", head, use.element, shape);
}

}  // namespace ww::cli
