#pragma once
// Statistics small enough to reckon with, and tables that charge them.

#include <optional>
#include <string>
#include <vector>

#include "platform/energy/energy_table.h"
#include "platform/results/result_visitor.h"
#include "tests/config/folder.h"

namespace warpvp::test {

/// A kernel with so many events.
struct SampleKernel {
  std::uint64_t fetches = 0, rows = 0, reads = 0;
  struct Frontend {
    std::uint64_t fetches;
    void stats(StatVisitor& v) const { v.value("fetches", fetches, "fetches", "Fetches."); }
  };
  struct Executed {
    std::uint64_t rows;
    void stats(StatVisitor& v) const { v.value("rows_read", rows, "rows", "Rows."); }
  };
  struct Dram {
    std::uint64_t reads;
    void stats(StatVisitor& v) const { v.value("reads", reads, "requests", "Reads."); }
  };
  void stats(ResultVisitor& v) const {
    v.text("name", "k", "Name.");
    v.group("frontend", Frontend{fetches}, "Fetching.");
    v.group("executed", Executed{rows}, "Issued.");
    v.group("dram", Dram{reads}, "Memory.");
    v.value("ipc", 0.5, "instructions/cycle", "A ratio.");
  }
};

struct SampleSm {
  std::uint64_t active = 0, fetches = 0;
  void stats(ResultVisitor& v) const {
    v.value("active_cycles", active, "cycles", "Cycles.");
    v.value("fetches", fetches, "fetches", "Fetches.");
  }
};

struct SampleRun {
  std::vector<SampleKernel> kernels;
  std::vector<SampleSm> sms;
  std::uint64_t cycles = 0, activates = 0, reads = 0;
  double busy_us = 0;

  struct Simulation {
    std::uint64_t cycles;
    void stats(StatVisitor& v) const { v.value("cycles", cycles, "cycles", "Cycles."); }
  };
  struct Dram {
    std::uint64_t activates, reads;
    void stats(StatVisitor& v) const {
      v.value("activates", activates, "commands", "ACT.");
      v.value("reads", reads, "requests", "Reads.");
      v.when(false, "with a policy", [&] { v.value("policy", std::uint64_t{0}, "events", "Of a policy."); });
    }
  };
  struct Dma {
    double busy_us;
    void stats(StatVisitor& v) const { v.amount("busy_us", busy_us, "us", "Time."); }
  };
  void stats(ResultVisitor& v) const {
    v.group("simulation", Simulation{cycles}, "The run.");
    v.list("kernels", kernels, "Kernels.");
    v.list("sms", sms, "SMs.");
    v.group("dram", Dram{activates, reads}, "Memory.");
    v.group("dma", Dma{busy_us}, "Copies.");
  }
};

/// A table of these lines below `energies:`, against the keys of SampleRun.
inline EnergyTable table_of(const Folder& folder, const std::string& lines) {
  const auto file = folder.write("table.yaml", "energies:\n" + lines);
  ResultReference results;
  SampleRun().stats(results);
  return read_energy_table({"table.yaml", file.string(), "run.yaml:1:1"}, results);
}

}  // namespace warpvp::test
