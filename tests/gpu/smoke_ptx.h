// Kernels of the check on a real GPU, written by hand.
#pragma once

inline constexpr const char* kSmokePtx = R"ptx(
.version 7.0
.target sm_70
.address_size 64

.extern .shared .align 4 .b8 scratch[];

// y[i] = a * x[i] + y[i], one thread for each element
.visible .entry axpy(.param .u64 py, .param .u64 px, .param .f32 pa, .param .u32 pn)
{
  .reg .pred %p;
  .reg .b32 %i, %j, %k, %n;
  .reg .b64 %x, %y, %o;
  .reg .f32 %a, %u, %v;
  ld.param.u32 %n, [pn];
  mov.u32 %i, %ctaid.x;
  mov.u32 %j, %ntid.x;
  mov.u32 %k, %tid.x;
  mad.lo.u32 %i, %i, %j, %k;
  setp.ge.u32 %p, %i, %n;
  @%p bra DONE;
  ld.param.u64 %y, [py];
  ld.param.u64 %x, [px];
  ld.param.f32 %a, [pa];
  cvta.to.global.u64 %y, %y;
  cvta.to.global.u64 %x, %x;
  mul.wide.u32 %o, %i, 4;
  add.u64 %x, %x, %o;
  add.u64 %y, %y, %o;
  ld.global.f32 %u, [%x];
  ld.global.f32 %v, [%y];
  fma.rn.f32 %v, %a, %u, %v;
  st.global.f32 [%y], %v;
DONE:
  ret;
}

// out[i] = n - 1 - i through n words of dynamic shared memory, one block
.visible .entry reverse(.param .u64 pout, .param .u32 pn)
{
  .reg .pred %p;
  .reg .b32 %i, %n, %t, %s, %m, %v;
  .reg .b64 %out, %o;
  ld.param.u64 %out, [pout];
  ld.param.u32 %n, [pn];
  cvta.to.global.u64 %out, %out;
  mov.u32 %t, %ntid.x;
  mov.u32 %m, scratch;
  mov.u32 %i, %tid.x;
FILL:
  setp.ge.u32 %p, %i, %n;
  @%p bra FILLED;
  mad.lo.u32 %s, %i, 4, %m;
  st.shared.u32 [%s], %i;
  add.u32 %i, %i, %t;
  bra FILL;
FILLED:
  bar.sync 0;
  mov.u32 %i, %tid.x;
COPY:
  setp.ge.u32 %p, %i, %n;
  @%p bra COPIED;
  sub.u32 %s, %n, %i;
  sub.u32 %s, %s, 1;
  mad.lo.u32 %s, %s, 4, %m;
  ld.shared.u32 %v, [%s];
  mul.wide.u32 %o, %i, 4;
  add.u64 %o, %out, %o;
  st.global.u32 [%o], %v;
  add.u32 %i, %i, %t;
  bra COPY;
COPIED:
  ret;
}

// writes one word to an address of the caller's choice
.visible .entry poke(.param .u64 where)
{
  .reg .b64 %p;
  ld.param.u64 %p, [where];
  st.global.u32 [%p], 1;
  ret;
}

.visible .entry stop()
{
  trap;
}
)ptx";
