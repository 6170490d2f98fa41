// Textures against the formulas of the CUDA C++ Programming Guide ("Texture Fetching"), written out here once
// more for single texels.
#include <cmath>
#include <random>

#include "base/csv.h"
#include "base/half.h"
#include "run_ptx.h"

namespace {

using namespace ww;
using engine::AddressMode;
using engine::ChannelFormat;
using engine::TextureDescription;
using engine::TextureShape;
using test::PtxProgram;

struct Float4 {
  float x, y, z, w;
};

/// A texture of random floats, and its values.
struct Image {
  TextureDescription t;
  std::vector<float> values;

  Image(PtxProgram& p, TextureShape shape, uint32_t w, uint32_t h = 1, uint32_t d = 1, uint32_t layers = 1) {
    t.shape = shape;
    t.width = w, t.height = h, t.depth = d, t.layers = layers;
    std::mt19937 random(7);
    values.resize(size_t{w} * h * d * t.slices());
    for (float& v : values) v = std::uniform_real_distribution<float>(-4, 4)(random);
    t.address = p.upload(values);
  }

  /// T[i] under the address mode of each axis.
  float texel(const int i[3], uint32_t slice) const {
    int n[3] = {static_cast<int>(t.width), static_cast<int>(t.height), static_cast<int>(t.depth)}, at[3];
    for (int k = 0; k < 3; ++k) {
      AddressMode mode = t.normalized_coordinates                   ? t.address_mode[k]
                         : t.address_mode[k] == AddressMode::Border ? AddressMode::Border
                                                                    : AddressMode::Clamp;
      at[k] = i[k];
      if (mode == AddressMode::Border && (i[k] < 0 || i[k] >= n[k])) return t.border[0];
      if (mode == AddressMode::Wrap) at[k] = ((i[k] % n[k]) + n[k]) % n[k];
      at[k] = std::min(std::max(at[k], 0), n[k] - 1);
    }
    return values[((slice * t.depth + static_cast<size_t>(at[2])) * t.height + static_cast<size_t>(at[1])) *
                      t.width +
                  static_cast<size_t>(at[0])];
  }

  float expected(int axes, const float* coordinates, uint32_t slice = 0) const {
    double x[3] = {0.5, 0.5, 0.5};
    const uint32_t size[3] = {t.width, t.height, t.depth};
    for (int k = 0; k < axes; ++k) {
      x[k] = coordinates[k];
      if (!t.normalized_coordinates) continue;
      double fraction = x[k] - std::floor(x[k]);
      if (t.address_mode[k] == AddressMode::Wrap) x[k] = fraction;
      if (t.address_mode[k] == AddressMode::Mirror)
        x[k] = std::fmod(std::fabs(std::floor(x[k])), 2) == 0 ? fraction : 1 - fraction;
      x[k] *= size[k];
    }
    int i[3] = {0, 0, 0};
    if (!t.linear) {
      for (int k = 0; k < axes; ++k) i[k] = static_cast<int>(std::floor(x[k]));
      for (int k = 0; k < axes; ++k)
        if (t.normalized_coordinates && t.address_mode[k] == AddressMode::Mirror)
          i[k] = std::min(i[k], static_cast<int>(size[k]) - 1);
      return texel(i, slice);
    }
    double a[3] = {0, 0, 0};  // alpha, beta, gamma, with 8 bits of fraction
    for (int k = 0; k < axes; ++k) {
      i[k] = static_cast<int>(std::floor(x[k] - 0.5));
      a[k] = std::round((x[k] - 0.5 - i[k]) * 256) / 256;
    }
    auto T = [&](int dx, int dy, int dz) {
      int at[3] = {i[0] + dx, i[1] + (axes > 1 ? dy : 0), i[2] + (axes > 2 ? dz : 0)};
      return double{texel(at, slice)};
    };
    auto plane = [&](int z) {
      return (1 - a[0]) * (1 - a[1]) * T(0, 0, z) + a[0] * (1 - a[1]) * T(1, 0, z) +
             (1 - a[0]) * a[1] * T(0, 1, z) + a[0] * a[1] * T(1, 1, z);
    };
    return static_cast<float>((1 - a[2]) * plane(0) + a[2] * plane(1));
  }
};

uint64_t texture(PtxProgram& p, const TextureDescription& t) {
  auto handle = p.engine.create_texture(t);
  if (!handle) throw std::runtime_error(render(handle.error()));
  return *handle;
}
uint64_t surface(PtxProgram& p, const TextureDescription& t) {
  auto handle = p.engine.create_surface(t);
  if (!handle) throw std::runtime_error(render(handle.error()));
  return *handle;
}

/// What a kernel reads at some points (x, y, z, layer).
template <class T>
std::vector<T> read(PtxProgram& p, const std::string& kernel, uint64_t handle,
                    const std::vector<float>& points, size_t per_thread = 1) {
  size_t n = points.size() / 4;
  auto out = p.upload(std::vector<T>(n * per_thread));
  p.run(kernel, {}, {static_cast<uint32_t>(n)}, handle, p.upload(points), out);
  return p.download<T>(out, n * per_thread);
}

/// 64 random points, some far outside.
std::vector<float> points(const TextureDescription& t) {
  std::mt19937 random(3);
  const uint32_t size[3] = {t.width, t.height, t.depth};
  std::vector<float> at;
  for (int n = 0; n < 64; ++n) {
    for (int k = 0; k < 3; ++k)
      at.push_back(std::uniform_real_distribution<float>(-2.0f, 3.0f)(random) *
                   (t.normalized_coordinates ? 1.0f : static_cast<float>(size[k])));
    at.push_back(static_cast<float>(n % 7 - 1));
  }
  return at;
}

struct Case {
  const char* kernel;
  TextureShape shape;
  int axes;
  float times;  ///< how often the kernel adds the value up (levels: all of them read the only level)
  float plus;
};

TEST(Texture, FiltersAndAddressModesAsTheGuideSays) {
  PtxProgram p("texture.ptx");
  const Case cases[] = {{"read_1d", TextureShape::Array1D, 1, 1, 0},
                        {"read_2d", TextureShape::Array2D, 2, 1, 0},
                        {"read_3d", TextureShape::Array3D, 3, 1, 0},
                        {"read_a1d", TextureShape::Array1DLayered, 1, 1, 0},
                        {"read_a2d", TextureShape::Array2DLayered, 2, 1, 0},
                        {"levels", TextureShape::Array2D, 2, 3, 100},
                        {"levels_3d", TextureShape::Array3D, 3, 2, 0},
                        {"levels_1d", TextureShape::Array1D, 1, 2, 0},
                        {"levels_layered", TextureShape::Array2DLayered, 2, 2, 0}};
  for (const Case& c : cases) {
    bool layered = c.shape == TextureShape::Array1DLayered || c.shape == TextureShape::Array2DLayered;
    Image image(p, c.shape, 13, c.axes > 1 ? 6 : 1, c.axes > 2 ? 5 : 1, layered ? 4 : 1);
    image.t.border[0] = 17;
    for (AddressMode mode : {AddressMode::Wrap, AddressMode::Clamp, AddressMode::Mirror, AddressMode::Border})
      for (bool normalized : {false, true})
        for (bool linear : {false, true}) {
          std::fill_n(image.t.address_mode, 3, mode);
          image.t.normalized_coordinates = normalized;
          image.t.linear = linear;
          auto at = points(image.t);
          auto got = read<float>(p, c.kernel, texture(p, image.t), at);
          for (size_t k = 0; k < got.size(); ++k) {
            uint32_t slice = layered ? static_cast<uint32_t>(std::clamp(at[4 * k + 3], 0.0f, 3.0f)) : 0;
            float want = image.expected(c.axes, &at[4 * k], slice) * c.times + c.plus;
            ASSERT_NEAR(got[k], want, 2e-5) << c.kernel << " mode " << static_cast<int>(mode)
                                            << " normalized " << normalized << " linear " << linear << " at "
                                            << at[4 * k] << " " << at[4 * k + 1] << " " << at[4 * k + 2];
          }
        }
  }
}

/// Lanes of one warp read different levels of different mipmaps.
TEST(Texture, EachLaneHasItsOwnTextureAndLevels) {
  PtxProgram p("texture.ptx");
  std::vector<Image> levels;
  for (uint32_t k = 0; k < 3; ++k) levels.emplace_back(p, TextureShape::Array2D, 16u >> k, 8u >> k);
  for (Image& level : levels) {
    level.t.normalized_coordinates = level.t.linear = true;
    std::fill_n(level.t.address_mode, 3, AddressMode::Wrap);
  }
  TextureDescription t = levels[0].t;
  t.most_level = 2;
  for (size_t k = 1; k < levels.size(); ++k)
    t.smaller.push_back({levels[k].t.address, levels[k].t.width, levels[k].t.height, 1});
  std::vector<uint64_t> kinds;
  for (const bool between : {false, true}) {
    t.between_levels = between;
    kinds.push_back(texture(p, t));
  }
  const std::vector<float> at = [&] {
    std::vector<float> all = points(t);
    for (size_t k = 0; k < all.size(); k += 4) all[k + 2] = static_cast<float>(k) / 64.0f - 0.5f;
    return all;
  }();
  const size_t n = at.size() / 4;
  std::vector<uint64_t> handles;
  for (size_t k = 0; k < n; ++k) handles.push_back(kinds[k % 3 != 0]);
  const auto out = p.upload(std::vector<float>(n));
  p.run("levels_apart", {}, {static_cast<uint32_t>(n)}, p.upload(handles), p.upload(at), out);
  const auto got = p.download<float>(out, n);
  for (size_t k = 0; k < n; ++k) {
    const double lod = std::clamp(double{at[4 * k + 2]}, 0.0, 2.0);
    const auto of = [&](double level) {
      return double{levels[static_cast<size_t>(level)].expected(2, &at[4 * k])};
    };
    double want = of(std::floor(lod + 0.5));
    if (handles[k] == kinds[1]) {
      const double a = std::round(lod * 256) / 256 - std::floor(lod);
      want = a == 0 ? of(lod) : (1 - a) * of(std::floor(lod)) + a * of(std::floor(lod) + 1);
    }
    EXPECT_NEAR(got[k], want, 2e-5) << "lane " << k << ", level " << lod;
  }
}

TEST(Texture, WeightsHave8BitsOfFraction) {
  PtxProgram p("texture.ptx");
  TextureDescription t;
  t.shape = TextureShape::Array1D;
  t.width = 2;
  t.address = p.upload(std::vector<float>{0, 256});
  t.linear = true;
  // alpha = frac(x - 0.5): multiples of 1/256 are exact, what lies between is rounded to one.
  auto got = read<float>(
      p, "read_1d", texture(p, t),
      {0.5f, 0, 0, 0, 0.5f + 1 / 256.f, 0, 0, 0, 0.5f + 1.25f / 256, 0, 0, 0, 0.5f + 255.9f / 256, 0, 0, 0,
       1.5f, 0, 0, 0});
  EXPECT_EQ(got, (std::vector<float>{0, 1, 1, 256, 256}));
}

TEST(Texture, FormatsAndReadModes) {
  PtxProgram p("texture.ptx");
  std::vector<float> at = {0, 0, 0, 0, 1,  0, 0, 0,
                           2, 0, 0, 0, -1, 0, 0, 0};  // the last two are outside of linear memory
  TextureDescription t;
  t.shape = TextureShape::Linear;
  t.width = 2;
  t.channels = 4;
  t.format = ChannelFormat::S8;
  t.address = p.upload(std::vector<int8_t>{-128, -1, 0, 127, 1, 2, 3, 4});
  EXPECT_EQ(read<int8_t>(p, "fetch_c4", texture(p, t), at, 4),
            (std::vector<int8_t>{-128, -1, 0, 127, 1, 2, 3, 4, 0, 0, 0, 0, 0, 0, 0, 0}));
  t.normalized_float = true;
  auto norm = read<Float4>(p, "fetch_f4", texture(p, t), at);
  EXPECT_EQ(norm[0].x, -1.0f);
  EXPECT_EQ(norm[0].y, -1.0f / 127);
  EXPECT_EQ(norm[0].w, 1.0f);
  EXPECT_EQ(norm[2].x, 0.0f);
  t.format = ChannelFormat::U16;
  t.channels = 1;
  t.address = p.upload(std::vector<uint16_t>{65535, 1});
  auto u16 = read<float>(p, "fetch_f1", texture(p, t), at);
  EXPECT_EQ(u16, (std::vector<float>{1.0f, 1.0f / 65535, 0, 0}));
  t.format = ChannelFormat::F16;
  t.normalized_float = false;
  t.address = p.upload(std::vector<uint16_t>{0x3c00, 0xc100});
  EXPECT_EQ(read<float>(p, "fetch_f1", texture(p, t), at), (std::vector<float>{1, -2.5f, 0, 0}));
  t.format = ChannelFormat::U32;
  t.channels = 2;
  t.address = p.upload(std::vector<uint32_t>{1, 0xffffffff, 3, 4});
  EXPECT_EQ(read<uint32_t>(p, "fetch_u2", texture(p, t), at, 2),
            (std::vector<uint32_t>{1, 0xffffffff, 3, 4, 0, 0, 0, 0}));
}

TEST(Texture, PitchAndVectors) {
  PtxProgram p("texture.ptx");
  TextureDescription t;
  t.shape = TextureShape::Pitch2D;
  t.width = 3, t.height = 2, t.row_bytes = 32, t.channels = 2, t.format = ChannelFormat::U16;
  std::vector<uint16_t> texels(32);
  for (size_t k = 0; k < texels.size(); ++k) texels[k] = static_cast<uint16_t>(k);
  t.address = p.upload(texels);
  EXPECT_EQ(read<uint16_t>(p, "read_2d_us2", texture(p, t), {2, 0, 0, 0, 1, 1, 0, 0}, 2),
            (std::vector<uint16_t>{4, 5, 18, 19}));
  t.channels = 4, t.format = ChannelFormat::F32, t.width = 1, t.row_bytes = 16;
  t.address = p.upload(std::vector<float>{1, 2, 3, 4, 5, 6, 7, 8});
  auto got = read<Float4>(p, "read_2d_f4", texture(p, t), {0, 1, 0, 0})[0];
  EXPECT_EQ(got.x + 10 * got.y + 100 * got.z + 1000 * got.w, 5 + 60 + 700 + 8000);
}

/// The direction that meets a face at (s, t) in [-1, 1]: the table of "Cubemap Textures" solved for x, y, z
/// with m = 1.
void direction(int face, float s, float t, std::vector<float>& at, float layer) {
  const float d[6][3] = {{1, -t, -s}, {-1, -t, s}, {s, 1, t}, {s, -1, -t}, {s, -t, 1}, {-s, -t, -1}};
  at.insert(at.end(), {3 * d[face][0], 3 * d[face][1], 3 * d[face][2], layer});
}

TEST(Texture, CubeFaces) {
  PtxProgram p("texture.ptx");
  for (bool layered : {false, true}) {
    uint32_t cubes = layered ? 3 : 1, n = 4;
    Image image(p, layered ? TextureShape::CubemapLayered : TextureShape::Cubemap, n, n, 1, cubes);
    image.t.normalized_coordinates = true;
    std::vector<float> at, want;
    for (uint32_t cube = 0; cube < cubes; ++cube)
      for (uint32_t face = 0; face < 6; ++face)
        for (uint32_t k = 0; k < n * n; ++k) {
          direction(static_cast<int>(face), (static_cast<float>(k % n) + 0.5f) / 2 - 1,
                    (static_cast<float>(k / n) + 0.5f) / 2 - 1, at, static_cast<float>(cube));
          want.push_back(image.values[(cube * 6 + face) * n * n + k]);
        }
    for (bool linear : {false, true}) {  // at the centres both give the texel
      image.t.linear = linear;
      EXPECT_EQ(read<float>(p, layered ? "read_acube" : "read_cube", texture(p, image.t), at), want);
      if (layered) continue;
      auto twice = read<float>(p, "levels_cube", texture(p, image.t), at);
      for (size_t k = 0; k < want.size(); ++k) EXPECT_EQ(twice[k], 2 * want[k]);
    }
  }
}

TEST(Texture, GatherGoesRoundFromTheLowerLeft) {
  PtxProgram p("texture.ptx");
  TextureDescription t;
  t.width = 4, t.height = 4, t.channels = 2;
  std::vector<float> texels;
  for (int y = 0; y < 4; ++y)
    for (int x = 0; x < 4; ++x)
      texels.push_back(static_cast<float>(10 * y + x)),
          texels.push_back(static_cast<float>(100 + 10 * y + x));
  t.address = p.upload(texels);
  auto got =
      read<Float4>(p, "gathered", texture(p, t), {2, 2, 0, 0}, 2);  // between texels 1 and 2 of both axes
  EXPECT_EQ((std::vector<float>{got[0].x, got[0].y, got[0].z, got[0].w}),
            (std::vector<float>{21, 22, 12, 11}));
  EXPECT_EQ((std::vector<float>{got[1].x, got[1].y, got[1].z, got[1].w}),
            (std::vector<float>{121, 122, 112, 111}));
}

TEST(Texture, Queries) {
  PtxProgram p("texture.ptx");
  Image image(p, TextureShape::Array2DLayered, 7, 5, 1, 3), volume(p, TextureShape::Array3D, 4, 3, 2);
  auto out = p.upload(std::vector<int>(5));
  p.run("sizes", {}, {}, texture(p, image.t), surface(p, volume.t), out);
  EXPECT_EQ(p.download<int>(out, 5), (std::vector<int>{7, 5, 3, 4, 2}));
}

TEST(Texture, WrongDescriptionsAreRefused) {
  PtxProgram p("texture.ptx");
  Image image(p, TextureShape::Array2D, 8, 8);
  auto refused = [&](auto change) {
    TextureDescription t = image.t;
    change(t);
    return !p.engine.create_texture(t).ok();
  };
  EXPECT_FALSE(refused([](TextureDescription&) {}));
  EXPECT_TRUE(refused([](TextureDescription& t) { t.width = 0; }));
  EXPECT_TRUE(refused([](TextureDescription& t) { t.height = 9; }));
  EXPECT_TRUE(refused([](TextureDescription& t) { t.channels = 3; }));
  EXPECT_TRUE(refused([](TextureDescription& t) { t.row_bytes = 16; }));
  EXPECT_TRUE(refused([](TextureDescription& t) { t.address = 0; }));
  EXPECT_TRUE(refused([](TextureDescription& t) { t.format = ChannelFormat::U32, t.linear = true; }));
  EXPECT_TRUE(refused([](TextureDescription& t) { t.normalized_float = true; }));
  EXPECT_TRUE(refused([](TextureDescription& t) { t.shape = TextureShape::Cubemap, t.height = 4; }));
}

TEST(Texture, WrongHandlesAreFaults) {
  PtxProgram p("texture.ptx");
  Image image(p, TextureShape::Array2D, 8, 8);
  auto at = p.upload(std::vector<float>(128)), out = p.upload(std::vector<float>(32));
  auto kind = [&](const char* kernel, uint64_t handle) { return p.fault(kernel, {32}, handle, at, out); };
  EXPECT_EQ(kind("read_2d", 5).first, "invalid texture handle");
  EXPECT_EQ(kind("read_2d", surface(p, image.t)).first, "invalid texture handle");
  uint64_t good = texture(p, image.t);
  EXPECT_EQ(kind("read_2d", good).first, "no fault");
  EXPECT_NE(kind("read_3d", good).second.find("is 2D, the instruction reads .3d"), std::string::npos);
  ASSERT_TRUE(p.engine.destroy_texture(good).ok());
  EXPECT_FALSE(p.engine.destroy_texture(good).ok());
  EXPECT_NE(kind("read_2d", good).second.find("has been destroyed"), std::string::npos);
  uint64_t other = texture(p, image.t);
  ASSERT_TRUE(p.engine.memory().free(image.t.address).ok());
  EXPECT_EQ(kind("read_2d", other).first, "use after free (read)");
}

// ---- surfaces ----

TEST(Surface, CopiesOfEveryWidth) {
  PtxProgram p("texture.ptx");
  struct {
    const char* kernel;
    ChannelFormat format;
    uint8_t channels;
  } kinds[] = {{"flip_c", ChannelFormat::S8, 1},   {"flip_us", ChannelFormat::U16, 1},
               {"flip_i", ChannelFormat::S32, 1},  {"flip_f2", ChannelFormat::F32, 2},
               {"flip_uc4", ChannelFormat::U8, 4}, {"flip_f4", ChannelFormat::F32, 4},
               {"flip_ll", ChannelFormat::U32, 2}};
  for (const auto& k : kinds) {
    TextureDescription from;
    from.width = 21, from.height = 4, from.format = k.format, from.channels = k.channels;
    size_t row = 21 * from.texel_bytes();
    std::vector<uint8_t> bytes(row * 4), want;
    for (size_t n = 0; n < bytes.size(); ++n) bytes[n] = static_cast<uint8_t>(n * 37 + 5);
    for (size_t y = 4; y-- > 0;)
      want.insert(want.end(), bytes.begin() + static_cast<long>(y * row),
                  bytes.begin() + static_cast<long>((y + 1) * row));
    from.address = p.upload(bytes);
    TextureDescription to = from;
    to.address = p.upload(std::vector<uint8_t>(bytes.size()));
    p.run(k.kernel, {4}, {32}, surface(p, from), surface(p, to), 21, 4);
    EXPECT_EQ(p.download<uint8_t>(to.address, bytes.size()), want) << k.kernel;
  }
}

TEST(Surface, Edges) {
  PtxProgram p("texture.ptx");
  TextureDescription t;
  t.width = 3, t.height = 2, t.format = ChannelFormat::S32;
  std::vector<int> texels = {1, 2, 3, 4, 5, 6};
  t.address = p.upload(texels);
  auto out = p.upload(std::vector<int>(14));
  p.run("edges", {}, {7}, surface(p, t), out);
  // x = -2 … 4: zero outside; clamped to the nearest texel, with y = x clamped as well.
  EXPECT_EQ(p.download<int>(out, 14), (std::vector<int>{0, 1, 0, 1, 1, 1, 2, 5, 3, 6, 0, 6, 0, 6}));
  EXPECT_EQ(p.download<int>(t.address, 6), texels);
  t.shape = TextureShape::Array1D, t.height = 1;
  uint64_t row = surface(p, t);
  p.run("trap", {}, {}, row, out, 2);
  EXPECT_EQ(p.download<int>(out, 1)[0], 3);
  for (int x : {3, -1}) EXPECT_EQ(p.fault("trap", {}, row, out, x).first, "out-of-bounds surface read");
}

TEST(Surface, VolumesLayersFaces) {
  PtxProgram p("texture.ptx");
  std::vector<int> texels(4 * 3 * 6), plus;
  for (size_t k = 0; k < texels.size(); ++k)
    texels[k] = static_cast<int>(k * k), plus.push_back(texels[k] + 1);
  TextureDescription t;
  t.shape = TextureShape::Array3D, t.width = 4, t.height = 3, t.depth = 6, t.format = ChannelFormat::S32;
  t.address = p.upload(texels);
  auto out = p.upload(std::vector<int>(texels.size()));
  p.run("volume", {}, {4, 3, 6}, surface(p, t), out);
  EXPECT_EQ(p.download<int>(out, texels.size()), texels);
  EXPECT_EQ(p.download<int>(t.address, texels.size()), plus);
  t.shape = TextureShape::Array2DLayered, t.depth = 1, t.layers = 6;
  p.run("layers", {}, {4, 3, 6}, surface(p, t), out);
  EXPECT_EQ(p.download<int>(out, texels.size()), plus);
  t.shape = TextureShape::Cubemap, t.layers = 1, t.width = 3;
  p.run("faces", {}, {}, surface(p, t), out);  // byte 4, row 1, face 3
  EXPECT_EQ(p.download<int>(out, 1)[0], plus[3 * 9 + 3 + 1]);
}

TEST(Surface, Reductions) {
  PtxProgram p("texture.ptx");
  TextureDescription t;
  t.width = 4, t.format = ChannelFormat::S32;
  t.address = p.upload(std::vector<int>{7, -100, 100, 0});
  p.run("reductions", {}, {32}, surface(p, t));
  EXPECT_EQ(p.download<int>(t.address, 4), (std::vector<int>{7 + 31 * 32 / 2, 26, -5, -1}));
}

// data/measured/h200-ptx: what an H200 stores for values within a format and beyond it.
TEST(Surface, FormattedStoresConvert) {
  PtxProgram p("texture.ptx");
  const std::string name = WW_MEASURED "h200-ptx/formatted_stores.csv";
  auto text = read_file(name);
  auto csv = parse_csv(name, text ? *text : "");
  ASSERT_TRUE(csv) << render(csv.error());
  const std::pair<std::string, ChannelFormat> formats[] = {
      {"u8", ChannelFormat::U8},   {"s8", ChannelFormat::S8},   {"u16", ChannelFormat::U16},
      {"s16", ChannelFormat::S16}, {"u32", ChannelFormat::U32}, {"f16", ChannelFormat::F16},
      {"f32", ChannelFormat::F32}};
  size_t compared = 0;
  for (const auto& [format_name, format] : formats) {
    std::vector<uint32_t> values, texels;
    for (size_t row = 0; row < csv->rows.size(); ++row) {
      if (csv->at(row, "format") != format_name) continue;
      values.push_back(static_cast<uint32_t>(std::stoul(csv->at(row, "value"), nullptr, 16)));
      texels.push_back(static_cast<uint32_t>(std::stoul(csv->at(row, "texel"), nullptr, 16)));
    }
    TextureDescription t;
    t.width = static_cast<uint32_t>(values.size()), t.format = format;
    t.address = p.upload(std::vector<uint32_t>(values.size()));
    p.run("formatted", {}, {t.width}, surface(p, t), p.upload(values));
    const auto stored = p.download<uint8_t>(t.address, t.bytes());
    for (size_t i = 0; i < values.size(); ++i, ++compared) {
      uint32_t texel = 0;
      std::memcpy(&texel, &stored[i * t.texel_bytes()], t.texel_bytes());
      EXPECT_EQ(texel, texels[i]) << format_name << " of " << std::hex << values[i];
    }
  }
  EXPECT_EQ(compared, 140u);
}

// As an H200 has it: missing components are 0, superfluous ones are left out, the first coordinate counts
// texels.
TEST(Surface, FormattedStoresOfPairs) {
  PtxProgram p("texture.ptx");
  TextureDescription t;
  t.width = 4, t.format = ChannelFormat::S16, t.channels = 2;
  t.address = p.upload(std::vector<int16_t>(8, 0x77));
  p.run("formatted_pairs", {}, {}, surface(p, t));
  EXPECT_EQ(p.download<int16_t>(t.address, 8), (std::vector<int16_t>{0x1111, 0, 1, 2, 0x77, 0x77, 7, 8}));
}

}  // namespace
