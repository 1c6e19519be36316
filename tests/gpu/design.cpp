#include "tests/gpu/design.h"

#include <algorithm>
#include <stdexcept>

namespace warpvp::test {

BarRouter::BarRouter(sc_core::sc_module_name name) : sc_module(name) {
  in.register_nb_transport_fw(this, &BarRouter::forward);
  in.register_transport_dbg(this, &BarRouter::debug);
  for (auto* bar : {&bar0, &bar2}) bar->register_nb_transport_bw(this, &BarRouter::backward);
}

tlm_utils::simple_initiator_socket<BarRouter>& BarRouter::towards(tlm::tlm_generic_payload& payload) {
  if (payload.get_address() < Gpu::kDeviceMemory) return bar0;
  payload.set_address(payload.get_address() - Gpu::kDeviceMemory);
  return bar2;
}

tlm::tlm_sync_enum BarRouter::forward(tlm::tlm_generic_payload& payload, tlm::tlm_phase& phase,
                                      sc_core::sc_time& delay) {
  if (phase == tlm::BEGIN_REQ) routes_[&payload] = &towards(payload);
  return (*routes_.at(&payload))->nb_transport_fw(payload, phase, delay);
}

tlm::tlm_sync_enum BarRouter::backward(tlm::tlm_generic_payload& payload, tlm::tlm_phase& phase,
                                       sc_core::sc_time& delay) {
  return in->nb_transport_bw(payload, phase, delay);
}

unsigned BarRouter::debug(tlm::tlm_generic_payload& payload) {
  auto& bar = towards(payload);
  return bar->transport_dbg(payload);
}

CheckedGpu::CheckedGpu(const char* name, const std::string& yaml, const SimulationOptions& options)
    : gpu(name, GpuSettings::from_text(yaml), options),
      bar0_checker("bar0_checker"),
      bar2_checker("bar2_checker"),
      dma_checker("dma_checker") {
  bar0_checker.initiator.bind(gpu.bar0);
  bar2_checker.initiator.bind(gpu.bar2);
  gpu.dma.bind(dma_checker.target);
}

std::string CheckedGpu::violations() const {
  std::string text;
  for (const ProtocolChecker* checker : {&bar0_checker, &bar2_checker, &dma_checker})
    for (const ProtocolChecker::Violation& violation : checker->violations()) text += violation.text + "\n";
  return text;
}

RuntimeDesign::RuntimeDesign(sc_core::sc_module_name name, const std::string& yaml,
                             std::function<bool(rt::Runtime&)> program, const SimulationOptions& options)
    : sc_module(name), device("gpu", yaml, options), cpu_("cpu", HostConfig{}, faults_), router_("router") {
  cpu_.pcie_socket().bind(router_.in);
  router_.bar0.bind(device.bar0());
  router_.bar2.bind(device.bar2());
  device.dma().bind(dma_);
  dma_.register_b_transport(this, &RuntimeDesign::dma);
  memory_.bind(cpu_.memory_socket());
  cpu_.add_program("program", [this, program = std::move(program)](HostInterface& host) {
    const std::unique_ptr<rt::Runtime> runtime = device.gpu.make_runtime(host);
    right_ = program(*runtime);
  });
  cpu_.on_finished = [this] {
    done_ = true;
    sc_core::sc_pause();
  };
}

/// The CPU's memory is known to it by bus addresses.
void RuntimeDesign::dma(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay) {
  const std::uint64_t address = payload.get_address();
  payload.set_address(Gpu::kHostMemory + address);
  memory_->b_transport(payload, delay);
  payload.set_address(address);
}

std::string RuntimeDesign::end() {
  if (faults_.faulted()) throw std::runtime_error(faults_.fault()->summary());
  if (cpu_.failure()) std::rethrow_exception(cpu_.failure());
  if (!device.violations().empty()) throw std::runtime_error(device.violations());
  Outcome outcome;
  outcome.verified = right_;
  return device.gpu.end(outcome);
}

void run_all(const std::vector<std::unique_ptr<RuntimeDesign>>& designs) {
  const auto done = [](const auto& design) { return design->done(); };
  do {
    sc_core::sc_start(sc_core::sc_time(1, sc_core::SC_MS), sc_core::SC_EXIT_ON_STARVATION);
  } while (!std::all_of(designs.begin(), designs.end(), done) && sc_core::sc_pending_activity());
}

}  // namespace warpvp::test
