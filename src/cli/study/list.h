// What `study` says of the studies there are.
#pragma once

#include "base/table.h"

namespace ww::cli {

/// A row for each built-in study: what it is, and how many configurations it has, in full and quick.
Table list_studies();

}  // namespace ww::cli
