#pragma once
// A work distributor behind its registers, with scripted SMs.

#include <vector>

#include "modules/work_distributor/status_register_distributor.h"
#include "tests/control/rig.h"

namespace warpvp::test {

namespace wd = regmap::wd;

struct DistributorBench : sc_core::sc_module {
  FaultSink faults;
  ClockDomain clock;
  RegisterBus bus;
  StatusRegisterDistributor distributor;
  ScriptedSms sms;
  Driver driver;
  Target mailbox, watcher;
  std::vector<std::pair<Cycle, regmap::cp::KernelDone>> finished;
  /// Of the mailbox at regmap::bandwidth::kBase: slot, launch, whether it has ended.
  std::vector<std::tuple<unsigned, unsigned, unsigned>> notices;

  DistributorBench(sc_core::sc_module_name name, unsigned sm_count, WorkDistributorConfig config = {},
                   SmResources r = small(), double bus_ns = 20, std::uint64_t page_table = 0,
                   const SamplingConfig& sampling = {}, SampledDevice* sampled = nullptr,
                   std::uint32_t most_followers = 0)
      : sc_module(name),
        clock("clock", 1000),
        bus("bus", RegisterBusConfig{bus_ns}),
        distributor("distributor", config, r, sm_count, clock, faults, page_table, 1, sampling, sampled,
                    most_followers),
        sms("sms", sm_count, clock),
        driver("driver"),
        mailbox("mailbox"),
        watcher("watcher") {
    driver.socket.bind(bus.add_initiator("driver"));
    distributor.bus.bind(bus.add_initiator("distributor"));
    sms.bus.bind(bus.add_initiator("sms"));
    bus.add_target("distributor", wd::kBase, wd::kBytes).bind(distributor.registers);
    bus.add_target("mailbox", regmap::cp::kBase + regmap::cp::kKernelDone, 8).bind(mailbox.socket);
    bus.add_target("watcher", regmap::bandwidth::kBase, regmap::bandwidth::kBytes).bind(watcher.socket);
    watcher.on_access = [this](tlm::tlm_generic_payload& p, sc_core::sc_time&) {
      wd::KernelNotice notice;
      ASSERT_EQ(p.get_data_length(), sizeof notice);
      std::memcpy(&notice, p.get_data_ptr(), sizeof notice);
      notices.emplace_back(notice.slot, notice.launch_id, notice.ended);
    };
    for (unsigned i = 0; i < sm_count; ++i)
      bus.add_target("sm" + std::to_string(i), regmap::sm::window(i), regmap::sm::kStride)
          .bind(sms.window(i));
    mailbox.on_access = [this](tlm::tlm_generic_payload& p, sc_core::sc_time&) {
      regmap::cp::KernelDone done;
      std::memcpy(&done, p.get_data_ptr(), sizeof done);
      finished.push_back({clock.now(), done});
    };
  }
  static SmResources small() {
    SmResources r;
    r.warps = 8;
    r.threads = 256;
    r.ctas = 4;
    r.threads_per_cta = 256;
    r.registers = 8192;
    r.shared_bytes = r.shared_bytes_per_cta = 16384;
    r.barriers = 8;
    return r;
  }
  static wd::KernelSlotImage kernel(std::uint32_t launch, std::uint32_t ctas, std::uint32_t threads) {
    wd::KernelSlotImage k;
    k.launch_id = launch;
    k.grid[0] = ctas;
    k.block[0] = threads;
    k.registers_per_thread = 16;
    return k;
  }
  wd::SlotStatus start(unsigned slot, wd::KernelSlotImage image) {
    if (sc_core::sc_get_status() == sc_core::SC_ELABORATION) sc_core::sc_start(sc_core::SC_ZERO_TIME);
    EXPECT_EQ(access(driver.socket, tlm::TLM_WRITE_COMMAND, wd::slot(slot), &image, sizeof image),
              tlm::TLM_OK_RESPONSE);
    return start_written(slot);
  }
  /// What stands in the slot.
  wd::SlotStatus start_written(unsigned slot) {
    driver.write<std::uint32_t>(wd::slot(slot) + wd::kSlotStart, 1);
    return static_cast<wd::SlotStatus>(driver.read<std::uint32_t>(wd::slot(slot) + wd::kSlotStatus));
  }
  void run(unsigned cycles) { sc_core::sc_start(sc_core::sc_time(cycles, sc_core::SC_NS)); }
  std::uint32_t sm_register(unsigned sm, std::uint64_t offset) {
    return driver.read<std::uint32_t>(wd::kBase + wd::kSms + sm * wd::kSmStride + offset);
  }
};

}  // namespace warpvp::test
