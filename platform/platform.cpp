#include "platform/platform.h"

#include <fmt/format.h>

namespace warpvp {

Platform::Platform(sc_core::sc_module_name name, const PlatformConfig& config,
                   std::function<void(const std::string&)> print)
    : sc_module(name), config_(config), memory_(std::uint64_t{config.memory.capacity_mib} << 20) {
  const std::uint64_t local_bytes = std::uint64_t{config.memory.local_mib} << 20;
  const std::uint64_t local_base = *memory_.allocate(local_bytes);

  // Everything on the SM side ticks in one domain, in this order within an edge: distributor, command
  // processor, SMs. (What is sent at an edge is seen at the next one, so the order decides nothing.)
  sm_clock_ = std::make_unique<ClockDomain>("sm_clock", config.sm_clock_mhz);
  memory_system_ = std::make_unique<MemorySystem>(config_, memory_);
  bus_ = std::make_unique<RegisterBus>("register_bus", config.register_bus);
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
  host_->pcie.socket.bind(pcie_->host().socket);
  memory_system_->link("link_hub_host", pcie_->device.socket, hub_->host.socket);
  pcie_->host_memory.bind(host_->memory);
  hub_->registers.bind(bus_->add_initiator("from_pcie"));
  bus_->add_target("device_memory", memory_.base(), memory_.size(), true).bind(hub_->bus);
  memory_system_->connect_hub(hub_->memory());

  // Command processor and copy engines.
  command_processor_->connect(*bus_);
  memory_system_->link("link_hub_processor", command_processor_->memory.socket, hub_->processor.socket);
  command_processor_->host.socket.bind(pcie_->add_device_master("command_processor").socket);
  for (unsigned i = 0; i < config.dma.engines; ++i) {
    DmaEngine& engine = *dma_[i];
    bus_->add_target(fmt::format("dma_{}", i), regmap::dma::engine(i), regmap::dma::kStride)
        .bind(engine.registers);
    engine.bus.bind(bus_->add_initiator(fmt::format("from_dma_{}", i)));
    memory_system_->connect_copy_engine(i, engine.memory());
    engine.link.socket.bind(pcie_->add_device_master(fmt::format("dma_{}", i)).socket);
  }

  // Work distributor -> SMs -> crossbar -> L2 -> memory channels.
  bus_->add_target("work_distributor", regmap::wd::kBase, regmap::wd::kBytes).bind(distributor_->registers);
  distributor_->bus.bind(bus_->add_initiator("from_work_distributor"));
  for (unsigned i = 0; i < config.sms; ++i) {
    bus_->add_target(fmt::format("sm_{}", i), regmap::sm::window(i), regmap::sm::kStride)
        .bind(sms_[i]->control);
    sms_[i]->completion.bind(bus_->add_initiator(fmt::format("from_sm_{}", i)));
    memory_system_->connect_sm(i, sms_[i]->memory_socket());
  }

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
  std::string text = distributor_->describe() + command_processor_->describe();
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
