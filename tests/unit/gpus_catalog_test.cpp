// The built-in GPUs against other sources, and what a wrong GPU file is told.
#include "gpus/catalog.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>

#include "base/csv.h"
#include "gpus/capability.h"
#include "gpus/embedded.h"
#include "gpus/fields.h"

namespace ww::gpus {
namespace {

Gpu gpu(const std::string& id) {
  auto found = find_gpu(id);
  EXPECT_TRUE(found.ok()) << render(found.error());
  return *found;
}

TEST(Catalog, EveryBuiltInFileReads) {
  for (const auto& file : embedded_files()) {
    if (file.name.substr(file.name.size() - 5) != ".json") continue;
    auto read = read_gpu("x", std::string(file.name), file.text);
    EXPECT_TRUE(read.ok()) << render(read.error(), file.text);
  }
  for (const char* id : {"gt240", "gtx280", "c2070", "k80", "gtx980", "gtx1080", "p100", "v100", "t4",
                         "rtx3090", "a100", "rtx4070s", "rtx4090", "l4", "h100", "h200", "b200", "rtx5090"})
    EXPECT_EQ(gpu(id).id, id);
  EXPECT_EQ(known_gpus().size(), 18u);
  EXPECT_EQ(known_gpus().front().id, "gt240");
  EXPECT_EQ(known_capabilities().size(), 29u);
}

TEST(Catalog, EveryFigureOfABuiltInGpuHasASource) {
  for (const Gpu& any : known_gpus())
    for (const Entry& entry : entries(any)) {
      EXPECT_GT(entry.source.size(), 10u) << any.id << " " << entry.key;
      EXPECT_FALSE(entry.source.starts_with("given in")) << any.id << " " << entry.key;
    }
}

// The advertised single-precision rate is a second source for clock, number of SMs and lanes.
TEST(Catalog, AdvertisedPeakFollows) {
  int seen = 0;
  for (const Gpu& any : known_gpus()) {
    if (!any.peak_fp32) continue;
    ++seen;
    double rate = 2 * any.fp32 * static_cast<double>(any.sm_count.value) * any.boost_clock / 1e3;
    EXPECT_NEAR(rate / any.peak_fp32->value, 1, 0.01) << any.id;
  }
  EXPECT_GE(seen, 12);
}

TEST(Catalog, AgreesWithThePublishedDeviceTables) {
  std::ifstream in(std::string(WW_PUBLISHED) + "devices.csv");
  std::stringstream text;
  text << in.rdbuf();
  auto csv = parse_csv("devices.csv", text.str());
  ASSERT_TRUE(csv.ok());
  std::map<std::string, std::string> printed;
  for (size_t row = 0; row < csv->rows.size(); ++row)
    printed[csv->at(row, "gpu") + "/" + csv->at(row, "parameter")] = csv->at(row, "value");
  auto number = [&](const std::string& key) {
    EXPECT_TRUE(printed.contains(key)) << key;
    return std::strtod(printed[key].c_str(), nullptr);
  };
  Gpu gt240 = gpu("gt240");
  EXPECT_EQ(number("GT 240/SM Count"), gt240.sm_count.value);
  EXPECT_EQ(number("GT 240/CUDA Cores"), static_cast<double>(gt240.sm_count.value) * gt240.fp32);
  EXPECT_EQ(number("GT 240/Processor Clock (MHz)"), gt240.boost_clock.value);
  EXPECT_EQ(number("GT 240/Frame Buffer Bandwidth (GB/s)"), gt240.dram_bandwidth.value);
  EXPECT_EQ(number("GT 240/Memory Clock (MHz)") * 2 / 1000, gt240.dram_data_rate->value);
  EXPECT_EQ(number("GT 240/MAX_THREADS_PER_BLOCK"), gt240.max_threads_per_block.value);
  EXPECT_EQ(number("GT 240/MAX_SHARED_MEMORY_PER_BLOCK"), gt240.smem_per_block_default.value);
  EXPECT_EQ(number("GT 240/MAX_REGISTERS_PER_BLOCK"), gt240.max_regs_per_block.value);
  EXPECT_EQ(number("GT 240/MAX_THREADS_PER_MULTIPROCESSOR"), gt240.max_threads_per_sm.value);
  Gpu gtx1080 = gpu("gtx1080");
  EXPECT_EQ(number("GTX 1080/Liczba multiprocessorów (SM)"), gtx1080.sm_count.value);
  EXPECT_EQ(number("GTX 1080/Liczba rdzeni CUDA"),
            static_cast<double>(gtx1080.sm_count.value) * gtx1080.fp32);
  EXPECT_EQ(number("GTX 1080/Pamięć współdzielona dla całego procesora"), gtx1080.smem_per_sm.value);
  EXPECT_EQ(number("GTX 1080/Maksymalny rozmiar pamięci współdzielonej (dla jednego bloku)"),
            gtx1080.smem_per_block_default.value);
  EXPECT_EQ(number("GTX 1080/Dostępna liczba rejestrów na blok wątków"), gtx1080.max_regs_per_block.value);
  EXPECT_EQ(number("GTX 1080/Maksymalna liczba wątków na multiprocessor"), gtx1080.max_threads_per_sm.value);
  EXPECT_EQ(number("GTX 1080/Rozmiar pamięci podręcznej L2") * (1 << 20), gtx1080.l2_bytes->value);
  Gpu ada = gpu("rtx4070s");
  EXPECT_EQ(number("RTX 4070 SUPER/Rdzenie CUDA"), static_cast<double>(ada.sm_count.value) * ada.fp32);
  EXPECT_EQ(number("RTX 4070 SUPER/Przepustowość pamięci"), ada.dram_bandwidth.value);
  EXPECT_EQ(number("RTX 4070 SUPER/Taktowanie rdzenia (boost)"), ada.boost_clock.value);
  EXPECT_EQ(number("RTX 4070 SUPER/Pamięć cache L2") * (1 << 20), ada.l2_bytes->value);
}

// Technical specifications in the CUDA programming guide, written out here a second time.
TEST(Catalog, FiguresOfTheCapability) {
  Gpu a100 = gpu("a100");
  EXPECT_EQ(a100.max_warps_per_sm, 64);
  EXPECT_EQ(a100.smem_per_block_optin->value, 163 * 1024);
  EXPECT_EQ(a100.smem_carveouts,
            (std::vector<int64_t>{0, 8192, 16384, 32768, 65536, 102400, 135168, 167936}));
  EXPECT_TRUE(gpu("gtx280").registers_by_block);
  EXPECT_FALSE(gpu("c2070").registers_by_block);
  EXPECT_FALSE(gpu("gt240").fp64.has_value());
  EXPECT_FALSE(gpu("gtx1080").int32_mul.has_value());
}

TEST(Catalog, UnknownNameOffersTheNearest) {
  auto result = find_gpu("gtx1081");
  ASSERT_FALSE(result.ok());
  std::string text = render(result.error());
  EXPECT_NE(text.find("unknown GPU 'gtx1081'"), text.npos);
  EXPECT_NE(text.find("did you mean 'gtx1080'?"), text.npos);
  EXPECT_NE(text.find("rtx5090"), text.npos);
}

// A file that describes a GPU as small as allowed; each test breaks one line of it.
const std::string kGood =
    "{\n"
    "  \"name\": \"Mine\",\n"
    "  \"compute_capability\": \"8.6\",\n"
    "  \"sources\": {\"tag\": \"a label on the card\"},\n"
    "  \"sm_count\": 10,\n"
    "  \"boost_clock\": {\"value\": 1500.5, \"source\": \"@tag\"},\n"
    "  \"dram_bandwidth\": 300\n"
    "}\n";

TEST(OwnFile, FiguresComeFromTheFileAndTheCapability) {
  auto read = read_gpu("mine", "mine.json", kGood);
  ASSERT_TRUE(read.ok()) << render(read.error(), kGood);
  EXPECT_EQ(read->sm_count, 10);
  EXPECT_EQ(read->sm_count.source, "given in mine.json");
  EXPECT_EQ(read->boost_clock, 1500.5);
  EXPECT_EQ(read->boost_clock.source, "a label on the card");
  EXPECT_EQ(read->max_warps_per_sm, 48);
  EXPECT_EQ(read->cc_minor, 6);
}

struct Wrong {
  std::string old_text, new_text, message;
  int line;
};

class WrongFile : public testing::TestWithParam<Wrong> {};

TEST_P(WrongFile, IsToldWhatAndWhere) {
  const Wrong& wrong = GetParam();
  std::string text = kGood;
  size_t at = text.find(wrong.old_text);
  ASSERT_NE(at, text.npos);
  text.replace(at, wrong.old_text.size(), wrong.new_text);
  auto read = read_gpu("mine", "mine.json", text);
  ASSERT_FALSE(read.ok()) << text;
  std::string said = render(read.error(), text);
  EXPECT_NE(said.find(wrong.message), said.npos) << said;
  EXPECT_EQ(read.error().front().where.line, wrong.line) << said;
  EXPECT_EQ(read.error().front().where.file, "mine.json");
}

INSTANTIATE_TEST_SUITE_P(
    All, WrongFile,
    testing::Values(
        Wrong{"\"sm_count\": 10", "\"sm_cuont\": 10", "unknown key 'sm_cuont'", 5},
        Wrong{"\"sm_count\": 10", "\"sm_cuont\": 10", "did you mean 'sm_count'?", 5},
        Wrong{"\"sm_count\": 10", "\"sm_count\": \"ten\"", "'sm_count' must be a number", 5},
        Wrong{"\"sm_count\": 10", "\"sm_count\": 10.5", "'sm_count' must be a whole number, not 10.5", 5},
        Wrong{"\"sm_count\": 10", "\"sm_count\": 0", "'sm_count' cannot be 0", 5},
        Wrong{"\"sm_count\": 10", "\"sm_count\": -3", "'sm_count' cannot be -3", 5},
        Wrong{"\"sm_count\": 10", "\"sm_count\": 99999999999999999999999", "'sm_count' cannot be 1e+23", 5},
        Wrong{"\"sm_count\": 10", "\"sm_count\": 1e999", "not JSON", 5},
        Wrong{"\"sm_count\": 10", "\"sm_count\": null", "'sm_count' must be a number", 5},
        Wrong{"\"sm_count\": 10", "\"sm_count\": {\"source\": \"x\"}", "'sm_count' has no \"value\"", 5},
        Wrong{"\"sm_count\": 10", "\"sm_count\": {\"value\": true}", "must be a number, not a boolean", 5},
        Wrong{"\"sm_count\": 10", "\"sm_count\": {\"value\": 1, \"unit\": 2}",
              "unknown key 'unit' in 'sm_count'", 5},
        Wrong{"\"sm_count\": 10", "\"sm_count\": 10, \"sm_count\": 11", "key 'sm_count' is given twice", 5},
        Wrong{"  \"sm_count\": 10,\n", "", "'sm_count' is missing", 1},
        Wrong{"\"Mine\"", "\"\"", "'name' must be a string that is not empty", 2},
        Wrong{"\"Mine\"", "7", "'name' must be a string, not an integer", 2},
        Wrong{"\"8.6\"", "\"8.5\"", "unknown compute capability '8.5'", 3},
        Wrong{"\"8.6\"", "8.6", "'compute_capability' must be a string, not a number", 3},
        Wrong{"{\"tag\": \"a label on the card\"}", "[]", "'sources' must be an object, not an array", 4},
        Wrong{"\"@tag\"", "\"@tug\"", "'@tug' is not in 'sources'", 6},
        Wrong{"\"@tag\"", "\"\"", "a source must be a string that is not empty", 6},
        Wrong{"1500.5,", "1500.5, ,", "not JSON", 6}, Wrong{"300\n}", "300\n", "not JSON", 9},
        Wrong{"300", "300, \"base_clock\": 1600", "'base_clock' (1600) is above 'boost_clock' (1500.5)", 7},
        Wrong{"300", "300, \"dram_bus\": 64, \"dram_data_rate\": 10", "does not follow from", 7},
        Wrong{"300", "300,\n\"smem_per_sm\": 99999",
              "'smem_per_block_optin' (102400) is above 'smem_per_sm' (99999)", 8},
        Wrong{"300", "300, \"max_warps_per_sm\": 64", "is not 32 times", 7},
        Wrong{"300", "300, \"\\u001b[31m\": 1", "unknown key '?[31m'", 7}));

TEST(OwnFile, NotAnObjectEmptyOrTooDeep) {
  auto said = [](std::string_view text) {
    auto read = read_gpu("x", "x.json", text);
    return read ? std::string() : render(read.error(), text);
  };
  EXPECT_NE(said("").find("not JSON"), std::string::npos);
  EXPECT_NE(said(" \n").find("not JSON"), std::string::npos);
  EXPECT_NE(said("[1]").find("a GPU file holds an object, not an array"), std::string::npos);
  EXPECT_NE(said("hello").find("x.json:1:"), std::string::npos) << said("hello");
  EXPECT_NE(said(std::string(500000, '[')).find("more than 100 levels"), std::string::npos);
  EXPECT_NE(said("{\"name\": \"\xff\"}").find("not JSON"), std::string::npos);
}

TEST(OwnFile, CaretsStandBelowTheirWord) {
  std::string text = "{\"name\": \"A\", \"nome\": 1}";
  auto read = read_gpu("x", "x.json", text);
  ASSERT_FALSE(read.ok());
  std::string said = render(read.error(), text);
  EXPECT_NE(said.find("  {\"name\": \"A\", \"nome\": 1}\n                ^^^^^^\n"), said.npos) << said;
}

TEST(OwnFile, FilesThatCannotBeRead) {
  EXPECT_NE(render(find_gpu("/nonexistent.json").error()).find("cannot read"), std::string::npos);
  EXPECT_FALSE(find_gpu("/tmp/").ok());
  std::string huge = testing::TempDir() + "/huge.json";
  std::ofstream(huge) << std::string(2 << 20, ' ');
  EXPECT_NE(render(find_gpu(huge).error()).find("larger than the limit"), std::string::npos);
  std::string endless = testing::TempDir() + "/endless.json";
  std::filesystem::remove(endless);
  std::filesystem::create_symlink("/dev/zero", endless);
  EXPECT_NE(render(find_gpu(endless).error()).find("larger than the limit"), std::string::npos);
}

TEST(Catalog, FindsTheGpuThatADriverNames) {
  const auto id = [](const char* product, int major, int minor, int64_t sms) {
    const Gpu* gpu = find_product(product, major, minor, sms);
    return gpu ? gpu->id : "";
  };
  EXPECT_EQ(id("NVIDIA H200", 9, 0, 132), "h200");
  EXPECT_EQ(id("NVIDIA H100 80GB HBM3", 9, 0, 132), "h100");
  EXPECT_EQ(id("Tesla V100-SXM2-16GB", 7, 0, 80), "v100");
  EXPECT_EQ(id("NVIDIA A100-SXM4-40GB", 8, 0, 108), "a100");
  EXPECT_EQ(id("NVIDIA GeForce RTX 4090", 8, 9, 128), "rtx4090");
  EXPECT_EQ(id("NVIDIA GeForce RTX 4070 SUPER", 8, 9, 56), "rtx4070s");
  EXPECT_EQ(id("NVIDIA GeForce GTX 1080", 6, 1, 20), "gtx1080");
  EXPECT_EQ(id("Tesla T4", 7, 5, 40), "t4");
  EXPECT_EQ(id("NVIDIA L4", 8, 9, 58), "l4");
  // Not these: another number of SMs, another model with the same chip.
  EXPECT_EQ(id("NVIDIA GeForce GTX 1080 Ti", 6, 1, 28), "");
  EXPECT_EQ(id("NVIDIA H800", 9, 0, 132), "");
}

}  // namespace
}  // namespace ww::gpus
