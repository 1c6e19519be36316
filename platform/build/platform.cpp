#include "platform/build/platform.h"

#include <fmt/format.h>

#include "interconnect/policy_contract.h"
#include "interconnect/register_bus.h"
#include "modules/command_processor/core/firmware_core.h"
#include "ptx/image/ptx_loader.h"
#include "sw/runtime/context_fault.h"

namespace warpvp {

namespace {
template <class Type>
std::unique_ptr<Type> make(const PolicyChoice& choice) {
  return Registry<Type>::instance().make(choice);
}
/// Block `name` of type `type`, which `choice` names; what the type throws names both.
template <class Type, class Place>
auto build(const Type& type, const PolicyChoice& choice, const std::string& name, Place&& place) {
  return build_block(Type::kKind, choice.name, name, [&] { return type.build(name.c_str(), place); });
}
template <class Type, class Place>
auto build(const PolicyChoice& choice, const std::string& name, Place&& place) {
  return build(*make<Type>(choice), choice, name, place);
}
}  // namespace

Platform::Platform(sc_core::sc_module_name name, const PlatformConfig& config,
                   std::function<void(const std::string&)> print, const std::vector<MonitorConfig>& monitors,
                   const std::filesystem::path& folder, std::uint64_t seed)
    : sc_module(name),
      config_(config),
      evaluation_(config.evaluation),
      links_(monitors, config.check_protocol, faults_, folder),
      memory_(std::uint64_t{config.memory.capacity_mib} << 20) {
  const std::uint64_t local_bytes = std::uint64_t{config.memory.local_mib} << 20;
  const std::uint64_t local_base = *memory_.allocate(local_bytes, 256, DeviceMemory::kSms);

  // Everything on the SM side ticks in one domain, in this order within an edge: distributor, command
  // processor, SMs. (What is sent at an edge is seen at the next one, so the order decides nothing.)
  sm_clock_ = std::make_unique<ClockDomain>("sm_clock", config.sm_clock_mhz);
  memory_system_ = std::make_unique<MemorySystem>(config_, *sm_clock_, memory_, links_, seed);
  AddressSpaces* const spaces = memory_system_->spaces();
  bus_ = std::make_unique<RegisterBus>("register_bus", config.register_bus, links_);
  hub_ = std::make_unique<MemoryHub>("hub", config.hub, memory_, config.l2.line_bytes);
  memory_manager_ = std::make_unique<MemoryManager>("memory_manager", memory_, spaces);
  distributor_ = build<WorkDistributorType>(
      config.work_distributor.type, "work_distributor",
      WorkDistributorPlace{*sm_clock_, faults_, config.work_distributor.slots, config.sms,
                           config_.sm.resources, spaces ? spaces->root(0) : 0, seed});
  command_processor_ = build<CommandProcessorType>(
      config.command_processor.type, "command_processor",
      CommandProcessorPlace{*sm_clock_, faults_, config.command_processor.queues,
                            config.work_distributor.slots, config.dma.engines, print, folder});
  pcie_ = build<PcieLinkType>(config.pcie, "pcie", faults_);
  host_ = build<HostType>(config.host, "host", faults_);
  // One type builds all, which may share what it holds.
  const auto dma_type = make<DmaEngineType>(config.dma.type);
  for (unsigned i = 0; i < config.dma.engines; ++i)
    dma_.push_back(build(*dma_type, config.dma.type, fmt::format("dma_{}", i),
                         DmaPlace{i, memory_, faults_, config.l2.line_bytes, spaces}));
  const SmServices services{
      memory_,
      kernels_,
      faults_,
      std::move(print),
      regmap::wd::kBase + regmap::wd::kCompletion,
      local_base,
      local_bytes,
      config.sms,
      seed,
      memory_system_->peak_dram_bytes_per_second(),
      regmap::wd::kBase + regmap::wd::kPreempted,
      std::make_shared<SavedCtas>(local_bytes),
      spaces,
      config.work_distributor.slots,
      {&memory_, spaces ? spaces->page_bytes() : L2Place::kPageBytes, seed, memory_system_->recalls_at_once(),
       &memory_system_->map(), config.l2.line_bytes}};
  const auto sm_type = make<SmType>(config.sm.type);
  for (unsigned i = 0; i < config.sms; ++i)
    sms_.push_back(build(*sm_type, config.sm.type, fmt::format("sm_{}", i),
                         SmPlace{i, *sm_clock_, config_.sm.resources, services}));

  // Host program -> PCIe -> hub -> register bus and device memory.
  const auto pcie_link = [&](const std::string& master, tlm::tlm_initiator_socket<>& from) {
    links_.bind("pcie_" + master, LinkKind::kMemory, from, pcie_->add_device_master(master));
  };
  links_.bind("pcie_host", LinkKind::kMemory, host_->pcie_socket(), pcie_->host_socket());
  links_.bind("hub_host", LinkKind::kMemory, pcie_->device_socket(), hub_->host.socket);
  links_.bind("pcie_host_memory", LinkKind::kControl, pcie_->host_memory_socket(), host_->memory_socket());
  bus_->connect_initiator("hub", hub_->registers);
  bus_->connect_target("device_memory", memory_.base(), memory_.size(), hub_->bus, true);
  bus_->connect_target("memory_manager", regmap::mm::kBase, regmap::mm::kBytes, memory_manager_->registers);
  memory_system_->connect_hub(hub_->memory());

  // Command processor and copy engines.
  command_processor_->connect(*bus_);
  links_.bind("hub_processor", LinkKind::kMemory, command_processor_->memory_socket(),
              hub_->processor.socket);
  pcie_link("command_processor", command_processor_->host_socket());
  for (unsigned i = 0; i < config.dma.engines; ++i) {
    DmaEngine& engine = *dma_[i];
    const std::string dma = fmt::format("dma_{}", i);
    bus_->connect_target(dma, regmap::dma::engine(i), regmap::dma::kStride, engine.registers_socket());
    bus_->connect_initiator(dma, engine.bus_socket());
    memory_system_->connect_copy_engine(i, engine.memory_socket());
    pcie_link(dma, engine.link_socket());
  }

  // Work distributor -> SMs -> crossbar -> L2 -> memory channels.
  bus_->connect_target("work_distributor", regmap::wd::kBase, regmap::wd::kBytes,
                       distributor_->registers_socket());
  bus_->connect_initiator("work_distributor", distributor_->bus_socket());
  for (unsigned i = 0; i < config.sms; ++i) {
    const std::string sm = fmt::format("sm_{}", i);
    bus_->connect_target(sm, regmap::sm::window(i), regmap::sm::kStride, sms_[i]->control_socket());
    bus_->connect_initiator(sm, sms_[i]->completion_socket());
    memory_system_->connect_sm(i, sms_[i]->memory_socket());
  }

  links_.check_all_found();
  show_device_to_firmware();
  loader_ = ptx::make_ptx_loader(config.code_options());
  runtime_services_.reset(new rt::RuntimeServices{faults_, launches_, jobs_, config.sm.resources, config.sms,
                                                  config.command_processor.queues, config.runtime,
                                                  loader_.get(), command_processor_->core() != nullptr});
  runtime_services_->local_bytes = local_bytes;
  runtime_services_->sm_clock_mhz = config.sm_clock_mhz;
  if (config.evaluation.chosen()) {
    sm_clock_->evaluate_by(&evaluation_);
    memory_system_->evaluate_by(&evaluation_);
  }
  faults_.on_fault = [] { sc_core::sc_stop(); };
  host_->on_finished = [] { sc_core::sc_pause(); };  // what is unanswered then is still waited for
}

Platform::~Platform() = default;

void Platform::finish_firmware() {
  if (FirmwareCore* core = command_processor_->core()) core->finish();
}

void Platform::finish() {
  finish_firmware();
  links_.finish();
}

void Platform::add_program(const std::string& name, std::function<void(rt::Runtime&)> program) {
  host_->add_program(name, [this, program = std::move(program)](HostInterface& host) {
    rt::RuntimeImpl runtime(host, *runtime_services_);
    program(runtime);
  });
}

void Platform::contain_faults(std::function<bool(unsigned context)> of) {
  faults_.contain = [this, of = std::move(of)](const DeviceFault& fault) {
    const unsigned context = *fault.context;
    if (!of(context)) return false;
    if (contained_.emplace(context, fault).second)
      host_->add_program(fmt::format("fault_of_context_{}", context),
                         [this, context, why = fault.summary()](HostInterface& host) {
                           rt::end_context(host, *runtime_services_, context, why);
                         });
    return true;
  };
}

std::string Platform::describe_waiting() const {
  std::string text;
  for (const KernelRecord& kernel : distributor_->records())
    if (!kernel.finished())
      text += fmt::format("launch {} is kernel {}\n", kernel.launch_id, launch(kernel.launch_id).name);
  text += distributor_->describe() + command_processor_->describe();
  for (const auto& engine : dma_)
    if (engine->busy()) text += fmt::format("{}: {}\n", engine->basename(), engine->describe());
  if (pcie_->sending()) text += "the PCIe link is sending\n";
  if (host_->sleeping()) text += "a host program sleeps\n";
  unsigned sms = 0;
  for (const auto& sm : sms_) {
    if (!sm->busy()) continue;
    if (++sms > 4) {
      text += "  ... and further SMs\n";
      break;
    }
    text += sm->describe_waiting(8);
  }
  return text;
}

}  // namespace warpvp
