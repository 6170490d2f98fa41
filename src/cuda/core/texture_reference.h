// Texture and surface references of modules that the program loads (CUtexref, CUsurfref): variables of the
// code, set by calls of the driver; in device memory each holds the handle of an object.
#pragma once

#include <string>

#include "cuda/abi/texture.h"
#include "cuda/core/code.h"

namespace ww::cuda {

struct ModuleReference {
  bool surface = false;
  u64 variable = 0;  ///< where kernels find the handle; 0: of cuTexRefCreate
  bool bound = false;
  ResourceDesc resource{};  ///< where bound
  ChannelDesc format{};     ///< of memory that is bound later
  TextureDesc texture{};    ///< its read_mode is found out when it is shown to kernels
  u32 flags = 0;            ///< CU_TRSF_…
  u64 object = 0;  ///< what kernels read through; 0: nothing, or settings that do not fit together yet
};

/// Whether the memory holds integers of 8 or 16 bits, which the driver reads as fractions of 1.
bool holds_small_integers(const ResourceDesc& resource);

/// The reference of that name; it lives as long as the module. Error: SymbolNotFound, those of
/// CodeModule::on.
Error reference_of(CodeModule& module, DeviceContext& device, const std::string& name, bool surface,
                   ModuleReference*& reference);
ModuleReference* make_reference();
/// Only what make_reference() made. Error: InvalidValue.
Error destroy_reference(ModuleReference* reference);
bool is_reference(const ModuleReference* reference, bool surface);
/// The module is unloaded.
void forget_references(const CodeModule* module);
/// Lets kernels that are launched from now on see the reference as it is set.
void show_reference(ModuleReference& reference);

}  // namespace ww::cuda
