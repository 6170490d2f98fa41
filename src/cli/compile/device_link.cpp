#include "cli/compile/device_link.h"

#include <fmt/format.h>

#include "base/file.h"

namespace ww::cli {

namespace {

/// The function that the object calls before main to register what it has: __cudaRegisterLinkedBinary and the
/// number of its module. Empty: it has nothing for the device.
std::string registration_of(const std::string& object) {
  constexpr std::string_view kName = "__cudaRegisterLinkedBinary";
  const size_t at = object.find(kName);
  if (at == object.npos) return "";
  return object.substr(at, object.find('\0', at) - at);
}

// The wrapper of a linked program (version 2) names the files' fatbins, up to a null pointer; its own fatbin
// has a header and nothing else.
constexpr const char* kSource = R"(
namespace {{
struct Wrapper {{ unsigned magic, version; const void* fatbin; const void* const* files; }};
struct Empty {{ unsigned magic; unsigned short version, header_bytes; unsigned long long bytes; }};
const Empty nothing = {{0xba55ed50, 1, 16, 0}};
const void* files[{0} + 1];
Wrapper all = {{0x466243b1, 2, &nothing, files}};
void (*registrations[{0}])(void**);
int known;
void** handle;
}}
extern "C" void** __cudaRegisterFatBinary(void*);
extern "C" void __cudaRegisterFatBinaryEnd(void**);
extern "C" void __cudaUnregisterFatBinary(void**);
static void warpwright_known(void (*globals)(void**), const Wrapper* wrapper) {{
  files[known] = wrapper->fatbin;
  registrations[known++] = globals;
  if (known != {0}) return;
  handle = __cudaRegisterFatBinary(&all);
  for (int i = 0; i < {0}; ++i) registrations[i](handle);
  __cudaRegisterFatBinaryEnd(handle);
}}
__attribute__((destructor)) static void warpwright_forget() {{
  if (handle) __cudaUnregisterFatBinary(handle);
}}
)";

}  // namespace

Result<std::string> device_link_source(const std::vector<std::string>& objects) {
  std::vector<std::string> names;
  for (const std::string& object : objects) {
    auto bytes = read_file(object);
    if (!bytes) return bytes.error();
    if (std::string name = registration_of(*bytes); !name.empty()) names.push_back(name);
  }
  if (names.empty()) return std::string();
  std::string source = fmt::format(kSource, names.size());
  for (const std::string& name : names)
    source += fmt::format(
        "extern \"C\" void {}(void (*globals)(void**), const Wrapper* wrapper, void*, void*) {{\n"
        "  warpwright_known(globals, wrapper);\n}}\n",
        name);
  return source;
}

}  // namespace ww::cli
