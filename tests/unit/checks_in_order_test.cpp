// Findings must not depend on how many threads the host has.
#include "checks/all.h"
#include "engine_kernels.h"

namespace ww::checks {

namespace {

struct Workers : events::Listener {
  u32 wants() const override { return 0; }
  void launch_begins(const engine::Program&, int workers) override { most = workers; }
  int most = 0;
};

/// Host threads that run a launch of eight blocks with this check.
int workers_with(const std::string& name) {
  engine::Lab lab(".visible .entry k() { ret; }\n", engine::Lab::small(4));
  Findings findings;
  const auto checks = make({name}, findings);
  Workers workers;
  engine::LaunchRequest request;
  request.kernel = "k";
  request.grid = {8, 1, 1};
  request.block = {32, 1, 1};
  request.listeners = {&workers};
  LaunchFacts facts;
  facts.grid = request.grid, facts.block = request.block;
  facts.memory = &lab.engine.memory();
  for (const auto& c : checks) {
    c->prepare(facts);
    request.listeners.push_back(c.get());
  }
  EXPECT_TRUE(lab.engine.run(*lab.module, request));
  return workers.most;
}

// Blocks that race for a value read another one, or an undefined one, when they run at the same time.
TEST(ChecksInOrder, BlocksRunOneAfterAnotherWhereFindingsDependOnWhatTheyRead) {
  EXPECT_EQ(workers_with("memory"), 4);
  for (const Known& check : known())
    if (check.name != std::string_view("memory")) {
      EXPECT_EQ(workers_with(check.name), 1) << check.name;
    }
}

}  // namespace

}  // namespace ww::checks
