#include "engine/compile/code_cache.h"

#include <elf.h>
#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <fstream>

#include "base/file.h"

namespace ww::engine {

namespace {

constexpr u64 kMagic =
    0x31306568636163ull;  // how a file begins: this, a digest of key and code, the key's length
constexpr u64 kMostBytes = u64{64} << 20;     // of the compiler's library
constexpr std::string_view kBegun = "begun";  // all of a file, until there is code

/// 128 bits of anything: two sums of 64-bit words, mixed as in MurmurHash3's finaliser.
struct Digest {
  u64 a = 0x9e3779b97f4a7c15, b = 0xc2b2ae3d27d4eb4f;

  static u64 mixed(u64 v) {
    v = (v ^ v >> 33) * 0xff51afd7ed558ccd;
    v = (v ^ v >> 33) * 0xc4ceb9fe1a85ec53;
    return v ^ v >> 33;
  }
  void add(const void* from, size_t bytes) {
    const char* p = static_cast<const char*>(from);
    for (; bytes > 0;) {
      u64 v = 0;
      const size_t some = std::min(bytes, sizeof v);
      std::memcpy(&v, p, some);
      a = mixed(a ^ v) + 0x165667b19e3779f9;
      b = (b ^ v) * 0x9fb21c651e98df25;
      b ^= b >> 29;
      p += some, bytes -= some;
    }
    a ^= b << 1;
  }
  std::string text() const { return fmt::format("{:016x}{:016x}", mixed(a ^ b), mixed(a + 3 * b)); }
};

std::string digest_of(std::span<const u8> bytes) {
  Digest d;
  d.add(bytes.data(), bytes.size());
  return d.text();
}

template <class T>
void put(std::string& to, const T& value) {
  to.append(reinterpret_cast<const char*>(&value), sizeof value);
}

/// Everything that the code depends on. Handlers are named by where they stand in their tables, other
/// instructions by their distance; addresses do not occur.
std::string key_of(const CompileUnit& unit, const std::string& version) {
  std::string key = version + '\n' + unit.target + '\n';
  put(key, unit.layout);
  put(key, unit.count);
  put(key, unit.masked);
  put(key, unit.whole);
  put(key, unit.parted);
  put(key, unit.lacking);
  put(key, unit.again);
  put(key, unit.asks), put(key, unit.undefined_flag);
  for (u32 k = 0; k < unit.slot_count; ++k) {
    const WholeSlot& s = unit.slots[k];
    put(key, s.from), put(key, s.lanes), put(key, s.uneven), put(key, s.any_nan), put(key, s.lane_bytes),
        put(key, s.stride), put(key, s.offset), put(key, s.bytes), put(key, s.unset), put(key, s.common),
        put(key, s.alike);
    if (s.from == WholeSlot::From::Constant)
      key.append(reinterpret_cast<const char*>(unit.image) + (s.offset - kFrameStart), s.bytes);
  }
  for (u32 t = 0; t < unit.tables; ++t) put(key, unit.listed[t]);
  for (u32 n = 0; n < unit.operand_count; ++n) put(key, unit.operands[n]);
  for (u32 k = 0; k < unit.count; ++k) {
    const Inst& i = unit.code[k];
    const CompileStep& s = unit.steps[k];
    const CompileStep::Way& way = s.ways[unit.masked];
    put(key, image_of(i));
    put(key, way.table), put(key, way.place), put(key, way.blended);
    put(key, s.entry), put(key, s.ends), put(key, s.branches), put(key, s.sum), put(key, s.run),
        put(key, s.kind), put(key, s.waits), put(key, s.extends), put(key, s.join), put(key, s.operands),
        put(key, s.reads), put(key, s.writes), put(key, s.shape), put(key, s.plain), put(key, s.meets),
        put(key, s.collective), put(key, s.directed), put(key, s.carries), put(key, s.ordered),
        put(key, s.two_pieces), put(key, s.noted), put(key, s.walks), put(key, s.local), put(key, s.product),
        put(key, s.landed), put(key, s.landed_bytes), put(key, s.goes_on);
    put(key, i.aux != nullptr);
    if (i.aux) put(key, image_of(*i.aux));
    if (s.sum) put(key, image_of(*static_cast<const AddressSum*>(i.aux->more)));
    put(key, s.branches ? i.aux->target - unit.code : 0);
    // Instructions with the same native handler share one place for its address.
    u32 first = 0;
    while (unit.steps[first].ways[unit.masked].native != way.native) ++first;
    put(key, first);
    first = 0;
    while (unit.steps[first].ways[1].native != s.ways[1].native) ++first;
    put(key, first);
  }
  return key;
}

}  // namespace

std::string CodeCache::name_of(const CompileUnit& unit, std::string& key) const {
  key = key_of(unit, version_);
  Digest d;
  d.add(key.data(), key.size());
  return d.text();
}

std::optional<std::vector<u8>> CodeCache::find(const CompileUnit& unit) const {
  std::string key;
  const auto kept = files_.find(name_of(unit, key));
  if (!kept) return {};
  const std::string& file = *kept;
  const size_t front = sizeof kMagic + 32 + sizeof(u64);
  u64 magic = 0, key_bytes = 0;
  if (file.size() < front) return {};
  std::memcpy(&magic, file.data(), sizeof magic);
  std::memcpy(&key_bytes, &file[sizeof magic + 32], sizeof key_bytes);
  const std::span<const u8> rest(reinterpret_cast<const u8*>(file.data()) + front, file.size() - front);
  if (magic != kMagic || key_bytes != key.size() || rest.size() < key.size() ||
      std::memcmp(rest.data(), key.data(), key.size()) != 0 ||
      digest_of(rest) != std::string_view(&file[sizeof magic], 32))
    return {};
  return std::vector<u8>(rest.begin() + static_cast<long>(key.size()), rest.end());
}

void CodeCache::keep(const CompileUnit& unit, std::span<const u8> code) {
  std::string key;
  const std::string name = name_of(unit, key);
  std::vector<u8> rest(key.begin(), key.end());
  rest.insert(rest.end(), code.begin(), code.end());
  std::string file;
  put(file, kMagic);
  file += digest_of(rest);
  put(file, u64{key.size()});
  file.append(rest.begin(), rest.end());
  files_.keep(name, file);
}

void CodeCache::begin(const CompileUnit& unit) {
  std::string key;
  files_.keep(name_of(unit, key), kBegun);
}

bool CodeCache::begun(const CompileUnit& unit) const {
  std::string key;
  return files_.find(name_of(unit, key)) == kBegun;
}

std::string linkers_digest(const std::string& library) {
  std::error_code none;
  if (!std::filesystem::is_regular_file(library, none)) return "";
  std::ifstream file(library, std::ios::binary);
  const auto read = [&](u64 at, void* to, u64 bytes) {
    file.seekg(static_cast<std::streamoff>(at));
    return static_cast<bool>(file.read(static_cast<char*>(to), static_cast<std::streamsize>(bytes)));
  };
  Elf64_Ehdr head;
  if (!read(0, &head, sizeof head) || std::memcmp(head.e_ident, ELFMAG, SELFMAG) != 0 ||
      head.e_ident[EI_CLASS] != ELFCLASS64 || head.e_phentsize != sizeof(Elf64_Phdr))
    return "";
  for (u64 k = 0; k < head.e_phnum; ++k) {
    Elf64_Phdr part;
    if (!read(head.e_phoff + k * sizeof part, &part, sizeof part)) return "";
    if (part.p_type != PT_NOTE || part.p_filesz > 4096) continue;
    std::string notes(part.p_filesz, 0);
    if (!read(part.p_offset, notes.data(), notes.size())) return "";
    const auto padded = [](u64 n) { return (n + 3) / 4 * 4; };
    for (u64 at = 0; at + sizeof(Elf64_Nhdr) <= notes.size();) {
      Elf64_Nhdr note;
      std::memcpy(&note, &notes[at], sizeof note);
      const u64 name = at + sizeof note, text = name + padded(note.n_namesz);
      if (text + note.n_descsz > notes.size()) break;
      if (note.n_type == NT_GNU_BUILD_ID && notes.compare(name, 4, std::string("GNU", 4)) == 0)
        return notes.substr(text, note.n_descsz);
      at = text + padded(note.n_descsz);
    }
  }
  return "";
}

CodeCache* code_cache(const std::string& compiler) {
  static CodeCache* const cache = [&]() -> CodeCache* {
    const KeptWhere where = kept_where("WARPWRIGHT_CODE_CACHE", "code", 256);
    if (where.folder.empty() || compiler.empty()) return nullptr;
    // What the library holds says which version it is: that of its bitcode and of LLVM's library, by name.
    std::string library = linkers_digest(compiler);
    if (library.empty()) {
      auto all = read_file(compiler, kMostBytes, InputFile::Kind::Regular);
      if (!all) return nullptr;
      library = std::move(*all);
    }
    Digest d;
    d.add(library.data(), library.size());
    return new CodeCache(where.folder, d.text(),
                         where.limit);  // never destroyed: the compiler's thread may use it
  }();
  return cache;
}

}  // namespace ww::engine
