// Instructions: which form of the table one is, and its operands.
#pragma once

#include <string_view>
#include <unordered_map>
#include <vector>

#include "ptx/operand.h"

namespace ww::ptx {

/// The dotted name of an instruction.
struct Name {
  Token mnemonic;
  std::vector<Token> modifiers;
  std::string_view text;  ///< all of it, as written

  Token whole() const {
    Token token = mnemonic;
    token.text = text;
    return token;
  }
};

/// A form that an instruction's name fits, with the modifiers chosen.
struct Candidate {
  ir::Op op{};
  isa::Chosen chosen;
};

/// Finds the forms for names, and remembers them: modules use few names many times.
class FormFinder {
 public:
  /// Refuses and returns an empty list when there is no such instruction or it is not implemented.
  const std::vector<Candidate>& find(Context& context, const Name& name);

 private:
  std::unordered_map<std::string_view, std::vector<Candidate>> known_;
};

Name read_name(Reader& in);

/// "mov.v2.u32", which has no form of its own: it is a move for each element.
bool is_vector_move(const Name& name);

/// The written operand for each operand of the form (nullptr: left out); false if they do not fit in number
/// or shape.
bool distribute(const isa::Form& form, const std::vector<Written>& written,
                std::vector<const Written*>& operands);

/// Picks the candidate whose operands fit and converts them, except labels and the names of branch targets,
/// which stay Kind::None. Reports and returns false when none fits.
bool make_operands(Context& context, const Name& name, const std::vector<Candidate>& candidates,
                   const std::vector<Written>& written, ir::Instruction& instruction);

}  // namespace ww::ptx
