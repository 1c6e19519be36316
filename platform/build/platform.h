#pragma once
// The platform: every module made from its configuration and bound to the others, as docs/architecture.md
// draws them.

#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "base/fault.h"
#include "base/stray_accesses.h"
#include "interconnect/device_memory.h"
#include "modules/bandwidth/bandwidth_controller.h"
#include "modules/command_processor/command_processor.h"
#include "modules/host/dma_engine.h"
#include "modules/host/host_cpu.h"
#include "modules/host/memory_hub.h"
#include "modules/host/memory_manager.h"
#include "modules/host/pcie_link.h"
#include "modules/sm/sm.h"
#include "modules/work_distributor/work_distributor.h"
#include "platform/build/links.h"
#include "platform/build/memory_system.h"
#include "platform/build/outside_packets.h"
#include "platform/build/sampled_device.h"
#include "platform/platform_config.h"
#include "sw/runtime/runtime_impl.h"

namespace warpvp {

class Platform : public sc_core::sc_module {
 public:
  /// `print` takes what device printf writes. `monitors` are put on links. `folder`: where files that the run
  /// writes belong. `seed`: of everything random on the device. `host`: in place of the type that
  /// `config.host` names.
  Platform(sc_core::sc_module_name name, const PlatformConfig& config,
           std::function<void(const std::string&)> print, const std::vector<MonitorConfig>& monitors = {},
           const std::filesystem::path& folder = {}, std::uint64_t seed = 1, const HostType* host = nullptr);
  ~Platform() override;

  const PlatformConfig& config() const { return config_; }
  /// Adds a host program, to run in its own thread from time zero.
  void add_program(const std::string& name, std::function<void(rt::Runtime&)> program);
  /// The runtime of one more host program, which calls it in a thread of its own.
  std::unique_ptr<rt::Runtime> make_runtime(HostInterface& host);

  FaultSink& faults() { return faults_; }
  /// The first access outside every allocation that was let pass; nullptr: there was none.
  const DeviceFault* stray_access() const {
    return strays_ && strays_->first() ? &*strays_->first() : nullptr;
  }
  /// From now on a fault of a context for which `of` says so ends that context alone, and the others go on.
  /// The driver sees to it (sw/runtime/context_fault.h).
  void contain_faults(std::function<bool(unsigned context)> of);
  /// Those that were contained, by context: the first one of each.
  const std::map<unsigned, DeviceFault>& contained_faults() const { return contained_; }
  DeviceMemory& memory() { return memory_; }
  HostCpu& host() { return *host_; }
  WorkDistributor& distributor() { return *distributor_; }
  /// nullptr: there is none.
  const BandwidthController* bandwidth_controller() const { return bandwidth_controller_.get(); }
  /// Has them told about what happens from now on.
  void observe(DispatchObserver* dispatch, QueueObserver* queues, CopyObserver* copies,
               PcieObserver* link = nullptr) {
    distributor_->set_observer(dispatch);
    if (queues) command_processor_->add_observer(*queues);
    for (const auto& engine : dma_) engine->set_observer(copies);
    pcie_->set_observer(link);
  }
  const MemorySystem& memory_system() const { return *memory_system_; }
  const std::vector<std::unique_ptr<Sm>>& sms() const { return sms_; }
  const PcieLink& pcie() const { return *pcie_; }
  const MemoryHub& hub() const { return *hub_; }
  const std::vector<std::unique_ptr<DmaEngine>>& dma() const { return dma_; }
  CommandProcessor& command_processor() { return *command_processor_; }
  const CommandProcessor& command_processor() const { return *command_processor_; }
  ClockDomain& sm_clock() { return *sm_clock_; }
  /// Of SMs and control, crossbar, L2 and DRAM.
  std::vector<ClockDomain*> clocks() {
    std::vector<ClockDomain*> all{sm_clock_.get()};
    for (ClockDomain* clock : memory_system_->clocks()) all.push_back(clock);
    return all;
  }
  /// What the host knows of each launch, by launch id; of one that the runtime has not made, what the device
  /// knows.
  const rt::LaunchInfo& launch(std::uint32_t id) const;
  /// The kernel has begun; nobody may have told the platform about it.
  void note_begin(const KernelRecord& kernel);
  const std::vector<rt::LaunchInfo>& launches() const { return launches_.launches(); }
  const rt::JobDirectory& jobs() const { return jobs_; }
  /// False: the SMs compute nothing, and results cannot be checked.
  bool computes() const { return sms_.front()->computes(); }
  /// What a runtime outside has to know of the device (rt::DeviceProperties), as text.
  std::string properties() const;
  /// The host programs have ended: settles the firmware's figures and writes its files.
  void finish_firmware();
  /// The simulation is over: writes the files that are written at its end.
  void finish();
  /// Who waits for what: kernels, CTAs, warps, queues, copies, the firmware; for runs that do not end.
  std::string describe_waiting() const;
  const Links& links() const { return links_; }

 private:
  // Blocks, in the order in which the constructor makes them. What is bound to what follows.
  void make_control(const std::function<void(const std::string&)>& print, const std::filesystem::path& folder,
                    std::uint64_t seed, const HostType* host);
  void make_copy_engines();
  void make_sms(std::function<void(const std::string&)> print, std::uint64_t seed);
  void make_bandwidth_controller();
  /// Bytes a second (sustainable_bandwidth); 0: not limited.
  double sustainable_network_rate() const;
  double sustainable_dram_rate() const;
  void make_runtime_services();
  void connect_host();
  void connect_command_processor();
  void connect_copy_engines();
  void connect_sms();
  void connect_l2_registers();
  void connect_bandwidth_controller();
  void connect_to_pcie(const std::string& master, tlm::tlm_initiator_socket<>& from);
  void show_device_to_firmware();

  PlatformConfig config_;
  Evaluation evaluation_;  // outlives the clocks
  FaultSink faults_;
  std::map<unsigned, DeviceFault> contained_;
  Links links_;
  DeviceMemory memory_;
  const std::shared_ptr<StrayAccesses> strays_;  // nullptr: they are faults
  KernelImages kernels_{memory_};
  std::unique_ptr<ptx::ModuleLoader> loader_;
  const std::uint64_t local_bytes_, local_base_;  // the part of memory_ in which local memory lies
  rt::LaunchDirectory launches_;
  std::map<std::uint32_t, rt::LaunchInfo> others_launches_;  // by launch id: those that it does not have
  rt::JobDirectory jobs_;
  std::unique_ptr<rt::RuntimeServices> runtime_services_;
  std::unique_ptr<ClockDomain> sm_clock_;
  std::unique_ptr<MemorySystem> memory_system_;
  std::unique_ptr<RegisterBus> bus_;
  std::unique_ptr<MemoryHub> hub_;
  std::unique_ptr<MemoryManager> memory_manager_;
  std::vector<std::unique_ptr<Sm>> sms_;
  SampledSms sampled_sms_{kernels_, sms_};
  std::unique_ptr<WorkDistributor> distributor_;
  std::unique_ptr<BandwidthController> bandwidth_controller_;  // nullptr: there is none
  std::unique_ptr<CommandProcessor> command_processor_;
  std::vector<std::unique_ptr<DmaEngine>> dma_;
  std::unique_ptr<PcieLink> pcie_;
  std::unique_ptr<HostCpu> host_;
  std::unique_ptr<OutsidePackets> outside_;  // nullptr: packets are those of programs inside
};

}  // namespace warpvp
