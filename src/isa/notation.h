// Reads the notation of a form (chapters.inc) into slots and operands.
#pragma once

#include "isa/form.h"

namespace ww::isa {

/// Fills mnemonic, slots and operands of `form` from form.notation. `type_lists` is the text of the row's
/// type lists, "(u16, u32), (s32)". A notation that cannot be read is our own bug: assertion.
void read_notation(Form& form, std::string_view type_lists);

}  // namespace ww::isa
