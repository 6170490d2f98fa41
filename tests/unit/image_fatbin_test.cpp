// Fatbins built by hand, byte by byte, as the layout in facts.md and fatbinary_section.h says; compressed by
// the libraries' own compressors. What nvcc makes is read in tests/programs.
#include "image/fatbin.h"

#include <gtest/gtest.h>
#if __has_include(<lz4.h>)
#include <lz4.h>
#endif
#include <zstd.h>

namespace {

using namespace ww::image;

template <class T>
void put(std::string& to, T value) {
  to.append(reinterpret_cast<const char*>(&value), sizeof value);
}

struct Entry {
  uint16_t kind = 1;
  uint32_t target = 75;
  uint64_t flags = 0x11;
  std::string payload;
  uint32_t compressed = 0;
  uint64_t size = 0;
  std::string options;
};

std::string entry_bytes(Entry e) {
  std::string bytes;
  while (e.payload.size() % 8) e.payload += '\0';
  std::string options = e.options;
  while (options.size() % 8) options += '\0';
  put<uint16_t>(bytes, e.kind);
  put<uint16_t>(bytes, 0x101);
  put<uint32_t>(bytes, uint32_t(72 + options.size()));
  put<uint64_t>(bytes, e.payload.size());
  put<uint32_t>(bytes, e.compressed);
  put<uint32_t>(bytes, 64);
  put<uint32_t>(bytes, 0x90000);
  put<uint32_t>(bytes, e.target);
  put<uint64_t>(bytes, 0);
  put<uint64_t>(bytes, e.flags);
  put<uint64_t>(bytes, 0);
  put<uint64_t>(bytes, e.size);
  put<uint32_t>(bytes, 72);
  put<uint32_t>(bytes, uint32_t(e.options.size()));
  return bytes + options + e.payload;
}

std::string fatbin_bytes(const std::vector<Entry>& entries) {
  std::string body;
  for (const Entry& e : entries) body += entry_bytes(e);
  std::string bytes;
  put<uint32_t>(bytes, 0xBA55ED50);
  put<uint16_t>(bytes, 1);
  put<uint16_t>(bytes, 16);
  put<uint64_t>(bytes, body.size());
  return bytes + body;
}

Bytes bytes_of(const std::string& text) {
  return {reinterpret_cast<const std::byte*>(text.data()), text.size()};
}

std::string long_ptx() {
  std::string text = ".version 9.0\n.target sm_75\n.address_size 64\n";
  for (int i = 0; i < 500; i++) text += "mov.u32 %r" + std::to_string(i) + ", %tid.x;\n";
  return text;
}

Entry zstd_entry(const std::string& text) {
  Entry e;
  e.payload.resize(ZSTD_compressBound(text.size()));
  e.payload.resize(ZSTD_compress(e.payload.data(), e.payload.size(), text.data(), text.size(), 3));
  e.compressed = uint32_t(e.payload.size());
  e.size = text.size();
  e.flags |= 0x8000;
  return e;
}

#if __has_include(<lz4.h>)
Entry lz4_entry(const std::string& text) {
  Entry e;
  e.payload.resize(size_t(LZ4_compressBound(int(text.size()))));
  e.payload.resize(
      size_t(LZ4_compress_default(text.data(), e.payload.data(), int(text.size()), int(e.payload.size()))));
  e.compressed = uint32_t(e.payload.size());
  e.size = text.size();
  e.flags |= 0x2000;
  return e;
}
#else
Entry lz4_entry(const std::string& text) { return zstd_entry(text); }
#endif

TEST(Fatbin, PlainZstdAndLz4GiveTheSameText) {
  Entry plain;
  plain.payload = long_ptx();
  std::string bytes = fatbin_bytes({plain, zstd_entry(long_ptx()), lz4_entry(long_ptx())});
  auto images = read_fatbins(bytes_of(bytes));
  ASSERT_TRUE(images) << ww::render(images.error());
  ASSERT_EQ(images->size(), 3u);
  [[maybe_unused]] Compression expected[] = {Compression::None, Compression::Zstd, Compression::Lz4};
  for (int i = 0; i < 3; i++) {
    EXPECT_EQ((*images)[i].kind, Kind::Ptx);
#if __has_include(<lz4.h>)
    EXPECT_EQ((*images)[i].compression, expected[i]);
#endif
    EXPECT_EQ((*images)[i].target, (Target{75, 0}));
    auto text = (*images)[i].text();
    ASSERT_TRUE(text) << ww::render(text.error());
    EXPECT_EQ(*text, long_ptx());
  }
}

TEST(Fatbin, FlagsSayTargetDebugAndRelocatable) {
  Entry a{.target = 90, .flags = 0x100011, .payload = "x"},
      f{.target = 120, .flags = 0x200013, .payload = "y"};
  a.options = "--compile-only  ";
  std::string bytes = fatbin_bytes({a, f, {.kind = 2, .payload = "\177ELF"}, {.kind = 8, .payload = "lto"}});
  auto images = read_fatbins(bytes_of(bytes));
  ASSERT_TRUE(images);
  EXPECT_EQ((*images)[0].target.text(), "90a");
  EXPECT_TRUE((*images)[0].relocatable);
  EXPECT_FALSE((*images)[0].debug);
  EXPECT_EQ((*images)[1].target.text(), "120f");
  EXPECT_TRUE((*images)[1].debug);
  EXPECT_FALSE((*images)[1].relocatable);
  EXPECT_EQ((*images)[2].kind, Kind::MachineCode);
  EXPECT_EQ((*images)[3].kind, Kind::LinkTimeCode);
}

TEST(Fatbin, SeveralOneBehindTheOther) {
  std::string bytes = fatbin_bytes({{.payload = "one"}}) + std::string(24, '\0') + fatbin_bytes({}) +
                      fatbin_bytes({{.payload = "two"}}) + std::string(8, '\0');
  auto images = read_fatbins(bytes_of(bytes));
  ASSERT_TRUE(images);
  ASSERT_EQ(images->size(), 2u);
  EXPECT_EQ(*(*images)[1].text(), "two");
}

TEST(Fatbin, EveryCutIsRefused) {
  std::string bytes = fatbin_bytes({zstd_entry(long_ptx()), lz4_entry(long_ptx())});
  for (size_t length = 0; length < bytes.size(); length++) {
    std::string cut = bytes.substr(0, length);
    EXPECT_FALSE(read_fatbins(bytes_of(cut))) << length;
  }
}

TEST(Fatbin, EveryDamagedByteIsSurvived) {
  const std::string whole = fatbin_bytes({zstd_entry(long_ptx()), lz4_entry(long_ptx())});
  for (size_t at = 0; at < whole.size(); at++)
    for (int value : {0, 1, 0x7f, 0x80, 0xff}) {
      std::string bytes = whole;
      bytes[at] = char(value);
      auto images = read_fatbins(bytes_of(bytes));
      if (!images) continue;
      for (const CodeImage& image : *images)
        if (image.size < 1 << 20) (void)image.text().ok();
    }
}

TEST(Fatbin, CompressedSizesThatLieAreRefused) {
  Entry bomb = lz4_entry(long_ptx()), huge = zstd_entry(long_ptx()), small = zstd_entry(long_ptx());
  bomb.size = 1 << 29;
  huge.size = uint64_t{1} << 40;
  small.size = 10;
  std::string bytes = fatbin_bytes({bomb, huge, small});
  auto images = read_fatbins(bytes_of(bytes));
  ASSERT_TRUE(images);
  for (const CodeImage& image : *images) EXPECT_FALSE(image.text());
}

TEST(Fatbin, TheLatestPtxThatRunsIsTaken) {
  std::string bytes = fatbin_bytes({{.target = 52, .payload = "a"},
                                    {.target = 75, .payload = "b"},
                                    {.target = 90, .flags = 0x100011, .payload = "c"},
                                    {.target = 90, .payload = "d"},
                                    {.target = 100, .flags = 0x200011, .payload = "e"},
                                    {.kind = 2, .target = 86, .payload = "machine code"}});
  auto images = read_fatbins(bytes_of(bytes));
  ASSERT_TRUE(images);
  auto best = [&](int gpu) {
    const CodeImage* image = best_ptx(*images, gpu);
    return image ? image->target.text() : "none";
  };
  // CUDA programming guide, "Architecture-specific" and "family-specific features".
  EXPECT_EQ(best(50), "none");
  EXPECT_EQ(best(61), "52");
  EXPECT_EQ(best(86), "75");
  EXPECT_EQ(best(90), "90a");
  EXPECT_EQ(best(100), "100f");
  EXPECT_EQ(best(103), "100f");
  EXPECT_EQ(best(120), "90");
}

TEST(Fatbin, RefusalsNameTheFlag) {
  std::string bytes = fatbin_bytes({{.kind = 2, .target = 90, .flags = 0x100011, .payload = "x"},
                                    {.kind = 2, .target = 80, .payload = "x"}});
  auto images = read_fatbins(bytes_of(bytes));
  ASSERT_TRUE(images);
  ww::Diagnostic why = no_ptx(*images, 80);
  EXPECT_EQ(why.message, "the program has machine code for sm_80, sm_90a only, no PTX");
  EXPECT_NE(why.hint.find("-gencode arch=compute_80,code=compute_80"), std::string::npos);
}

TEST(Fatbin, TheDeviceRuntimeIsKnownByItsKernels) {
  std::string kernel =
      ".entry __nv_static_52__f4510a67_22_cuda_device_runtime_cu_3ecce0c0__Z13memset_kernel() { ret; }";
  std::string own = fatbin_bytes({{.kind = 2, .payload = "x"}, {.target = 121, .payload = kernel}});
  std::string other =
      fatbin_bytes({{.kind = 2, .payload = "x"}, {.target = 121, .payload = ".entry a() { ret; }"}});
  EXPECT_TRUE(is_device_runtime(*read_fatbins(bytes_of(own))));
  EXPECT_FALSE(is_device_runtime(*read_fatbins(bytes_of(other))));
  EXPECT_FALSE(is_device_runtime({}));
}

TEST(Fatbin, WrapperOfLinkedCode) {
  std::string linked = fatbin_bytes({}), one = fatbin_bytes({{.payload = "one"}}),
              two = fatbin_bytes({{.payload = "two"}});
  const void* more[] = {one.data(), two.data(), nullptr};
  struct {
    uint32_t magic = 0x466243b1, version = 2;
    const void* data;
    const void* more;
  } raw{.data = linked.data(), .more = more};
  auto wrapper = read_wrapper(&raw);
  ASSERT_TRUE(wrapper) << ww::render(wrapper.error());
  EXPECT_EQ(wrapper->fatbin.size(), linked.size());
  ASSERT_EQ(wrapper->prelinked.size(), 2u);
  EXPECT_EQ(*(*read_fatbins(wrapper->prelinked[1]))[0].text(), "two");
  raw.version = 1;
  EXPECT_TRUE(read_wrapper(&raw)->prelinked.empty());
  raw.magic = 7;
  EXPECT_FALSE(read_wrapper(&raw));
  EXPECT_FALSE(read_wrapper(nullptr));
}

}  // namespace
