// A library of a toolkit, or ours of the same name, which gets the toolkit's for itself.
#include <dlfcn.h>

#include <string>

extern "C" const char* whose() {
  static std::string text = WHOSE;
  if (text == "ours") {
    void* behind = dlopen(TOOLKIT "/./libcublas.so.13", RTLD_NOW | RTLD_LOCAL);
    auto theirs = behind ? reinterpret_cast<const char* (*)()>(dlsym(behind, "whose")) : nullptr;
    text += std::string(" before ") + (theirs && theirs != whose ? theirs() : "nothing");
  }
  return text.c_str();
}
