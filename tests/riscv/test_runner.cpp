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
#include <filesystem>
#include <fstream>
#include <set>
#include <systemc>

#include "base/error.h"
#include "interconnect/clock_domain.h"
#include "modules/command_processor/riscv_core/riscv_core.h"

namespace warpvp {
namespace {

constexpr unsigned kLimitMicroseconds = 20'000;

/// All there is on the bus: a device that drives the core's interrupt lines. A word written at 0 is their
/// levels, as in mip; a word written at 4, the levels they get after as many nanoseconds as the word at 8
/// says.
class LineDriver : public sc_core::sc_module {
 public:
  LineDriver(sc_core::sc_module_name name, RiscvCore& core) : sc_module(name), socket("socket"), core_(core) {
    socket.register_b_transport(this, &LineDriver::b_transport);
    SC_HAS_PROCESS(LineDriver);
    SC_METHOD(later);
    sensitive << due_;
    dont_initialize();
  }
  tlm_utils::simple_target_socket<LineDriver> socket;

 private:
  void b_transport(tlm::tlm_generic_payload& payload, sc_core::sc_time&) {
    const std::uint64_t offset = payload.get_address() - regmap::core::kBusBase;
    if (!payload.is_write() || offset % 4 != 0 || offset / 4 >= 3 || payload.get_data_length() != 4) {
      payload.set_response_status(tlm::TLM_ADDRESS_ERROR_RESPONSE);
      return;
    }
    std::memcpy(&words_[offset / 4], payload.get_data_ptr(), 4);
    if (offset == 0) drive(words_[0]);
    if (offset == 4) due_.notify(sc_core::sc_time(words_[2], sc_core::SC_NS));
    payload.set_response_status(tlm::TLM_OK_RESPONSE);
  }
  void later() { drive(words_[1]); }
  void drive(std::uint32_t levels) {
    for (const Interrupt line : {Interrupt::kSoftware, Interrupt::kTimer, Interrupt::kExternal})
      core_.set_interrupt(line, (levels >> static_cast<unsigned>(line) & 1u) != 0);
  }

  RiscvCore& core_;
  std::uint32_t words_[3] = {};
  sc_core::sc_event due_;
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
  LineDriver driver("driver", core);
  core.bus.socket.bind(driver.socket);
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
    std::ofstream out(coverage_file);
    for (const std::string& name : coverage.names) out << name << '\n';
  }
  return 0;
}

int check_coverage(const std::string& folder) {
  std::set<std::string> executed;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    std::ifstream in(entry.path());
    for (std::string name; std::getline(in, name);) executed.insert(name);
  }
  int missing = 0;
  for (const riscv::Encoding& encoding : riscv::encodings()) {
    if (executed.count(encoding.name) != 0) continue;
    fmt::print("{} was executed by no program\n", encoding.name);
    ++missing;
  }
  fmt::print("{} of {} instructions were executed\n", riscv::encodings().size() - missing,
             riscv::encodings().size());
  return missing == 0 ? 0 : 1;
}

}  // namespace
}  // namespace warpvp

int sc_main(int argc, char** argv) {
  warpvp::configure_time();
  if (argc == 3 && std::strcmp(argv[1], "--check-coverage") == 0) return warpvp::check_coverage(argv[2]);
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
    std::fprintf(stderr,
                 "usage: riscv_test_runner [--misaligned] [--coverage FILE] ELF\n"
                 "       riscv_test_runner --check-coverage FOLDER\n");
    return 2;
  }
  try {
    return warpvp::run(program, coverage, misaligned);
  } catch (const warpvp::InputError& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 2;
  }
}
