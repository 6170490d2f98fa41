// Our occupancy against cuda_occupancy.h of the CUDA toolkit, for every compute capability that both know,
// over a dense grid of block sizes, registers and shared memory.
#include <cuda_occupancy.h>
#include <gtest/gtest.h>

#include <climits>

#include "../long.h"
#include "gpus/capability.h"
#include "model/occupancy.h"

namespace ww::model {
namespace {

gpus::Gpu gpu_of(const std::string& capability) {
  gpus::Gpu gpu;
  gpu.name = "cc " + capability;
  EXPECT_TRUE(gpus::apply_capability(gpu, capability));
  gpu.sm_count = {1, "test"};
  return gpu;
}

cudaOccDeviceProp properties_of(const gpus::Gpu& gpu) {
  cudaOccDeviceProp p;
  p.computeMajor = gpu.cc_major;
  p.computeMinor = gpu.cc_minor;
  p.maxThreadsPerBlock = static_cast<int>(gpu.max_threads_per_block);
  p.maxThreadsPerMultiprocessor = static_cast<int>(gpu.max_threads_per_sm);
  p.regsPerBlock = static_cast<int>(gpu.max_regs_per_block);
  p.regsPerMultiprocessor = static_cast<int>(gpu.regs_per_sm);
  p.warpSize = 32;
  p.sharedMemPerBlock = gpu.smem_per_block_default;
  p.sharedMemPerMultiprocessor = gpu.smem_per_sm;
  p.numSms = 1;
  p.sharedMemPerBlockOptin =
      gpu.smem_per_block_optin ? gpu.smem_per_block_optin->value : gpu.smem_per_block_default.value;
  p.reservedSharedMemPerBlock = gpu.reserved_smem_per_block;
  return p;
}

struct Shared {
  int64_t fixed, dynamic;
};

// Sizes around every allocation boundary that matters and on both sides of each limit; what is above the
// default limit is dynamic, as it must be.
std::vector<Shared> shared_sizes(const gpus::Gpu& gpu) {
  int64_t plain = gpu.smem_per_block_default;
  int64_t most = gpu.smem_per_block_optin ? gpu.smem_per_block_optin->value : plain;
  std::vector<Shared> out{{0, 0}, {1, 0}, {0, 1}, {127, 2}, {1024, 1024}};
  for (int64_t blocks = 1; blocks <= gpu.max_blocks_per_sm; blocks += blocks < 4 ? 1 : 3) {
    int64_t share = gpu.smem_per_sm / blocks - gpu.reserved_smem_per_block;
    for (int64_t size : {share - gpu.smem_alloc_unit, share, share + 1})
      if (size >= 0 && size <= most + 1)
        out.push_back({std::min<int64_t>(size, 4096), size - std::min<int64_t>(size, 4096)});
  }
  for (int64_t size : {plain, plain + 1, most, most + 1}) out.push_back({1024, size - 1024});
  return out;
}

std::optional<int64_t> limit_of(int header) {
  if (header == INT_MAX) return std::nullopt;
  return header;
}

class Header : public testing::TestWithParam<std::string> {};

TEST_P(Header, AgreesEverywhere) {
  gpus::Gpu gpu = gpu_of(GetParam());
  cudaOccDeviceProp properties = properties_of(gpu);
  cudaOccDeviceState state;
  int64_t launches = 0, possible = 0;
  for (const Shared& shared : shared_sizes(gpu)) {
    cudaOccFuncAttributes kernel;
    kernel.maxThreadsPerBlock = INT_MAX;
    kernel.partitionedGCConfig = PARTITIONED_GC_OFF;
    kernel.shmemLimitConfig = FUNC_SHMEM_LIMIT_OPTIN;
    kernel.sharedSizeBytes = shared.fixed;
    kernel.maxDynamicSharedSizeBytes = shared.dynamic;
    kernel.numBlockBarriers = 1;
    // Units of registers are 4 to 16 a thread: steps of 3 come to both sides of their ends. With WW_LONG all.
    for (int registers = 0; registers <= 256; ++registers) {
      if (!is_tried(registers, 3)) continue;
      // The header lets 7.0 and later have 256 registers per thread; their instructions can only name 255.
      if (registers == 256 && gpu.cc_major >= 7) continue;
      // It lets every 3.x have 255; the programming guide gives 3.0 only 63.
      if (registers > 63 && gpu.max_regs_per_thread == 63) continue;
      kernel.numRegs = registers;
      for (int warps = 1; warps <= 33; ++warps) {
        for (int threads : {32 * warps - 31, 32 * warps}) {
          cudaOccResult theirs;
          ASSERT_EQ(CUDA_OCC_SUCCESS, cudaOccMaxActiveBlocksPerMultiprocessor(
                                          &theirs, &properties, &kernel, &state, threads, shared.dynamic));
          Demand demand{threads, 1, 1, registers, shared.fixed, shared.dynamic};
          auto ours = occupancy(gpu, demand);
          ++launches;
          auto say = [&] {
            return testing::Message() << threads << " threads, " << registers << " registers, "
                                      << shared.fixed << "+" << shared.dynamic << " bytes";
          };
          ASSERT_EQ(theirs.activeBlocksPerMultiprocessor, ours ? ours->active_blocks : 0) << say();
          if (!ours) continue;
          ++possible;
          ASSERT_EQ(limit_of(theirs.blockLimitWarps), (*ours)[Resource::Warps]) << say();
          ASSERT_EQ(limit_of(theirs.blockLimitRegs), (*ours)[Resource::Registers]) << say();
          ASSERT_EQ(limit_of(theirs.blockLimitSharedMem), (*ours)[Resource::SharedMemory]) << say();
          ASSERT_EQ(limit_of(theirs.blockLimitBlocks), (*ours)[Resource::Blocks]) << say();
          ASSERT_EQ(theirs.allocatedRegistersPerBlock, ours->registers_per_block) << say();
          ASSERT_EQ(static_cast<int64_t>(theirs.allocatedSharedMemPerBlock), ours->shared_per_block) << say();
        }
      }
    }
  }
  EXPECT_GT(possible, 10000);
  EXPECT_GT(launches, possible);
}

// The header rounds a shared-memory preference up to a carve-out; ours must be the one it chooses for what is
// needed.
TEST_P(Header, ChoosesTheSameCarveout) {
  gpus::Gpu gpu = gpu_of(GetParam());
  if (!gpu.at_least(7)) GTEST_SKIP() << "no carve-outs";
  cudaOccDeviceProp properties = properties_of(gpu);
  for (int64_t shared = 0; shared <= *gpu.smem_per_block_optin; shared += 512) {
    for (int threads = 32; threads <= 1024; threads += 32) {
      auto ours = occupancy(gpu, {threads, 1, 1, 32, 0, shared});
      ASSERT_TRUE(ours.ok());
      size_t size = ours->active_blocks * ours->shared_per_block;
      ASSERT_EQ(CUDA_OCC_SUCCESS, cudaOccAlignUpShmemSizeVoltaPlus(&size, &properties));
      ASSERT_TRUE(ours->carveout.has_value());
      ASSERT_EQ(static_cast<int64_t>(size), *ours->carveout) << threads << " threads, " << shared << " bytes";
    }
  }
}

std::vector<std::string> capabilities_of_both() {
  std::vector<std::string> out;
  for (const auto& capability : gpus::known_capabilities())
    if (capability[1] != '.' || capability[0] >= '3')
      out.push_back(capability);  // 3.0 and later: the header's range
  return out;
}

INSTANTIATE_TEST_SUITE_P(Capabilities, Header, testing::ValuesIn(capabilities_of_both()),
                         [](const auto& info) {
                           std::string name = "cc" + info.param;
                           name[name.find('.')] = '_';
                           return name;
                         });

}  // namespace
}  // namespace ww::model
