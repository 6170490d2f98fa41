#include "isa/type.h"

namespace ww::isa {

namespace {

struct Info {
  std::string_view name;
  int bits;
  TypeClass type_class;
};

constexpr Info kTypes[] = {
    {"none", 0, TypeClass::None},
#define WW_TYPE(name, bits, klass) {#name, bits, TypeClass::klass},
    WW_TYPES(WW_TYPE)
#undef WW_TYPE
};

const Info& info(Type type) { return kTypes[static_cast<int>(type)]; }

}  // namespace

int bits(Type type) { return info(type).bits; }
TypeClass type_class(Type type) { return info(type).type_class; }
std::string_view name(Type type) { return info(type).name; }

Type twice(Type type) {
  switch (type) {
    case Type::b8: return Type::b16;
    case Type::b16: return Type::b32;
    case Type::b32: return Type::b64;
    case Type::b64: return Type::b128;
    case Type::u8: return Type::u16;
    case Type::u16: return Type::u32;
    case Type::u32: return Type::u64;
    case Type::s8: return Type::s16;
    case Type::s16: return Type::s32;
    case Type::s32: return Type::s64;
    case Type::f16: return Type::f32;
    case Type::f32: return Type::f64;
    default: return Type::none;
  }
}

}  // namespace ww::isa
