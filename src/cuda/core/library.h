// Code that the program loads itself (cuModuleLoad, cuLibraryLoadData): PTX, a fatbin, or a file with one.
#pragma once

#include <string>

#include "cuda/core/code.h"

namespace ww::cuda {

/// `code`: PTX that ends with a zero, a fatbin, or a wrapper as __cudaRegisterFatBinary takes it. It is kept:
/// the program may free its own. Errors: InvalidKernelImage, NoKernelImageForDevice (machine code).
Error load_library(const void* code, CodeModule*& library);
/// Errors: FileNotFound, and those of load_library.
Error load_library_file(const char* file, CodeModule*& library);
/// The PTX of code in any of those forms, for one GPU. Errors as load_library.
Error library_text(const void* code, DeviceContext& device, std::string& ptx);
/// Several PTX texts that are to be linked, as one piece of code for load_library().
std::string linked_image(const std::vector<std::string>& texts);
bool is_library(const CodeModule* library);
/// Error: InvalidResourceHandle.
Error unload_library(CodeModule* library);

}  // namespace ww::cuda
