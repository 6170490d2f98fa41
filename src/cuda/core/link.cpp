#include "cuda/core/link.h"

#include <cstring>

#include "base/live_handles.h"
#include "cuda/core/library.h"
#include "cuda/core/report.h"
#include "ir/link.h"
#include "ir/verify.h"
#include "ptx/parser.h"

namespace ww::cuda {

namespace {
LiveHandles& links() {
  static auto* all = new LiveHandles;
  return *all;
}
enum Input { kInputMachineCode = 0, kInputPtx = 1, kInputFatbin = 2, kInputObject = 3, kInputArchive = 4 };
}  // namespace

LinkState* make_link() {
  auto* state = new LinkState;
  links().add(state);
  return state;
}
bool is_link(const LinkState* state) { return links().has(state); }
Error destroy_link(LinkState* state) {
  if (!links().remove(state)) return Error::InvalidResourceHandle;
  delete state;
  return Error::Success;
}

Error add_input(LinkState& state, int type, const void* data, size_t bytes, const char* name,
                DeviceContext& device) {
  if (!data || !bytes) return Error::InvalidValue;
  std::string label = name && *name ? name : "input " + std::to_string(state.inputs.size() + 1);
  // The device's runtime library (libcudadevrt.a): the engine has it itself.
  if (type == kInputArchive) {
    if (label.find("cudadevrt") == std::string::npos)
      say_once("cuLink archive", "cuLinkAddFile: the archive " + label +
                                     " is not read; kernels that call what is in it are refused");
    return Error::Success;
  }
  if (type != kInputPtx && type != kInputFatbin) {
    say_once("cuLink " + std::to_string(type),
             "cuLinkAdd: only PTX and fatbins with PTX can be linked, not " +
                 std::string(type == kInputMachineCode ? "machine code"
                             : type == kInputObject    ? "host objects"
                                                       : "this"));
    return Error::NoKernelImageForDevice;
  }
  std::string copy(static_cast<const char*>(data), bytes);
  copy.append(8, '\0');
  std::string text;
  if (Error e = library_text(copy.data(), device, text); e != Error::Success) return e;
  if (!text.empty()) state.inputs.push_back({std::move(label), std::move(text)});
  return Error::Success;
}

Error complete(LinkState& state) {
  std::vector<ir::Module> modules;
  auto fail = [&](const std::string& why) {
    if (state.log && state.log_bytes) std::snprintf(state.log, state.log_bytes, "%s", why.c_str());
    say("the program's PTX cannot be linked:\n" + why);
    return Error::InvalidPtx;
  };
  for (const LinkState::Input& i : state.inputs) {
    auto parsed = ptx::parse(i.name, i.text);
    if (!parsed) return fail(render(parsed.error(), i.text));
    if (Diagnostics wrong = ir::verify(*parsed); !wrong.empty()) return fail(render(wrong, i.text));
    modules.push_back(std::move(parsed).value());
  }
  if (modules.empty()) return Error::InvalidValue;
  if (auto linked = ir::link(std::move(modules)); !linked) return fail(render(linked.error()));
  std::vector<std::string> texts;
  for (const LinkState::Input& i : state.inputs) texts.push_back(i.text);
  state.whole = linked_image(texts);
  return Error::Success;
}

}  // namespace ww::cuda
