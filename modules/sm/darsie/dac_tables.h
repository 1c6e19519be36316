#pragma once
// Which instances of affine instructions warps have executed for their CTAs, for the idealised DAC (Yeh's
// thesis, section 7.6). What is kept is bounded by nothing but how far warps of a CTA are apart: of a way
// that no warp can come to any more nothing is kept.

#include <cstdint>
#include <map>
#include <memory>
#include <unordered_map>
#include <vector>

#include "base/stats.h"
#include "modules/sm/darsie/cta_tables.h"
#include "modules/sm/darsie/params.h"
#include "modules/sm/frontend/shared_front_end.h"
#include "modules/sm/policies.h"
#include "modules/sm/sm_context.h"

namespace warpvp::darsie {

struct DacParams {
  bool local_by_address = false;
  void fields(FieldVisitor& v) { v.field("local_by_address", local_by_address, kLocalByAddress); }
};

struct DacCounters {
  std::uint64_t executed = 0, skipped = 0, again = 0;
  void stats(StatVisitor& v) const;
};

/// Of one CTA.
class AffineInstances {
 public:
  /// `full`: warps whose lanes all have a thread; others are not told of.
  explicit AffineInstances(Warps full);
  void started(unsigned warp);
  void ended(unsigned warp, std::uint64_t way);
  /// The warp has gone from one way to another; `gathers`: at a barrier from which all go on by it.
  void moved(unsigned warp, std::uint64_t from, std::uint64_t to, bool gathers);

  bool executed(std::uint64_t way, ptx::Pc pc) const;
  /// The warp executes it for the CTA, unless another does. False if another does. It is on that way, or on
  /// one that leads to it by barriers that gather.
  bool execute(unsigned warp, std::uint64_t way, ptx::Pc pc);
  std::size_t ways() const { return ways_.size(); }
  /// Nothing is kept that will not go, once all have ended. Of a CTA that comes back after it was preempted,
  /// warps may be missing.
  bool over() const { return ways_.empty() || missing_ != 0; }

 private:
  struct Executed {
    ptx::Pc pc;
    unsigned warp;
  };
  struct Way {
    unsigned warps = 0;      // that are on it
    Warps awaited = 0;       // that will come to it; of those that begin at a barrier
    bool reachable = false;  // from a way that is kept
    std::vector<std::uint64_t> next;
    std::vector<Executed> executed;  // by program counter
  };
  static Warps bit(unsigned warp) { return Warps{1} << warp; }
  /// One that is not known yet begins at a barrier.
  Way& begun(std::uint64_t way);
  void end_if_over(std::uint64_t way);

  Warps live_, missing_;  // missing: have not started
  std::unordered_map<std::uint64_t, Way> ways_;
  std::vector<std::uint64_t> gathered_;  // ways of ways_ that begin at a barrier
};

/// Of the CTAs of an SM.
class DacTables : public SharedFrontEnd, private SmListener {
 public:
  DacTables(const SmContext& place, const DacParams& params);
  const AllFlags& flags(const WarpInfo& info, const ptx::Program& program) const {
    return affine_flags(program, {info.block[0], info.block[1], info.block[2]}, params_.local_by_address);
  }
  /// Of the CTA that the warp is of.
  AffineInstances& of(const WarpInfo& info);

  DacCounters counters;

 private:
  void cta_ended(const CtaHere& cta, Cycle) override;

  const DacParams params_;
  std::map<unsigned, AffineInstances> ctas_;  // by slot
};

}  // namespace warpvp::darsie
