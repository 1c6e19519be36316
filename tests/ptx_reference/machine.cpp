#include "tests/ptx_reference/machine.h"

#include <algorithm>
#include <cstring>
#include <set>

#include "tests/ptx_reference/soft_float.h"

namespace warpvp::reference {
namespace {

// Generic addresses of the state spaces; programs may not depend on where they are.
constexpr std::uint64_t kSharedWindow = 0x7000'0000'0000, kLocalWindow = 0x7100'0000'0000,
                        kConstWindow = 0x7200'0000'0000, kWindow = 0x100'0000'0000;
constexpr unsigned kTurn = 512;  // instructions a thread runs before the next has its turn

bool one_of(const std::string& s, std::initializer_list<const char*> names) {
  return std::any_of(names.begin(), names.end(), [&](const char* n) { return s == n; });
}

std::string space_of(const Opcode& op) {
  for (const char* s : {"global", "shared", "local", "const", "param"})
    if (op.has(s)) return s;
  for (const std::string& part : op.parts) {
    if (part == "shared::cta") return "shared";
    if (part.rfind("param::", 0) == 0) return "param";
  }
  return "generic";
}

Step::Kind kind_of(const Instruction& in) {
  const std::string& n = in.op.name();
  if (one_of(n, {"mov", "cvta"})) return Step::Kind::kMove;
  if (one_of(n, {"ld", "ldu", "st", "atom", "red"})) return Step::Kind::kMemory;
  if (one_of(n, {"bra", "brx", "call", "ret", "exit"})) return Step::Kind::kControl;
  if (one_of(n, {"shfl", "vote", "match", "redux", "activemask"})) return Step::Kind::kMeet;
  if (n == "bar" && in.op.has("warp")) return Step::Kind::kMeet;
  if (one_of(n, {"bar", "barrier"})) return Step::Kind::kBarrier;
  if (one_of(n,
             {"membar", "fence", "nanosleep", "alloca", "stacksave", "stackrestore", "isspacep", "pmevent"}))
    return Step::Kind::kOther;
  return Step::Kind::kScalar;
}

}  // namespace

std::uint8_t* Memory::at(std::uint64_t address, std::uint64_t bytes) {
  auto it = parts_.upper_bound(address);
  if (it != parts_.begin()) {
    --it;
    const std::uint64_t offset = address - it->first;
    if (offset <= it->second.size() && bytes <= it->second.size() - offset) return it->second.data() + offset;
  }
  throw ReferenceError("reference: access outside of memory at " + std::to_string(address));
}

Machine::Machine(Text text, Memory& memory, std::map<std::string, std::uint64_t> globals)
    : text_(std::move(text)), memory_(memory), globals_(std::move(globals)) {
  const_.resize(text_.const_bytes);
  for (const auto& [name, v] : text_.variables)
    if (v.space == "const")
      std::copy(v.initial.begin(), v.initial.end(), const_.begin() + static_cast<long>(v.offset));
  for (const auto& [name, f] : text_.functions) prepare(f);
}

void Machine::prepare(const Function& f) {
  std::vector<Step>& steps = steps_[f.name];
  const auto target = [&](const std::string& label) {
    const auto it = f.labels.find(label);
    if (it == f.labels.end()) throw ReferenceError("reference: no label " + label);
    return it->second;
  };
  for (const Instruction& in : f.code) {
    Step s;
    s.in = &in;
    s.kind = kind_of(in);
    s.types = in.op.types();
    if (s.kind == Step::Kind::kScalar) s.compute = scalar_op(in);
    if (in.op.name() == "bra") s.target = target(in.operands[0].name);
    if (in.op.name() == "brx") {
      for (const std::string& label : f.branch_targets.at(in.operands[1].name))
        s.targets.push_back(target(label));
    }
    steps.push_back(std::move(s));
  }
}

void Machine::run(const std::string& entry, const Launch& launch) {
  const auto it = text_.functions.find(entry);
  if (it == text_.functions.end()) throw ReferenceError("reference: no entry " + entry);
  grid_ = launch.grid;
  block_ = launch.block;
  budget_ = launch.limit;
  for (std::uint32_t z = 0; z < grid_[2]; ++z)
    for (std::uint32_t y = 0; y < grid_[1]; ++y)
      for (std::uint32_t x = 0; x < grid_[0]; ++x) run_cta(it->second, launch, {x, y, z});
}

void Machine::run_cta(const Function& f, const Launch& launch, const std::array<std::uint32_t, 3>& cta) {
  cta_ = cta;
  arrived_.clear();
  shared_.assign(text_.shared_bytes + launch.dynamic_shared, 0);
  const std::uint32_t count = block_[0] * block_[1] * block_[2];
  threads_.assign(count, {});
  for (std::uint32_t i = 0; i < count; ++i) {
    Thread& t = threads_[i];
    t.linear = i;
    t.tid = {i % block_[0], i / block_[0] % block_[1], i / block_[0] / block_[1]};
    t.local.assign(text_.local_bytes, 0);
    t.local_top = text_.local_bytes;
    Frame frame;
    frame.function = &f;
    frame.steps = &steps_.at(f.name);
    frame.registers.assign(f.registers.size(), 0);
    frame.parameters = launch.arguments;
    frame.parameters.resize(static_cast<std::size_t>(f.parameter_bytes));
    t.frames.push_back(std::move(frame));
  }
  for (;;) {
    bool progress = false, all_gone = true;
    for (Thread& t : threads_) progress |= run_thread(t);
    for (unsigned warp = 0; warp * 32 < count; ++warp)
      while (let_lanes_meet(warp)) progress = true;
    progress |= let_barriers_open();
    for (const Thread& t : threads_) all_gone &= t.state == Thread::State::kExited;
    if (all_gone) return;
    if (!progress) {
      std::string who;
      for (Thread& t : threads_)
        if (t.state != Thread::State::kExited && who.size() < 200)
          who += " " + std::to_string(t.linear) + " at '" + t.step().in->source + "'";
      throw ReferenceError("reference: deadlock of threads" + who);
    }
  }
}

bool Machine::guard_holds(Thread& t) const {
  const Instruction& in = *t.step().in;
  return in.guard < 0 || (t.frame().registers[static_cast<std::size_t>(in.guard)] != 0) != in.guard_negated;
}

bool Machine::run_thread(Thread& t) {
  bool any = false;
  for (unsigned n = 0; n < kTurn && t.state == Thread::State::kRunning; ++n) {
    if (t.frame().pc >= static_cast<int>(t.frame().steps->size())) {
      t.state = Thread::State::kExited;  // ran off the end of the entry
      return true;
    }
    const Step& s = t.step();
    const bool holds = guard_holds(t);
    // Where the lanes have to be together, a lane whose guard is false comes along as an onlooker.
    const bool together = s.kind == Step::Kind::kMeet && !s.in->op.has("sync");
    if (s.kind == Step::Kind::kMeet && (holds || together)) {
      t.state = Thread::State::kMeeting;
      return any;
    }
    any = true;
    if (budget_-- == 0) throw ReferenceError("reference: instruction limit");
    if (!holds) {
      ++t.frame().pc;
      continue;
    }
    switch (s.kind) {
      case Step::Kind::kScalar:
        scalar(t, s);
        break;
      case Step::Kind::kMove:
        move(t, s);
        break;
      case Step::Kind::kMemory:
        access(t, s);
        break;
      case Step::Kind::kControl:
        control(t, s);
        continue;  // sets the program counter itself
      case Step::Kind::kBarrier:
        if (s.in->op.has("arrive")) {
          ++arrived_[value(t, s.in->operands[0])];
          break;
        }
        t.state = Thread::State::kAtBarrier;
        return true;
      case Step::Kind::kMeet:
        break;
      case Step::Kind::kOther:
        other(t, s);
        break;
    }
    ++t.frame().pc;
  }
  return any;
}

std::uint64_t Machine::special(const Thread& t, const std::string& name) const {
  const std::uint32_t lane = t.lane();
  const auto axis = [&](const std::array<std::uint32_t, 3>& of) {
    return of[static_cast<std::size_t>(name.back() - 'x')];
  };
  if (name.rfind("%tid.", 0) == 0) return axis(t.tid);
  if (name.rfind("%ntid.", 0) == 0) return axis(block_);
  if (name.rfind("%ctaid.", 0) == 0) return axis(cta_);
  if (name.rfind("%nctaid.", 0) == 0) return axis(grid_);
  if (name == "%laneid") return lane;
  if (name == "%lanemask_eq") return 1u << lane;
  if (name == "%lanemask_lt") return (1u << lane) - 1;
  if (name == "%lanemask_le") return (2ull << lane) - 1;
  if (name == "%lanemask_gt") return ~((2ull << lane) - 1) & 0xffffffff;
  if (name == "%lanemask_ge") return ~((1ull << lane) - 1) & 0xffffffff;
  throw ReferenceError("reference: special register " + name);
}

std::uint64_t Machine::value(Thread& t, const Operand& o) const {
  switch (o.kind) {
    case Operand::Kind::kRegister: {
      const std::uint64_t v = t.frames.back().registers[static_cast<std::size_t>(o.index)];
      const bool is_predicate =
          t.frames.back().function->registers[static_cast<std::size_t>(o.index)].kind == 'p';
      return o.negated && is_predicate ? v == 0 : v;
    }
    case Operand::Kind::kImmediate:
      return o.value;
    case Operand::Kind::kSpecial:
      return special(t, o.name);
    case Operand::Kind::kSymbol: {
      if (const auto g = globals_.find(o.name); g != globals_.end()) return g->second + o.value;
      const auto v = text_.variables.find(o.name);
      if (v == text_.variables.end()) throw ReferenceError("reference: symbol " + o.name);
      return v->second.offset + o.value;
    }
    default:
      throw ReferenceError("reference: operand of " + t.step().in->source);
  }
}

void Machine::set_register(Thread& t, int index, std::uint64_t v) {
  Frame& frame = t.frame();
  const Type type = frame.function->registers[static_cast<std::size_t>(index)];
  frame.registers[static_cast<std::size_t>(index)] = type.kind == 'p' ? v != 0 : cut(v, type.bits);
}

void Machine::set(Thread& t, const Operand& o, std::uint64_t v) {
  if (o.kind == Operand::Kind::kRegister) set_register(t, o.index, v);
}

void Machine::scalar(Thread& t, const Step& s) {
  Sources sources;
  sources.carry = t.carry;
  const auto& operands = s.in->operands;
  for (std::size_t i = 1; i < operands.size(); ++i) sources.s[i - 1] = value(t, operands[i]);
  Results results;
  s.compute(sources, results);
  if (s.in->op.has("cc")) t.carry = results.carry;
  set(t, operands[0], results.d);
  if (operands[0].pair >= 0) set_register(t, operands[0].pair, results.pair);
}

void Machine::move(Thread& t, const Step& s) {
  const auto& o = s.in->operands;
  if (s.in->op.name() == "cvta") {
    const std::string space = space_of(s.in->op);
    const std::uint64_t window = space == "shared"  ? kSharedWindow
                                 : space == "local" ? kLocalWindow
                                 : space == "const" ? kConstWindow
                                                    : 0;
    set(t, o[0], s.in->op.has("to") ? value(t, o[1]) - window : value(t, o[1]) + window);
    return;
  }
  if (o[1].kind == Operand::Kind::kSpecial && o[0].kind == Operand::Kind::kVector) {
    for (std::size_t i = 0; i < o[0].parts.size(); ++i)  // mov.v4 of %tid and its kin; the fourth is 0
      set(t, o[0].parts[i], i < 3 ? special(t, o[1].name + "." + "xyz"[i]) : 0);
    return;
  }
  if (o[1].kind == Operand::Kind::kVector) {  // pack: the first element is the lowest
    const int each = s.types[0].bits / static_cast<int>(o[1].parts.size());
    std::uint64_t v = 0;
    for (std::size_t i = 0; i < o[1].parts.size(); ++i)
      v |= cut(value(t, o[1].parts[i]), each) << (each * static_cast<int>(i));
    set(t, o[0], v);
    return;
  }
  const std::uint64_t v = value(t, o[1]);
  if (o[0].kind != Operand::Kind::kVector) return set(t, o[0], v);
  const int each = s.types[0].bits / static_cast<int>(o[0].parts.size());
  for (std::size_t i = 0; i < o[0].parts.size(); ++i)
    set(t, o[0].parts[i], cut(v >> (each * static_cast<int>(i)), each));
}

std::uint64_t Machine::address(Thread& t, const Operand& o, const std::string& space) const {
  if (o.index >= 0) {
    // The sum has the register's width: 32-bit addresses wrap at 4 GiB.
    const Type type = t.frame().function->registers[static_cast<std::size_t>(o.index)];
    return cut(t.frame().registers[static_cast<std::size_t>(o.index)] + o.value, type.bits);
  }
  if (o.name.empty()) return o.value;
  if (space == "param") {
    const Parameter* p = t.frame().function->parameter(o.name);
    if (p == nullptr) throw ReferenceError("reference: parameter " + o.name);
    return static_cast<std::uint64_t>(p->offset) + o.value;
  }
  Operand symbol = o;
  symbol.kind = Operand::Kind::kSymbol;
  std::uint64_t base = value(t, symbol);
  if (space == "generic" && globals_.count(o.name) == 0) {
    const std::string& declared = text_.variables.at(o.name).space;
    base += declared == "shared" ? kSharedWindow : declared == "local" ? kLocalWindow : kConstWindow;
  }
  return base;
}

std::uint8_t* Machine::bytes(Thread& t, const std::string& space, std::uint64_t address,
                             std::uint64_t count) {
  const auto inside = [&](std::vector<std::uint8_t>& v, std::uint64_t at) {
    if (at > v.size() || count > v.size() - at)
      throw ReferenceError("reference: outside of " + space + ": " + t.step().in->source);
    return v.data() + at;
  };
  if (address % count != 0) throw ReferenceError("reference: misaligned: " + t.step().in->source);
  if (space == "generic") {
    if (address - kSharedWindow < kWindow) return inside(shared_, address - kSharedWindow);
    if (address - kLocalWindow < kWindow) return inside(t.local, address - kLocalWindow);
    if (address - kConstWindow < kWindow) return inside(const_, address - kConstWindow);
  }
  if (space == "shared") return inside(shared_, address);
  if (space == "local") return inside(t.local, address);
  if (space == "const") return inside(const_, address);
  if (space == "param") return inside(t.frame().parameters, address);
  return memory_.at(address, count);
}

void Machine::access(Thread& t, const Step& s) {
  const std::string& name = s.in->op.name();
  const auto& o = s.in->operands;
  const std::string space = space_of(s.in->op);
  const bool stores = name == "st" || name == "red";
  const std::uint64_t at = address(t, o[stores ? 0 : 1], space);
  if (name == "atom" || name == "red") return atomic(t, s, space, at);
  const Type type = s.types[0];
  const auto size = static_cast<std::uint64_t>(type.bits / 8);
  const Operand& data = o[stores ? 1 : 0];
  const std::size_t count = data.kind == Operand::Kind::kVector ? data.parts.size() : 1;
  bytes(t, space, at, size * count);  // a vector is aligned as a whole
  for (std::size_t i = 0; i < count; ++i) {
    const Operand& element = data.kind == Operand::Kind::kVector ? data.parts[i] : data;
    std::uint8_t* memory = bytes(t, space, at + i * size, size);
    std::uint64_t v = 0;
    if (stores) {
      v = value(t, element);
      std::memcpy(memory, &v, size);
    } else {
      std::memcpy(&v, memory, size);
      set(t, element, widened(type, v));
    }
  }
}

std::uint64_t atomic_result(const std::string& what, Type type, bool flushes, std::uint64_t old,
                            std::uint64_t b, std::uint64_t c) {
  if (what == "and") return old & b;
  if (what == "or") return old | b;
  if (what == "xor") return old ^ b;
  if (what == "exch") return b;
  if (what == "cas") return old == cut(b, type.bits) ? c : old;
  if (what == "inc") return old >= cut(b, 32) ? 0 : old + 1;
  if (what == "dec") return old == 0 || old > cut(b, 32) ? b : old - 1;
  if (type.is_float()) {
    const Format f = type.bits == 32 ? kF32 : kF64;
    if (flushes) old = flush(f, old), b = flush(f, b);
    const std::uint64_t operands[2] = {old, cut(b, type.bits)};
    const Real r = add(unpack(f, old), unpack(f, b), Round::kNearestEven);
    const std::uint64_t sum = r.is_nan() ? nan_of(f, operands, 2) : pack(f, r, Round::kNearestEven);
    return flushes ? flush(f, sum) : sum;
  }
  const __int128 x = number_of(type, old), y = number_of(type, b);
  const __int128 r = what == "add" ? x + y : what == "min" ? std::min(x, y) : std::max(x, y);
  return static_cast<std::uint64_t>(r);
}

void Machine::atomic(Thread& t, const Step& s, const std::string& space, std::uint64_t at) {
  const auto& o = s.in->operands;
  const bool returns = s.in->op.name() == "atom";
  const Operand& data = o[returns ? 2 : 1];
  const Type type = s.types[0];
  std::string what;
  for (const char* w : {"and", "or", "xor", "exch", "cas", "inc", "dec", "add", "min", "max"})
    if (s.in->op.has(w)) what = w;
  const auto size = static_cast<std::uint64_t>(type.bits / 8);
  const bool is_shared = space == "shared" || (space == "generic" && at - kSharedWindow < kWindow);
  const bool flushes = type.is_float() && type.bits == 32 && !is_shared;
  const std::size_t count = data.kind == Operand::Kind::kVector ? data.parts.size() : 1;
  for (std::size_t i = 0; i < count; ++i) {
    const bool vector = data.kind == Operand::Kind::kVector;
    std::uint8_t* memory = bytes(t, space, at + i * size, size);
    std::uint64_t old = 0;
    std::memcpy(&old, memory, size);
    const std::uint64_t c = what == "cas" ? value(t, o[3]) : 0;
    const std::uint64_t now =
        atomic_result(what, type, flushes, old, value(t, vector ? data.parts[i] : data), c);
    std::memcpy(memory, &now, size);
    if (returns) set(t, vector ? o[0].parts[i] : o[0], old);
  }
}

void Machine::control(Thread& t, const Step& s) {
  const std::string& name = s.in->op.name();
  if (name == "bra") {
    t.frame().pc = s.target;
  } else if (name == "brx") {
    const std::uint64_t index = value(t, s.in->operands[0]);
    if (index >= s.targets.size()) throw ReferenceError("reference: brx beyond its targets");
    t.frame().pc = s.targets[index];
  } else if (name == "call") {
    call(t, s);
  } else if (name == "exit" || t.frames.size() == 1) {
    t.state = Thread::State::kExited;
  } else {  // ret
    Frame done = std::move(t.frame());
    t.frames.pop_back();
    Frame& caller = t.frame();
    const Instruction& site = *t.step().in;
    for (std::size_t i = 0; i < done.function->results; ++i) {
      const Parameter& from = done.function->parameters[i];
      const Parameter* to = caller.function->parameter(site.operands[0].parts[i].name);
      std::copy_n(done.parameters.begin() + from.offset, from.bytes, caller.parameters.begin() + to->offset);
    }
    ++caller.pc;
  }
}

void Machine::call(Thread& t, const Step& s) {
  const auto& o = s.in->operands;
  const std::size_t name_at = o[0].kind == Operand::Kind::kList ? 1 : 0;
  const Function& callee = text_.functions.at(o[name_at].name);
  Frame frame;
  frame.function = &callee;
  frame.steps = &steps_.at(callee.name);
  frame.registers.assign(callee.registers.size(), 0);
  frame.parameters.assign(static_cast<std::size_t>(callee.parameter_bytes), 0);
  for (std::size_t i = 0; i < callee.inputs; ++i) {
    const Parameter& to = callee.parameters[callee.results + i];
    const Parameter* from = t.frame().function->parameter(o[name_at + 1].parts[i].name);
    std::copy_n(t.frame().parameters.begin() + from->offset, to.bytes, frame.parameters.begin() + to.offset);
  }
  t.frames.push_back(std::move(frame));
}

void Machine::other(Thread& t, const Step& s) {
  const std::string& name = s.in->op.name();
  const auto& o = s.in->operands;
  if (name == "isspacep") {
    const std::uint64_t a = value(t, o[1]);
    const std::string space = space_of(s.in->op);
    const bool global = memory_.parts().upper_bound(a) != memory_.parts().begin() && a < kSharedWindow;
    set(t, o[0],
        space == "shared"  ? a - kSharedWindow < kWindow
        : space == "local" ? a - kLocalWindow < kWindow
                           : global);
  } else if (name == "stacksave") {
    set(t, o[0], t.local_top);
  } else if (name == "stackrestore") {
    t.local_top = value(t, o[0]);
  } else if (name == "alloca") {
    const std::uint64_t align = std::max<std::uint64_t>(o.size() > 2 ? value(t, o[2]) : 8, 8);
    const std::uint64_t begin = (t.local_top + align - 1) / align * align;
    t.local_top = begin + value(t, o[1]);
    if (t.local.size() < t.local_top) t.local.resize(t.local_top);
    set(t, o[0], begin);
  }
}

}  // namespace warpvp::reference
