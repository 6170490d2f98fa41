// The whole instruction table under the check of races: every access is seen, and whatever goes on by itself
// has an end.
#include <map>

#include "checks_races_lab.h"
#include "isa/effects.h"

namespace ww::checks {

namespace {

using races_lab::kernel, races_lab::races_in, races_lab::text_of;

/// Instructions of warp 0 that access the first bytes of `tile`, or of the array that %rd1 points to; one of
/// each row, by its number in the table. `lane`: of its lane 0 alone.
struct Accesses {
  const char* text;
  bool shared = false, lane = true;
};
const std::map<std::string_view, Accesses>& ordinary() {
  static const std::map<std::string_view, Accesses> all = {
      {"ld", {"ld.global.u32 %r5, [%rd1];"}},
      {"ld_nc", {"ld.global.nc.u32 %r5, [%rd1];"}},
      {"ldu", {"ldu.global.u32 %r5, [%rd1];"}},
      {"st", {"st.global.u32 [%rd1], %r1;"}},
      {"st_bulk", {"mov.u64 %rd5, 64;\n  st.bulk.shared::cta [%r7], %rd5, 0;", true}},
      {"ldmatrix", {"ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%r5}, [%r6];", true, false}},
      {"stmatrix", {"stmatrix.sync.aligned.m8n8.x1.shared.b16 [%r6], {%r5};", true, false}},
      {"wmma_load",
       {"wmma.load.a.sync.aligned.row.m16n16k16.global.f16 {%r8, %r9, %r10, %r11, %r12, %r13, %r14, %r15}, "
        "[%rd1], 16;",
        false, false}},
      {"wmma_store",
       {"wmma.store.d.sync.aligned.row.m16n16k16.global.f32 [%rd1], {%f0, %f1, %f2, %f3, %f4, %f5, %f6, "
        "%f7}, 16;",
        false, false}},
      {"atom", {"atom.global.add.u32 %r5, [%rd1], 1;"}},
      {"atom_cas", {"atom.global.cas.b32 %r5, [%rd1], 0, 1;"}},
      {"atom_half", {"atom.global.add.noftz.f16x2 %r5, [%rd1], %r4;"}},
      {"atom_vec", {"atom.global.add.v2.f32 {%f2, %f3}, [%rd1], {%f0, %f1};"}},
      {"atom_half_vec", {"atom.global.add.noftz.v2.f16x2 {%r5, %r8}, [%rd1], {%r4, %r4};"}},
      {"red", {"red.global.add.u32 [%rd1], 1;"}},
      {"red_half", {"red.global.add.noftz.f16x2 [%rd1], %r4;"}},
      {"red_vec", {"red.global.add.v2.f32 [%rd1], {%f0, %f1};"}},
      {"red_half_vec", {"red.global.add.noftz.v2.f16x2 [%rd1], {%r4, %r4};"}},
  };
  return all;
}

/// The same for rows that reach the array through an object, %rd2: a texture or surface of its first texels.
const std::map<std::string_view, std::string>& of_objects() {
  static const std::map<std::string_view, std::string> all = {
      {"tex", "tex.1d.v4.u32.s32 {%r5, %r8, %r9, %r10}, [%rd2, {%r4}];"},
      {"tex_half", "tex.1d.v2.f16x2.f32 {%r5, %r8}, [%rd2, {%f0}];"},
      {"tex_base", "tex.base.1d.v4.u32.f32 {%r5, %r8, %r9, %r10}, [%rd2, {%f0}];"},
      {"tex_level", "tex.level.1d.v4.u32.f32 {%r5, %r8, %r9, %r10}, [%rd2, {%f0}], %f0;"},
      {"tex_grad", "tex.grad.1d.v4.u32.f32 {%r5, %r8, %r9, %r10}, [%rd2, {%f0}], {%f0}, {%f0};"},
      {"tld4", "tld4.r.2d.v4.u32.f32 {%r5, %r8, %r9, %r10}, [%rd2, {%f0, %f1}];"},
      {"suld", "suld.b.1d.b32.trap %r5, [%rd2, {%r4}];"},
      {"sust", "sust.b.1d.b32.trap [%rd2, {%r4}], %r1;"},
      {"sust_formatted", "sust.p.1d.b32.trap [%rd2, {%r4}], %r1;"},
      {"sured", "sured.b.add.1d.u32.trap [%rd2, {%r4}], %r1;"},
      {"sured_formatted", "sured.p.add.1d.b32.trap [%rd2, {%r4}], %r1;"},
  };
  return all;
}

/// Warp 0 executes the instruction, and a thread of warp 1 stores to the same place; `between` both.
std::string beside_a_store(const Accesses& a, const std::string& between) {
  std::string zeros = "  mov.b32 %r4, 0;\n  mov.b32 %r5, 0;\n";
  for (const char* f : {"%f0", "%f1", "%f2", "%f3", "%f4", "%f5", "%f6", "%f7"})
    zeros += std::string("  mov.f32 ") + f + ", 0f00000000;\n";
  return kernel("  .reg .f32 %f<8>;\n" + zeros + R"(
  mov.u32 %r7, tile;
  shl.b32 %r3, %r1, 4;
  add.u32 %r6, %r7, %r3;
  setp.ge.u32 %p1, %r1, 32;
  setp.ne.u32 %p2, %r1, 0;
  setp.ne.u32 %p3, %r1, 32;
  @%p1 bra BETWEEN;
)" + (a.lane ? "  @%p2 bra BETWEEN;\n" : "") +
                    "  " + a.text + "\nBETWEEN:\n" + between + "  @%p3 bra OVER;\n" +
                    (a.shared ? "  st.shared.u32 [tile], %r1;" : "  st.global.u32 [%rd1], %r1;") +
                    "\nOVER:\n",
                true);
}

/// What is found in it, with an array and a texture or surface over it.
std::vector<Finding> races_of_row(const isa::Form& form, const Accesses& a, const std::string& between) {
  engine::Lab lab(beside_a_store(a, between), engine::Lab::small(2));
  const u64 array = lab.words(256);
  engine::TextureDescription t;
  t.shape = form.id == "tld4" ? engine::TextureShape::Array2D : engine::TextureShape::Array1D;
  t.address = array, t.width = 64;
  t.format = form.id == "tex_half" ? engine::ChannelFormat::F16 : engine::ChannelFormat::U32;
  const bool surface = std::string_view(form.mnemonic).starts_with("su");
  const auto object = surface ? lab.engine.create_surface(t) : lab.engine.create_texture(t);
  EXPECT_TRUE(object) << render(object.error(), "");
  engine::LaunchRequest request;
  request.grid = {1, 1, 1};
  request.block = {64, 1, 1};
  request.arguments = {engine::argument(array), engine::argument(object ? *object : 0)};
  return races_in(lab, std::move(request));
}

TEST(RacesOfTable, EveryOrdinaryAccessIsSeen) {
  size_t tried = 0;
  for (const isa::Form& form : isa::forms())
    for (const isa::MemoryEffect& m : isa::effects(form.op).memory) {
      if (m.asynchronous || m.range == isa::Range::Mbarrier) continue;
      Accesses access;
      if (m.range == isa::Range::Texels) {
        const auto at = of_objects().find(form.id);
        ASSERT_NE(at, of_objects().end()) << form.id << " accesses texels: " << form.notation;
        access = {at->second.c_str()};
      } else {
        const auto at = ordinary().find(form.id);
        ASSERT_NE(at, ordinary().end()) << form.id << " accesses memory: " << form.notation;
        access = at->second;
      }
      const auto found = races_of_row(form, access, "");
      ASSERT_FALSE(found.empty()) << access.text;
      EXPECT_EQ(found[0].kind, "race") << text_of(found);
      const auto behind = races_of_row(form, access, "  bar.sync 0;\n");
      EXPECT_TRUE(behind.empty()) << access.text << text_of(behind);
      ++tried;
    }
  EXPECT_EQ(tried, ordinary().size() + of_objects().size());
}

// An asynchronous row that nothing the check knows ends would stay under way for ever: every later access to
// its bytes would be called a race.
TEST(RacesOfTable, EveryAsynchronousInstructionHasAnEnd) {
  for (const isa::Form& form : isa::forms()) {
    const auto& accesses = isa::effects(form.op).memory;
    const auto any = [&](const auto& is) { return std::any_of(accesses.begin(), accesses.end(), is); };
    const bool tracked = any([](const auto& m) { return m.range == isa::Range::Mbarrier; });
    const std::string_view id = form.id, text = form.notation;
    const bool by_group = text.find("bulk_group") != text.npos;
    const bool by_copies = id.rfind("cp_async", 0) == 0 && id.find("bulk") == id.npos;
    const bool by_matrices = id.rfind("wgmma", 0) == 0;
    for (const isa::MemoryEffect& m : accesses) {
      if (m.range == isa::Range::Mbarrier) continue;
      if (!m.asynchronous) continue;
      EXPECT_EQ(tracked + by_group + by_copies + by_matrices, 1) << id << ": " << text;
      // Told as accesses of lanes (cp.async), or as bulk accesses.
      EXPECT_TRUE(m.range == isa::Range::Bulk || m.range == isa::Range::Lane || m.range == isa::Range::Copy)
          << id << ": " << text;
    }
  }
}

}  // namespace

}  // namespace ww::checks
