// A front end that leaves every second nop out, or all but one of so many. PTX has no nop: a `mov` of a
// register to itself is one here, and with `parts` so is a machine instruction that only takes the time of a
// part of a PTX instruction.
//
// Which nops these are is a table of the kernel that the sub-cores of an SM share.
#include <cstdint>
#include <map>
#include <vector>

#include "base/registry.h"
#include "modules/sm/frontend/separate_front_end.h"
#include "modules/sm/policies/warp_age_order.h"

namespace {

using warpvp::WarpMask;
using warpvp::ptx::Inst;

struct EverySecondNopParams {
  bool fetch = false, parts = false;
  std::uint32_t one_of = 2, per_cycle = 1;
  void fields(warpvp::FieldVisitor& v) {
    v.field("fetch", fetch, "Nops that are left out are fetched and dropped.");
    v.field("parts", parts, "Machine instructions that compute nothing count as nops.");
    v.field("one_of", one_of, "nops", "Of so many nops of the program, one is executed, the first.",
            warpvp::Constraint::range(1, 1000));
    v.field("per_cycle", per_cycle, "instructions",
            "Nops that a sub-core leaves out in a cycle without fetching them; more are fetched and dropped.",
            warpvp::Constraint::range(1, 64));
  }
};

bool is_nop(const Inst& inst, bool parts) {
  if (inst.is_part) return parts;
  return inst.opcode == warpvp::ptx::Opcode::mov && inst.dst_count == 1 && inst.src_count == 1 &&
         inst.dst[0].kind == warpvp::ptx::OperandKind::kReg &&
         inst.src[0].kind == warpvp::ptx::OperandKind::kReg && inst.dst[0].index == inst.src[0].index;
}

/// The tables of an SM, by launch.
class NopTables : public warpvp::SharedFrontEnd, private warpvp::SmListener {
 public:
  using Table = std::vector<bool>;  // by program counter: it is left out

  NopTables(const warpvp::SmContext& place, const EverySecondNopParams& params) : params_(params) {
    place.listen(*this, {warpvp::SmEvent::kKernels});
  }
  const Table& of(std::uint32_t launch, const warpvp::ptx::Program& program) {
    Table& table = tables_[launch];
    if (!table.empty()) return table;
    std::uint32_t nops = 0;
    for (const Inst& inst : program.code)
      table.push_back(is_nop(inst, params_.parts) && nops++ % params_.one_of != 0);
    return table;
  }

 private:
  void kernel_ended(const warpvp::KernelHere& kernel, warpvp::Cycle) override {
    tables_.erase(kernel.launch);
  }

  const EverySecondNopParams params_;
  std::map<std::uint32_t, Table> tables_;
};

class EverySecondNop final : public warpvp::SeparateFrontEndOf<EverySecondNop> {
 public:
  static constexpr bool kDrops = true, kSkips = true;

  EverySecondNop(const EverySecondNopParams& params, const warpvp::StageContext& context)
      : SeparateFrontEndOf(context), params_(params), tables_(static_cast<NopTables&>(*context.shared)) {}

  void warp_started(unsigned warp, const warpvp::WarpInfo& info, const warpvp::ptx::Program& program,
                    const warpvp::AccessOwner& owner, warpvp::FetchCounters& counters) override {
    code_[warp] = program.code.data();
    table_[warp] = &tables_.of(info.launch_id, program);
    SeparateFrontEndOf::warp_started(warp, info, program, owner, counters);
  }
  warpvp::Skip how_skipped(unsigned, warpvp::ptx::Pc) const override { return warpvp::Skip::kDrop; }

  void skip(warpvp::Cycle) {
    if (params_.fetch) return;
    unsigned left = params_.per_cycle;
    for (WarpMask rest = signals_.fetchable; rest != 0; rest &= rest - 1) {
      const unsigned warp = warpvp::lowest_warp(rest);
      for (; left != 0 && (*table_[warp])[next(warp)]; --left) {
        pass_over(warp, code_[warp][next(warp)]);
        ++not_fetched_;
      }
    }
  }
  bool drops(unsigned warp, warpvp::ptx::Pc pc) {
    const bool drop = (*table_[warp])[pc];
    dropped_ += drop;
    return drop;
  }

  void stats(warpvp::StatVisitor& v) const override {
    SeparateFrontEndOf::stats(v);
    v.group("front_end", counters(), "What the front end counts.");
  }

 private:
  struct Counters {
    std::uint64_t not_fetched, dropped;
    void stats(warpvp::StatVisitor& v) const {
      v.value("not_fetched", not_fetched, "instructions", "Nops that were left out without a fetch.");
      v.value("dropped", dropped, "instructions", "Nops that were fetched and dropped.");
    }
  };
  Counters counters() const { return {not_fetched_, dropped_}; }

  const EverySecondNopParams params_;
  NopTables& tables_;
  const Inst* code_[64] = {};               // of each warp's program
  const NopTables::Table* table_[64] = {};  // likewise
  std::uint64_t not_fetched_ = 0, dropped_ = 0;
};

class EverySecondNopType : public warpvp::FrontEndType {
 public:
  explicit EverySecondNopType(const EverySecondNopParams& params) : params_(params) {}
  std::unique_ptr<warpvp::SharedFrontEnd> build_shared(const warpvp::SmContext& place,
                                                       const warpvp::SmConfig&) const override {
    return std::make_unique<NopTables>(place, params_);
  }
  std::unique_ptr<warpvp::FrontEnd> build(const warpvp::StageContext& context) const override {
    return std::make_unique<EverySecondNop>(params_, context);
  }

 private:
  const EverySecondNopParams params_;
};

WARPVP_REGISTER_POLICY_WITH_PARAMS(warpvp::FrontEndType, EverySecondNopType, EverySecondNopParams,
                                   "every_second_nop", "As `separate`, but every second nop is left out.");

}  // namespace
