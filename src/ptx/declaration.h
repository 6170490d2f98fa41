// Declarations of variables, parameters and registers.
#pragma once

#include <optional>
#include <vector>

#include "ptx/context.h"

namespace ww::ptx {

/// ".global .align 8 .v2 .f32": what stands before the names.
struct Attributes {
  ir::Space space = ir::Space::None;
  ir::Type type = ir::Type::none;
  int vector = 1;
  uint32_t alignment = 0;  ///< 0: not given
  bool managed = false;
};

/// "name[4][2]".
struct Declarator {
  Token name;
  std::vector<uint64_t> dimensions;
  bool unsized = false;  ///< the first dimension is "[]"
};

/// The state space that a directive names; None if it names none (or .reg: see Space::Reg).
ir::Space space_of(std::string_view directive);

/// Reads what follows a space directive up to the name; reports and returns nothing when it is no
/// declaration.
std::optional<Attributes> read_attributes(Context& context, ir::Space space);
std::optional<Declarator> read_declarator(Context& context);

/// A variable with the size that attributes and declarator give it; reports sizes beyond the limits.
std::optional<ir::Variable> make_variable(Context& context, const Attributes& attributes,
                                          const Declarator& declarator);

/// Variables at module scope or (owner >= 0) in a function, from behind the space directive to the ';'.
bool read_variables(Context& context, ir::Space space, ir::Linkage linkage, int owner);
/// Registers of a function, from behind ".reg" to the ';'.
bool read_registers(Context& context, ir::Function& function);

}  // namespace ww::ptx
