// Runs programs of the RISC-V instruction set tests on the core: riscv_test_runner [--misaligned] [--coverage
// FILE] ELF.
//
// A program ends with a store to the word `tohost` in local memory: 1 is success, anything else twice the
// number of the failed case plus 1. Exit status: 0 success, 1 failure or no end within the limit, 2 no usable
// file. With --misaligned local memory takes misaligned accesses, which one of the official tests wants. With
// --coverage FILE, the names of all instructions that were executed are appended to FILE, one a line.

#include <fmt/format.h>
#include <tlm_utils/simple_target_socket.h>

#include <cstdio>
#include <cstring>
#include <fstream>
#include <set>
#include <systemc>

#include "base/error.h"
#include "interconnect/clock_domain.h"
#include "modules/command_processor/riscv/riscv_core.h"

namespace warpvp {
namespace {

constexpr unsigned kLimitMicroseconds = 20'000;

/// There is nothing on the bus.
struct EmptyBus : sc_core::sc_module {
  explicit EmptyBus(sc_core::sc_module_name name) : sc_module(name), socket("socket") {
    socket.register_b_transport(this, &EmptyBus::b_transport);
  }
  void b_transport(tlm::tlm_generic_payload& payload, sc_core::sc_time&) {
    payload.set_response_status(tlm::TLM_ADDRESS_ERROR_RESPONSE);
  }
  tlm_utils::simple_target_socket<EmptyBus> socket;
};

struct Coverage : riscv::InstructionObserver {
  void executed(const riscv::Step& step) override {
    names.insert(riscv::encodings()[step.instruction.encoding].name);
  }
  // These trap each time they are executed.
  void trapped(const riscv::TrapEntry& entry) override {
    if (entry.cause == 3 || entry.cause == 11) pcs.insert(entry.pc);
  }
  std::set<std::string> names;
  std::set<std::uint32_t> pcs;
};

int run(const std::string& path, const std::string& coverage_file, bool misaligned) {
  riscv::ElfImage image = riscv::ElfImage::load(path);
  const auto tohost = image.find("tohost");
  if (!tohost)
    throw InputError(path + ": no symbol 'tohost'; give a program of the RISC-V instruction set tests");

  FaultSink faults;
  faults.on_fault = [] { sc_core::sc_stop(); };
  CoreSurroundings surroundings;
  surroundings.faults = &faults;
  RiscvCoreConfig config;
  config.misaligned_traps = !misaligned;
  RiscvCore core("core", config, std::move(surroundings), std::move(image));
  EmptyBus bus("bus");
  core.bus.socket.bind(bus.socket);
  core.tolerate_nested_exceptions();
  Coverage coverage;
  if (!coverage_file.empty()) core.add_observer(coverage);

  std::uint32_t result = 0;
  for (unsigned us = 0; us < kLimitMicroseconds && result == 0 && !faults.faulted(); us += 10) {
    sc_core::sc_start(10, sc_core::SC_US);
    core.read_memory(*tohost, &result, sizeof result);
  }
  if (faults.faulted()) {
    fmt::print("{}\n{}", faults.fault()->summary(), faults.fault()->detail);
    return 1;
  }
  if (result == 0) {
    fmt::print("no result after {} us; {}\n", kLimitMicroseconds, core.describe());
    return 1;
  }
  if (result != 1) {
    fmt::print("case {} failed\n", result >> 1);
    return 1;
  }
  if (!coverage_file.empty()) {
    for (const std::uint32_t pc : coverage.pcs) {
      std::uint32_t raw = 0;
      core.read_memory(pc, &raw, sizeof raw);
      coverage.names.insert(riscv::encodings()[riscv::decode(raw).encoding].name);
    }
    std::ofstream out(coverage_file, std::ios::app);
    for (const std::string& name : coverage.names) out << name << '\n';
  }
  return 0;
}

}  // namespace
}  // namespace warpvp

int sc_main(int argc, char** argv) {
  warpvp::configure_time();
  bool misaligned = false;
  std::string coverage, program;
  for (int i = 1; i < argc; ++i) {
    if (std::strcmp(argv[i], "--misaligned") == 0) {
      misaligned = true;
    } else if (std::strcmp(argv[i], "--coverage") == 0 && i + 1 < argc) {
      coverage = argv[++i];
    } else if (program.empty() && argv[i][0] != '-') {
      program = argv[i];
    } else {
      program.clear();
      break;
    }
  }
  if (program.empty()) {
    std::fprintf(stderr, "usage: riscv_test_runner [--misaligned] [--coverage FILE] ELF\n");
    return 2;
  }
  try {
    return warpvp::run(program, coverage, misaligned);
  } catch (const warpvp::InputError& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 2;
  }
}
