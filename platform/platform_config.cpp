#include "platform/platform_config.h"

#include <fmt/format.h>

#include <algorithm>
#include <thread>

#include "interconnect/crossbar.h"
#include "interconnect/transaction.h"
#include "modules/bandwidth/bandwidth_controller.h"
#include "modules/command_processor/command_processor.h"
#include "modules/dram/memory_channel.h"
#include "modules/host/dma_engine.h"
#include "modules/host/host_cpu.h"
#include "modules/host/pcie_link.h"
#include "modules/l2/l2_bank.h"
#include "modules/mmu/mmu.h"
#include "modules/sm/sm.h"
#include "modules/work_distributor/work_distributor.h"

namespace warpvp {

namespace {
void nothing_in_common(FieldVisitor&) {}
}  // namespace

ptx::CodeOptions PlatformConfig::code_options() const {
  ptx::CodeOptions options;
  options.code = lowering.code == "machine" ? ptx::Code::kMachine : ptx::Code::kPtx;
  const bool machine = options.code == ptx::Code::kMachine;
  options.convergence_barriers = machine && lowering.target != "none";
  options.nop_before_barriers = machine && lowering.target == "sm_70";
  options.least_registers = lowering.registers;
  options.sm = sm.resources;
  return options;
}

unsigned PlatformConfig::reply_edges() const {
  return static_cast<unsigned>((evaluation.window - 1) * l2.clock_mhz / sm_clock_mhz);
}

EvaluationConfig PlatformConfig::evaluation_here() const {
  EvaluationConfig here = evaluation;
  if (here.threads != 0) return here;
  // An SM's single edge is over before another thread has begun, and so are those of few SMs.
  constexpr unsigned kSmsOfAThread = 4;
  const bool long_enough = Registry<SmType>::instance().make(sm.type)->evaluates_long(evaluation.window);
  const unsigned processors = long_enough ? std::thread::hardware_concurrency() : 1;
  const unsigned most = std::max(1u, std::min(EvaluationConfig::kMostThreads, sms / kSmsOfAThread));
  here.threads = std::clamp(processors, 1u, most);
  return here;
}

// Studies of how kernels share SMs and bandwidth, and of single instructions, want all CTAs in cycle detail.
void PlatformConfig::require_sampling(FieldVisitor& v, const SmType& sm_type) const {
  const auto refuse = [&](const std::string& key, const std::string& why) {
    v.require(false, "sampling.skip",
              fmt::format("{}: kernels cannot be sampled with {}, which {}", sampling.skip, key, why));
  };
  if (const auto no = sm_type.not_sampled()) refuse("sm." + no->key, no->why);
  const auto distributor = Registry<WorkDistributorType>::instance().make(work_distributor.type);
  if (const auto no = distributor->not_sampled()) refuse("work_distributor." + no->first, no->second);
  if (bandwidth_controller.name != "none")
    refuse("bandwidth_controller: " + bandwidth_controller.name, "divides SMs among kernels; allowed: none");
}

void PlatformConfig::fields(FieldVisitor& v) {
  v.field("sms", sms, "", "Streaming multiprocessors.", Constraint::range(1, regmap::wd::kMaxSms));
  v.field("sm_clock_mhz", sm_clock_mhz, "MHz", "Clock of SMs, work distributor and command processor.",
          Constraint::range(1, 100000));
  v.group("evaluation", evaluation, "How the host computes an edge of the device's clocks.");
  v.group("sampling", sampling,
          "Simulates some CTAs of each kernel in cycle detail and computes the others without cycles "
          "(docs/sampling.md).");
  v.field("check_protocol", check_protocol,
          "Put a TLM-2.0 base-protocol checker on every link; the first violation ends the run.");
  v.block(
      "sm", SmType::kKind, sm.type,
      [&](FieldVisitor& common) { common.group("resources", sm.resources, "What CTAs share."); },
      "Each streaming multiprocessor.");
  v.block(
      "work_distributor", WorkDistributorType::kKind, work_distributor.type,
      [&](FieldVisitor& common) {
        common.field("slots", work_distributor.slots, "",
                     "Kernel status registers: kernels that can run at once.",
                     Constraint::range(1, regmap::wd::kMaxSlots));
      },
      "Kernel slots and CTA dispatch.");
  v.block(
      "command_processor", CommandProcessorType::kKind, command_processor.type,
      [&](FieldVisitor& common) {
        common.field("queues", command_processor.queues, "",
                     "Hardware queues (LAX section 6.4, Table 6.1 has 128).",
                     Constraint::range(1, regmap::cp::kMaxQueues));
      },
      "Queues and packets.");
  v.block("mmu", MmuType::kKind, mmu, nothing_in_common,
          "Translation of the addresses that SMs ask memory for.");
  v.block(
      "crossbar", CrossbarType::kKind, crossbar.type,
      [&](FieldVisitor& common) {
        common.field("clock_mhz", crossbar.clock_mhz, "MHz", "Clock of both directions.",
                     Constraint::range(1, 100000));
      },
      "Network between SMs and L2.");
  v.group("address_map", address_map, "L2 banks and memory channels.");
  v.block(
      "l2", L2Type::kKind, l2.type,
      [&](FieldVisitor& common) {
        common.field("clock_mhz", l2.clock_mhz, "MHz", "Clock of the L2 banks.",
                     Constraint::range(1, 100000));
        common.field("line_bytes", l2.line_bytes, "B", "Cache line: the longest request.",
                     Constraint::pow2(32, 65536));
      },
      "Each L2 bank.");
  v.block("dram", MemoryChannelType::kKind, dram, nothing_in_common, "What stands behind the L2 banks.");
  v.block("bandwidth_controller", BandwidthControllerType::kKind, bandwidth_controller, nothing_in_common,
          "Who divides CTAs and memory bandwidth among kernels that run together.");
  v.group("memory", memory, "Device memory.");
  v.group("sustainable_bandwidth", sustainable_bandwidth,
          "Fractions of the peaks up to which memory traffic does not pile up.");
  v.block("host", HostType::kKind, host, nothing_in_common, "Host CPU.");
  v.block("pcie", PcieLinkType::kKind, pcie, nothing_in_common, "Link between host and device.");
  v.block(
      "dma", DmaEngineType::kKind, dma.type,
      [&](FieldVisitor& common) {
        common.field("engines", dma.engines, "", "Copy engines, each working on one copy at a time.",
                     Constraint::range(1, 64));
      },
      "Copy engines.");
  v.group("hub", hub, "How host and command processor reach device memory.");
  v.group("runtime", runtime, "Host API library.");
  v.group("ptx", lowering, "How kernels become code.");
  v.group("register_bus", register_bus, "Control registers' bus.");

  // Relations between a type's fields and the platform's, and between blocks.
  const auto require_in = [&](const char* block) {
    return [&v, block](bool condition, const char* key, const std::string& message) {
      v.require(condition, fmt::format("{}.{}", block, key).c_str(), message);
    };
  };
  const auto sm_type = Registry<SmType>::instance().make(sm.type);
  sm_type->check(sm.resources, require_in("sm"));
  Registry<WorkDistributorType>::instance()
      .make(work_distributor.type)
      ->check(sms, require_in("work_distributor"));
  Registry<BandwidthControllerType>::instance()
      .make(bandwidth_controller)
      ->check(sm_type->credit_interval(), require_in("bandwidth_controller"));
  if (sampling.on()) require_sampling(v, *sm_type);
  const auto l2_type = Registry<L2Type>::instance().make(l2.type);
  l2_type->check(l2.line_bytes, require_in("l2"));
  v.require(
      reply_edges() <= l2_type->shortest_answer(), "evaluation.window",
      fmt::format("{} SM cycles are longer than the least time in which the L2 answers; allowed: at most {}",
                  evaluation.window,
                  1 + static_cast<unsigned>(l2_type->shortest_answer() * sm_clock_mhz / l2.clock_mhz)));
  sm_type->visit_request_lengths([&](std::uint32_t bytes, const char* key) {
    v.require(bytes <= l2.line_bytes, "l2.line_bytes",
              fmt::format("{} is less than the {} bytes of sm.{}: requests would not fit a line",
                          l2.line_bytes, bytes, key));
  });
  v.require(address_map.channels == 0 || address_map.banks / address_map.channels <= 64, "address_map.banks",
            fmt::format("{} banks on {} channels; allowed: at most 64 L2 banks a channel", address_map.banks,
                        address_map.channels));
}

}  // namespace warpvp
