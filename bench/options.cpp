#include "options.h"

#include <fmt/format.h>

#include <cstdlib>

namespace ww::bench {

bool read_options(int argc, char** argv, Options& o, const OwnFlag& own) {
  const auto wrong = [](const std::string& why) {
    fail({error(why)});
    return false;
  };
  for (int k = 1; k < argc; ++k) {
    const std::string a = argv[k];
    const auto value = [&] { return std::string(k + 1 < argc ? argv[++k] : ""); };
    if (a == "--format") {
      const std::string format = value();
      if (format != "csv" && format != "table") return wrong("--format table or csv");
      o.csv = format == "csv";
    } else if (a == "--rounds") {
      o.rounds = std::atoi(value().c_str());
    } else if (a == "--seconds") {
      o.seconds = std::atof(value().c_str());
    } else if (own(a, value)) {
      continue;
    } else if (a.starts_with("-")) {
      return wrong("unknown option " + a);
    } else if (o.folder.empty()) {
      o.folder = a;
    } else {
      o.names.push_back(a);
    }
  }
  if (o.folder.empty()) return wrong(fmt::format("usage: {} FOLDER [NAME…] [options]", argv[0]));
  return true;
}

int fail(const Diagnostics& why) {
  for (const auto& d : why) fmt::print(stderr, "error: {}\n", d.message);
  return 2;
}

}  // namespace ww::bench
