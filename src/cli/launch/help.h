// Help for a user whose arguments were wrong: the kernel's parameters, and a command that works.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "cli/launch/example_arguments.h"
#include "cli/launch/kernel_shape.h"
#include "cli/launch/options.h"
#include "cli/launch/parameters.h"

namespace ww::cli {

/// An example: how the kernel could be launched.
struct ExampleLaunch {
  device::Dim3 grid, block;
  device::Dim3 covers;                 ///< elements of the arrays that each block works on
  bool tiles = false;                  ///< of a size of their own, whatever the block
  bool one_block = false;              ///< the kernel is written for one block
  uint64_t shared = 0;                 ///< dynamic shared memory of a block
  std::vector<std::string> arguments;  ///< as --arg takes them
  uint64_t directions = 1;             ///< in which it has several blocks
  uint64_t elements = 1;               ///< of an array for each of those that its blocks cover
  uint64_t size = 0;                   ///< what whole numbers are; 0: the elements of a row
  uint64_t factors = 0;  ///< so many whole numbers multiplied are an array's elements; 0: `size`
  using Integers = cli::Integers;
  Integers integers = Integers::Zeros;
  std::vector<std::string> read;    ///< the names of arrays of whole numbers that are read
  std::set<size_t> flags;           ///< parameters of arrays that begin as flags do whatever the others hold
  std::vector<std::string> zeros;   ///< their names
  std::vector<std::string> places;  ///< the names of those that hold 0, 1, 2, … instead
  std::string real = "1.5";         ///< what floating-point numbers are
  uint64_t halo = 0;  ///< elements of each array before that which the kernel gets, and as many behind
  std::map<size_t, uint64_t> fixed;  ///< whole numbers that are something else, by the parameter's place
  bool behind_constants = false;     ///< one of them is, as with more it reads behind constant memory

  uint64_t wide() const { return uint64_t{grid.x} * covers.x; }
  uint64_t high() const { return uint64_t{grid.y} * covers.y * grid.z * covers.z; }
};

/// What could be tried for these parameters, the likeliest first. `grid`, `block`: those that were given, or
/// zeros. `shape`: what its code says of them. `shared`: dynamic shared memory; 0: none was given.
std::vector<ExampleLaunch> examples_for(const std::vector<Parameter>& parameters, const device::Dim3& grid,
                                        const device::Dim3& block, const KernelShape& shape, uint64_t shared,
                                        bool wants_shared);

/// What whole numbers are that are not `fixed`.
uint64_t whole_number_of(const ExampleLaunch& example);

/// The same with `times` as many blocks in each direction that it uses, and arrays and sizes as that asks.
/// `same_sizes`: whole numbers stay, as where each block has a row.
ExampleLaunch grown(const ExampleLaunch& example, const std::vector<Parameter>& parameters, uint32_t times,
                    bool same_sizes = false);
/// The same with this for floating-point numbers.
ExampleLaunch with_real(const ExampleLaunch& example, const std::vector<Parameter>& parameters,
                        const std::string& real);
/// The same with other whole numbers in arrays that are read.
ExampleLaunch with_integers(const ExampleLaunch& example, const std::vector<Parameter>& parameters,
                            ExampleLaunch::Integers integers);
/// The same with another whole number for one parameter.
ExampleLaunch with_number(const ExampleLaunch& example, const std::vector<Parameter>& parameters,
                          size_t place, uint64_t number);
/// The same for a kernel that reaches beyond the ends of its arrays, as stencils do that get `a + radius`:
/// its fault says how many bytes. Nothing where it says something else, or too many for that.
std::optional<ExampleLaunch> with_halo(const ExampleLaunch& example, const std::vector<Parameter>& parameters,
                                       const std::string& fault);

/// What to say where no guess runs: a file with a main() has launches of its own. "" without.
std::string own_launches_note(const LaunchOptions& options);

/// The command that launches so.
std::string command_of(const LaunchOptions& options, const ExampleLaunch& example, bool cooperative);

/// Whether the kernel, or a function that it may call, waits for the whole grid: cooperative groups take the
/// grid's barrier from %envreg, which only a cooperative launch has.
bool meets_grid(const ir::Module& module, const std::string& kernel);

/// Whether the kernel, or a function that it may call, uses shared memory whose size the launch says.
bool wants_dynamic_shared(const ir::Module& module, const std::string& kernel);

/// The parameters one by one, and the first example for which `runs` holds; where it holds for none, only the
/// options that are missing: what fails is no example.
std::string parameters_help(const LaunchOptions& options, const std::string& kernel,
                            const std::vector<Parameter>& parameters,
                            const std::vector<ExampleLaunch>& examples, bool cooperative,
                            const std::function<bool(const ExampleLaunch&)>& runs);

}  // namespace ww::cli
