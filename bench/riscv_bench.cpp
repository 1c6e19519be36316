// The RISC-V core: instructions a second from local memory, by quantum and under observation; accesses to
// devices; and what a core that sleeps costs. All cores are in one simulation, and all but the one measured
// sleep.

#include <benchmark/benchmark.h>
#include <tlm_utils/simple_target_socket.h>

#include <memory>
#include <string>
#include <systemc>
#include <vector>

#include "bench/riscv_program.h"
#include "modules/command_processor/riscv_core/riscv_core.h"
#include "tests/support/elf_file.h"

void register_benchmarks();  // called by sc_main.cpp

namespace warpvp {
namespace {

// Sleeps; then reads a device a thousand times.
//   csrwi mie,8; lui a0,0x100; wait: wfi; li a1,1000; loop: lw a2,0(a0); addi a1,a1,-1; bnez a1,loop; j wait
constexpr std::uint32_t kReader[] = {0x30445073, 0x00100537, 0x10500073, 0x3e800593,
                                     0x00052603, 0xfff58593, 0xfe059ce3, 0xfedff06f};
constexpr unsigned kReads = 1000;

riscv::ElfImage image_of(const std::uint32_t* words, std::size_t count) {
  ElfFile file;
  file.entry = regmap::core::kLocalBase;
  const auto* bytes = reinterpret_cast<const std::uint8_t*>(words);
  file.sections = {{".text", file.entry, std::vector<std::uint8_t>(bytes, bytes + 4 * count), true}};
  return riscv::ElfImage::parse(file.content(), "riscv_bench");
}

/// A core, and a device that answers at once.
struct Bench : sc_core::sc_module {
  Bench(sc_core::sc_module_name name, riscv::ElfImage image, const RiscvCoreConfig& config)
      : sc_module(name), core("core", config, surroundings(), std::move(image)), device("device") {
    device.register_b_transport(this, &Bench::b_transport);
    core.bus.socket.bind(device);
  }
  CoreSurroundings surroundings() {
    CoreSurroundings around;
    around.faults = &faults;
    return around;
  }
  void b_transport(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay) {
    delay += sc_core::sc_time(20, sc_core::SC_NS);
    payload.set_response_status(tlm::TLM_OK_RESPONSE);
  }
  /// Wakes the core and lets it work until it sleeps again.
  void work() {
    core.set_interrupt(Interrupt::kSoftware, true);
    sc_core::sc_start(1, sc_core::SC_US);
    core.set_interrupt(Interrupt::kSoftware, false);
    while (!core.asleep()) sc_core::sc_start(1, sc_core::SC_MS);
  }

  FaultSink faults;
  RiscvCore core;
  tlm_utils::simple_target_socket<Bench> device;
  riscv::InstructionObserver nobody;
};

void compute(benchmark::State& state, Bench& bench) {
  bench.work();  // decodes
  const std::uint64_t before = bench.core.instructions_executed();
  for (auto _ : state) bench.work();
  const auto executed = static_cast<double>(bench.core.instructions_executed() - before);
  state.counters["instructions"] = benchmark::Counter(executed, benchmark::Counter::kIsRate);
  if (bench.faults.faulted()) state.SkipWithError(bench.faults.fault()->summary().c_str());
}

void access_device(benchmark::State& state, Bench& bench) {
  for (auto _ : state) bench.work();
  state.counters["accesses"] =
      benchmark::Counter(static_cast<double>(state.iterations() * kReads), benchmark::Counter::kIsRate);
}

void sleep(benchmark::State& state) {  // one second of simulated time
  for (auto _ : state) sc_core::sc_start(1, sc_core::SC_SEC);
}

}  // namespace
}  // namespace warpvp

void register_benchmarks() {
  using namespace warpvp;
  static std::vector<std::unique_ptr<Bench>> benches;
  const auto make = [](const std::uint32_t* words, std::size_t count,
                       const RiscvCoreConfig& config) -> Bench& {
    const std::string name = "bench" + std::to_string(benches.size());
    benches.push_back(std::make_unique<Bench>(name.c_str(), image_of(words, count), config));
    return *benches.back();
  };
  const auto computing = [&](const std::string& name, std::uint32_t quantum, bool observed) {
    RiscvCoreConfig config;
    config.quantum = quantum;
    Bench& bench = make(kRiscvProgram, std::size(kRiscvProgram), config);
    if (observed) bench.core.add_observer(bench.nobody);
    benchmark::RegisterBenchmark(("compute/" + name).c_str(), [&bench](benchmark::State& s) {
      compute(s, bench);
    })->Unit(benchmark::kMillisecond);
  };
  computing("quantum_1000", 1000, false);
  computing("quantum_100", 100, false);
  computing("quantum_1", 1, false);
  computing("observed", 1000, true);
  Bench& reader = make(kReader, std::size(kReader), {});
  benchmark::RegisterBenchmark("access_device", [&reader](benchmark::State& s) {
    access_device(s, reader);
  })->Unit(benchmark::kMillisecond);
  // Not more often: simulated time ends after five hours.
  benchmark::RegisterBenchmark("sleep/second", sleep)->Iterations(1000);
}
