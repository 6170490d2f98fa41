#include "ptx/initializer.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/round.h"
#include "ptx/constant.h"
#include "ptx/parser.h"

namespace ww::ptx {

namespace {

class Initializer {
 public:
  Initializer(Context& context, const Attributes& attributes, const Declarator& declarator,
              ir::Variable& variable)
      : context_(context), in_(context.in), name_(declarator.name), variable_(variable) {
    element_ = static_cast<uint64_t>(isa::bytes(attributes.type));
    // strides_[i]: bytes of what a brace of depth i encloses; the whole variable is left out.
    uint64_t stride = element_;
    if (attributes.vector > 1)
      strides_.insert(strides_.begin(), stride *= static_cast<uint64_t>(attributes.vector));
    for (size_t i = declarator.dimensions.size(); i-- > (declarator.unsized ? 0u : 1u);)
      strides_.insert(strides_.begin(), stride *= declarator.dimensions[i]);
    limit_ = declarator.unsized ? kMaxInitialBytes : variable.bytes;
    unsized_ = declarator.unsized;
    outermost_ = stride;
  }

  bool read() {
    if (isa::bits(variable_.type) % 8 != 0)
      return in_.error(name_, "a variable of this type cannot be initialised"), false;
    if (!(in_.token().is('{') ? braces(0) : scalar())) return false;
    if (unsized_) {
      uint64_t unit = std::max<uint64_t>(outermost_, 1);
      variable_.bytes = round_up(at_, unit);
    }
    uint64_t missing = variable_.bytes - variable_.initial.size();
    if (!reserve(missing)) return false;
    variable_.initial.resize(variable_.bytes);
    return true;
  }

 private:
  bool reserve(uint64_t bytes) {
    if (bytes <= kMaxInitialBytes && context_.initial_bytes + bytes <= kMaxInitialBytes) {
      context_.initial_bytes += bytes;
      return true;
    }
    in_.error(name_, fmt::format("the module has more than {} bytes of initial values", kMaxInitialBytes));
    return false;
  }

  bool braces(size_t depth) {
    if (depth > strides_.size()) {
      in_.unexpected("a number");
      return false;
    }
    in_.take();
    uint64_t begin = at_;
    while (!in_.token().is('}')) {
      if (in_.token().is('{')) {
        uint64_t stride = depth < strides_.size() ? strides_[depth] : element_;
        if (stride > 0 && (at_ - begin) % stride != 0) at_ += stride - (at_ - begin) % stride;
        uint64_t inner = at_;
        if (!braces(depth + 1)) return false;
        if (at_ > inner + stride || inner + stride > limit_) return too_many();
        at_ = inner + stride;
      } else if (!scalar()) {
        return false;
      }
      if (!in_.accept(',') && !in_.token().is('}')) {
        in_.unexpected("',' or '}'");
        return false;
      }
    }
    in_.take();
    return true;
  }

  bool too_many() {
    in_.error(in_.token(), fmt::format("more initial values than '{}' has room for", shown(name_.text)));
    return false;
  }

  // Puts the bytes of one element at the current place.
  bool put(uint64_t bits) {
    if (at_ + element_ > limit_) return too_many();
    if (variable_.initial.size() < at_ + element_) {
      if (!reserve(at_ + element_ - variable_.initial.size())) return false;
      variable_.initial.resize(at_ + element_);
    }
    for (uint64_t i = 0; i < element_ && i < 8; ++i)
      variable_.initial[at_ + i] = static_cast<uint8_t>(bits >> (8 * i));
    at_ += element_;
    return true;
  }

  bool scalar() {
    const Token& token = in_.token();
    if (token.is_word() && token.text != "WARP_SZ") return address();
    Token at = token;
    auto value = read_constant(in_);
    if (!value) return false;
    if (in_.token().is('(') && value->is_integer()) return masked(at, value->integer);
    auto bits = bits_of(*value, variable_.type);
    if (!bits) {
      in_.error(at, fmt::format("'{}' cannot be initialised with this constant: its type is .{}",
                                shown(name_.text), isa::name(variable_.type)));
      return false;
    }
    return put(*bits);
  }

  // symbol, symbol+4, generic(symbol), generic(symbol)+4
  bool read_relocation(ir::Relocation& relocation) {
    Token name;
    if (!in_.expect_word(name, "a name")) return false;
    if (name.text == "generic" && in_.accept('(')) {
      relocation.generic = true;
      if (!in_.expect_word(name, "a name")) return false;
      if (!read_addend(relocation) || !in_.expect(')', "behind the name")) return false;
    }
    auto symbol = context_.find_symbol(name);
    if (!symbol) return false;
    relocation.symbol = *symbol;
    return read_addend(relocation);
  }
  bool read_addend(ir::Relocation& relocation) {
    if (!in_.token().is('+') && !in_.token().is('-')) return true;
    auto addend = read_constant(in_);
    if (!addend) return false;
    relocation.addend = static_cast<int64_t>(static_cast<uint64_t>(relocation.addend) + addend->integer);
    return true;
  }

  bool address() {
    Token at = in_.token();
    ir::Relocation relocation;
    if (!read_relocation(relocation)) return false;
    if (element_ != 4 && element_ != 8) {
      in_.error(at, fmt::format("an address does not fit in .{}", isa::name(variable_.type)));
      return false;
    }
    relocation.offset = at_;
    relocation.bytes = static_cast<int>(element_);
    variable_.relocations.push_back(relocation);
    return put(0);
  }

  // 0xff00(symbol): one byte of an address, in an array of bytes. All eight (or four) follow one another.
  bool masked(const Token& at, uint64_t mask) {
    in_.take();
    ir::Relocation relocation;
    if (!read_relocation(relocation) || !in_.expect(')', "behind the address")) return false;
    if (element_ != 1) return in_.error(at, "a byte of an address needs a variable of bytes"), false;
    if (mask == 0xff) {
      relocation.offset = at_;
      relocation.bytes = 1;
      variable_.relocations.push_back(relocation);
      return put(0);
    }
    if (!variable_.relocations.empty()) {
      ir::Relocation& begun = variable_.relocations.back();
      bool same = begun.symbol == relocation.symbol && begun.addend == relocation.addend &&
                  begun.generic == relocation.generic;
      if (same && begun.bytes < 8 && begun.offset + static_cast<uint64_t>(begun.bytes) == at_ &&
          mask == uint64_t{0xff} << (8 * begun.bytes)) {
        ++begun.bytes;
        return put(0);
      }
    }
    in_.error(at, "bytes of an address must begin with 0xff and follow one another");
    return false;
  }

  Context& context_;
  Reader& in_;
  Token name_;
  ir::Variable& variable_;
  std::vector<uint64_t> strides_;
  uint64_t element_ = 1, at_ = 0, limit_ = 0, outermost_ = 1;
  bool unsized_ = false;
};

}  // namespace

bool read_initializer(Context& context, const Attributes& attributes, const Declarator& declarator,
                      ir::Variable& variable) {
  return Initializer(context, attributes, declarator, variable).read();
}

}  // namespace ww::ptx
