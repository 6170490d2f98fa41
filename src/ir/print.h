// The intermediate form as text: close to PTX, with blocks numbered and their neighbours shown.
#pragma once

#include <string>
#include <string_view>

#include "ir/module.h"

namespace ww::ir {

/// "shared", "constant", "parameter": a space in a sentence; "generic" for none.
std::string_view plain_name(Space space);

/// "add.rn.ftz.f32": the mnemonic with the modifiers chosen.
std::string name_of(const Instruction& instruction);
/// "@%p1 bra $L__BB0_2", "ld.global.f32 %f1, [%rd1+4]": as PTX has it, without the semicolon.
std::string text_of(const Module& module, const Function& function, const Instruction& instruction);
/// "%r1", "!%p2", "[%rd1+4]", "{%f1, _}", "0x2a", "@3": as print writes it. An immediate is written by its
/// type.
std::string text_of(const Module& module, const Function& function, const Operand& operand,
                    Type type = Type::none);

std::string print(const Module& module, const Function& function);
std::string print(const Module& module);

}  // namespace ww::ir
