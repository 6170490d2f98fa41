// cuLink: PTX texts of the program made one.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "cuda/abi/driver.h"

namespace ww::cuda {

struct LinkState {
  struct Input {
    std::string name, text;
  };
  std::vector<Input> inputs;
  std::string whole;  ///< what cuLinkComplete made; it ends with the state
  char* log = nullptr;
  size_t log_bytes = 0;
};

LinkState* make_link();
bool is_link(const LinkState* state);
Error destroy_link(LinkState* state);
/// By the numbers of CUjitInputType. Errors: InvalidValue, and those of load_library().
Error add_input(LinkState& state, int type, const void* data, size_t bytes, const char* name,
                DeviceContext& device);
/// Errors: InvalidPtx, InvalidValue (nothing to link).
Error complete(LinkState& state);

}  // namespace ww::cuda
