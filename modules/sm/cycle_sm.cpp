// `sm.type: cycle`: the SM that executes PTX cycle by cycle.
#include "base/registry.h"
#include "interconnect/policy_reference.h"
#include "interconnect/register_map.h"
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
  void visit_memory_stats(StatVisitor& v) const override {
    SmMemoryCounters().stats(v);
    visit_policies<MissQueue>(v, "memory.l1.miss_queue", kMissQueueSentence);
    visit_policies<MemoryAdmission>(v, "memory.admission", kAdmissionSentence);
  }
  void visit_policy_stats(StatVisitor& v) const override {
    visit_policies<FetchPolicy>(v, "frontend.fetch_scheduler", kFetchSchedulerSentence);
    visit_policies<WarpSchedulerPolicy>(v, "warp_scheduler", kWarpSchedulerSentence);
  }
  void visit_policy_registers(const std::function<void(const std::string&, const std::string&,
                                                       const RegisterBlock&)>& visit) const override {
    registers_of<MissQueue>(visit);
    registers_of<MemoryAdmission>(visit);
    registers_of<WarpSchedulerPolicy>(visit, 0);
    registers_of<FetchPolicy>(visit, 0);
  }
  std::unique_ptr<Sm> build(const char* name, const SmPlace& place) const override {
    return std::make_unique<StreamingMultiprocessor>(name, with(place.resources), place.id, place.clock,
                                                     place.services);
  }

 private:
  /// Declares what the policies of a kind count. `key`: where YAML chooses one, under platform.sm.
  template <class Policy>
  static void visit_policies(StatVisitor& v, const std::string& key, const char* sentence) {
    warpvp::visit_policy_stats<Policy>(v, sentence, [&](const std::string& name) {
      return (key.rfind("memory.", 0) == 0 ? "with `platform.sm.memory.model: hierarchy` and `platform.sm."
                                           : "with `platform.sm.") +
             key + ": " + name + "`";
    });
  }
  template <class Policy, class Visit>
  static void registers_of(const Visit& visit, unsigned sub_core = SmContext::kAllSubCores) {
    for (const std::string& name : Registry<Policy>::instance().names()) {
      RegisterBlock block(std::string(Policy::kKind) + " `" + name + "`", regmap::sm::kStride,
                          sentence_of(Policy::kKind, name));
      bool any = false;
      SmContext nowhere;
      nowhere.kernel_slots = regmap::wd::kMaxSlots;
      const SmContexts contexts(nowhere, [&](RegisterSpec spec) {
        any = true;
        block.add(std::move(spec));
      });
      const auto policy =
          Registry<Policy>::instance().make(default_choice(name), contexts.of(Policy::kKind, name, sub_core));
      if (any) visit(Policy::kKind, name, block);
    }
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
