#pragma once
// One SM with kernels in PTX text, a memory that answers after a fixed time, and a record of what issues
// when.

#include <gtest/gtest.h>
#include <tlm_utils/simple_target_socket.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "interconnect/register_map.h"
#include "modules/sm/streaming_multiprocessor.h"
#include "ptx/module.h"
#include "tests/sm_memory/harness.h"
#include "tests/support/load_kernel.h"

namespace warpvp::test {

/// Edges from a miss of the instruction cache to its end, with plain_sm().
constexpr Cycle F = 11;

/// Two instructions and an end.
constexpr const char* kStraight = R"(
  .reg .u32 %r<9>;
  mov.u32 %r1, 1;
  mov.u32 %r2, 2;
  ret;
)";
/// The same, of which the second waits for the first.
constexpr const char* kTwoMoves =
    ".reg .u32 %r<4>;\n"
    "mov.u32 %r0, 1;\n"
    "add.u32 %r1, %r0, 2;\n"
    "ret;\n";

/// What a stage is built from that stands in no SM, beside a memory side that nobody drives.
struct LooseStage : sc_core::sc_module, private MemoryClient, private FetchClient {
  LooseStage(sc_core::sc_module_name name, const SmConfig& sm)
      : sc_module(name),
        config(sm),
        contexts({}, [](RegisterSpec) {}),
        memory(Registry<MemorySideType>::instance()
                   .make(PolicyChoice("isolated"))
                   ->build({"memory", config.memory, 0, 1, 64, *this, *this, [] {}, contexts, events})),
        context(contexts.of("stage", "loose", 0), contexts, config, *memory, counters, signals) {}
  void memory_missed(std::uint32_t) override {}
  void memory_done(std::uint32_t) override {}
  void stores_drained(unsigned) override {}
  void instruction_line_filled(std::uint64_t, unsigned) override {}

  const SmConfig config;
  SmCounters counters;
  StageSignals signals;
  SmEvents events;
  SmContexts contexts;
  std::unique_ptr<MemorySide> memory;
  StageContext context;
};

class SmBench : public sc_core::sc_module, private IssueObserver {
 public:
  struct Issue {
    Cycle cycle;    ///< from the first issue on
    unsigned warp;  ///< within its CTA
    int pc;         ///< -1: a NOP
  };

  /// `spaces`: nullptr without page tables.
  explicit SmBench(const SmConfig& config, Cycle memory_latency = 10, sc_core::sc_module_name name = "bench",
                   const AddressSpaces* spaces = nullptr)
      : sc_module(name),
        completion("completion"),
        clock("clock", 1000),
        memory(16 << 20),
        target("target", clock, memory_latency),
        sm(*new StreamingMultiprocessor("sm", config, 0, clock, services(spaces))) {
    sms.emplace_back(&sm);
    target.direct = memory.host_base();
    sm.memory_socket().bind(target.socket);
    control.bind(sm.control);
    sm.completion.bind(completion);
    completion.register_b_transport(this, &SmBench::cta_done);
    sm.observe_issue(this);
  }

  /// Runs one CTA of the only entry of `text` to its end; `text` is the body of an entry without parameters.
  void run(const std::string& body, unsigned threads) {
    load(body, threads);
    run_again();
  }
  /// Runs another CTA of it, as launch `launch_id`.
  void run_again() {
    const unsigned before = ctas_done;
    launch();
    sc_core::sc_start(100000 * clock.period());
    EXPECT_EQ(ctas_done, before + !faults.fault().has_value());
    EXPECT_EQ(faults.fault().has_value(), expect_fault);
    sm.settle(clock.now());
  }

  /// What ends the run of a CTA of `threads` threads, as the exception says; empty: nothing did.
  std::string complaint(const std::string& body, unsigned threads) {
    load(body, threads);
    launch();
    try {
      sc_core::sc_start(1000 * clock.period());
    } catch (const std::exception& e) {
      return e.what();
    }
    return {};
  }

  /// The two halves of a run: makes the kernel, and sends the SM a CTA of it.
  void load(const std::string& body, unsigned threads) {
    load_module(".version 7.0\n.target sm_70\n.address_size 64\n.visible .entry k()\n{\n" + body + "}\n",
                {threads, 1, 1});
  }
  /// The same of a whole module's entry k, without parameters.
  void load_module(const std::string& text, const std::array<std::uint32_t, 3>& block) {
    const auto module = ptx::Module::parse(text, "test.ptx", code_options);
    program = module->entry("k");
    module->place([&](const ptx::GlobalVariable& v) { return *memory.allocate(v.bytes); },
                  [](std::uint64_t, const std::vector<std::uint8_t>&) {});
    launch_ = CtaLaunch{};
    launch_.kernel_object = launch_.kernarg_address = load_kernel(memory, *program);
    std::copy(block.begin(), block.end(), launch_.block);
  }
  KernelDescriptor& descriptor() {
    return *reinterpret_cast<KernelDescriptor*>(memory.at(launch_.kernel_object));
  }
  void launch() {
    if (sc_core::sc_get_status() == sc_core::SC_ELABORATION) sc_core::sc_start(sc_core::SC_ZERO_TIME);
    if (before_launch) before_launch();
    launch_.launch_id = launch_id;
    launch_.context = context;
    sc_core::sc_time delay = launch_delay;
    ASSERT_EQ(transport(tlm::TLM_WRITE_COMMAND, regmap::sm::kLaunch, &launch_, sizeof launch_, delay),
              tlm::TLM_OK_RESPONSE);
  }

  /// Of one of the SM's 32-bit registers; `delay` is annotated to the write.
  std::uint32_t read(std::uint64_t offset) {
    std::uint32_t value = 0;
    sc_core::sc_time delay;
    EXPECT_EQ(transport(tlm::TLM_READ_COMMAND, offset, &value, sizeof value, delay), tlm::TLM_OK_RESPONSE);
    return value;
  }
  tlm::tlm_response_status write(std::uint64_t offset, std::uint32_t value,
                                 sc_core::sc_time delay = sc_core::SC_ZERO_TIME) {
    return transport(tlm::TLM_WRITE_COMMAND, offset, &value, sizeof value, delay);
  }

  /// PAGE_TABLE or TEXTURES.
  tlm::tlm_response_status write_table(std::uint64_t offset, std::uint64_t value) {
    sc_core::sc_time delay;
    return transport(tlm::TLM_WRITE_COMMAND, offset, &value, sizeof value, delay);
  }

  /// "0:0N 1:1N 4:0.0 ...": edge, warp, and N or the number of the instruction.
  std::string text() const {
    std::string all;
    for (const Issue& i : issues)
      all += (all.empty() ? "" : " ") + std::to_string(i.cycle) + ":" + std::to_string(i.warp) +
             (i.pc < 0 ? std::string("N") : "." + std::to_string(i.pc));
    return all;
  }

 private:
  SmServices services(const AddressSpaces* spaces) {
    SmServices s{memory, kernels, faults, [](const std::string&, unsigned) {}};
    s.completion_address = kCompletion;
    s.preempted_address = kPreempted;
    s.local_memory_base = *memory.allocate(4096);
    s.local_memory_bytes = 4096;
    s.spaces = spaces;
    return s;
  }
  void cta_done(tlm::tlm_generic_payload& payload, sc_core::sc_time&) {
    if (payload.get_address() == kPreempted) {
      std::memcpy(&preempted.emplace_back(), payload.get_data_ptr(), sizeof(CtaPreempted));
      payload.set_response_status(tlm::TLM_OK_RESPONSE);
      return;
    }
    ctas_done += completion_answer == tlm::TLM_OK_RESPONSE;
    payload.set_response_status(completion_answer);
  }
  void issued(Cycle now, const WarpSlot& slot, ptx::Pc pc, const ptx::Inst* inst) override {
    if (issues.empty()) first_ = now;
    issues.push_back({now - first_, slot.stream->index(), inst ? static_cast<int>(pc) : -1});
    if (on_issue) on_issue(issues.back(), *slot.stream->as_ptx());
  }

  void cta_started(Cycle, const CtaLaunch&, const ptx::Program&,
                   const std::vector<std::uint16_t>& warps) override {
    placed.push_back(warps);
  }

  tlm::tlm_response_status transport(tlm::tlm_command command, std::uint64_t offset, void* data,
                                     unsigned bytes, sc_core::sc_time& delay) {
    tlm::tlm_generic_payload payload;
    payload.set_command(command);
    payload.set_address(offset);
    payload.set_data_ptr(static_cast<unsigned char*>(data));
    payload.set_data_length(bytes);
    payload.set_streaming_width(bytes);
    control->b_transport(payload, delay);
    return payload.get_response_status();
  }

  tlm_utils::simple_target_socket<SmBench> completion;
  Cycle first_ = 0;
  CtaLaunch launch_;

 public:
  static constexpr std::uint64_t kCompletion = 0x20'0020, kPreempted = 0x20'0040;
  tlm_utils::simple_initiator_socket<SmBench> control{"control"};
  ClockDomain clock;
  DeviceMemory memory;
  KernelImages kernels{memory};
  FaultSink faults;
  ScriptedTarget target;
  std::vector<std::unique_ptr<Sm>> sms;  ///< the one, as those have it who watch several
  StreamingMultiprocessor& sm;
  std::vector<Issue> issues;
  std::vector<std::vector<std::uint16_t>> placed;  ///< warp slots of each CTA
  std::function<void(const Issue&, const ptx::Warp& warp)> on_issue;
  std::shared_ptr<ptx::Program> program;
  ptx::CodeOptions code_options;  ///< of the next load()
  unsigned ctas_done = 0;
  std::vector<CtaPreempted> preempted;
  std::uint32_t launch_id = 0;
  std::uint16_t context = 0;            ///< of the launch; all memory is context 0's
  std::function<void()> before_launch;  ///< may write registers
  sc_core::sc_time launch_delay;        ///< annotated to the launch write
  tlm::tlm_response_status completion_answer = tlm::TLM_OK_RESPONSE;
  bool expect_fault = false;
};

/// One scheduler, 8 warps, units that never hold an instruction back, one-cycle integer latency.
inline SmConfig plain_sm() {
  SmConfig c;
  c.schedulers = 1;
  c.warp_scheduler = "lrr";
  c.resources.warps = 8;
  c.resources.threads = c.resources.threads_per_cta = 256;
  c.operands.banks = 64;
  c.operands.collectors = 32;
  c.int_unit = c.fp32_unit = c.control_unit = UnitConfig(1);
  c.latency.move = c.latency.int_add = c.latency.compare = c.latency.control = 1;
  c.latency.barrier = 2;
  c.frontend.fetch_scheduler = "lrr";
  c.frontend.fetch_width = 1;
  c.frontend.ibuffer_entries = 4;
  return c;
}

}  // namespace warpvp::test
