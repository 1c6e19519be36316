#include "platform/platform.h"

#include <fmt/format.h>

namespace warpvp {

Platform::Platform(sc_core::sc_module_name name, const PlatformConfig& config,
                   std::function<void(const std::string&)> print, const std::vector<MonitorConfig>& monitors,
                   const std::filesystem::path& folder)
    : sc_module(name),
      config_(config),
      links_(monitors, config.check_protocol, faults_, folder),
      memory_(std::uint64_t{config.memory.capacity_mib} << 20) {
  const std::uint64_t local_bytes = std::uint64_t{config.memory.local_mib} << 20;
  const std::uint64_t local_base = *memory_.allocate(local_bytes);

  // Everything on the SM side ticks in one domain, in this order within an edge: distributor, command
  // processor, SMs. (What is sent at an edge is seen at the next one, so the order decides nothing.)
  sm_clock_ = std::make_unique<ClockDomain>("sm_clock", config.sm_clock_mhz);
  memory_system_ = std::make_unique<MemorySystem>(config_, memory_, links_);
  bus_ = std::make_unique<RegisterBus>("register_bus", config.register_bus, links_);
  hub_ = std::make_unique<MemoryHub>("hub", config.hub, memory_, config.l2.line_bytes);
  distributor_ = std::make_unique<WorkDistributor>("work_distributor", config.work_distributor,
                                                   config.sm.resources, config.sms, *sm_clock_, faults_);
  command_processor_ = std::make_unique<CommandProcessor>("command_processor", config.command_processor,
                                                          config.work_distributor.slots, config.dma.engines,
                                                          *sm_clock_, faults_, print);
  pcie_ = std::make_unique<PcieLink>("pcie", config.pcie, faults_);
  host_ = std::make_unique<HostCpu>("host", config.host, faults_);
  for (unsigned i = 0; i < config.dma.engines; ++i)
    dma_.push_back(std::make_unique<DmaEngine>(fmt::format("dma_{}", i).c_str(), config.dma, i, memory_,
                                               config.l2.line_bytes, faults_));
  const SmServices services{
      memory_,    kernels_,    faults_,   std::move(print), regmap::wd::kBase + regmap::wd::kCompletion,
      local_base, local_bytes, config.sms};
  for (unsigned i = 0; i < config.sms; ++i)
    sms_.push_back(std::make_unique<StreamingMultiprocessor>(fmt::format("sm_{}", i).c_str(), config_.sm, i,
                                                             *sm_clock_, services));

  // Host program -> PCIe -> hub -> register bus and device memory.
  const auto pcie_link = [&](const std::string& master, InitiatorPort& from) {
    links_.bind("pcie_" + master, LinkKind::kMemory, from.socket, pcie_->add_device_master(master).socket);
  };
  links_.bind("pcie_host", LinkKind::kMemory, host_->pcie.socket, pcie_->host().socket);
  links_.bind("hub_host", LinkKind::kMemory, pcie_->device.socket, hub_->host.socket);
  links_.bind("pcie_host_memory", LinkKind::kControl, pcie_->host_memory, host_->memory);
  bus_->connect_initiator("hub", hub_->registers);
  bus_->connect_target("device_memory", memory_.base(), memory_.size(), hub_->bus, true);
  memory_system_->connect_hub(hub_->memory());

  // Command processor and copy engines.
  command_processor_->connect(*bus_);
  links_.bind("hub_processor", LinkKind::kMemory, command_processor_->memory.socket, hub_->processor.socket);
  pcie_link("command_processor", command_processor_->host);
  for (unsigned i = 0; i < config.dma.engines; ++i) {
    DmaEngine& engine = *dma_[i];
    const std::string dma = fmt::format("dma_{}", i);
    bus_->connect_target(dma, regmap::dma::engine(i), regmap::dma::kStride, engine.registers);
    bus_->connect_initiator(dma, engine.bus);
    memory_system_->connect_copy_engine(i, engine.memory());
    pcie_link(dma, engine.link);
  }

  // Work distributor -> SMs -> crossbar -> L2 -> memory channels.
  bus_->connect_target("work_distributor", regmap::wd::kBase, regmap::wd::kBytes, distributor_->registers);
  bus_->connect_initiator("work_distributor", distributor_->bus);
  for (unsigned i = 0; i < config.sms; ++i) {
    const std::string sm = fmt::format("sm_{}", i);
    bus_->connect_target(sm, regmap::sm::window(i), regmap::sm::kStride, sms_[i]->control);
    bus_->connect_initiator(sm, sms_[i]->completion);
    memory_system_->connect_sm(i, sms_[i]->memory_socket());
  }

  links_.check_all_found();
  show_device_to_firmware();
  runtime_services_.reset(new rt::RuntimeServices{memory_, kernels_, faults_, launches_, config.sm.resources,
                                                  config.sms, config.command_processor.queues,
                                                  config.runtime});
  faults_.on_fault = [] { sc_core::sc_stop(); };
  host_->on_finished = [] { sc_core::sc_stop(); };
}

Platform::~Platform() = default;

void Platform::add_program(const std::string& name, std::function<void(rt::Runtime&)> program) {
  host_->add_program(name, [this, program = std::move(program)](HostInterface& host) {
    rt::RuntimeImpl runtime(host, *runtime_services_);
    program(runtime);
  });
}

std::string Platform::describe_waiting() const {
  std::string text;
  for (const ResidentKernel& kernel : distributor_->state().kernels())
    text += fmt::format("launch {} is kernel {}\n", kernel.launch_id, launch(kernel.launch_id).name);
  text += distributor_->describe() + command_processor_->describe();
  for (const auto& engine : dma_)
    if (engine->busy()) text += fmt::format("{}: {}\n", engine->basename(), engine->describe());
  if (pcie_->sending()) text += "the PCIe link is sending\n";
  if (host_->sleeping()) text += "a host program sleeps\n";
  unsigned sms = 0;
  for (const auto& sm : sms_) {
    if (!sm->has_resident_warps()) continue;
    if (++sms > 4) {
      text += "  ... and further SMs\n";
      break;
    }
    text += sm->describe_waiting(8);
  }
  return text;
}

}  // namespace warpvp
