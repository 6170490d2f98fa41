// program PLUGIN: reports for itself, the library that it is linked with, and a plug-in that it opens.
#include <dlfcn.h>

#include <cstdio>

extern "C" void program_report();
extern "C" void redirect_linked_report();

int main(int argc, char** argv) {
  program_report();
  redirect_linked_report();
  void* plugin = argc > 1 ? dlopen(argv[1], RTLD_NOW) : nullptr;
  auto report = plugin ? reinterpret_cast<void (*)()>(dlsym(plugin, "redirect_plugin_report")) : nullptr;
  if (!report) return std::printf("no plug-in\n"), 1;
  report();
  dlclose(plugin);
  return 0;
}
