#include <cmath>
#include <cstring>
#include <map>
#include <string>

#include "cuda/abi/device_prop.h"
#include "cuda/core/device_facts.h"
#include "cuda/core/platform.h"

namespace ww::cuda {

namespace {

int whole(int64_t v) { return static_cast<int>(v); }

/// Cards for data centres come with error correction switched on (seen on an H200), GeForce have none.
bool has_ecc(const gpus::Gpu& g) {
  return !g.driver_name.empty() && g.driver_name.find("GeForce") == std::string::npos;
}

/// All attributes that are not 0, by number. Figures of the card come from gpus/; texture and surface extents
/// are those of compute capability 5.0 and later (Programming Guide, technical specifications).
std::map<int, int> attributes_of(DeviceContext& device) {
  const gpus::Gpu& g = *device.gpu;
  std::map<int, int> a = {
      {1, whole(g.max_threads_per_block)},
      {2, 1024},
      {3, 1024},
      {4, 64},
      {5, 0x7fffffff},
      {6, 65535},
      {7, 65535},
      {8, whole(g.smem_per_block_default)},
      {9, 65536},
      {10, 32},
      {11, 0x7fffffff},
      {12, whole(g.max_regs_per_block)},
      {13, static_cast<int>(g.boost_clock * 1000)},
      {14, 512},
      {15, 1},
      {16, whole(g.sm_count)},
      {19, 1},
      {21, 131072},
      {22, 131072},
      {23, 65536},
      {24, 16384},
      {25, 16384},
      {26, 16384},
      {27, 32768},
      {28, 32768},
      {29, 2048},
      {30, 512},
      {31, 1},
      {32, has_ecc(g)},
      {33, device.number + 1},
      {36, g.dram_data_rate ? static_cast<int>(std::lround(*g.dram_data_rate * 1e6 / 2)) : 0},
      {37, g.dram_bus ? whole(*g.dram_bus) : 0},
      {38, g.l2_bytes ? whole(*g.l2_bytes) : 0},
      {39, whole(g.max_threads_per_sm)},
      {40, 3},
      {41, 1},
      {42, 32768},
      {43, 2048},
      {45, 32768},
      {46, 32768},
      {47, 8192},
      {48, 8192},
      {49, 32768},
      {51, 32},
      {52, 32768},
      {53, 32768},
      {54, 2046},
      {55, 32768},
      {56, 131072},
      {57, 65536},
      {58, 16384},
      {59, 16384},
      {60, 16384},
      {61, 32768},
      {62, 2048},
      {63, 32768},
      {64, 32768},
      {65, 2048},
      {66, 32768},
      {67, 32768},
      {68, 2046},
      {69, 268435456},
      {70, 131072},
      {71, 65000},
      {72, 2097120},
      {73, 32768},
      {74, 32768},
      {75, g.cc_major},
      {76, g.cc_minor},
      {77, 32768},
      {78, 1},
      {79, 1},
      {80, 1},
      {81, whole(g.smem_per_sm)},
      {82, whole(g.regs_per_sm)},
      {83, 1},
      {86, 0},
      {87, g.fp64 ? static_cast<int>(g.fp32 / *g.fp64) : 0},
      {88, 0},
      {89, 1},
      {90, 1},
      {91, 1},
      {95, g.at_least(6)},
      {97, static_cast<int>(device.shared_optin())},
      {99, 1},
      {101, 0},
      {102, 1},
      {103, 1},
      {106, whole(g.max_blocks_per_sm)},
      {107, g.at_least(8)},
      {108, g.l2_bytes && g.at_least(8) ? whole(*g.l2_bytes) / 8 * 5 : 0},
      {109, g.at_least(8) ? 134213632 : 0},
      {111, whole(g.reserved_smem_per_block)},
      {113, 1},
      {115, 1},
      {119, 1},  // pools shared by file descriptors
      {120, g.at_least(9)},
      {122, 1},
      {123, 1},
      {125, 1},
      {126, g.at_least(9) ? 4 : 1},
      {127, g.at_least(9)},
      {134, -1},
  };
  a[131] = -1;  // no NUMA node
  return a;
}

template <class Prop>
void common(DeviceContext& device, Prop& p) {
  auto all = attributes_of(device);
  auto at = [&](int k) { return all.count(k) ? all[k] : 0; };
  std::string name = device_name(device);
  std::strncpy(p.name, name.c_str(), sizeof p.name - 1);
  std::memcpy(p.uuid.bytes, "Warpwright\0\0\0\0\0\0", 16);
  p.uuid.bytes[15] = static_cast<char>(device.number);
  p.total_global_mem = device.memory_bytes;
  p.shared_mem_per_block = static_cast<size_t>(at(8));
  p.regs_per_block = at(12), p.warp_size = at(10), p.mem_pitch = static_cast<size_t>(at(11));
  p.max_threads_per_block = at(1);
  for (int k = 0; k < 3; ++k) p.max_threads_dim[k] = at(2 + k), p.max_grid_size[k] = at(5 + k);
  p.total_const_mem = static_cast<size_t>(at(9));
  p.major = at(75), p.minor = at(76);
  p.texture_alignment = static_cast<size_t>(at(14)), p.texture_pitch_alignment = static_cast<size_t>(at(51));
  p.multi_processor_count = at(16), p.can_map_host_memory = at(19);
  p.max_texture_1d = at(21), p.max_texture_1d_mipmap = at(77);
  auto set = [&](int* to, std::initializer_list<int> from) {
    for (int k : from) *to++ = at(k);
  };
  set(p.max_texture_2d, {22, 23}), set(p.max_texture_2d_mipmap, {73, 74});
  set(p.max_texture_2d_linear, {70, 71, 72}), set(p.max_texture_2d_gather, {45, 46});
  set(p.max_texture_3d, {24, 25, 26}), set(p.max_texture_3d_alt, {47, 48, 49});
  p.max_texture_cubemap = at(52);
  set(p.max_texture_1d_layered, {42, 43}), set(p.max_texture_2d_layered, {27, 28, 29});
  set(p.max_texture_cubemap_layered, {53, 54});
  p.max_surface_1d = at(55);
  set(p.max_surface_2d, {56, 57}), set(p.max_surface_3d, {58, 59, 60});
  set(p.max_surface_1d_layered, {61, 62}), set(p.max_surface_2d_layered, {63, 64, 65});
  p.max_surface_cubemap = at(66);
  set(p.max_surface_cubemap_layered, {67, 68});
  p.surface_alignment = static_cast<size_t>(at(30));
  p.concurrent_kernels = at(31), p.pci_bus = at(33), p.async_engines = at(40), p.unified_addressing = at(41);
  p.memory_bus_width = at(37), p.l2_cache_size = at(38), p.persisting_l2_max = at(108);
  p.max_threads_per_multi_processor = at(39), p.stream_priorities = at(78), p.global_l1 = at(79),
  p.local_l1 = at(80);
  p.shared_mem_per_multiprocessor = static_cast<size_t>(at(81)), p.regs_per_multiprocessor = at(82);
  p.managed_memory = at(83), p.concurrent_managed_access = at(89), p.compute_preemption = at(90);
  p.host_pointer_for_registered = at(91), p.cooperative_launch = at(95);
  p.shared_mem_per_block_optin = static_cast<size_t>(at(97));
  p.max_blocks_per_multi_processor = at(106), p.access_policy_max_window = at(109);
  p.reserved_shared_mem_per_block = static_cast<size_t>(at(111));
  p.ecc_enabled = at(32);
  p.host_register = at(99), p.host_register_read_only = at(113), p.memory_pools = at(115);
  p.memory_pool_handle_types = static_cast<u32>(at(119));
  p.cluster_launch = at(120), p.ipc_events = at(125), p.unified_function_pointers = 1;
}

DeviceProp12 properties(DeviceContext& device) {
  DeviceProp12 p{};
  common(device, p);
  auto all = attributes_of(device);
  p.clock_rate = all[13], p.device_overlap = 1, p.max_texture_1d_linear = all[69];
  p.memory_clock_rate = all[36], p.single_to_double_ratio = all[87];
  return p;
}

}  // namespace

std::string device_name(DeviceContext& device) {
  if (!device.gpu->driver_name.empty()) return device.gpu->driver_name;
  const std::string& name = device.gpu->name;
  return name.rfind("NVIDIA", 0) == 0 ? name : "NVIDIA " + name;
}

Error device_attribute(DeviceContext& device, int attribute, int& value) {
  if (attribute < 1 || attribute > 147) return Error::InvalidValue;
  auto all = attributes_of(device);
  auto it = all.find(attribute);
  value = it == all.end() ? 0 : it->second;
  return Error::Success;
}

void properties_11(DeviceContext& device, void* out) {
  DeviceProp12 p = properties(device);
  std::memcpy(out, &p, offsetof(DeviceProp12, host_register));
}
void properties_12(DeviceContext& device, void* out) {
  *static_cast<DeviceProp12*>(out) = properties(device);
}
void properties_13(DeviceContext& device, void* out) {
  DeviceProp13 p{};
  common(device, p);
  p.device_numa_id = p.host_numa_id = -1;
  *static_cast<DeviceProp13*>(out) = p;
}

}  // namespace ww::cuda
