#include "interpreter.h"

#include <cstring>
#include <stdexcept>

#include "values.h"

namespace ww::reference {

namespace {

using isa::Mod;
using isa::Op;
using isa::Slot;
using isa::Type;
using Kind = ir::Operand::Kind;
using Bytes = std::vector<uint8_t>;

struct Frame {
  const ir::Function* function;
  std::vector<uint64_t> registers;
  std::map<ir::SymbolId, uint64_t> variables;  ///< .local and .param variables: where on the stack
  ir::BlockId block = 0;
  size_t next = 0;
  const ir::Call* call = nullptr;              ///< of the caller, for the results
  size_t stack_before = 0;                     ///< bytes, when it was entered
};

struct Thread {
  enum class State { Ready, Barrier, Together, Done } state = State::Ready;
  uint32_t x = 0;
  std::vector<Frame> frames;
  Bytes stack;
};

class BlockRun {
 public:
  BlockRun(Machine& machine, const Launch& launch, const ir::Function& entry, uint32_t number)
      : m_(machine), launch_(launch), number_(number) {
    for (size_t s = 0; s < m_.module.symbols.size(); ++s)
      if (m_.module.symbols[s].variable >= 0 && m_.module.variable(ir::SymbolId(s)).space == ir::Space::Shared) {
        shared_at_[ir::SymbolId(s)] = shared_.size();
        shared_.resize((shared_.size() + m_.module.variable(ir::SymbolId(s)).bytes + 15) / 16 * 16, 0xff);
      }
    threads_.resize(launch.block);
    for (uint32_t t = 0; t < launch.block; ++t) {
      threads_[t].x = t;
      enter(threads_[t], entry);
      for (size_t p = 0; p < entry.params.size(); ++p)
        std::memcpy(threads_[t].stack.data() + threads_[t].frames[0].variables[entry.params[p].symbol], launch.arguments[p].data(),
                    launch.arguments[p].size());
    }
  }

  void run() {
    for (;;) {
      bool moved = false, all_done = true;
      for (Thread& t : threads_) {
        while (t.state == Thread::State::Ready) step(t), moved = true;
        all_done &= t.state == Thread::State::Done;
      }
      if (all_done) return;
      for (size_t first = 0; first < threads_.size(); first += 32) moved |= together(first);
      if (!moved && !release_barrier()) throw std::runtime_error("the threads wait for each other forever");
    }
  }

 private:
  // ---- waiting ----

  bool release_barrier() {
    for (Thread& t : threads_)
      if (t.state != Thread::State::Barrier && t.state != Thread::State::Done) return false;
    for (Thread& t : threads_)
      if (t.state == Thread::State::Barrier) t.state = Thread::State::Ready;
    return true;
  }

  /// Carries out shfl, vote and the like where all living threads of a warp wait at one.
  bool together(size_t first) {
    std::vector<Thread*> lanes;
    for (size_t k = first; k < std::min(first + 32, threads_.size()); ++k) {
      if (threads_[k].state == Thread::State::Done) continue;
      if (threads_[k].state != Thread::State::Together) return false;
      lanes.push_back(&threads_[k]);
    }
    if (lanes.empty()) return false;
    const ir::Instruction& in = *waiting_at(*lanes[0]);
    std::vector<std::vector<uint64_t>> sources;
    uint64_t ballot = 0;
    bool all = true;
    bool shuffle = in.op == Op::shfl_sync;
    for (Thread* t : lanes) {
      if (waiting_at(*t) != &in) throw std::runtime_error("the lanes of a warp wait at different instructions");
      sources.push_back(values(*t, in, shuffle ? 2 : 1));
      bool p = !shuffle && sources.back()[0];
      ballot |= uint64_t{p} << (t->x % 32);
      all &= p;
    }
    for (size_t k = 0; k < lanes.size(); ++k) {
      Thread& t = *lanes[k];
      t.state = Thread::State::Ready;
      ++t.frames.back().next;
      if (shuffle) {
        uint64_t lane = t.x % 32, by = sources[k][1] & 31, c = sources[k][2], segment = c >> 8 & 31;
        int64_t limit = int64_t((lane & segment) | (c & 31 & ~segment)), from = 0;
        switch (in.mod(Slot::shfl)) {
          case Mod::up: from = int64_t(lane) - int64_t(by); break;
          case Mod::down: from = int64_t(lane + by); break;
          case Mod::bfly: from = int64_t(lane ^ by); break;
          default: from = int64_t((lane & segment) | (by & ~segment)); break;
        }
        bool valid = in.mod(Slot::shfl) == Mod::up ? from >= limit : from <= limit;
        uint64_t got = valid ? 0 : sources[k][0];  // of a lane that is not there: 0
        for (size_t j = 0; valid && j < lanes.size(); ++j)
          if (lanes[j]->x % 32 == uint64_t(from)) got = sources[j][0];
        put(t, in, 0, got);
        put(t, in, 1, valid);
      } else if (in.op == Op::vote_ballot_sync) {
        put(t, in, 0, ballot);
      } else {
        Mod mode = in.mod(Slot::vote);
        put(t, in, 0, mode == Mod::all ? all : mode == Mod::any ? ballot != 0 : all || ballot == 0);
      }
    }
    return true;
  }

  const ir::Instruction* waiting_at(Thread& t) {
    Frame& f = t.frames.back();
    return &f.function->blocks[f.block].instructions[f.next];
  }

  // ---- functions ----

  Frame& enter(Thread& t, const ir::Function& function) {
    if (t.stack.size() > kMostStack) throw std::runtime_error("too deep a recursion");
    Frame f{&function, std::vector<uint64_t>(function.registers.size()), {}, 0, 0, nullptr, t.stack.size()};
    auto place = [&](ir::SymbolId s) {
      if (s == ir::kNone || f.variables.contains(s)) return;
      const ir::Variable& v = m_.module.variable(s);
      if (v.space != ir::Space::Param && v.space != ir::Space::Local) return;
      f.variables[s] = t.stack.size();
      t.stack.resize((t.stack.size() + v.bytes + 15) / 16 * 16, 0xff);
    };
    for (const auto& p : function.params) place(p.symbol);
    for (const auto& p : function.results) place(p.symbol);
    for (ir::SymbolId s : function.variables) place(s);
    t.frames.push_back(std::move(f));
    return t.frames.back();
  }

  void call(Thread& t, const ir::Instruction& in) {
    const ir::Call& c = t.frames.back().function->calls[size_t(in.call)];
    const ir::Function& callee = m_.module.function(c.target);
    enter(t, callee).call = &c;
    Frame& inside = t.frames.back();
    Frame& outside = t.frames[t.frames.size() - 2];
    for (size_t a = 0; a < c.arguments.size(); ++a)
      std::memcpy(&t.stack[inside.variables[callee.params[a].symbol]], &t.stack[outside.variables[c.arguments[a].symbol]],
                  m_.module.variable(c.arguments[a].symbol).bytes);
  }

  void leave(Thread& t) {
    Frame inside = t.frames.back();
    t.frames.pop_back();
    if (t.frames.empty()) {
      t.state = Thread::State::Done;
      return;
    }
    Frame& outside = t.frames.back();
    for (size_t r = 0; r < inside.call->results.size(); ++r)
      std::memcpy(&t.stack[outside.variables[inside.call->results[r].symbol]], &t.stack[inside.variables[inside.function->results[r].symbol]],
                  m_.module.variable(inside.call->results[r].symbol).bytes);
    t.stack.resize(inside.stack_before);
  }

  // ---- operands ----

  uint64_t special(const Thread& t, uint32_t which) const {
    const std::string& name = ir::special_registers()[which].name;
    if (name == "tid.x") return t.x;
    if (name == "ntid.x") return launch_.block;
    if (name == "ctaid.x") return number_;
    if (name == "nctaid.x") return launch_.grid;
    if (name == "laneid") return t.x % 32;
    throw std::runtime_error("special register " + name);
  }

  uint64_t address_of(const Thread& t, ir::SymbolId s) const {
    const Frame& f = t.frames.back();
    if (auto it = f.variables.find(s); it != f.variables.end()) return it->second;
    if (auto it = shared_at_.find(s); it != shared_at_.end()) return it->second;
    if (auto it = t.frames[0].variables.find(s); it != t.frames[0].variables.end()) return it->second;
    return m_.variables.at(s);
  }

  uint64_t value(const Thread& t, const ir::Operand& o, Type type) const {
    const Frame& f = t.frames.back();
    uint64_t v = 0;
    switch (o.kind) {
      case Kind::Register: v = f.registers[o.reg]; break;
      case Kind::Immediate: v = o.bits; break;
      case Kind::Special: v = special(t, o.special); break;
      case Kind::Address: v = address_of(t, o.symbol) + uint64_t(o.offset); break;
      case Kind::Memory:
        v = o.reg != ir::kNone ? f.registers[o.reg] : o.symbol != ir::kNone ? address_of(t, o.symbol) : 0;
        return v + uint64_t(o.offset);
      default: return 0;
    }
    if (type != Type::none) v = cut(v, isa::bits(type));  // a constant of no type (lut) is as written
    return o.negated ? !v : v;
  }

  std::vector<uint64_t> values(const Thread& t, const ir::Instruction& in, size_t from) const {
    std::vector<uint64_t> v;
    for (size_t k = from; k < in.operands.size(); ++k) v.push_back(value(t, in.operands[k], in.operand_type(k)));
    return v;
  }

  void put(Thread& t, const ir::Operand& o, Type type, uint64_t v) {
    if (o.kind != Kind::Register) return;
    Frame& f = t.frames.back();
    f.registers[o.reg] = extend(v, type, isa::bits(f.function->registers[o.reg].type));
  }
  void put(Thread& t, const ir::Instruction& in, size_t k, uint64_t v) { put(t, in.operands[k], in.operand_type(k), v); }

  // ---- memory ----

  uint8_t* at(Thread& t, ir::Space space, uint64_t address, uint64_t bytes) {
    auto inside = [&](Bytes& b, uint64_t offset) {
      if (offset > b.size() || bytes > b.size() - offset) throw std::runtime_error("an access out of bounds");
      return b.data() + offset;
    };
    if (address % bytes != 0) throw std::runtime_error("a misaligned access");
    if (space == ir::Space::Shared) return inside(shared_, address);
    if (space == ir::Space::Local || space == ir::Space::Param) return inside(t.stack, address);
    auto it = m_.global.upper_bound(address);
    if (it == m_.global.begin()) throw std::runtime_error("an access to nothing");
    --it;
    return inside(it->second, address - it->first);
  }

  void load_or_store(Thread& t, const ir::Instruction& in, bool store) {
    const ir::Operand& data = in.operands[store ? 1 : 0];
    Type type = in.type();
    uint64_t size = uint64_t(isa::bytes(type));
    std::vector<ir::Operand> elements = data.kind == Kind::Vector ? data.elements : std::vector<ir::Operand>{data};
    uint8_t* p = at(t, ir::space_of(in), value(t, in.operands[store ? 0 : 1], Type::u64), size * elements.size());
    for (size_t k = 0; k < elements.size(); ++k) {
      uint64_t v = 0;
      if (store) {
        v = value(t, elements[k], type);
        std::memcpy(p + k * size, &v, size);
      } else {
        std::memcpy(&v, p + k * size, size);
        put(t, elements[k], type, v);
      }
    }
  }

  void atomic(Thread& t, const ir::Instruction& in) {
    bool returns = in.op != Op::red;
    Type type = in.type();
    std::vector<uint64_t> v = values(t, in, returns ? 1 : 0);
    uint8_t* p = at(t, ir::space_of(in), v[0], uint64_t(isa::bytes(type)));
    uint64_t old = 0;
    std::memcpy(&old, p, size_t(isa::bytes(type)));
    Mod op = in.op == Op::atom_cas ? Mod::cas : in.mod(Slot::aop);
    uint64_t fresh = updated(op, type, old, v[1], v.size() > 2 ? v[2] : 0);
    std::memcpy(p, &fresh, size_t(isa::bytes(type)));
    if (returns) put(t, in, 0, old);
  }

  // ---- one step ----

  void jump(Thread& t, ir::BlockId block) { t.frames.back().block = block, t.frames.back().next = 0; }

  void step(Thread& t) {
    Frame& f = t.frames.back();
    while (f.block < f.function->blocks.size() && f.next >= f.function->blocks[f.block].instructions.size()) ++f.block, f.next = 0;
    if (f.block >= f.function->blocks.size()) {  // off the end
      t.state = Thread::State::Done;
      return;
    }
    const ir::Instruction& in = f.function->blocks[f.block].instructions[f.next];
    if (in.guard != ir::kNone && (f.registers[in.guard] != 0) == in.guard_negated) {
      ++f.next;
      return;
    }
    if (++steps_ > kMostSteps) throw std::runtime_error("too many steps");
    ++m_.executed[&in];
    switch (in.op) {
      case Op::shfl_sync:
      case Op::vote_sync:
      case Op::vote_ballot_sync: t.state = Thread::State::Together; return;
      case Op::bra: return jump(t, in.operands[0].block);
      case Op::brx: return jump(t, in.targets.at(value(t, in.operands[0], Type::u32)));
      case Op::exit_: t.state = Thread::State::Done; return;
      case Op::ret: return leave(t);
      default: break;
    }
    ++f.next;
    switch (in.op) {
      case Op::call: return call(t, in);
      case Op::bar_sync: t.state = Thread::State::Barrier; return;
      case Op::ld: return load_or_store(t, in, false);
      case Op::st: return load_or_store(t, in, true);
      case Op::atom:
      case Op::atom_cas:
      case Op::red: return atomic(t, in);
      default: break;
    }
    size_t results = 0;
    while (in.form().operands[results].dest) ++results;
    uint64_t first = 0, second = 0;
    if (!evaluate(in, values(t, in, results), first, second)) throw std::runtime_error("not known to the reference: " + std::string(in.form().notation));
    put(t, in, 0, first);
    if (results > 1) put(t, in, 1, second);
  }

  static constexpr uint64_t kMostSteps = 20'000'000;
  static constexpr size_t kMostStack = 1 << 16;

  Machine& m_;
  const Launch& launch_;
  uint32_t number_;
  uint64_t steps_ = 0;
  Bytes shared_;
  std::map<ir::SymbolId, uint64_t> shared_at_;
  std::vector<Thread> threads_;
};

}  // namespace

std::string run(Machine& machine, const Launch& launch) {
  const ir::Function* entry = machine.module.find_function(launch.kernel);
  if (!entry) return "no such kernel";
  try {
    for (uint32_t b = 0; b < launch.grid; ++b) BlockRun(machine, launch, *entry, b).run();
  } catch (const std::exception& e) {
    return e.what();
  }
  return "";
}

}  // namespace ww::reference
