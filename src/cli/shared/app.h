// The names of CLI11's types, for headers that only pass them on: the whole of CLI11 takes longer to compile
// than most files of this folder.
#pragma once

namespace CLI {
class App;
class Option;
}  // namespace CLI
