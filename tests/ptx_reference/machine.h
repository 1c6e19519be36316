#pragma once
// A scalar interpreter of PTX: every thread has its own program counter and runs alone between the points
// where it has to meet others. No warps, no masks, no stack of divergence: what a program means, whatever the
// hardware.

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "tests/ptx_reference/scalar_ops.h"

namespace warpvp::reference {

/// Byte-addressed memory made of allocations; an access outside of them is a ReferenceError.
class Memory {
 public:
  void add(std::uint64_t address, std::vector<std::uint8_t> bytes) { parts_[address] = std::move(bytes); }
  std::uint8_t* at(std::uint64_t address, std::uint64_t bytes);
  const std::map<std::uint64_t, std::vector<std::uint8_t>>& parts() const { return parts_; }

 private:
  std::map<std::uint64_t, std::vector<std::uint8_t>> parts_;
};

struct Launch {
  std::array<std::uint32_t, 3> grid{1, 1, 1}, block{1, 1, 1};
  std::vector<std::uint8_t> arguments;
  std::uint64_t dynamic_shared = 0;
  std::uint64_t limit = 20'000'000;  ///< thread instructions
};

/// One instruction, with what it does found once.
struct Step {
  enum class Kind { kScalar, kMove, kMemory, kControl, kMeet, kBarrier, kOther };
  const Instruction* in = nullptr;
  Kind kind = Kind::kOther;
  ScalarOp compute;
  int target = -1;           ///< bra, call: index of the instruction or none
  std::vector<int> targets;  ///< brx
  std::vector<Type> types;
};

struct Frame {
  const Function* function = nullptr;
  const std::vector<Step>* steps = nullptr;
  std::vector<std::uint64_t> registers;
  std::vector<std::uint8_t> parameters;
  int pc = 0;
};

struct Thread {
  enum class State { kRunning, kMeeting, kAtBarrier, kExited };
  State state = State::kRunning;
  std::array<std::uint32_t, 3> tid{};
  std::uint32_t linear = 0;
  std::vector<Frame> frames;
  bool carry = false;
  std::vector<std::uint8_t> local;
  std::uint64_t local_top = 0;  ///< end of what alloca has given out
  std::uint32_t lane() const { return linear % 32; }
  Frame& frame() { return frames.back(); }
  const Step& step() { return (*frame().steps)[static_cast<std::size_t>(frame().pc)]; }
};

class Machine {
 public:
  /// Global variables are placed by the caller: name to address, initialised in `memory` already.
  Machine(Text text, Memory& memory, std::map<std::string, std::uint64_t> globals);
  /// Runs a grid to its end; throws ReferenceError for what a program may not do, deadlock included.
  void run(const std::string& entry, const Launch& launch);

 private:
  void prepare(const Function& f);
  void run_cta(const Function& f, const Launch& launch, const std::array<std::uint32_t, 3>& cta);
  bool run_thread(Thread& t);  // true when it did something
  bool guard_holds(Thread& t) const;

  void scalar(Thread& t, const Step& s);
  void move(Thread& t, const Step& s);
  void access(Thread& t, const Step& s);
  void atomic(Thread& t, const Step& s, const std::string& space, std::uint64_t address);
  void control(Thread& t, const Step& s);
  void call(Thread& t, const Step& s);
  void other(Thread& t, const Step& s);

  // Meetings of lanes and of the CTA's threads (meetings.cpp).
  bool let_lanes_meet(unsigned warp);
  void meet(const std::vector<Thread*>& who);
  void shuffle(const Step& s, const std::vector<Thread*>& who);
  void vote(const Step& s, const std::vector<Thread*>& who);
  void match(const Step& s, const std::vector<Thread*>& who);
  void reduce(const Step& s, const std::vector<Thread*>& who);
  std::uint32_t member_mask(Thread& t, const Step& s);
  bool let_barriers_open();

  std::uint64_t value(Thread& t, const Operand& o) const;
  std::uint64_t special(const Thread& t, const std::string& name) const;
  void set(Thread& t, const Operand& o, std::uint64_t value);
  void set_register(Thread& t, int index, std::uint64_t value);
  std::uint64_t address(Thread& t, const Operand& o, const std::string& space) const;
  std::uint8_t* bytes(Thread& t, const std::string& space, std::uint64_t address, std::uint64_t count);

  Text text_;
  Memory& memory_;
  std::map<std::string, std::uint64_t> globals_;
  std::map<std::string, std::vector<Step>> steps_;
  std::vector<std::uint8_t> shared_, const_;
  std::vector<Thread> threads_;
  std::map<std::uint64_t, unsigned> arrived_;  // threads that did bar.arrive, by barrier
  std::array<std::uint32_t, 3> block_{}, grid_{}, cta_{};
  std::uint64_t budget_ = 0;
};

/// The atomic operation `what` on a value in memory; returns what to store.
std::uint64_t atomic_result(const std::string& what, Type type, bool flushes, std::uint64_t old,
                            std::uint64_t b, std::uint64_t c);

}  // namespace warpvp::reference
