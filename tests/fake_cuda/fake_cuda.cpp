// A CUDA driver for tests: device memory is host memory, time is simulated, failures are scripted.
// Kernels are known by name: "add_one"(u32* data, u32 n) adds 1, "fault" fails, all others do nothing.
#include "fake_state.h"

#include <algorithm>

Fake fake;

void Fake::drop_context(int device) {
  const auto free_memory = [&](auto& all) {
    std::erase_if(all, [&](const auto& one) {
      if (one.second.device != device) return false;
      std::free(reinterpret_cast<void*>(one.first));
      return true;
    });
  };
  free_memory(memory), free_memory(host);
  const auto drop = [&](auto& all) {
    std::erase_if(all, [&](const auto& one) { return device_of[one.first] == device; });
  };
  drop(modules), drop(functions), drop(events), drop(streams);
  std::erase_if(live_textures, [&](const auto& one) { return one.second == device; });
  used[device] = 0;
  std::erase_if(reach, [&](const auto& path) { return path.first == device || path.second == device; });
  count();
}
void Fake::drop_all() {
  for (int device = 0; device < script.devices; ++device) drop_context(device);
}
void Fake::count() {
  log.live_allocations = static_cast<int>(memory.size());
  log.live_host = static_cast<int>(host.size());
  log.live_modules = static_cast<int>(modules.size());
  log.live_events = static_cast<int>(events.size());
  log.live_streams = static_cast<int>(streams.size());
}

void require(bool good, const char* what) {
  if (good) return;
  std::fprintf(stderr, "fake_cuda: %s\n", what);
  std::abort();
}

namespace {

// A program that cannot set a script gets what the environment says.
const bool from_environment = [] {
  if (const char* devices = std::getenv("FAKE_CUDA_DEVICES")) fake.script.devices = std::atoi(devices);
  if (const char* memory = std::getenv("FAKE_CUDA_MEMORY"))
    fake.script.memory = std::strtoull(memory, nullptr, 10);
  if (const char* peers = std::getenv("FAKE_CUDA_PEERS")) fake.script.peers = std::atoi(peers) != 0;
  return true;
}();

int run(void* function, unsigned x, unsigned y, unsigned z, void* stream, void** arguments) {
  if (fake.sticky) return fake.sticky;
  require(fake.functions.count(function), "launch of a dead function");
  const std::string& name = fake.functions[function].second;
  if (stream) return run_in_stream(stream, name, {x, y, z}, arguments);
  const unsigned grid = x * y * z;
  if (name == "ww_empty") {
    fake.clock_ms += 0.002;
    return 0;
  }
  ++fake.log.launches;
  if (fake.script.times > 0)
    fake.clock_ms += fake.script.times_ms[std::min(fake.timed++, fake.script.times - 1)];
  if (name == "add_one") {
    auto* data = *static_cast<uint32_t**>(arguments[0]);
    for (uint32_t i = 0; i < *static_cast<uint32_t*>(arguments[1]); ++i) ++data[i];
  }
  if (name == fake.script.faulty && fake.faulty_runs++ >= fake.script.fault_after)
    fake.sticky = fake.script.fault;
  return grid ? 0 : 1;
}

}  // namespace

extern "C" {

void fake_cuda_script(const FakeScript* script) {
  fake.drop_all();
  fake = Fake{};
  fake.script = *script;
}
const FakeLog* fake_cuda_log() { return &fake.log; }

int cuInit(unsigned) { return fake.script.init; }
int cuDriverGetVersion(int* version) { return *version = fake.script.version, 0; }
int cuGetErrorName(int result, const char** name) {
  static const std::map<int, const char*> kNames = {{1, "CUDA_ERROR_INVALID_VALUE"},
                                                    {2, "CUDA_ERROR_OUT_OF_MEMORY"},
                                                    {214, "CUDA_ERROR_ECC_UNCORRECTABLE"},
                                                    {218, "CUDA_ERROR_INVALID_PTX"},
                                                    {700, "CUDA_ERROR_ILLEGAL_ADDRESS"}};
  auto it = kNames.find(result);
  if (it == kNames.end()) return 1;
  return *name = it->second, 0;
}
int cuGetErrorString(int result, const char** text) {
  return *text = result == 700 ? "an illegal memory access was encountered" : "no more is known", 0;
}
int cuDeviceGetCount(int* count) { return *count = fake.script.devices, 0; }
int cuDeviceGet(int* device, int ordinal) { return *device = ordinal, 0; }
int cuDeviceGetName(char* name, int size, int) { return std::snprintf(name, size, "Fake GPU"), 0; }
int cuDeviceGetUuid_v2(unsigned char* uuid, int device) {
  for (int i = 0; i < 16; ++i) uuid[i] = static_cast<unsigned char>(device * 16 + i);
  return 0;
}
int cuDeviceGetPCIBusId(char* bus, int size, int device) {
  return std::snprintf(bus, size, "0000:%02x:00.0", device), 0;
}
int cuDeviceTotalMem_v2(size_t* bytes, int) { return *bytes = fake.script.memory, 0; }
int cuDeviceGetAttribute(int* value, int attribute, int) {
  static const std::map<int, int> kValues = {{1, 1024},  {2, 1024},  {3, 1024},  {4, 64},     {5, 0x7fffffff},
                                             {6, 65535}, {7, 65535}, {8, 49152}, {16, 4},     {38, 4096},
                                             {75, 9},    {76, 0},    {95, 1},    {97, 232448}};
  if (attribute == 83) return *value = fake.script.managed, 0;
  auto it = kValues.find(attribute);
  if (it == kValues.end()) return 1;
  return *value = it->second, 0;
}
int cuDevicePrimaryCtxRetain(void** context, int device) {
  if (fake.script.dead_after_fault && fake.log.resets > 0) return 700;
  ++fake.log.contexts;
  return *context = reinterpret_cast<void*>(uintptr_t{1} + device), 0;
}
int cuDevicePrimaryCtxRelease_v2(int) {
  if (--fake.log.contexts <= 0) fake.drop_all();
  return 0;
}
int cuDevicePrimaryCtxReset_v2(int device) {
  ++fake.log.resets;
  fake.sticky = 0;
  return fake.drop_context(device), 0;
}
int cuCtxSetCurrent(void* context) {
  fake.current = static_cast<int>(reinterpret_cast<uintptr_t>(context)) - 1;
  return 0;
}
int cuCtxSynchronize() { return finish_all(), fake.sticky; }
int cuMemGetInfo_v2(size_t* free, size_t* total) {
  return *free = fake.script.memory - fake.used[fake.current], *total = fake.script.memory, 0;
}
int cuMemAlloc_v2(unsigned long long* address, size_t bytes) {
  if (fake.sticky) return fake.sticky;
  if (bytes > fake.script.memory - fake.used[fake.current]) return 2;
  *address = reinterpret_cast<unsigned long long>(std::malloc(bytes));
  fake.memory[*address] = {bytes, fake.current};
  fake.used[fake.current] += bytes;
  return fake.count(), 0;
}
int cuMemFree_v2(unsigned long long address) {
  if (fake.sticky) return fake.sticky;
  finish_all();  // as the real one waits
  if (fake.host.count(address) && fake.host[address].managed) {
    std::free(reinterpret_cast<void*>(address));
    return fake.host.erase(address), fake.count(), 0;
  }
  require(fake.memory.count(address), "free of what is not allocated");
  fake.used[fake.memory[address].device] -= fake.memory[address].bytes;
  std::free(reinterpret_cast<void*>(address));
  fake.memory.erase(address);
  return fake.count(), 0;
}
int cuMemcpyHtoD_v2(unsigned long long to, const void* from, size_t bytes) {
  if (const int wrong = copy_result()) return wrong;
  return std::memcpy(reinterpret_cast<void*>(to), from, bytes), 0;
}
int cuMemcpyDtoH_v2(void* to, unsigned long long from, size_t bytes) {
  if (const int wrong = copy_result()) return wrong;
  return std::memcpy(to, reinterpret_cast<void*>(from), bytes), 0;
}
int cuTexObjectCreate(unsigned long long* texture, const void*, const void*, const void*) {
  if (fake.sticky) return fake.sticky;
  *texture = ++fake.textures;
  fake.live_textures[*texture] = fake.current;
  return 0;
}
int cuTexObjectDestroy(unsigned long long texture) {
  require(fake.live_textures.erase(texture), "destroy of what is no texture");
  return fake.sticky;
}
int cuMemsetD8Async(unsigned long long address, unsigned char byte, size_t bytes, void*) {
  require(fake.memory.count(address) && fake.memory[address].bytes >= bytes, "fill beyond an allocation");
  std::memset(reinterpret_cast<void*>(address), byte, bytes);
  ++fake.log.fills;
  fake.clock_ms += 100;  // shows when it is timed by mistake
  return fake.sticky;
}

int cuModuleLoadDataEx(void** module, const void* text, unsigned options, const int* option, void** values) {
  if (fake.sticky) return fake.sticky;
  for (unsigned i = 0; i < options; ++i)
    if (option[i] == 5) std::strcpy(static_cast<char*>(values[i]), fake.script.compile_log);
  if (fake.script.compile) return fake.script.compile;
  *module = fake.handle();
  fake.modules[*module] = static_cast<const char*>(text);
  ++fake.log.compilations;
  return fake.count(), 0;
}
int cuModuleUnload(void* module) {
  require(fake.modules.erase(module), "unload of a dead module");
  return fake.count(), fake.sticky;
}
int cuModuleGetFunction(void** function, void* module, const char* name) {
  require(fake.modules.count(module), "function of a dead module");
  if (fake.modules[module].find(std::string(".entry ") + name) == std::string::npos) return 500;
  *function = fake.handle();
  fake.functions[*function] = {module, name};
  return 0;
}
int cuFuncGetAttribute(int* value, int attribute, void* function) {
  require(fake.functions.count(function), "attribute of a dead function");
  const int values[] = {fake.script.max_threads, fake.script.static_shared, 8, 16, 40};
  return *value = attribute < 5 ? values[attribute] : 0, 0;
}
int cuFuncSetAttribute(void*, int attribute, int value) {
  if (attribute == 8) fake.log.dynamic_shared_limit = value;
  return 0;
}
int cuOccupancyMaxActiveBlocksPerMultiprocessor(int* blocks, void*, int, size_t) {
  return *blocks = fake.script.resident_blocks, 0;
}
int cuLaunchKernel(void* function, unsigned x, unsigned y, unsigned z, unsigned, unsigned, unsigned, unsigned,
                   void* stream, void** arguments, void**) {
  return run(function, x, y, z, stream, arguments);
}
struct Attribute {  // CUlaunchAttribute
  int id, padding;
  unsigned value[16];
};
struct Config {  // CUlaunchConfig
  unsigned grid[3], block[3], shared;
  void* stream;
  const Attribute* attributes;
  unsigned attribute_count;
};
int cuLaunchKernelEx(const Config* config, void* function, void** arguments, void**) {
  for (unsigned i = 0; i < config->attribute_count; ++i)
    if (config->attributes[i].id == 4) std::copy_n(config->attributes[i].value, 3, fake.log.cluster);
  return run(function, config->grid[0], config->grid[1], config->grid[2], config->stream, arguments);
}
int cuLaunchCooperativeKernel(void* function, unsigned x, unsigned y, unsigned z, unsigned, unsigned,
                              unsigned, unsigned, void* stream, void** arguments) {
  ++fake.log.cooperative_launches;
  return run(function, x, y, z, stream, arguments);
}

int cuEventCreate(void** event, unsigned) {
  *event = fake.handle();
  fake.events[*event] = std::make_shared<Mark>();
  return fake.count(), fake.sticky;
}
int cuEventRecord(void* event, void* stream) {
  if (fake.sticky) return fake.sticky;
  require(fake.events.count(event), "record of a dead event");
  auto mark = std::make_shared<Mark>();
  fake.events[event] = mark;
  mark->when = fake.clock_ms;
  if (!stream) return 0;
  mark->done = false;
  mark->when = put(stream, nullptr, 0, [mark] { return mark->done = true; }).time;
  return 0;
}
int cuEventSynchronize(void*) { return finish_all(), fake.sticky; }
int cuEventElapsedTime(float* ms, void* begin, void* end) {
  if (!fake.events.at(end)->done || !fake.events.at(begin)->done) return 600;  // not ready
  return *ms = static_cast<float>(fake.events.at(end)->when - fake.events.at(begin)->when), 0;
}
int cuEventDestroy_v2(void* event) {
  require(fake.events.erase(event), "destruction of a dead event");
  return fake.count(), 0;
}

// The management library, as far as it is used. Device i is 35 - 10·i % busy and has i MiB free.
int nvmlInit_v2() { return fake.script.nvml ? 0 : 9; }
int nvmlShutdown() { return 0; }
int nvmlSystemGetDriverVersion(char* text, unsigned size) { return std::snprintf(text, size, "580.1"), 0; }
int nvmlDeviceGetHandleByPciBusId_v2(const char* bus, void** device) {
  return *device = reinterpret_cast<void*>(std::strtoul(bus + 5, nullptr, 16)), 0;
}
int nvmlDeviceGetUtilizationRates(void* device, unsigned* rates) {
  return rates[0] = static_cast<unsigned>(5 + 10 * (3 - reinterpret_cast<uintptr_t>(device))), 0;
}
int nvmlDeviceGetMemoryInfo(void* device, unsigned long long* info) {
  return info[1] = reinterpret_cast<uintptr_t>(device) << 20, 0;
}
int nvmlDeviceGetClockInfo(void*, int type, unsigned* mhz) { return *mhz = type == 1 ? 1980 : 3201, 0; }
int nvmlDeviceGetTemperature(void*, int, unsigned* celsius) { return *celsius = 41, 0; }
int nvmlDeviceGetPowerUsage(void*, unsigned*) { return 3; }  // not supported

}  // extern "C"
