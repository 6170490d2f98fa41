// search_program [PATH]: whose library it is that it is linked with, or that it opens by that path.
#include <dlfcn.h>

#include <cstdio>

extern "C" const char* whose();

int main(int argc, char** argv) {
  auto which = &whose;
  if (argc > 1) {
    void* library = dlopen(argv[1], RTLD_NOW);
    which = library ? reinterpret_cast<const char* (*)()>(dlsym(library, "whose")) : nullptr;
  }
  std::printf("%s\n", which ? which() : "none");
}
