// Operands: as they are written, and as an operand of a form.
#pragma once

#include <vector>

#include "ptx/constant.h"
#include "ptx/context.h"

namespace ww::ptx {

/// An operand as written, before the form says what it has to be.
struct Written {
  enum class Kind : uint8_t {
    Sink,      ///< _
    Name,      ///< name, name.x, name+4, name[4]
    Constant,  ///< a constant expression
    Memory,    ///< [ … ]
    Brace,     ///< { … }
  };
  Kind kind = Kind::Sink;
  Token token;              ///< its first token
  Token part;               ///< ".x" behind a name; Kind::End if there is none
  bool negated = false;     ///< !
  bool behind_bar = false;  ///< the q of p|q
  bool indexed = false;     ///< name[index]
  int64_t offset = 0;       ///< behind a name: in bytes, of name[index] in elements
  Constant constant;
  std::vector<Written> inner;  ///< of Memory and Brace
};

/// Reads operands up to the ';' (which is left); false after an error.
bool read_operands(Context& context, std::vector<Written>& operands);
bool read_operand(Context& context, Written& operand);

/// Of a name that is a vector register's ("v", "v.x") makes what stands for it: the list of its elements, or
/// the element. False after an error.
bool resolve_vector(Context& context, Written& operand);

/// Turns one written value (register, constant, special register, address) into an operand of the type; false
/// after an error. `what` is the operand's name in messages.
bool make_value(Context& context, const Written& written, ir::Type type, ir::Operand& operand);
/// Reads the ".b3210" behind a register of a video instruction; false after an error.
bool make_selector(Context& context, const Written& written, ir::Selector& selector);
bool make_memory(Context& context, const Written& written, ir::Operand& operand);

}  // namespace ww::ptx
