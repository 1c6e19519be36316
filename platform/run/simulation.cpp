#include "platform/simulation.h"

#include <fmt/format.h>

#include <cstring>
#include <new>
#include <typeinfo>

#include "interconnect/sim_time.h"
#include "platform/config/config_printer.h"
#include "platform/config/run_input.h"
#include "platform/run/session.h"

namespace warpvp {

namespace {

void set_places(Setting& setting, const std::string& place) {
  setting.place = place;
  for (Setting& item : setting.items) set_places(item, place);
  for (SettingEntry& entry : setting.entries) {
    entry.key_place = place;
    set_places(entry.value, place);
  }
}

}  // namespace

ExitCode exit_code_of(const std::exception& error) {
  const bool input = dynamic_cast<const InputError*>(&error) || dynamic_cast<const std::bad_alloc*>(&error);
  return input ? ExitCode::kBadInput : ExitCode::kDeviceFault;
}

Simulation Simulation::from_file(const std::string& file, const SimulationOptions& options) {
  return Simulation(named_run(file), options);
}

Simulation Simulation::from_text(const std::string& yaml, const SimulationOptions& options) {
  return Simulation(run_from_text(yaml), options);
}

Simulation Simulation::from_config(const PlatformConfig& config, const SimulationOptions& options) {
  PlatformConfig copy = config;
  ConfigPrinter printer(PrintStyle{true});
  printer.begin_group("platform", "");
  try {
    copy.fields(printer);
  } catch (const InputError& error) {
    throw InputError(std::string("PlatformConfig: ") + error.what());
  } catch (const std::bad_cast&) {
    throw InputError(
        "PlatformConfig: parameters of a part that were not read from YAML; allowed: its name here, its "
        "parameters by SimulationOptions::overrides");
  }
  printer.end_group();
  Setting tree = printer.tree();
  set_places(tree, "PlatformConfig");
  return Simulation(RunFile::from_tree(std::move(tree), ConfigSearch::standard()), options);
}

Simulation::Simulation(const RunFile& file, const SimulationOptions& options)
    : session_(std::make_unique<SimulationSession>(*this, with_overrides(file, options.overrides), options)) {
}
Simulation::~Simulation() = default;

void Simulation::add_program(const std::string& name, std::function<apps::AppResult(rt::Runtime&)> program) {
  session_->require_not_begun("attach_program");
  session_->add_program(name, std::move(program));
}
void Simulation::attach_workload() {
  session_->require_not_begun("attach_workload");
  session_->attach_file_workload();
}
void Simulation::attach_workload(const std::string& name, const std::string& yaml) {
  session_->require_not_begun("attach_workload");
  session_->attach_other_workload(name, yaml);
}
void Simulation::attach_client(SimulationClient& client) {
  session_->require_between_steps("attach_client");
  session_->attach_client(client);
}
void Simulation::record(Recording& recording) {
  session_->require_not_begun("record");
  session_->record(recording);
}

Halt Simulation::run() {
  session_->require_between_steps("run");
  return session_->run_until({});
}
Halt Simulation::run_until(SimTime time) {
  session_->require_between_steps("run_until");
  return session_->run_until(to_sc_time(time));
}
void Simulation::stop() { session_->stop(); }
bool Simulation::ended() const { return session_->over(); }

SimTime Simulation::now() const { return to_sim_time(session_->now()); }
std::uint64_t Simulation::cycle() const { return session_->platform().sm_clock().now(); }
std::string Simulation::statistics() {
  session_->require_between_steps("statistics");
  return session_->statistics();
}
double Simulation::statistic(const std::string& key) {
  session_->require_between_steps("statistic");
  return session_->statistic(key);
}
std::vector<KernelState> Simulation::kernels() const {
  session_->require_between_steps("kernels");
  return session_->kernels();
}
SimulationProgress Simulation::progress() const {
  session_->require_between_steps("progress");
  return session_->progress();
}
std::string Simulation::describe() const {
  session_->require_between_steps("describe");
  return session_->describe();
}
void Simulation::read_memory(std::uint64_t address, void* data, std::size_t bytes) const {
  session_->require_between_steps("read_memory");
  std::memcpy(data, session_->memory_at(address, bytes), bytes);
}
void Simulation::write_memory(std::uint64_t address, const void* data, std::size_t bytes) {
  session_->require_between_steps("write_memory");
  std::memcpy(session_->memory_at(address, bytes), data, bytes);
  session_->note_change();
}

const Outcome& Simulation::end() { return end(session_->outcome()); }
const Outcome& Simulation::end(Outcome reason) {
  session_->require_between_steps("end");
  return session_->end(std::move(reason));
}
Outcome Simulation::outcome() const {
  session_->require_between_steps("outcome");
  return session_->outcome();
}
const std::string& Simulation::result() const { return session_->result(); }
Platform& Simulation::platform() { return session_->platform(); }

}  // namespace warpvp
