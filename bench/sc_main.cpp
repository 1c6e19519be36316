// The main program of benchmarks that use SystemC: the library calls sc_main, benchmarks have no main of
// their own.

#include <benchmark/benchmark.h>

#include <systemc>

#include "interconnect/clock_domain.h"

/// A benchmark file may define this to register benchmarks for what it finds in the registries, which are
/// complete when it is called.
void register_benchmarks() __attribute__((weak));

int sc_main(int argc, char** argv) {
  benchmark::Initialize(&argc, argv);
  warpvp::configure_time();
  if (register_benchmarks) register_benchmarks();
  benchmark::RunSpecifiedBenchmarks();
  return 0;
}
