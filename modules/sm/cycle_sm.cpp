// `sm.type: cycle`: the SM that executes PTX cycle by cycle.
#include "modules/sm/memory/miss_queue.h"
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
    if (memory.model == "isolated") return;
    // Without an L1, accesses are cut by its lines all the same.
    visit(memory.l1.line_bytes, "memory.l1.line_bytes");
    visit(memory.instruction.line_bytes, "memory.instruction_cache.line_bytes");
    visit(memory.constant.line_bytes, "memory.constant_cache.line_bytes");
  }
  void visit_memory_stats(StatVisitor& v) const override {
    SmMemoryCounters().stats(v);
    for (const std::string& name : Registry<MissQueue>::instance().names()) {
      PolicyChoice choice;
      choice.name = name;
      const auto queue = Registry<MissQueue>::instance().make(choice);
      v.when(
          false,
          "with `platform.sm.memory.model: hierarchy` and `platform.sm.memory.l1.miss_queue: " + name + "`",
          [&] { v.group("miss_queue", *queue, kMissQueueSentence); });
    }
  }
  std::unique_ptr<Sm> build(const char* name, const SmPlace& place) const override {
    return std::make_unique<StreamingMultiprocessor>(name, with(place.resources), place.id, place.clock,
                                                     place.services);
  }

 private:
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
