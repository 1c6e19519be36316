#pragma once
// The whole platform as a user writes it (`platform:` in a run file; configs/platforms/*.yaml). Of a block it
// keeps which type is chosen, and the fields that every type has; those of the type's own are the type's.

#include "base/fields.h"
#include "base/sm_resources.h"
#include "interconnect/address_map.h"
#include "interconnect/evaluation.h"
#include "interconnect/register_bus.h"
#include "modules/host/memory_hub.h"
#include "modules/work_distributor/sampling_config.h"
#include "ptx/code_options.h"
#include "sw/runtime/runtime_impl.h"

namespace warpvp {

class SmType;

struct SmChoice {
  PolicyChoice type = "cycle";
  SmResources resources;
};
struct WorkDistributorChoice {
  PolicyChoice type = "status_registers";
  std::uint32_t slots = 32;
};
struct CommandProcessorChoice {
  PolicyChoice type = "riscv";
  std::uint32_t queues = 128;
};
struct CrossbarChoice {
  PolicyChoice type = "switched";
  double clock_mhz = 1200;
};
struct L2Choice {
  PolicyChoice type = "cache";
  double clock_mhz = 1200;
  std::uint32_t line_bytes = 128;
};
struct DmaChoice {
  PolicyChoice type = "chunked";
  std::uint32_t engines = 2;
};

struct DeviceMemoryConfig {
  std::uint32_t capacity_mib = 4096;
  std::uint32_t local_mib = 64;
  std::string stray_accesses = "fault";

  void fields(FieldVisitor& v) {
    v.field("capacity_mib", capacity_mib, "MiB", "Device memory.", Constraint::range(16, 262144));
    v.field("local_mib", local_mib, "MiB", "Part of it in which threads' local memory is timed.",
            Constraint::range(1, 65536));
    v.field("stray_accesses", stray_accesses,
            "What becomes of a kernel's access that lies outside every allocation: fault, it ends the "
            "context; page, as "
            "on chips, it passes where the context has anything on the same page of 2 MiB and nobody else "
            "has that "
            "place, and the run's first one is told of.",
            Constraint::words({"fault", "page"}));
    v.require(local_mib < capacity_mib, "local_mib", "must be less than capacity_mib");
  }
};

struct PtxConfig {
  std::string code = "ptx", target = "none";
  std::uint32_t registers = 0;

  void fields(FieldVisitor& v) {
    v.field("code", code,
            "What kernels are lowered to: ptx, an instruction for each of the PTX text in its order, or "
            "machine, code like that of the chip's assembler, with the same results.",
            Constraint::words({"ptx", "machine"}));
    v.field("target", target,
            "What machine code is for: sm_70 and sm_75 have instructions where the paths of a warp part and "
            "meet, sm_70 "
            "also a NOP before barriers.",
            Constraint::words({"none", "sm_70", "sm_75"}));
    v.field("registers", registers, "a thread",
            "Registers that kernels take at least. A chip's assembler may take more than the code here "
            "needs, and fewer CTAs "
            "fit an SM then.",
            Constraint::range(0, 255));
  }
};

/// What controllers of bandwidth count with.
struct SustainableBandwidthConfig {
  double network = 0.6, dram = 0.7;

  void fields(FieldVisitor& v) {
    v.field("network", network, "",
            "Of the peak of the reply crossbar (CCBP section 5.3: 60 %); `warpvp calibrate bandwidth` "
            "measures it.",
            Constraint::range(0.01, 1));
    v.field("dram", dram, "", "Of the peak of all channels (CCBP section 5.3: 70 %); measured by the same.",
            Constraint::range(0.01, 1));
  }
};

struct PlatformConfig {
  std::uint32_t sms = 2;
  double sm_clock_mhz = 1200;
  EvaluationConfig evaluation;
  SamplingConfig sampling;
  bool check_protocol = false;
  SmChoice sm;
  WorkDistributorChoice work_distributor;
  CommandProcessorChoice command_processor;
  PolicyChoice mmu = "none";
  CrossbarChoice crossbar;
  AddressMapConfig address_map;
  L2Choice l2;
  PolicyChoice dram = "controller";
  PolicyChoice bandwidth_controller = "none";
  DeviceMemoryConfig memory;
  SustainableBandwidthConfig sustainable_bandwidth;
  PolicyChoice host = "threads";
  PolicyChoice pcie = "packets";
  DmaChoice dma;
  MemoryHubConfig hub;
  RegisterBusConfig register_bus;
  rt::RuntimeConfig runtime;
  PtxConfig lowering;

  /// Of the L2's clock: for so long an SM that is evaluated for `evaluation.window` edges does not see an
  /// answer that has come.
  unsigned reply_edges() const;
  /// `evaluation` with the number of threads that `threads: 0` stands for on this host.
  EvaluationConfig evaluation_here() const;
  /// How this platform's kernels are lowered.
  ptx::CodeOptions code_options() const;

  void fields(FieldVisitor& v);

 private:
  void require_sampling(FieldVisitor& v, const SmType& sm_type) const;
};

}  // namespace warpvp
