// result_reference: every key that result.json can have, without a run.

#include "base/registry.h"
#include "base/summed_stats.h"
#include "interconnect/policy_reference.h"
#include "modules/bandwidth/bandwidth_controller.h"
#include "modules/command_processor/command_processor.h"
#include "modules/sm/sm.h"
#include "platform/collect/run_result.h"
#include "platform/run/run.h"

namespace warpvp {

namespace {

/// What the block would write, by each of the types that it could have.
template <class Type, class Visit>
BlockStats all_types(ResultReference& reference, const char* setting, Visit visit) {
  return {[&reference, setting, visit](StatVisitor&) {
    std::vector<ResultReference::Type> types;
    for (const std::string& name : Registry<Type>::instance().names()) {
      PolicyChoice choice;
      choice.name = name;
      std::shared_ptr<const Type> type = Registry<Type>::instance().make(choice);
      types.push_back({name, [type, visit](StatVisitor& v) { visit(*type, v); }});
    }
    reference.types(setting, types);
  }};
}

/// The same for what their policies count; nothing if no policy that there is counts anything.
template <class Type>
BlockStats policies_of_all_types(ResultReference& reference, const char* setting) {
  StatProbe probe;
  for (const std::string& name : Registry<Type>::instance().names())
    Registry<Type>::instance().make(default_choice(name))->visit_policy_stats(probe);
  if (!probe.found) return {};
  return all_types<Type>(reference, setting,
                         [](const Type& type, StatVisitor& v) { type.visit_policy_stats(v); });
}

/// As the statistics of several parts that are added up.
template <class Stats>
void visit_summed(const Stats& stats, StatVisitor& v) {
  SummedStats sum(true);
  stats(sum);
  sum.stats(v);
}

}  // namespace

ResultReference result_reference() {
  ResultReference reference;
  RunResult result;
  result.sms.emplace_back();
  result.sms.back().memory = all_types<SmType>(
      reference, "platform.sm.type", [](const SmType& type, StatVisitor& v) { type.visit_memory_stats(v); });
  result.sms.back().policies = policies_of_all_types<SmType>(reference, "platform.sm.type");
  result.control.policies =
      policies_of_all_types<WorkDistributorType>(reference, "platform.work_distributor.type");
  result.control.bandwidth_controller = all_types<BandwidthControllerType>(
      reference, "platform.bandwidth_controller.type",
      [](const BandwidthControllerType& type, StatVisitor& v) { type.visit_stats(v); });
  result.noc = all_types<CrossbarType>(reference, "platform.crossbar.type",
                                       [](const CrossbarType& type, StatVisitor& v) { type.visit_stats(v); });
  result.l2 = all_types<L2Type>(reference, "platform.l2.type", [](const L2Type& type, StatVisitor& v) {
    visit_summed([&](StatVisitor& sum) { type.visit_stats(sum); }, v);
  });
  result.dram.channels = all_types<MemoryChannelType>(
      reference, "platform.dram.type", [](const MemoryChannelType& type, StatVisitor& v) {
        visit_summed([&](StatVisitor& sum) { type.visit_stats(sum); }, v);
      });
  result.control.command_processor = all_types<CommandProcessorType>(
      reference, "platform.command_processor.type",
      [](const CommandProcessorType& type, StatVisitor& v) { type.visit_stats(v); });
  result.control.dma = {
      [](StatVisitor& v) { visit_summed([](StatVisitor& sum) { DmaStats().stats(sum); }, v); }};
  result.stats(reference);
  return reference;
}

}  // namespace warpvp
