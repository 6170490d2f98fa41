#include "checks/values.h"

#include <algorithm>

#include "ir/accesses.h"

namespace ww::checks {

namespace {

/// Whether it takes parameters in registers (which compilers do not write); how they get there is not told.
bool passes_registers(const ir::Function& f) {
  const auto in_register = [](const ir::Param& p) { return p.symbol == ir::kNone; };
  return std::any_of(f.params.begin(), f.params.end(), in_register) ||
         std::any_of(f.results.begin(), f.results.end(), in_register);
}

}  // namespace

void Values::launch_begins(const engine::Program& program, int workers) {
  program_ = &program;
  see_managed(program.waits);
  Planned& p = planned_[&program];
  if (p.module != program.module || p.infos != program.infos.data() ||
      p.plans.size() != program.infos.size()) {
    p.module = program.module;
    p.infos = program.infos.data();
    p.plans = plans_of(program);
    p.shared = p.local = false;
    for (const engine::InstInfo& info : program.infos) {
      p.local |= info.instruction->op == isa::Op::call;  // printf reads its arguments there
      p.shared |= info.instruction->mod(isa::Slot::wgshape) != isa::Mod::none;
      for (const ir::Access& a : ir::accesses_of(*info.instruction)) {
        if (a.direction == isa::Direction::Write) continue;
        p.shared |= a.space == ir::Space::Shared || a.space == ir::Space::None;
        p.local |= a.space == ir::Space::Local || a.space == ir::Space::None;
      }
    }
    p.local &= program.local_bytes > 0;
    for (const auto& f : program.functions) p.local &= !passes_registers(*f->function);
  }
  if (!every_load_) {
    std::unique_lock lock(host_mutex_);
    uncovered_.launch_begins(facts_, allocations_);
  }
  now_ = &p;
  cluster_ = cluster_size(facts_, program);
  workers_.clear();
  for (int k = 0; k < workers; ++k) workers_.push_back(std::make_unique<Worker>());
}

void Values::block_begins(int worker, u64 number) {
  Worker& w = *workers_[static_cast<size_t>(worker)];
  std::unique_ptr<Block> b;
  if (w.spare.empty()) {
    b = std::make_unique<Block>();
  } else {
    b = std::move(w.spare.back());
    w.spare.pop_back();
  }
  b->number = number;
  b->worker = &w;
  b->origins.assign(1, Origin{});
  b->by_instruction.clear();
  b->copy_instruction = b->bulk_instruction = ~u32{0};
  b->shared.begin();
  b->local.begin();
  b->told.clear();
  w.last = b.get();
  w.blocks[number] = std::move(b);
}

void Values::block_ends(int worker, u64 number) {
  Worker& w = *workers_[static_cast<size_t>(worker)];
  const auto it = w.blocks.find(number);
  if (it == w.blocks.end()) return;
  w.last = nullptr;
  w.spare.push_back(std::move(it->second));
  w.blocks.erase(it);
}

void Values::launch_ends() {
  workers_.clear();
  std::unique_lock lock(host_mutex_);
  uncovered_.launch_ends(facts_, *program_);
}

Values::Block& Values::block(int worker, u64 number) {
  Worker& w = *workers_[static_cast<size_t>(worker)];
  if (!w.last || w.last->number != number) w.last = w.blocks.at(number).get();
  return *w.last;
}

}  // namespace ww::checks
