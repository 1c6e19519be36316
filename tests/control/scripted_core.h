#pragma once
// A core whose firmware is a function of the test: it reads and writes device registers as an instruction set
// simulator would, and keeps what it is told.

#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <systemc>
#include <utility>
#include <vector>

#include "modules/command_processor/core_types.h"

namespace warpvp::test {

class ScriptedCore : public FirmwareCore {
 public:
  using Program = std::function<void(ScriptedCore&)>;

  ScriptedCore(CoreSurroundings surroundings, Program program)
      : FirmwareCore("core", std::move(surroundings)), program_(std::move(program)) {
    SC_HAS_PROCESS(ScriptedCore);
    SC_THREAD(run);
  }

  /// A factory for CommandProcessor, whose core() is then a ScriptedCore.
  static CoreFactory factory(Program program) {
    return [program = std::move(program)](const CommandProcessorConfig&, CoreSurroundings surroundings) {
      return std::make_unique<ScriptedCore>(std::move(surroundings), program);
    };
  }

  // ---- For the program

  tlm::tlm_response_status access(bool write, std::uint32_t address, std::uint32_t& value) {
    wait(sc_core::SC_ZERO_TIME);  // after the edges of this instant
    sc_core::sc_time delay = sc_core::SC_ZERO_TIME;
    const tlm::tlm_response_status status = bus.access(write, address, &value, 4, delay);
    last_delay = delay;
    if (delay > sc_core::SC_ZERO_TIME) wait(delay);
    return status;
  }
  std::uint32_t read(std::uint64_t address) {
    std::uint32_t value = 0;
    EXPECT_EQ(access(false, static_cast<std::uint32_t>(address), value), tlm::TLM_OK_RESPONSE)
        << "read of " << bus.name_of(address);
    return value;
  }
  std::uint64_t read64(std::uint64_t address) {
    const std::uint64_t low = read(address);
    return std::uint64_t{read(address + 4)} << 32 | low;
  }
  void write(std::uint64_t address, std::uint32_t value) {
    EXPECT_EQ(try_write(address, value), tlm::TLM_OK_RESPONSE)
        << "write of " << value << " to " << bus.name_of(address);
  }
  tlm::tlm_response_status try_write(std::uint64_t address, std::uint32_t value) {
    return access(true, static_cast<std::uint32_t>(address), value);
  }
  void write64(std::uint64_t address, std::uint64_t value) {
    write(address, static_cast<std::uint32_t>(value));
    write(address + 4, static_cast<std::uint32_t>(value >> 32));
  }
  /// Sleeps until some interrupt line is high.
  void sleep() {
    while (!levels_[0] && !levels_[1] && !levels_[2]) wait(changed_);
  }
  void wait_ns(double t) { wait(t, sc_core::SC_NS); }
  bool level(Interrupt line) const { return levels_[place(line)]; }

  struct Change {
    Interrupt line;
    bool level;
    double at_ns;
  };
  std::vector<Change> interrupts;
  std::vector<std::uint32_t> halts;
  unsigned work = 0;  ///< calls of work_arrived
  sc_core::sc_time last_delay;
  const CoreSurroundings& surroundings() const { return surroundings_; }

  void set_interrupt(Interrupt line, bool level) override {
    levels_[place(line)] = level;
    interrupts.push_back({line, level, sc_core::sc_time_stamp().to_seconds() * 1e9});
    changed_.notify();
  }
  void work_arrived() override { ++work; }
  void halt(std::uint32_t code) override { halts.push_back(code); }
  std::string describe() const override { return "scripted core"; }
  void stats(StatVisitor& v) const override {
    v.value("interrupts", std::uint64_t{interrupts.size()}, "", "");
  }

 private:
  static unsigned place(Interrupt line) {
    return line == Interrupt::kSoftware ? 0 : line == Interrupt::kTimer ? 1 : 2;
  }
  void run() {
    if (program_) program_(*this);
  }

  Program program_;
  bool levels_[3] = {};
  sc_core::sc_event changed_;
};

}  // namespace warpvp::test
