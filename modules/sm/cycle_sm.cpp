// `sm.type: cycle`: the SM that executes PTX cycle by cycle.
#include "base/registry.h"
#include "interconnect/policy_reference.h"
#include "interconnect/register_map.h"
#include "modules/sm/frontend/front_end.h"
#include "modules/sm/memory/l1_cache.h"
#include "modules/sm/memory/memory_admission.h"
#include "modules/sm/memory/miss_queue.h"
#include "modules/sm/sm_context.h"
#include "modules/sm/streaming_multiprocessor.h"

namespace warpvp {
namespace {

class CycleSm : public SmType {
 public:
  explicit CycleSm(const SmConfig& config) : config_(config) {}

  void check(const SmResources& resources, const RequireField& require) const override {
    with(resources).check(require);
  }
  void visit_request_lengths(
      const std::function<void(std::uint32_t bytes, const char* key)>& visit) const override {
    const MemorySideConfig& memory = config_.memory;
    if (!Registry<MemorySideType>::instance().make(memory.model)->reaches_l2()) return;
    // Without an L1, accesses are cut by its lines all the same.
    visit(memory.l1.line_bytes, "memory.l1.line_bytes");
    visit(memory.instruction.line_bytes, "memory.instruction_cache.line_bytes");
    visit(memory.constant.line_bytes, "memory.constant_cache.line_bytes");
  }
  std::optional<NotSampled> not_sampled() const override {
    const std::string& front_end = config_.frontend.mode.name;
    const std::string& scheduler = config_.warp_scheduler.name;
    // What these study lies in single instructions, in CTAs side by side, or in all CTAs of a kernel.
    if (front_end != "separate" && front_end != "coordinated")
      return NotSampled{"frontend.mode",
                        front_end + " looks at what instructions compute; allowed: separate, coordinated"};
    if (scheduler == "qaws" || scheduler == "kernel_quota" || scheduler == "lrr_kernels_gto")
      return NotSampled{"warp_scheduler", scheduler + " divides an SM among kernels"};
    if (config_.memory.admission.name != "open")
      return NotSampled{"memory.admission", config_.memory.admission.name + " divides an SM among kernels"};
    if (config_.oracle) return NotSampled{"oracle", "looks at every edge"};
    return std::nullopt;
  }
  Cycle credit_interval() const override {
    const MemorySideConfig& memory = config_.memory;
    if (!Registry<MemorySideType>::instance().make(memory.model)->reaches_l2()) return 0;
    return Registry<MissQueue>::instance().make(memory.l1.miss_queue)->credit_interval();
  }
  void visit_memory_stats(StatVisitor& v) const override {
    SmMemoryCounters().stats(v);
    visit_policies<MissQueue>(v, "memory.l1.miss_queue", kMissQueueSentence);
    visit_policies<MemoryAdmission>(v, "memory.admission", kAdmissionSentence);
    visit_policies<ReplacementPolicy>(v, "memory.l1.replacement", kReplacementSentence, kL1ReplacementKind);
    visit_policies<Prefetcher>(v, "memory.l1.prefetcher", kPrefetcherSentence, kL1PrefetcherKind);
  }
  void visit_policy_stats(StatVisitor& v) const override {
    visit_policies<FetchPolicy>(v, "frontend.fetch_scheduler", kFetchSchedulerSentence);
    visit_policies<WarpSchedulerPolicy>(v, "warp_scheduler", kWarpSchedulerSentence);
    visit_policies<FrontEndType>(v, "frontend.mode", kFrontEndSentence);
  }
  void visit_policy_registers(const ShowPolicyRegisters& show) const override {
    registers_of<MissQueue>(show);
    registers_of<MemoryAdmission>(show);
    registers_of<ReplacementPolicy>(show, kL1ReplacementKind);
    registers_of<Prefetcher>(show, kL1PrefetcherKind);
    registers_of<WarpSchedulerPolicy>(show, WarpSchedulerPolicy::kKind, 0);
    registers_of<FetchPolicy>(show, FetchPolicy::kKind, 0);
  }
  bool evaluates_long(unsigned window) const override { return window > 1; }
  std::unique_ptr<Sm> build(const char* name, const SmPlace& place) const override {
    return std::make_unique<StreamingMultiprocessor>(name, with(place.resources), place.id, place.clock,
                                                     place.services);
  }

 private:
  /// Declares what the policies of a kind count, as `group`. `key`: where YAML chooses one, under
  /// platform.sm.
  template <class Policy>
  static void visit_policies(StatVisitor& v, const std::string& key, const char* sentence,
                             const char* group = Policy::kKind) {
    const auto condition = [&](const std::string& name) {
      return (key.rfind("memory.", 0) == 0 ? "with `platform.sm.memory.model: hierarchy` and `platform.sm."
                                           : "with `platform.sm.") +
             key + ": " + name + "`";
    };
    warpvp::visit_policy_stats<Policy>(v, sentence, condition, group);
  }
  /// `kind`: of the window.
  template <class Policy>
  static void registers_of(const ShowPolicyRegisters& show, const char* kind = Policy::kKind,
                           unsigned sub_core = SmContext::kAllSubCores) {
    SmContext nowhere;
    nowhere.kernel_slots = regmap::wd::kMaxSlots;
    const auto context = [&](const std::string& name, const PolicyRegisters::Take& take) {
      return SmContexts(nowhere, take).of(kind, name, sub_core);
    };
    warpvp::visit_policy_registers<Policy>(show, regmap::sm::kStride, context, kind);
  }
  SmConfig with(const SmResources& resources) const {
    SmConfig config = config_;
    config.resources = resources;
    return config;
  }

  SmConfig config_;
};

WARPVP_REGISTER_BLOCK(SmType, CycleSm, SmConfig, "cycle",
                      "Executes PTX instruction by instruction: fetch, issue, operand collection, units, "
                      "caches, each cycle.");

}  // namespace
}  // namespace warpvp
