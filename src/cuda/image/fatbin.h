// Fatbins: what nvcc puts into a program, the code of its kernels for one or more GPUs.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "image/reader.h"

namespace ww::image {

/// The compute capability that code is for, as nvcc writes it: 75, 90a (that GPU only), 120f (its family).
struct Target {
  int number = 0;   ///< 10 × major + minor
  char suffix = 0;  ///< 'a', 'f' or 0

  bool operator==(const Target&) const = default;
  std::string text() const;  ///< "90a"
  /// Whether PTX for this target runs on a GPU of the compute capability `gpu` (10 × major + minor): on it
  /// and all later ones, with `a` on that one alone, with `f` on the later ones of the same major number.
  bool runs_on(int gpu) const;
};

enum class Kind : uint8_t { Ptx, MachineCode, LinkTimeCode, Unknown };
enum class Compression : uint8_t { None, Lz4, Zstd };

/// One image of a fatbin. It looks into the bytes that were read, which must outlive it; nothing is
/// decompressed before text() is called, so that reading a program of 100 MB takes no time.
struct CodeImage {
  Kind kind = Kind::Unknown;
  Compression compression = Compression::None;
  Target target;
  bool debug = false;        ///< compiled with -G
  bool relocatable = false;  ///< PTX of nvcc -rdc=true (-dc): to be linked with that of the other files
  uint64_t size = 0;         ///< bytes once decompressed
  std::string_view name;     ///< of the source file; most often empty
  std::string_view options;  ///< of the compiler, as nvcc kept them; most often empty
  Bytes stored;              ///< as it lies in the fatbin

  /// The PTX (without the zeros behind it) or the machine code. Errors: damaged, or above 1 GiB.
  Result<std::string> text() const;
};

/// The images of a fatbin (magic 0xBA55ED50), or of several one behind the other, as the section .nv_fatbin
/// holds them (zeros between them are skipped). Errors: not a fatbin, cut off, or damaged.
Result<std::vector<CodeImage>> read_fatbins(Bytes bytes);

/// A fatbin with this PTX, not compressed, for GPUs from that compute capability (75) on.
std::string fatbin_of_ptx(std::string_view ptx, int capability);

/// The bytes of the fatbin that begins at `start`, of which only the start is known: as long as its header
/// says. Nothing where there is no fatbin's magic (16 bytes are read).
Bytes fatbin_at(const void* start);

/// What __cudaRegisterFatBinary gets (magic 0x466243b1): its own fatbin and, of programs linked with
/// -rdc=true, those of all their files, whose PTX has to be linked together.
struct Wrapper {
  Bytes fatbin;                  ///< may hold no image: nvlink makes machine code only
  std::vector<Bytes> prelinked;  ///< empty without -rdc=true
};
/// Errors: not a wrapper, or one that names something else than fatbins.
Result<Wrapper> read_wrapper(const void* wrapper);

/// The PTX that runs on a GPU of that compute capability (75): of those that can, the one for the latest.
/// Nothing where none can.
const CodeImage* best_ptx(const std::vector<CodeImage>& images, int gpu);

/// Whether it is NVIDIA's device runtime library (libcudadevrt), which nvcc -rdc=true adds to a program whose
/// code is PTX alone. Its own PTX is for the toolkit's latest GPU only; the engine has its functions itself.
bool is_device_runtime(const std::vector<CodeImage>& images);

/// Why best_ptx() had nothing to give, with the flag of nvcc that would change it.
Diagnostic no_ptx(const std::vector<CodeImage>& images, int gpu);

}  // namespace ww::image
