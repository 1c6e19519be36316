// What an instruction costs in the memory side of an SM: coalesced and scattered loads that hit, scattered
// loads that miss, shared memory, and the coalescer by itself. Items are warp instructions.

#include <benchmark/benchmark.h>

#include <functional>
#include <memory>
#include <systemc>

#include "base/registry.h"
#include "interconnect/clock_domain.h"
#include "interconnect/ports.h"
#include "interconnect/register_block.h"
#include "interconnect/register_map.h"
#include "interconnect/ring.h"
#include "modules/sm/memory/coalescer.h"
#include "modules/sm/memory/memory_side.h"
#include "modules/sm/memory/memory_side_config.h"
#include "modules/sm/sm_context.h"

namespace warpvp {
namespace {

constexpr std::uint64_t kBase = 0x1'0000'0000ull;

/// Answers every request after a fixed number of cycles.
class FixedLatency : public Clocked, private TargetPort::Client {
 public:
  FixedLatency(const char* name, ClockDomain& domain, Cycle latency)
      : port(name, *this), domain_(domain), latency_(latency), waiting_(4096), id_(domain.join(*this)) {}
  TargetPort port;

  void evaluate(Cycle) override {}
  Cycle commit(Cycle now) override {
    while (!waiting_.empty() && waiting_.front().due <= now && port.response_idle()) {
      port.respond(*waiting_.front().payload);
      waiting_.front().payload->release();
      waiting_.pop();
    }
    return waiting_.empty() ? kNever : waiting_.front().due;
  }

 private:
  struct Waiting {
    tlm::tlm_generic_payload* payload = nullptr;
    Cycle due = 0;
  };
  bool request(TargetPort&, tlm::tlm_generic_payload& payload) override {
    payload.acquire();
    waiting_.push({&payload, domain_.now() + latency_});
    domain_.wake(id_, domain_.now() + latency_);
    return true;
  }
  void response_link_free(TargetPort&) override { domain_.wake(id_); }

  ClockDomain& domain_;
  Cycle latency_;
  Ring<Waiting> waiting_;
  unsigned id_;
};

/// Hands in instructions as fast as they are taken.
class Rig : public sc_core::sc_module, public Clocked, private MemoryClient, private FetchClient {
 public:
  Rig(sc_core::sc_module_name name, std::function<void(ptx::MemoryAccess&, std::uint64_t)> next)
      : sc_module(name),
        domain_("domain", 1000),
        target_("target", domain_, 200),
        registers_("SM", regmap::sm::kStride, ""),
        contexts_(SmContext(), [this](RegisterSpec spec) { registers_.add(std::move(spec)); }),
        next_(std::move(next)) {
    MemorySideConfig config;
    config.l1.size_kib = 128;
    memory_ = Registry<MemorySideType>::instance()
                  .make(config.model)
                  ->build({"memory",
                           config,
                           0,
                           4,
                           64,
                           *this,
                           *this,
                           [this] { domain_.wake(id_); },
                           contexts_,
                           events_,
                           {}});
    id_ = domain_.join(*this);
    memory_->socket().bind(target_.port.socket);
    request_.access.lanes = ~ptx::LaneMask{0};
    request_.access.bytes = 4;
    request_.access.returns_value = true;
  }

  void run(benchmark::State& state) {
    running_ = true;
    domain_.wake(id_);
    const std::uint64_t before = issued_;
    const Cycle start = domain_.now();
    for (auto _ : state) sc_core::sc_start(10000 * domain_.period());
    state.SetItemsProcessed(static_cast<std::int64_t>(issued_ - before));
    state.counters["cycles/instr"] =
        static_cast<double>(domain_.now() - start) / static_cast<double>(issued_ - before);
    running_ = false;
    sc_core::sc_start(100000 * domain_.period());
  }

  void evaluate(Cycle now) override {
    memory_->evaluate(now);
    if (!running_ || !memory_->can_accept(0)) return;
    next_(request_.access, issued_++);
    memory_->accept(request_, now);
  }
  Cycle commit(Cycle now) override {
    memory_->commit(now);
    return running_ && memory_->can_accept(0) ? now + 1 : memory_->next_work(now);
  }

 private:
  void memory_missed(std::uint32_t) override {}
  void memory_done(std::uint32_t) override {}
  void stores_drained(unsigned) override {}
  void instruction_line_filled(std::uint64_t, unsigned) override {}

  ClockDomain domain_;
  FixedLatency target_;
  RegisterBlock registers_;  // that the policies declare
  SmEvents events_;
  const SmContexts contexts_;
  std::unique_ptr<MemorySide> memory_;
  std::function<void(ptx::MemoryAccess&, std::uint64_t)> next_;
  MemoryRequest request_;
  std::uint64_t issued_ = 0;
  unsigned id_ = 0;
  bool running_ = false;
};

void strided(ptx::MemoryAccess& access, std::uint64_t base, unsigned stride) {
  access.space = ptx::Space::kGlobal;
  for (unsigned lane = 0; lane < 32; ++lane) access.address[lane] = base + std::uint64_t{lane} * stride;
}

// SystemC elaborates once: every rig exists before the first one runs.
struct Rigs {
  Rig coalesced{"coalesced", [](auto& a, std::uint64_t i) { strided(a, kBase + i % 256 * 128, 4); }};
  Rig scattered{"scattered", [](auto& a, std::uint64_t i) { strided(a, kBase + i % 16 * 4096, 128); }};
  Rig missing{"missing", [](auto& a, std::uint64_t i) { strided(a, kBase + i * 4096, 128); }};
  Rig shared{"shared", [](auto& a, std::uint64_t) {
               strided(a, 0, 4);
               a.space = ptx::Space::kShared;
             }};
};
Rigs& rigs() {
  static Rigs all;
  return all;
}

void CoalescedLoadHits(benchmark::State& state) { rigs().coalesced.run(state); }
void LoadsOf32LinesThatHit(benchmark::State& state) { rigs().scattered.run(state); }
void LoadsOf32LinesThatMiss(benchmark::State& state) { rigs().missing.run(state); }
void SharedMemory(benchmark::State& state) { rigs().shared.run(state); }
BENCHMARK(CoalescedLoadHits)->Unit(benchmark::kMillisecond);
BENCHMARK(LoadsOf32LinesThatHit)->Unit(benchmark::kMillisecond);
BENCHMARK(LoadsOf32LinesThatMiss)->Unit(benchmark::kMillisecond);
BENCHMARK(SharedMemory)->Unit(benchmark::kMillisecond);

void Coalesce(benchmark::State& state) {
  const Coalescer coalescer(128, 32);
  ptx::MemoryAccess access;
  strided(access, kBase, static_cast<unsigned>(state.range(0)));
  LineAccess out[Coalescer::kMaxTransactions];
  for (auto _ : state) {
    benchmark::DoNotOptimize(coalescer.global(access.address, ~ptx::LaneMask{0}, 4, out));
    benchmark::ClobberMemory();
  }
}
BENCHMARK(Coalesce)->Arg(0)->Arg(4)->Arg(8)->Arg(128);

}  // namespace
}  // namespace warpvp
