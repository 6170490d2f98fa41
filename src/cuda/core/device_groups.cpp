#include "cuda/core/device_groups.h"

#include <string_view>

#include "ir/link.h"
#include "ptx/parser.h"

namespace ww::cuda {

namespace {

// Arrivals at the barrier are counted for ever, as our cooperative_groups.h does: in round k all have arrived
// when there are (k + 1) times the blocks. Both barriers of the block order its other threads' accesses.
constexpr std::string_view kText = R"(.version 7.0
.target sm_70
.address_size 64

.weak .func (.param .b64 result) cudaCGGetIntrinsicHandle(.param .b32 scope)
{
  .reg .pred %grid;
  .reg .b32 %high, %low, %scope;
  .reg .b64 %handle;
  ld.param.u32 %scope, [scope];
  setp.eq.u32 %grid, %scope, 1;
  mov.u32 %high, %envreg1;
  mov.u32 %low, %envreg2;
  mov.b64 %handle, {%low, %high};
  selp.b64 %handle, %handle, 0, %grid;
  st.param.b64 [result], %handle;
  ret;
}

.weak .func (.param .b32 result) cudaCGSynchronize(.param .b64 handle, .param .b32 flags)
{
  .reg .pred %none, %first, %wait;
  .reg .b32 %error, %a, %b, %blocks, %until, %seen;
  .reg .b64 %barrier;
  mov.u32 %error, 1;
  ld.param.u64 %barrier, [handle];
  setp.eq.u64 %none, %barrier, 0;
  @%none bra DONE;
  mov.u32 %error, 0;
  bar.sync 0;
  mov.u32 %a, %tid.x;
  mov.u32 %b, %tid.y;
  or.b32 %a, %a, %b;
  mov.u32 %b, %tid.z;
  or.b32 %a, %a, %b;
  setp.ne.u32 %first, %a, 0;
  @%first bra ARRIVED;
  mov.u32 %blocks, %nctaid.x;
  mov.u32 %b, %nctaid.y;
  mul.lo.u32 %blocks, %blocks, %b;
  mov.u32 %b, %nctaid.z;
  mul.lo.u32 %blocks, %blocks, %b;
  atom.add.acq_rel.gpu.u32 %until, [%barrier+4], 1;
  div.u32 %until, %until, %blocks;
  add.u32 %until, %until, 1;
  mul.lo.u32 %until, %until, %blocks;
AGAIN:
  ld.acquire.gpu.u32 %seen, [%barrier+4];
  setp.lt.u32 %wait, %seen, %until;
  @%wait bra AGAIN;
ARRIVED:
  bar.sync 0;
DONE:
  st.param.b32 [result], %error;
  ret;
}

.weak .func (.param .b32 result) cudaCGSynchronizeGrid(.param .b64 handle, .param .b32 flags)
{
  .reg .b32 %r<2>;
  .reg .b64 %h;
  ld.param.u64 %h, [handle];
  ld.param.u32 %r0, [flags];
  {
    .param .b64 h;
    .param .b32 f;
    .param .b32 error;
    st.param.b64 [h], %h;
    st.param.b32 [f], %r0;
    call (error), cudaCGSynchronize, (h, f);
    ld.param.b32 %r1, [error];
  }
  st.param.b32 [result], %r1;
  ret;
}

.weak .func (.param .b32 result) cudaCGGetSize(.param .b64 threads, .param .b64 grids, .param .b64 handle)
{
  .reg .pred %none;
  .reg .b32 %n, %b, %error;
  .reg .b64 %p;
  mov.u32 %error, 1;
  ld.param.u64 %p, [handle];
  setp.eq.u64 %none, %p, 0;
  @%none bra DONE;
  mov.u32 %error, 0;
  mov.u32 %n, %nctaid.x;
  mov.u32 %b, %nctaid.y;
  mul.lo.u32 %n, %n, %b;
  mov.u32 %b, %nctaid.z;
  mul.lo.u32 %n, %n, %b;
  mov.u32 %b, %ntid.x;
  mul.lo.u32 %n, %n, %b;
  mov.u32 %b, %ntid.y;
  mul.lo.u32 %n, %n, %b;
  mov.u32 %b, %ntid.z;
  mul.lo.u32 %n, %n, %b;
  ld.param.u64 %p, [threads];
  st.u32 [%p], %n;
  ld.param.u64 %p, [grids];
  setp.eq.u64 %none, %p, 0;
  @!%none st.u32 [%p], 1;
DONE:
  st.param.b32 [result], %error;
  ret;
}

.weak .func (.param .b32 result) cudaCGGetRank(.param .b64 rank, .param .b64 grid, .param .b64 handle)
{
  .reg .pred %none;
  .reg .b32 %n, %b, %error;
  .reg .b64 %p;
  mov.u32 %error, 1;
  ld.param.u64 %p, [handle];
  setp.eq.u64 %none, %p, 0;
  @%none bra DONE;
  mov.u32 %error, 0;
  mov.u32 %n, %ctaid.z;
  mov.u32 %b, %nctaid.y;
  mul.lo.u32 %n, %n, %b;
  mov.u32 %b, %ctaid.y;
  add.u32 %n, %n, %b;
  mov.u32 %b, %nctaid.x;
  mul.lo.u32 %n, %n, %b;
  mov.u32 %b, %ctaid.x;
  add.u32 %n, %n, %b;
  mov.u32 %b, %ntid.z;
  mul.lo.u32 %n, %n, %b;
  mov.u32 %b, %tid.z;
  add.u32 %n, %n, %b;
  mov.u32 %b, %ntid.y;
  mul.lo.u32 %n, %n, %b;
  mov.u32 %b, %tid.y;
  add.u32 %n, %n, %b;
  mov.u32 %b, %ntid.x;
  mul.lo.u32 %n, %n, %b;
  mov.u32 %b, %tid.x;
  add.u32 %n, %n, %b;
  ld.param.u64 %p, [rank];
  st.u32 [%p], %n;
  ld.param.u64 %p, [grid];
  setp.eq.u64 %none, %p, 0;
  @!%none st.u32 [%p], 0;
DONE:
  st.param.b32 [result], %error;
  ret;
}
)";

}  // namespace

Result<ir::Module> with_device_groups(ir::Module module) {
  bool wanted = false;
  for (ir::SymbolId s : ir::undefined(module))
    wanted = wanted || module.symbols[s].name.starts_with("cudaCG");
  if (!wanted) return module;
  auto groups = ptx::parse("grids of the device runtime", std::string(kText));
  if (!groups) return groups.error();
  std::vector<ir::Module> both;
  both.push_back(std::move(module));
  both.push_back(std::move(groups).value());
  return ir::link(std::move(both));
}

}  // namespace ww::cuda
