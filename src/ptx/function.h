// Functions and kernels: head, attributes, and the body.
#pragma once

#include "ptx/body.h"
#include "ptx/declaration.h"

namespace ww::ptx {

class FunctionParser {
 public:
  explicit FunctionParser(Context& context) : context_(context), in_(context.in) {}

  /// From behind .entry or .func to behind the body or the ';'.
  bool parse(ir::Linkage linkage, bool entry);

 private:
  bool read_params(std::vector<ir::Param>& params, ir::Function& function);
  bool read_param(std::vector<ir::Param>& params, ir::Function& function);
  bool read_attributes_of(ir::Function& function);
  bool read_dimensions(uint32_t (&dimensions)[3]);
  std::optional<ir::SymbolId> symbol_for(const Token& name, ir::Linkage linkage, const ir::Function& function,
                                         bool definition);

  Context& context_;
  Reader& in_;
  FormFinder forms_;
};

}  // namespace ww::ptx
