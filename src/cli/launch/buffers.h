// The arrays of a `launch`: brought to the device before it, and written to files after it.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "cli/launch/argument.h"
#include "device/device.h"

namespace ww::cli {

class LaunchBuffers {
 public:
  /// Where an array lies.
  struct Placed {
    device::Address address = 0;
    device::Address begin = 0;  ///< what the kernel gets: a later element where +3 was said
    uint64_t bytes = 0;
    uint64_t row_bytes = 0;  ///< of its last dimension, where it has several; else 0
    bool input = false;      ///< in: and not inout:
    size_t argument = 0;     ///< whose it is: its own, or of a struct
    npy::Dtype dtype = npy::Dtype::F4;
    bool bfloat = false;  ///< its elements are bf16
    bool table = false;   ///< of the addresses of other arrays
    bool texels = false;  ///< of a texture or surface
    int channels = 1;     ///< of a texel: the last dimension, where there are several
    std::vector<uint64_t> shape;
  };

  explicit LaunchBuffers(device::Device& device) : device_(device) {}
  ~LaunchBuffers();
  LaunchBuffers(const LaunchBuffers&) = delete;
  LaunchBuffers& operator=(const LaunchBuffers&) = delete;

  /// Where the arrays lie that a kernel before had, by name; they must stay.
  void share(const std::map<std::string, Placed>* arrays) { shared_ = arrays; }
  /// The numbers that numpy: expressions may name.
  void know(std::map<std::string, std::string> words) { words_ = std::move(words); }
  /// Reads files, draws random numbers and allocates, in the order of the arguments, whose scalars have
  /// types. Errors: several at once.
  Status prepare(const std::vector<LaunchArgument>& arguments, uint64_t seed);
  /// Fills a variable of `bytes` bytes. An `out` array leaves what it holds. `stream` tells the random
  /// numbers of variables apart. Errors: as of prepare; a value that is longer.
  Status prepare_variable(const std::string& name, device::Address address, uint64_t bytes,
                          const LaunchArgument& value, uint64_t seed, uint64_t stream);
  /// From now on what arrays hold at first is kept, for `restore`.
  void keep() { keep_ = true; }
  /// Every array as it was before the launch.
  Status restore();
  /// What the kernel gets.
  const std::vector<device::Argument>& arguments() const { return arguments_; }
  /// Those that were allocated here, in the order of the arguments.
  std::vector<Placed> placed() const;
  /// Writes the out and inout files, each in one step.
  Status save() const;

 private:
  struct Buffer {
    ArrayArgument what;
    npy::Array array;  // its bytes are dropped once the device has them, unless they are kept
    device::Address address = 0, begin = 0;
    bool own = true;  // it was allocated here
    size_t argument = 0;
    bool table = false;  // of pointers
    int channels = 0;    // of a texel; 0: no texture, no surface
  };
  /// The bytes of a value; arrays are allocated, and their address is the value.
  Result<std::vector<std::byte>> bytes_of(const LaunchArgument& value, uint64_t seed, uint64_t stream);
  /// The address of the element that a kernel gets, of an array from `begin` to `end`. Error: there is none.
  static Result<device::Address> behind(device::Address begin, const ArrayArgument& what, npy::Dtype dtype,
                                        device::Address end);
  /// Brings the arrays of a table of pointers, and the table; its address.
  Result<std::vector<std::byte>> table_of(const StructArgument& table, uint64_t seed, uint64_t stream);
  Result<Buffer> filled(const ArrayArgument& what, uint64_t seed, uint64_t stream);
  /// The handle of a texture or surface over an array that `add` brought.
  Result<uint64_t> add(const TextureArgument& what, uint64_t seed, uint64_t stream);
  Status add(const ArrayArgument& what, uint64_t seed, uint64_t stream);
  Status bring(Buffer buffer);

  device::Device& device_;
  std::vector<Buffer> buffers_;
  std::vector<device::Argument> arguments_;
  std::vector<uint64_t> textures_;
  const std::map<std::string, Placed>* shared_ = nullptr;
  std::map<std::string, std::string> words_;
  bool keep_ = false;
  size_t argument_ = 0;  // that is prepared now
};

using SharedArrays = std::map<std::string, LaunchBuffers::Placed>;

/// Gives @NAME the element type and shape of its array. Error: there is none of this name (with the nearest).
Status find_shared(LaunchArgument& value, const SharedArrays& arrays);

}  // namespace ww::cli
