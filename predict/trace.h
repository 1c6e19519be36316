#pragma once
// What a schedule is computed from: the instructions of each warp in program order, with what decides their
// timing. A trace says nothing of when anything happened, so one recorded under any schedule is the trace of
// a warp in isolation (SWaS paper, section III-A, item i). Text form: trace_file.h.

#include <cstdint>
#include <string>
#include <vector>

#include "base/cycle.h"

namespace warpvp::predict {

/// One instruction of a program.
struct Instruction {
  std::uint8_t unit = 0;      ///< index into kUnitNames, which are the SM's issue ports
  std::uint32_t latency = 1;  ///< issue to dependent issue; memory accesses have theirs in Step
  std::uint32_t holds = 1;    ///< its issue to the next issue of its warp, at least
  std::uint32_t occupies = 0;  ///< cycles of its unit; 0: as many as the unit's instructions take
  static constexpr std::uint16_t kNoGuard = 0xffff;
  std::uint16_t guard = kNoGuard;  ///< the one of `pred_reads` that is its guard
  bool address = false;            ///< results of arithmetic reach its `reads` later, by `latency.address`
  bool special = false;            ///< those of int and fp32 reach its rows later, by `special_operand`
  // Scoreboard rows and predicates read and written, relative to the frame.
  std::vector<std::uint16_t> reads, writes, pred_reads, pred_writes;
};
inline constexpr const char* kUnitNames[] = {"int", "fp32",    "fp64",   "sfu",
                                             "lsu", "control", "tensor", "int_or_fp32"};
inline constexpr unsigned kUnits = 8;

struct Program {
  std::string name;
  std::uint64_t address = 0;  ///< where instruction 0 is fetched; kInstructionBytes each
  std::vector<Instruction> code;
};
inline constexpr unsigned kInstructionBytes = 16;

/// One executed instruction of a warp. A redirect of the front end is where the next step's pc is not pc + 1;
/// the last step of a warp is its exit.
struct Step {
  enum Flag : std::uint16_t {
    kMemory = 1,    ///< a memory access that takes `latency`
    kLong = 2,      ///< of device memory: its dependants count as waiting long
    kStore = 4,     ///< fences wait for it
    kCopy = 8,      ///< asynchronous: waited for by kCopies
    kBarrier = 16,  ///< arrives at `barrier`
    kPasses = 32,   ///< ... without waiting there
    kFence = 64,    ///< waits for the warp's stores
    kCopies = 128   ///< waits for the warp's asynchronous copies
  };
  std::uint32_t pc = 0;
  std::uint32_t latency = 0;
  std::uint16_t flags = 0;
  std::uint8_t barrier = 0;
  std::uint8_t barrier_warps = 0;  ///< warps that must arrive; 0: all of the CTA that have not exited

  bool is(Flag flag) const { return (flags & flag) != 0; }
  bool operator==(const Step& o) const {
    return pc == o.pc && latency == o.latency && flags == o.flags && barrier == o.barrier &&
           barrier_warps == o.barrier_warps;
  }
};
inline constexpr unsigned kBarriers = 17;

struct WarpTrace {
  /// From step `step` on, rows and predicates count from here (calls).
  struct Frame {
    std::size_t step;
    std::uint32_t row_base, pred_base;
  };
  std::vector<Step> steps;
  std::vector<Frame> frames;  ///< in order; before the first: 0, 0
};

struct LaunchTrace {
  std::uint32_t id = 0;
  std::uint32_t program = 0;  ///< index into Trace::programs
  std::uint32_t budget = 1;
  std::int32_t priority = 0;
};

struct CtaTrace {
  std::uint32_t launch = 0;  ///< index into Trace::launches
  std::uint32_t index[3] = {0, 0, 0};
  unsigned sm = 0;    ///< where it runs
  Cycle arrival = 0;  ///< edge at which its warps start
  std::vector<WarpTrace> warps;
};

struct Trace {
  std::vector<Program> programs;
  std::vector<LaunchTrace> launches;
  std::vector<CtaTrace> ctas;  ///< in order of arrival
};

/// `trace` with the arrivals and places of the CTAs of `run`, in whose order they then stand: when work comes
/// to an SM is given, not predicted. InputError if the two do not have the same CTAs.
Trace at_arrivals_of(Trace trace, const Trace& run);
/// The first step at which warps of both, which have the same CTAs in the same order, differ: "CTA (0,0,0) of
/// launch 1, warp 3, step 17". Empty if none does.
std::string first_difference(const Trace& a, const Trace& b);

}  // namespace warpvp::predict
