#include "study/cache.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <filesystem>

#include "base/file.h"
#include "gpus/catalog.h"
#include "kernels/embedded.h"
#include "ptxas/assembler.h"
#include "report/json.h"
#include "study/digest.h"
#include "study/item_text.h"

namespace ww::study {

namespace {

// The first line of an entry is this and the digest of all that follows: the key, an empty line, the row. The
// number is raised when digests or rows are made in another way.
constexpr std::string_view kAnyHead = "warpwright row ", kHead = "warpwright row 2 ";
constexpr size_t kDigits = 32;           // of a digest
constexpr uint64_t kLargest = 16 << 20;  // bytes of an entry

/// This program with all it is made of: lane code, model, kernels.
const std::string& program() {
  static const std::string kDigest = [] {
    auto self = read_file("/proc/self/exe");
    return self ? digest(*self) : std::string();
  }();
  return kDigest;
}

std::string text_of(const gpus::Gpu& gpu) {
  std::string text = fmt::format("{} {} {} {} {}\n", gpu.id, gpu.name, gpu.chip, gpu.compute_capability(),
                                 gpu.registers_by_block);
  for (int64_t size : gpu.smem_carveouts) text += fmt::format("{} ", size);
  for (const gpus::Entry& entry : gpus::entries(gpu))
    text += fmt::format("\n{} {} {}", entry.key,
                        std::visit([](auto v) { return fmt::format("{}", v); }, entry.value), entry.source);
  return text;
}

/// What a clock of this machine said. The verification is measured too, but the same in every run.
bool clock_said(const Value& value) {
  return value.provenance == Provenance::Measured && value.tag != "verified" && value.tag != "max_error" &&
         value.tag != "error_of_bound";
}

/// Where the GPU's registers are from changes what is predicted.
template <class Options>
std::string registers_of(const Options& options) {
  auto ptxas = ptxas::find_ptxas();
  std::string text = ptxas ? "ptxas " + ptxas->version : "no ptxas";
  if constexpr (requires { options.registers; }) text += fmt::format(", {}", options.registers);
  return text;
}

std::string text_of_gpu(const gpus::Gpu* gpu, const kernels::RunOptions& options) {
  if (!gpu) return {};
  return fmt::format("gpu {} {}\nregisters {}\n", gpu->id, digest(text_of(*gpu)), registers_of(options));
}

/// Whether a file's name is that of a row: what is left of its digest.
bool is_entry(const std::string& name) {
  return name.size() == kDigits - 2 && name.find_first_not_of("0123456789abcdef") == name.npos;
}

bool good(const Row& row) {
  const Value* verified = row.find("verified");
  return row.refused.empty() && !row.find("fault") && (!verified || verified->number() == 1);
}

}  // namespace

std::string Cache::key(const Item& item, const gpus::Gpu* gpu, const kernels::RunOptions& options) {
  auto plan = kernels::make_plan(*item.kernel, item.config);
  if (!plan || plan->host || plan->probe || options.time || program().empty()) return {};
  std::string text = fmt::format("program {}\nkernel {}\nconfiguration {} seed={}\ncount={} sample={}\n",
                                 program(), digest(kernels::embedded_ptx(plan->module)), item_text(item),
                                 item.config.seed, options.count, options.sample);
  for (const std::string& file : item.config.inputs) {
    auto content = read_file(file);
    if (!content) return {};
    text += fmt::format("input {}\n", digest(*content));
  }
  return text + text_of_gpu(gpu, options);
}

std::string Cache::key(const std::string& what, const gpus::Gpu* gpu, const kernels::RunOptions& options) {
  if (options.time || program().empty()) return {};
  return fmt::format("program {}\nown {}\ncount={} sample={}\n", program(), digest(what), options.count,
                     options.sample) +
         text_of_gpu(gpu, options);
}

std::string Cache::path(const std::string& key) const {
  const std::string name = digest(key);
  return fmt::format("{}/rows/{}/{}", folder_, name.substr(0, 2), name.substr(2));
}

std::optional<Row> Cache::find(const std::string& key) {
  if (force_ || key.empty()) return {};
  const std::lock_guard lock(mutex_);
  const std::string file = path(key);
  std::error_code ignored;
  if (!std::filesystem::exists(file, ignored)) return {};
  auto text = read_file(file, kLargest, InputFile::Kind::Regular);
  if (!text && !std::filesystem::exists(file, ignored)) return {};  // another process made room
  const auto damaged = [&] {
    ++damaged_;
    return std::optional<Row>();
  };
  if (!text) return damaged();
  const size_t line = text->find('\n');
  if (line == text->npos || !text->starts_with(kAnyHead)) return damaged();
  if (!text->starts_with(kHead)) return {};  // of another version
  const std::string_view body = std::string_view(*text).substr(line + 1);
  if (std::string_view(*text).substr(0, line).substr(kHead.size()) != digest(body)) return damaged();
  if (!body.starts_with(key + "\n")) return {};  // another key with the same digest
  auto table = report::read_json(body.substr(key.size() + 1), file);
  if (!table || table->rows.size() != 1) return damaged();
  std::filesystem::last_write_time(file, std::filesystem::file_time_type::clock::now(), ignored);
  return std::move(table->rows[0]);
}

void Cache::store(const std::string& key, const Row& row) {
  if (key.empty() || !good(row)) return;
  const std::lock_guard lock(mutex_);
  if (!trouble_.empty()) return;
  Table table{"", {row}, {}};
  std::erase_if(table.rows[0].values, clock_said);
  const std::string body = key + "\n" + report::write_json(table), file = path(key);
  std::error_code wrong;
  std::filesystem::create_directories(std::filesystem::path(file).parent_path(), wrong);
  std::error_code ignored;  // a pipe in a row's place would be written into, and nothing reads there
  if (const auto kind = std::filesystem::symlink_status(file, ignored);
      std::filesystem::exists(kind) && !std::filesystem::is_regular_file(kind))
    std::filesystem::remove(file, ignored);
  auto ok = wrong ? Status(error(fmt::format("cannot make '{}': {}", folder_, wrong.message())))
                  : write_file_atomically(file, fmt::format("{}{}\n{}", kHead, digest(body), body));
  if (!ok) trouble_ = kernels::one_line(ok.error());
  ++stored_;
}

size_t Cache::prune(uint64_t limit) {
  namespace fs = std::filesystem;
  if (stored_ == 0) return 0;
  struct Entry {
    fs::file_time_type used;
    fs::path path;
    uint64_t size;
  };
  std::vector<Entry> entries;
  uint64_t total = 0;
  std::error_code wrong;
  const auto yesterday = fs::file_time_type::clock::now() - std::chrono::hours(24);
  for (fs::recursive_directory_iterator it(folder_ + "/rows", wrong), end; !wrong && it != end;
       it.increment(wrong)) {
    std::error_code gone;
    if (!it->is_regular_file(gone)) continue;
    const Entry entry{it->last_write_time(gone), it->path(), it->file_size(gone)};
    if (gone) continue;
    const std::string name = entry.path.filename();
    if (is_entry(name)) {
      total += entry.size;
      entries.push_back(entry);
    } else if (name.starts_with(".ww-") && name.ends_with(".tmp") && entry.used < yesterday) {
      fs::remove(entry.path, gone);
    }
  }
  if (total <= limit) return 0;
  std::sort(entries.begin(), entries.end(), [](const Entry& a, const Entry& b) { return a.used < b.used; });
  size_t removed = 0;
  for (const Entry& entry : entries) {
    if (total <= limit - limit / 10) break;
    std::error_code gone;
    if (fs::last_write_time(entry.path, gone) != entry.used) continue;  // somebody needs it after all
    removed += fs::remove(entry.path, gone);
    total -= entry.size;
  }
  return removed;
}

}  // namespace ww::study
