#pragma once
// SMs of `sm.type: profile` on their registers: CTAs are launched at given cycles, and when each ends is
// noted.

#include <gtest/gtest.h>
#include <tlm_utils/simple_initiator_socket.h>
#include <tlm_utils/simple_target_socket.h>

#include <algorithm>
#include <cstring>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "base/registry.h"
#include "interconnect/kernel_descriptor.h"
#include "interconnect/register_map.h"
#include "modules/sm_profile/profile_sm.h"
#include "ptx/module.h"
#include "tests/support/load_kernel.h"

namespace warpvp::test {

/// One CTA to be launched. Its launch writes arrive at `cycle`; it begins a cycle later.
struct PlannedCta {
  Cycle cycle = 0;
  unsigned sm = 0;
  std::uint32_t launch = 0;
  std::uint32_t number = 0;  ///< within its launch
};

class ProfileBench : public sc_core::sc_module {
 public:
  static constexpr Cycle kLaunchLatency = 1;

  ProfileBench(unsigned sms, ProfileSmConfig config, double bytes_per_cycle = kNoLevel,
               std::uint64_t seed = 1, const SmResources* limits = nullptr,
               double state_bytes_per_cycle = kNoLevel)
      : sc_module("bench"), clock("clock", 1000), memory(16 << 20) {
    config.cta_launch_latency = kLaunchLatency;
    // Room for more CTAs than any test has, unless it says otherwise.
    if (limits == nullptr) {
      resources.ctas = resources.warps = 1024;
      resources.threads = 32768;
      resources.registers = 16777216;
    } else {
      resources = *limits;
    }
    shared = std::make_shared<const ProfileSmConfig>(config);
    pool = std::make_shared<MemoryPool>(clock, bytes_per_cycle, config.interval_cycles);
    SmServices services{memory, kernels, faults, [](const std::string&, unsigned) {}};
    services.completion_address = kCompletion;
    services.preempted_address = kPreempted;
    services.seed = seed;
    for (unsigned i = 0; i < sms; ++i) {
      ends_.push_back(std::make_unique<End>(*this, i));
      this->sms.push_back(std::make_unique<ProfileSm>(("sm_" + std::to_string(i)).c_str(),
                                                      SmPlace{i, clock, resources, services}, shared, pool,
                                                      state_bytes_per_cycle));
      ends_[i]->control.bind(this->sms[i]->control_socket());
      this->sms[i]->completion_socket().bind(ends_[i]->completion);
      this->sms[i]->memory_socket().bind(ends_[i]->memory);
    }
  }

  /// Makes launch `launch` one of a kernel of that name.
  void kernel(std::uint32_t launch, const std::string& name, std::uint32_t ctas = 1,
              std::uint32_t threads = 32) {
    const auto module = ptx::Module::parse(
        ".version 7.0\n.target sm_70\n.address_size 64\n.visible .entry " + name + "()\n{\nret;\n}\n",
        "test.ptx");
    CtaLaunch& record = records_[launch];
    record.kernel_object = load_kernel(memory, *module->entry(name), 16);
    record.launch_id = launch;
    record.grid[0] = ctas;
    record.block[0] = threads;
  }

  /// Launches all, and goes on until all have ended. Order of the cycles: any.
  void run(std::vector<PlannedCta> plan) {
    std::stable_sort(plan.begin(), plan.end(),
                     [](const PlannedCta& a, const PlannedCta& b) { return a.cycle < b.cycle; });
    for (const PlannedCta& cta : plan) {
      go_to(cta.cycle);
      launch(cta);
    }
    sc_core::sc_start(100'000'000 * clock.period());
    for (const auto& sm : sms) sm->settle(clock.now());
  }
  void go_to(Cycle cycle) {
    const sc_core::sc_time time = clock.time_of(cycle);
    if (time > sc_core::sc_time_stamp() || sc_core::sc_get_status() == sc_core::SC_ELABORATION)
      sc_core::sc_start(time - sc_core::sc_time_stamp());
  }
  void launch(const PlannedCta& cta) {
    CtaLaunch record = records_.at(cta.launch);
    record.cta[0] = cta.number;
    record.context = context;
    tlm::tlm_generic_payload payload;
    payload.set_command(tlm::TLM_WRITE_COMMAND);
    payload.set_address(regmap::sm::kLaunch);
    payload.set_data_ptr(reinterpret_cast<unsigned char*>(&record));
    payload.set_data_length(sizeof record);
    payload.set_streaming_width(sizeof record);
    sc_core::sc_time delay;
    ends_[cta.sm]->control->b_transport(payload, delay);
    ASSERT_EQ(payload.get_response_status(), tlm::TLM_OK_RESPONSE);
  }

  /// By launch and number.
  std::map<std::pair<std::uint32_t, std::uint32_t>, Cycle> ended;
  std::uint32_t read(unsigned sm, std::uint64_t offset) {
    std::uint32_t value = 0;
    tlm::tlm_generic_payload payload;
    payload.set_command(tlm::TLM_READ_COMMAND);
    payload.set_address(offset);
    payload.set_data_ptr(reinterpret_cast<unsigned char*>(&value));
    payload.set_data_length(sizeof value);
    payload.set_streaming_width(sizeof value);
    sc_core::sc_time delay;
    ends_[sm]->control->b_transport(payload, delay);
    EXPECT_EQ(payload.get_response_status(), tlm::TLM_OK_RESPONSE);
    return value;
  }

  /// Of a 32-bit register of an SM.
  tlm::tlm_response_status write(unsigned sm, std::uint64_t offset, std::uint32_t value) {
    tlm::tlm_generic_payload payload;
    payload.set_command(tlm::TLM_WRITE_COMMAND);
    payload.set_address(offset);
    payload.set_data_ptr(reinterpret_cast<unsigned char*>(&value));
    payload.set_data_length(sizeof value);
    payload.set_streaming_width(sizeof value);
    sc_core::sc_time delay;
    ends_[sm]->control->b_transport(payload, delay);
    return payload.get_response_status();
  }

  /// CTAs that left before their ends.
  struct Left {
    Cycle at;
    CtaPreempted record;
  };
  std::vector<Left> left;

  std::uint16_t context = 0;  ///< of what is launched
  static constexpr std::uint64_t kCompletion = 0x20'0020, kPreempted = 0x20'0040;
  ClockDomain clock;
  DeviceMemory memory;
  KernelImages kernels{memory};
  FaultSink faults;
  SmResources resources;
  std::shared_ptr<const ProfileSmConfig> shared;
  std::shared_ptr<MemoryPool> pool;
  std::vector<std::unique_ptr<ProfileSm>> sms;

 private:
  /// The far ends of one SM's sockets.
  struct End {
    End(ProfileBench& bench, unsigned sm)
        : control(("control_" + std::to_string(sm)).c_str()),
          completion(("completion_" + std::to_string(sm)).c_str()),
          memory(("memory_" + std::to_string(sm)).c_str()),
          bench(bench) {
      completion.register_b_transport(this, &End::done);
      memory.register_b_transport(this, &End::nothing);
    }
    void done(tlm::tlm_generic_payload& payload, sc_core::sc_time&) {
      payload.set_response_status(tlm::TLM_OK_RESPONSE);
      if (payload.get_address() == kPreempted) {
        Left left{bench.clock.now(), {}};
        std::memcpy(&left.record, payload.get_data_ptr(), sizeof left.record);
        return bench.left.push_back(left);
      }
      CtaDone done;
      ASSERT_EQ(payload.get_data_length(), sizeof done);
      std::memcpy(&done, payload.get_data_ptr(), sizeof done);
      const bool first =
          bench.ended.emplace(std::pair{done.launch_id, done.cta[0]}, bench.clock.now()).second;
      EXPECT_TRUE(first) << "a CTA ended twice";
    }
    void nothing(tlm::tlm_generic_payload&, sc_core::sc_time&) {
      ADD_FAILURE() << "it sends nothing to memory";
    }

    tlm_utils::simple_initiator_socket<End> control;
    tlm_utils::simple_target_socket<End> completion;
    tlm_utils::simple_target_socket<End> memory;
    ProfileBench& bench;
  };

  std::vector<std::unique_ptr<End>> ends_;
  std::map<std::uint32_t, CtaLaunch> records_;
};

/// A profile of CTAs of 32 threads.
inline KernelProfile profile_of(double cycles, double sm_cycles = 0, double memory_bytes = 0,
                                double variation = 0) {
  KernelProfile p;
  p.threads = 32;
  p.cta_cycles = cycles;
  p.sm_cycles = sm_cycles;
  p.memory_bytes = memory_bytes;
  p.variation = variation;
  return p;
}

}  // namespace warpvp::test
