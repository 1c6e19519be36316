// Where threads have to meet: the lanes of a warp (PTX ISA 9.7.9 shfl, 9.7.13 vote, match, redux, activemask,
// bar.warp.sync) and the threads of a CTA (bar, barrier).

#include <algorithm>

#include "tests/ptx_reference/machine.h"

namespace warpvp::reference {

// Lanes an instruction waits for. Forms without a mask are written where all lanes are together.
std::uint32_t Machine::member_mask(Thread& t, const Step& s) {
  const auto& o = s.in->operands;
  const std::string& name = s.in->op.name();
  if (!s.in->op.has("sync")) return 0xffffffff;
  return static_cast<std::uint32_t>(value(t, name == "bar" ? o[0] : o.back()));
}

bool Machine::let_lanes_meet(unsigned warp) {
  const std::size_t first = warp * 32, end = std::min<std::size_t>(first + 32, threads_.size());
  for (std::size_t i = first; i < end; ++i) {
    Thread& leader = threads_[i];
    if (leader.state != Thread::State::kMeeting) continue;
    const Step& s = leader.step();
    const std::uint32_t mask = member_mask(leader, s);
    if (((mask >> leader.lane()) & 1) == 0)
      throw ReferenceError("reference: a lane outside of its own mask: " + s.in->source);
    std::vector<Thread*> who;
    bool complete = true;
    for (std::size_t k = first; k < end; ++k) {
      Thread& t = threads_[k];
      if (((mask >> t.lane()) & 1) == 0 || t.state == Thread::State::kExited) continue;
      // bar.warp.sync may be reached on several paths; data is exchanged by one instruction.
      const bool here = t.state == Thread::State::kMeeting &&
                        (&t.step() == &s || (s.in->op.has("warp") && t.step().in->op.has("warp"))) &&
                        member_mask(t, t.step()) == mask;
      complete &= here;
      who.push_back(&t);
    }
    if (!complete) continue;
    meet(who);
    for (Thread* t : who) {
      t->state = Thread::State::kRunning;
      ++t->frame().pc;
    }
    return true;
  }
  return false;
}

void Machine::meet(const std::vector<Thread*>& all) {
  const Step& s = all.front()->step();
  const std::string& name = s.in->op.name();
  std::vector<Thread*> who;  // lanes whose guard is false only look on
  for (Thread* t : all)
    if (guard_holds(*t)) who.push_back(t);
  budget_ -= std::min<std::uint64_t>(budget_, who.size());
  if (name == "shfl") shuffle(s, who);
  if (name == "vote") vote(s, who);
  if (name == "match") match(s, who);
  if (name == "redux") reduce(s, who);
  if (name == "activemask") {
    std::uint32_t mask = 0;
    for (const Thread* t : who) mask |= 1u << t->lane();
    for (Thread* t : who) set(*t, s.in->operands[0], mask);
  }
}

void Machine::shuffle(const Step& s, const std::vector<Thread*>& who) {
  const auto& o = s.in->operands;
  std::uint64_t from[32] = {};
  bool present[32] = {};
  for (Thread* t : who) {
    from[t->lane()] = value(*t, o[1]);
    present[t->lane()] = true;
  }
  for (Thread* t : who) {
    const int lane = static_cast<int>(t->lane());
    const int b = static_cast<int>(value(*t, o[2]) & 31), c = static_cast<int>(value(*t, o[3]) & 31);
    const int segment = static_cast<int>((value(*t, o[3]) >> 8) & 31);
    const int most = (lane & segment) | (c & ~segment), least = lane & segment;
    int j = 0;
    bool inside = false;
    if (s.in->op.has("up")) {
      j = lane - b;
      inside = j >= most;
    } else {
      j = s.in->op.has("down") ? lane + b : s.in->op.has("bfly") ? lane ^ b : least | (b & ~segment);
      inside = j <= most;
    }
    if (!inside) j = lane;
    if (!present[j]) throw ReferenceError("reference: shfl from an absent lane: " + s.in->source);
    set(*t, o[0], from[j]);
    if (o[0].pair >= 0) set_register(*t, o[0].pair, inside);
  }
}

void Machine::vote(const Step& s, const std::vector<Thread*>& who) {
  const auto& o = s.in->operands;
  std::uint32_t ballot = 0, members = 0;
  for (Thread* t : who) {
    members |= 1u << t->lane();
    if (value(*t, o[1]) != 0) ballot |= 1u << t->lane();
  }
  const Opcode& op = s.in->op;
  const std::uint64_t result = op.has("ballot") ? ballot
                               : op.has("all")  ? ballot == members
                               : op.has("any")  ? ballot != 0
                                                : ballot == 0 || ballot == members;
  for (Thread* t : who) set(*t, o[0], result);
}

void Machine::match(const Step& s, const std::vector<Thread*>& who) {
  const auto& o = s.in->operands;
  std::vector<std::uint64_t> values;
  std::uint32_t members = 0;
  for (Thread* t : who) {
    values.push_back(cut(value(*t, o[1]), s.types[0].bits));
    members |= 1u << t->lane();
  }
  const bool same =
      std::all_of(values.begin(), values.end(), [&](std::uint64_t v) { return v == values[0]; });
  for (std::size_t i = 0; i < who.size(); ++i) {
    std::uint32_t equal = 0;
    for (std::size_t k = 0; k < who.size(); ++k)
      if (values[k] == values[i]) equal |= 1u << who[k]->lane();
    if (s.in->op.has("any")) {
      set(*who[i], o[0], equal);
    } else {
      set(*who[i], o[0], same ? members : 0);
      if (o[0].pair >= 0) set_register(*who[i], o[0].pair, same);
    }
  }
}

void Machine::reduce(const Step& s, const std::vector<Thread*>& who) {
  const auto& o = s.in->operands;
  std::string what;
  for (const char* w : {"add", "min", "max", "and", "or", "xor"})
    if (s.in->op.has(w)) what = w;
  std::uint64_t result = cut(value(*who[0], o[1]), 32);
  for (std::size_t i = 1; i < who.size(); ++i)
    result = cut(atomic_result(what, s.types[0], false, result, value(*who[i], o[1]), 0), 32);
  for (Thread* t : who) set(*t, o[0], result);
}

bool Machine::let_barriers_open() {
  std::map<std::uint64_t, std::vector<Thread*>> waiting;
  std::uint64_t present = 0;
  for (Thread& t : threads_) {
    present += t.state != Thread::State::kExited;
    if (t.state == Thread::State::kAtBarrier) {
      const Step& s = t.step();
      waiting[value(t, s.in->operands[s.in->op.has("red") ? 1 : 0])].push_back(&t);
    }
  }
  bool any = false;
  for (auto& [barrier, who] : waiting) {
    Thread& first = *who.front();
    const Step& s = first.step();
    const auto& o = s.in->operands;
    const bool reduces = s.in->op.has("red");
    const std::size_t plain = reduces ? 3 : 1;  // operands without a thread count
    const std::uint64_t expected = o.size() > plain ? value(first, o[reduces ? 2 : 1]) : present;
    if (who.size() + arrived_[barrier] != expected) continue;
    std::uint64_t ones = 0;
    if (reduces)
      for (Thread* t : who) ones += value(*t, t->step().in->operands.back());
    const std::uint64_t result = s.in->op.has("popc")  ? ones
                                 : s.in->op.has("and") ? ones == who.size()
                                                       : ones != 0;
    for (Thread* t : who) {
      if (reduces) set(*t, t->step().in->operands[0], result);
      t->state = Thread::State::kRunning;
      ++t->frame().pc;
    }
    arrived_[barrier] = 0;
    any = true;
  }
  return any;
}

}  // namespace warpvp::reference
