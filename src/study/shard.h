// A study in parts: what each of several machines runs, and how their results come together.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "report/presentation.h"
#include "study/study.h"

namespace ww::study {

/// Part `part` of `of`, counted from 1.
struct Shard {
  int part = 1, of = 1;
};

/// "3/16". Errors: anything else.
Result<Shard> shard_named(std::string_view text);

/// For each item the part that runs it. Depends on the items alone. Parts get about the same work: the
/// largest items first, each to the part that has least so far.
std::vector<int> owners(const std::vector<Item>& items, int of);

/// What a part says about the whole. A run is an item on a device.
struct Whole {
  Shard shard;
  std::string study, settings;    ///< what else the results depend on; equal in all parts
  std::vector<std::string> runs;  ///< "matmul/tiled,n=176,block=8@engine", in the order of the study
  std::vector<int> owner;         ///< for each of them
};

/// The runs of all items. Real GPUs are just "gpu": each machine has its own.
Whole whole_of(const std::string& study, const std::vector<Item>& items,
               const std::vector<device::Device*>& devices, Shard shard, std::string settings);

/// A table as report::write_json has it, with the key "part" for merge.
std::string write_part(const Table& table, const Whole& whole, const report::Presentation& page);

struct Part {
  std::string file;
  Whole whole;
  Table table;
  std::optional<report::Presentation> page;
};
/// Errors, located in `file`: what report::read_json finds, no part of a study.
Result<Part> read_part(std::string_view text, const std::string& file);

struct Merged {
  Table table;                       ///< in the order of the study, as if it had run in one piece
  report::Presentation page;         ///< of the first part, with all different facts of the others
  std::vector<std::string> missing;  ///< "matmul/tiled,n=176,block=8@engine, of part 3/16"
  std::vector<std::string> doubled;  ///< with the files that hold them; the first one's rows count
};
/// Error: parts of different studies, or run with different settings.
Result<Merged> merge(const std::vector<Part>& parts);

}  // namespace ww::study
