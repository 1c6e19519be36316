#include "platform/build/platform.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "interconnect/policy_contract.h"
#include "interconnect/register_bus.h"
#include "modules/command_processor/core/firmware_core.h"
#include "modules/sm/idle_warps.h"
#include "platform/build/bandwidth_peaks.h"
#include "ptx/image/ptx_loader.h"
#include "sw/runtime/context_fault.h"
#include "sw/runtime/device_properties.h"

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
                   const std::filesystem::path& folder, std::uint64_t seed, const HostType* host)
    : sc_module(name),
      config_(config),
      evaluation_(config.evaluation_here()),
      links_(monitors, config.check_protocol, faults_, folder),
      memory_(std::uint64_t{config.memory.capacity_mib} << 20,
              make<HostType>(config.host)->shares_device_memory()),
      strays_(config.memory.stray_accesses == "page" ? std::make_shared<StrayAccesses>() : nullptr),
      local_bytes_(std::uint64_t{config.memory.local_mib} << 20),
      local_base_(*memory_.allocate(local_bytes_, 256, DeviceMemory::kSms)) {
  constexpr std::uint64_t kStrayPage = std::uint64_t{2} << 20;  // what chips' drivers map device memory in
  if (strays_) memory_.let_stray(kStrayPage);
  // Everything on the SM side ticks in one domain, in this order within an edge: distributor, command
  // processor, SMs. (What is sent at an edge is seen at the next one, so the order decides nothing.)
  sm_clock_ = std::make_unique<ClockDomain>("sm_clock", config.sm_clock_mhz);
  memory_system_ = std::make_unique<MemorySystem>(config_, *sm_clock_, memory_, links_, seed);
  make_control(print, folder, seed, host);
  make_copy_engines();
  make_sms(std::move(print), seed);
  make_bandwidth_controller();

  connect_host();
  connect_command_processor();
  connect_copy_engines();
  connect_sms();
  connect_l2_registers();
  connect_bandwidth_controller();
  links_.check_all_found();

  show_device_to_firmware();
  make_runtime_services();
  if (config.evaluation_here().chosen()) {
    sm_clock_->evaluate_by(&evaluation_);
    memory_system_->evaluate_by(&evaluation_);
  }
  faults_.on_fault = [] { sc_core::sc_stop(); };
  if (host_->outside()) {
    outside_ = std::make_unique<OutsidePackets>(*host_, memory_, launches_, *loader_);
    command_processor_->set_gate(*outside_);
  }
  host_->on_finished = [] { sc_core::sc_pause(); };  // what is unanswered then is still waited for
}

// ---- Blocks

void Platform::make_control(const std::function<void(const std::string&)>& print,
                            const std::filesystem::path& folder, std::uint64_t seed, const HostType* host) {
  bus_ = std::make_unique<RegisterBus>("register_bus", config_.register_bus, links_);
  hub_ = std::make_unique<MemoryHub>("hub", config_.hub, memory_, config_.l2.line_bytes);
  AddressSpaces* const spaces = memory_system_->spaces();
  memory_manager_ = std::make_unique<MemoryManager>("memory_manager", memory_, spaces);

  WorkDistributorPlace beside_sms{*sm_clock_, faults_, config_.work_distributor.slots, config_.sms,
                                  config_.sm.resources};
  beside_sms.page_table = spaces ? spaces->root(0) : 0;
  beside_sms.seed = seed;
  beside_sms.sampling = config_.sampling;
  beside_sms.sampled = &sampled_sms_;
  beside_sms.most_followers = make<SmType>(config_.sm.type)->most_followers();
  distributor_ = build<WorkDistributorType>(config_.work_distributor.type, "work_distributor", beside_sms);

  CommandProcessorPlace behind_queues{*sm_clock_, faults_};
  behind_queues.queues = config_.command_processor.queues;
  behind_queues.slots = config_.work_distributor.slots;
  behind_queues.dma_engines = config_.dma.engines;
  behind_queues.print = print;
  behind_queues.folder = folder;
  DeviceFacts& device = behind_queues.device;
  device.sm_clock_khz = static_cast<std::uint32_t>(std::lround(config_.sm_clock_mhz * 1000));
  device.credit_cycles = static_cast<std::uint32_t>(make<SmType>(config_.sm.type)->credit_interval());
  device.line_bytes = config_.l2.line_bytes;
  device.reply_header_bytes = memory_system_->reply_header_bytes();
  device.network_rate = static_cast<std::uint64_t>(sustainable_network_rate());
  device.dram_rate = static_cast<std::uint64_t>(sustainable_dram_rate());
  command_processor_ =
      build<CommandProcessorType>(config_.command_processor.type, "command_processor", behind_queues);

  pcie_ = build<PcieLinkType>(config_.pcie, "pcie", faults_);
  host_ = host != nullptr ? host->build("host", faults_) : build<HostType>(config_.host, "host", faults_);
}

// One type builds all copy engines, which may share what it holds; so with the SMs.
void Platform::make_copy_engines() {
  const auto type = make<DmaEngineType>(config_.dma.type);
  for (unsigned i = 0; i < config_.dma.engines; ++i)
    dma_.push_back(build(*type, config_.dma.type, fmt::format("dma_{}", i),
                         DmaPlace{i, memory_, faults_, config_.l2.line_bytes, memory_system_->spaces()}));
}

void Platform::make_sms(std::function<void(const std::string&)> print, std::uint64_t seed) {
  SmServices services{memory_, kernels_, faults_, {}};
  services.strays = strays_;
  services.print = [this, print = std::move(print)](const std::string& text, unsigned context) {
    const auto own = runtime_services_->printers.find(context);
    (own != runtime_services_->printers.end() ? own->second : print)(text);
  };
  services.completion_address = regmap::wd::kBase + regmap::wd::kCompletion;
  services.preempted_address = regmap::wd::kBase + regmap::wd::kPreempted;
  services.local_memory_base = local_base_;
  services.local_memory_bytes = local_bytes_;
  services.sm_count = config_.sms;
  services.seed = seed;
  services.memory_bytes_per_second = memory_system_->peak_dram_bytes_per_second();
  services.saved = std::make_shared<SavedCtas>(local_bytes_);
  services.idle_warps = std::make_shared<IdleWarps>();
  services.spaces = memory_system_->spaces();
  services.kernel_slots = config_.work_distributor.slots;
  services.backing.memory = &memory_;
  services.backing.page_bytes = services.spaces ? services.spaces->page_bytes() : L2Place::kPageBytes;
  services.backing.recalls_at_once = memory_system_->recalls_at_once();
  services.backing.map = &memory_system_->map();
  services.backing.l2_line_bytes = config_.l2.line_bytes;
  services.window = config_.evaluation.window;
  const auto type = make<SmType>(config_.sm.type);
  for (unsigned i = 0; i < config_.sms; ++i)
    sms_.push_back(build(*type, config_.sm.type, fmt::format("sm_{}", i),
                         SmPlace{i, *sm_clock_, config_.sm.resources, services}));
}

double Platform::sustainable_network_rate() const {
  return network_peak(config_).bytes_per_second * config_.sustainable_bandwidth.network;
}

double Platform::sustainable_dram_rate() const {
  return dram_peak(config_).bytes_per_second * config_.sustainable_bandwidth.dram;
}

void Platform::make_bandwidth_controller() {
  BandwidthControllerPlace place{*sm_clock_, faults_, config_.sm.resources};
  place.sms = config_.sms;
  place.credit_interval = make<SmType>(config_.sm.type)->credit_interval();
  place.line_bytes = config_.l2.line_bytes;
  place.header_bytes = memory_system_->reply_header_bytes();
  place.network_bytes_per_second = sustainable_network_rate();
  place.dram_bytes_per_second = sustainable_dram_rate();
  bandwidth_controller_ =
      build<BandwidthControllerType>(config_.bandwidth_controller, "bandwidth_controller", place);
}

void Platform::make_runtime_services() {
  loader_ = ptx::make_ptx_loader(config_.code_options());
  runtime_services_.reset(new rt::RuntimeServices{faults_, launches_, jobs_, config_.sm.resources});
  runtime_services_->sm_count = config_.sms;
  runtime_services_->queues = config_.command_processor.queues;
  runtime_services_->copy_engines = config_.dma.engines;
  runtime_services_->config = config_.runtime;
  runtime_services_->loader = loader_.get();
  runtime_services_->firmware = command_processor_->core() != nullptr;
  runtime_services_->local_bytes = local_bytes_;
  runtime_services_->sm_clock_mhz = config_.sm_clock_mhz;
  runtime_services_->l2_bytes = memory_system_->l2_bytes();
  runtime_services_->memory_bus_bits = memory_system_->dram_bus_bits();
  runtime_services_->memory_bytes_per_second = memory_system_->peak_dram_bytes_per_second();
}

std::string Platform::properties() const {
  rt::DeviceProperties properties = rt::properties_of(*runtime_services_);
  const ptx::CodeOptions code = config_.code_options();
  properties.machine_code = code.code == ptx::Code::kMachine;
  properties.convergence_barriers = code.convergence_barriers;
  properties.nop_before_barriers = code.nop_before_barriers;
  properties.least_registers = code.least_registers;
  return rt::properties_text(properties);
}

// ---- Links

// Host program -> PCIe -> hub -> register bus and device memory.
void Platform::connect_host() {
  links_.bind("pcie_host", LinkKind::kMemory, host_->pcie_socket(), pcie_->host_socket());
  links_.bind("hub_host", LinkKind::kMemory, pcie_->device_socket(), hub_->host.socket);
  if (host_->memory_waits()) pcie_->let_host_memory_wait();
  links_.bind("pcie_host_memory", host_->memory_waits() ? LinkKind::kMemory : LinkKind::kControl,
              pcie_->host_memory_socket(), host_->memory_socket());
  bus_->connect_initiator("hub", hub_->registers);
  bus_->connect_target("device_memory", memory_.base(), memory_.size(), hub_->bus, true);
  bus_->connect_target("memory_manager", regmap::mm::kBase, regmap::mm::kBytes, memory_manager_->registers);
  memory_system_->connect_hub(hub_->memory());
}

void Platform::connect_to_pcie(const std::string& master, tlm::tlm_initiator_socket<>& from) {
  links_.bind("pcie_" + master, LinkKind::kMemory, from, pcie_->add_device_master(master));
}

void Platform::connect_command_processor() {
  command_processor_->connect(*bus_);
  links_.bind("hub_processor", LinkKind::kMemory, command_processor_->memory_socket(),
              hub_->processor.socket);
  connect_to_pcie("command_processor", command_processor_->host_socket());
}

void Platform::connect_copy_engines() {
  for (unsigned i = 0; i < config_.dma.engines; ++i) {
    DmaEngine& engine = *dma_[i];
    const std::string dma = fmt::format("dma_{}", i);
    bus_->connect_target(dma, regmap::dma::engine(i), regmap::dma::kStride, engine.registers_socket());
    bus_->connect_initiator(dma, engine.bus_socket());
    memory_system_->connect_copy_engine(i, engine.memory_socket());
    connect_to_pcie(dma, engine.link_socket());
  }
}

// Work distributor -> SMs -> crossbar -> L2 -> memory channels.
void Platform::connect_sms() {
  bus_->connect_target("work_distributor", regmap::wd::kBase, regmap::wd::kBytes,
                       distributor_->registers_socket());
  bus_->connect_initiator("work_distributor", distributor_->bus_socket());
  for (unsigned i = 0; i < config_.sms; ++i) {
    const std::string sm = fmt::format("sm_{}", i);
    bus_->connect_target(sm, regmap::sm::window(i), regmap::sm::kStride, sms_[i]->control_socket());
    bus_->connect_initiator(sm, sms_[i]->completion_socket());
    memory_system_->connect_sm(i, sms_[i]->memory_socket());
  }
}

// What policies of the L2 have on the register bus.
void Platform::connect_l2_registers() {
  const auto& banks = memory_system_->banks();
  for (unsigned b = 0; b < banks.size(); ++b)
    if (tlm::tlm_target_socket<>* const registers = banks[b]->registers_socket())
      bus_->connect_target(fmt::format("l2_{}", b), regmap::l2::window(b), regmap::l2::kStride, *registers);
}

void Platform::connect_bandwidth_controller() {
  if (!bandwidth_controller_) return;
  bus_->connect_target("bandwidth_controller", regmap::bandwidth::kBase, regmap::bandwidth::kBytes,
                       bandwidth_controller_->registers_socket());
  bus_->connect_initiator("bandwidth_controller", bandwidth_controller_->bus_socket());
}

// ---- Programs and faults

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

std::unique_ptr<rt::Runtime> Platform::make_runtime(HostInterface& host) {
  return std::make_unique<rt::RuntimeImpl>(host, *runtime_services_);
}

const rt::LaunchInfo& Platform::launch(std::uint32_t id) const {
  return id < launches_.launches().size() ? launches_.launches()[id] : others_launches_.at(id);
}

void Platform::note_begin(const KernelRecord& kernel) {
  if (kernel.launch_id < launches_.launches().size()) return;
  rt::LaunchInfo info;
  if (const auto found = kernels_.find(kernel.kernel_object, kernel.launch_id); found.program) {
    info.name = info.entry = found.program->name;
    info.file = found.program->file;
  }
  info.stream_id = kernel.stream;
  info.context = kernel.context;
  info.job = kernel.job;
  info.priority = kernel.priority;
  info.budget = kernel.budget;
  std::copy_n(kernel.grid, 3, info.grid);
  std::copy_n(kernel.block, 3, info.block);
  others_launches_[kernel.launch_id] = std::move(info);
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
