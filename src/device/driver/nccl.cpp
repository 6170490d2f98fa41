#include "device/driver/nccl.h"

#include <fmt/format.h>

#include <cstdlib>

#include "device/driver/gpu_device.h"
#include "device/driver/gpu_streams.h"
#include "device/driver/library.h"

namespace ww::device::driver {

namespace {

struct Api {
#define WW_MEMBER(member, exported, result, ...) result (*member)(__VA_ARGS__) = nullptr;
  WW_NCCL_FUNCTIONS(WW_MEMBER)
#undef WW_MEMBER
  std::string name;  // "NCCL 2.28.9"
};

/// "2.28.9" of 22809; before 2.9 the numbers had a digit less.
std::string version_of(int code) {
  const int unit = code < 10000 ? 1000 : 10000;
  return fmt::format("{}.{}.{}", code / unit, code % unit / 100, code % 100);
}

Result<Api> load(const std::string& path) {
  // Multicast over NVLink is not wanted: what it gains is not worth what a failure of it costs other users of
  // the machine. Who sets the variable decides.
  setenv("NCCL_NVLS_ENABLE", "0", 0);
  auto library = Library::open(path);
  if (!library)
    return error("no NCCL: " + library.error()[0].message,
                 "it comes with NVIDIA's packages (libnccl2, nvidia-nccl-cu13); its folder must be in "
                 "LD_LIBRARY_PATH");
  Api api;
  std::string missing;
#define WW_LOAD(member, exported, result, ...)                                        \
  api.member = reinterpret_cast<result (*)(__VA_ARGS__)>(library->symbol(#exported)); \
  if (!api.member) missing += (missing.empty() ? "" : ", ") + std::string(#exported);
  WW_NCCL_FUNCTIONS(WW_LOAD)
#undef WW_LOAD
  if (!api.version) return error(path + " is not NCCL: it has no ncclGetVersion");
  int version = 0;
  api.version(&version);
  api.name = "NCCL " + version_of(version);
  if (!missing.empty())
    return error(fmt::format("{} ({}) is too old: it lacks {}", path, api.name, missing),
                 "NCCL 2.7 or later is needed");
  return api;
}

class Nccl : public Collective {
 public:
  Nccl(Api api, std::vector<GpuStreams*> gpus) : api_(std::move(api)), gpus_(std::move(gpus)) {}
  // One that failed, or whose GPU did, would wait for ever to be destroyed in order.
  ~Nccl() override {
    for (GpuStreams* gpu : gpus_) failed_ |= !gpu->enter();
    for (NcclComm comm : comms_) (failed_ ? api_.abort : api_.destroy)(comm);
  }

  Status join() {
    std::vector<int> ordinals;
    for (GpuStreams* gpu : gpus_) ordinals.push_back(gpu->device().link()->ordinal());
    std::vector<NcclComm> comms(gpus_.size());
    auto ok =
        check("join the GPUs", api_.init_all(comms.data(), static_cast<int>(comms.size()), ordinals.data()));
    if (ok) comms_ = std::move(comms);
    return ok;
  }

  const std::string& library() const override { return api_.name; }

  Status broadcast(int root, std::span<const Address> buffers, uint64_t bytes) override {
    return grouped("broadcast", [&]() -> NcclResult {
      for (size_t i = 0; i < gpus_.size(); ++i) {
        void* at = reinterpret_cast<void*>(buffers[i]);
        if (auto wrong = api_.broadcast(at, at, bytes, kNcclInt8, root, comms_[i], gpus_[i]->handle(0)))
          return wrong;
      }
      return 0;
    });
  }

  Status move(std::span<const Transfer> transfers) override {
    return grouped("send", [&]() -> NcclResult {
      for (const Transfer& t : transfers) {
        const auto from = static_cast<size_t>(t.from), to = static_cast<size_t>(t.to);
        if (auto wrong = api_.send(reinterpret_cast<const void*>(t.source), t.bytes, kNcclInt8, t.to,
                                   comms_[from], gpus_[from]->handle(0)))
          return wrong;
        if (auto wrong = api_.receive(reinterpret_cast<void*>(t.target), t.bytes, kNcclInt8, t.from,
                                      comms_[to], gpus_[to]->handle(0)))
          return wrong;
      }
      return 0;
    });
  }

 private:
  /// One group of calls: NCCL starts them together, so that none waits for one that comes later.
  template <class Calls>
  Status grouped(const char* doing, Calls calls) {
    for (GpuStreams* gpu : gpus_)
      if (auto ok = gpu->enter(); !ok) return ok;
    NcclResult result = api_.group_start();
    if (result == 0) result = calls();
    // The group is closed in any case.
    if (const NcclResult end = api_.group_end(); result == 0) result = end;
    return check(doing, result);
  }
  Status check(const char* doing, NcclResult result) {
    if (result == 0) return {};
    failed_ = true;
    return error(fmt::format("{} cannot {}: {}", api_.name, doing, api_.error_string(result)),
                 "NCCL_DEBUG=WARN lets it say more");
  }

  Api api_;
  std::vector<GpuStreams*> gpus_;
  std::vector<NcclComm> comms_;
  bool failed_ = false;
};

}  // namespace

Result<std::unique_ptr<Collective>> open_nccl(const std::vector<Streams*>& gpus, const std::string& path) {
  std::vector<GpuStreams*> streams;
  for (Streams* one : gpus) {
    streams.push_back(dynamic_cast<GpuStreams*>(one));
    if (!streams.back()) return error("NCCL joins GPUs only");
  }
  auto api = load(path);
  if (!api) return api.error();
  auto nccl = std::make_unique<Nccl>(std::move(*api), std::move(streams));
  if (auto ok = nccl->join(); !ok) return ok.error();
  return std::unique_ptr<Collective>(std::move(nccl));
}

}  // namespace ww::device::driver
