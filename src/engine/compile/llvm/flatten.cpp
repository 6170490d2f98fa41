#include "engine/compile/llvm/flatten.h"

#include <llvm/BinaryFormat/ELF.h>
#include <llvm/Object/ELFObjectFile.h>

#include <cstring>
#include <iterator>
#include <map>

#include "engine/compile/llvm/pieces.h"

namespace ww::engine {

namespace {

using llvm::StringRef;
using llvm::object::ELF64LEObjectFile;
using llvm::object::SectionRef;

/// The sections one behind another, and behind them a table of the addresses from outside.
class Flat {
 public:
  explicit Flat(const ELF64LEObjectFile& object) : object_(object) {}

  void lay_out() {
    for (const SectionRef& s : object_.sections()) {
      const auto flags = llvm::object::ELFSectionRef(s).getFlags();
      if (!(flags & llvm::ELF::SHF_ALLOC) || s.getSize() == 0) continue;
      if (flags & llvm::ELF::SHF_WRITE || s.isBSS()) throw Failure{"the code has variables"};
      pad(s.getAlignment().value());
      starts_[s.getIndex()] = code_.size();
      const StringRef content = checked(s.getContents(), "section");
      code_.insert(code_.end(), content.bytes_begin(), content.bytes_end());
    }
    pad(sizeof(u64));
  }

  void relocate() {
    for (const SectionRef& list : object_.sections()) {
      const auto applied = checked(list.getRelocatedSection(), "relocations");
      if (applied == object_.section_end()) continue;
      const auto section = starts_.find(applied->getIndex());
      if (section == starts_.end()) continue;
      for (const llvm::object::ELFRelocationRef r : list.relocations()) {
        const u64 at = section->second + r.getOffset();
        const u64 target = target_of(r) + static_cast<u64>(checked(r.getAddend(), "addend"));
        if (at + sizeof(u32) > code_.size()) throw Failure{"a relocation lies outside"};
        relocate(static_cast<u32>(r.getType()), at, target);
      }
    }
  }

  std::vector<u8> written(u32 count) {
    CodeHeader header;
    header.code_bytes = code_.size();
    header.instructions = count;
    header.slots = static_cast<u32>(slots_.size());
    std::vector<u32> entry(count, kNoEntry);
    for (const auto& symbol : object_.symbols()) {
      StringRef name = checked(symbol.getName(), "symbol");
      u32 k = 0;
      if (!name.consume_front(kEntryName) || name.getAsInteger(10, k) || k >= count) continue;
      entry[k] = static_cast<u32>(place_of(symbol));
    }
    std::vector<u8> out;
    const auto put = [&](const void* p, size_t bytes) {
      out.insert(out.end(), static_cast<const u8*>(p), static_cast<const u8*>(p) + bytes);
    };
    put(&header, sizeof header);
    put(entry.data(), entry.size() * sizeof(u32));
    put(slots_.data(), slots_.size() * sizeof(CodeSlot));
    put(code_.data(), code_.size());
    return out;
  }

 private:
  void pad(u64 alignment) { code_.resize((code_.size() + alignment - 1) / alignment * alignment); }

  u64 place_of(const llvm::object::SymbolRef& symbol) {
    const auto section = checked(symbol.getSection(), "section of a symbol");
    const auto start = starts_.find(section->getIndex());
    if (start == starts_.end()) throw Failure{"a symbol lies in no section"};
    return start->second + checked(symbol.getValue(), "symbol");
  }

  /// Where the address of a function outside stands.
  u64 slot_of(StringRef name) {
    auto [it, fresh] = outside_.try_emplace(name.str(), code_.size());
    if (!fresh) return it->second;
    CodeSlot slot;
    slot.at = code_.size();
    StringRef number = name;
    if (!number.consume_front(kNativeName) || number.getAsInteger(10, slot.native)) {
      slot.native = kNoEntry;
      if (name.size() >= sizeof slot.name) throw Failure{"the name " + name.str() + " is too long"};
      std::memcpy(slot.name, name.data(), name.size());
    }
    slots_.push_back(slot);
    code_.resize(code_.size() + sizeof(u64));
    return it->second;
  }

  u32 word_at(u64 at) const {
    u32 word = 0;
    std::memcpy(&word, &code_[at], sizeof word);
    return word;
  }
  void put_word(u64 at, u64 word) {
    const auto low = static_cast<u32>(word);
    std::memcpy(&code_[at], &low, sizeof low);
  }

  /// The code begins with a page, so that distances between pages are known.
  void relocate(u32 type, u64 at, u64 target) {
    const auto bits = [&](unsigned shift, unsigned count) {
      return static_cast<u32>(target >> shift & ((u64{1} << count) - 1));
    };
    const u64 distance = target - at, pages = (target >> 12) - (at >> 12);
    switch (type) {
      case llvm::ELF::R_AARCH64_ADR_PREL_PG_HI21:
      case llvm::ELF::R_AARCH64_ADR_GOT_PAGE:
        return put_word(at, word_at(at) | (pages & 3) << 29 | (pages >> 2 & 0x7ffff) << 5);
      case llvm::ELF::R_AARCH64_CALL26:
      case llvm::ELF::R_AARCH64_JUMP26:
        return put_word(at, word_at(at) | (distance >> 2 & 0x3ffffff));
      case llvm::ELF::R_AARCH64_ADD_ABS_LO12_NC:
      case llvm::ELF::R_AARCH64_LDST8_ABS_LO12_NC:
        return put_word(at, word_at(at) | bits(0, 12) << 10);
      case llvm::ELF::R_AARCH64_LDST16_ABS_LO12_NC:
        return put_word(at, word_at(at) | bits(1, 11) << 10);
      case llvm::ELF::R_AARCH64_LDST32_ABS_LO12_NC:
        return put_word(at, word_at(at) | bits(2, 10) << 10);
      case llvm::ELF::R_AARCH64_LDST64_ABS_LO12_NC:
      case llvm::ELF::R_AARCH64_LD64_GOT_LO12_NC:
        return put_word(at, word_at(at) | bits(3, 9) << 10);
      case llvm::ELF::R_AARCH64_LDST128_ABS_LO12_NC:
        return put_word(at, word_at(at) | bits(4, 8) << 10);
      default:  // a distance of 32 bits; on x86 all are
        return put_word(at, distance);
    }
  }

  /// A jump to a function outside, for calls that expect the function itself.
  u64 jump_to(StringRef name) {
    if (auto it = jumps_.find(name.str()); it != jumps_.end()) return it->second;
    const u64 slot = slot_of(name), at = code_.size();
    if (object_.getArch() == llvm::Triple::aarch64) {
      for (u32 word :
           {0x90000010u, 0xf9400210u, 0xd61f0200u, 0u}) {  // adrp x16, slot; ldr x16, [x16, slot]; br x16
        code_.resize(code_.size() + sizeof word);
        put_word(code_.size() - sizeof word, word);
      }
      relocate(llvm::ELF::R_AARCH64_ADR_PREL_PG_HI21, at, slot);
      relocate(llvm::ELF::R_AARCH64_LDST64_ABS_LO12_NC, at + sizeof(u32), slot);
    } else {
      const u8 jump[] = {0xff, 0x25, 0, 0, 0, 0, 0, 0};  // jmp *slot(%rip)
      code_.insert(code_.end(), std::begin(jump), std::end(jump));
      put_word(at + 2, slot - (at + 6));
    }
    return jumps_[name.str()] = at;
  }

  u64 target_of(const llvm::object::ELFRelocationRef& r) {
    const auto symbol = r.getSymbol();
    if (symbol == object_.symbol_end()) throw Failure{"a relocation without a symbol"};
    const bool inside = checked(symbol->getSection(), "symbol") != object_.section_end();
    switch (r.getType()) {
      case llvm::ELF::R_X86_64_PC32:
      case llvm::ELF::R_X86_64_PLT32:
      case llvm::ELF::R_AARCH64_PREL32:
      case llvm::ELF::R_AARCH64_ADR_PREL_PG_HI21:
      case llvm::ELF::R_AARCH64_ADD_ABS_LO12_NC:
      case llvm::ELF::R_AARCH64_LDST8_ABS_LO12_NC:
      case llvm::ELF::R_AARCH64_LDST16_ABS_LO12_NC:
      case llvm::ELF::R_AARCH64_LDST32_ABS_LO12_NC:
      case llvm::ELF::R_AARCH64_LDST64_ABS_LO12_NC:
      case llvm::ELF::R_AARCH64_LDST128_ABS_LO12_NC:
      case llvm::ELF::R_AARCH64_CALL26:
      case llvm::ELF::R_AARCH64_JUMP26:
        return inside ? place_of(*symbol) : jump_to(checked(symbol->getName(), "symbol"));
      case llvm::ELF::R_X86_64_GOTPCREL:
      case llvm::ELF::R_X86_64_GOTPCRELX:
      case llvm::ELF::R_X86_64_REX_GOTPCRELX:
      case llvm::ELF::R_AARCH64_ADR_GOT_PAGE:
      case llvm::ELF::R_AARCH64_LD64_GOT_LO12_NC:
        if (!inside) return slot_of(checked(symbol->getName(), "symbol"));
        [[fallthrough]];
      default:
        throw Failure{"a relocation of the kind " + std::to_string(r.getType())};
    }
  }

  const ELF64LEObjectFile& object_;
  std::vector<u8> code_;
  std::map<u64, u64> starts_;  ///< of sections
  std::map<std::string, u64> outside_, jumps_;
  std::vector<CodeSlot> slots_;
};

}  // namespace

std::vector<u8> flatten(llvm::MemoryBufferRef object, u32 count) {
  const ELF64LEObjectFile file = checked(ELF64LEObjectFile::create(object), "object");
  Flat flat(file);
  flat.lay_out();
  flat.relocate();
  return flat.written(count);
}

}  // namespace ww::engine
