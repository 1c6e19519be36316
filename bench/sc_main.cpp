// The main program of benchmarks that use SystemC: the library calls sc_main, benchmarks have no main of their own.

#include <benchmark/benchmark.h>

#include <systemc>

#include "interconnect/clock_domain.h"

int sc_main(int argc, char** argv) {
  benchmark::Initialize(&argc, argv);
  warpvp::configure_time();
  benchmark::RunSpecifiedBenchmarks();
  return 0;
}
