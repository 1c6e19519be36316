#pragma once
// A memory side without an SM around it: a script hands in instructions, a scripted target answers.

#include <gtest/gtest.h>
#include <tlm_utils/peq_with_cb_and_phase.h>

#include <algorithm>
#include <deque>
#include <functional>
#include <memory>
#include <string>
#include <systemc>
#include <tlm>
#include <vector>

#include "base/registry.h"
#include "interconnect/clock_domain.h"
#include "interconnect/protocol_checker.h"
#include "interconnect/register_block.h"
#include "interconnect/register_map.h"
#include "interconnect/transaction.h"
#include "modules/sm/memory/memory_side.h"
#include "modules/sm/memory/memory_side_config.h"
#include "modules/sm/sm_context.h"
#include "tests/support/stat_map.h"

namespace warpvp::test {

inline constexpr std::uint64_t kBase = 0x1'0000'0000ull;
inline constexpr ptx::LaneMask kAll = ~ptx::LaneMask{0};

/// What a third party's memory may look like: its own event queue, all four phases, no use of the ports of
/// this project. `accept_cycles` 0: END_REQ at once (early, in the return path); otherwise after so many
/// cycles.
class ScriptedTarget : public sc_core::sc_module, private tlm::tlm_fw_transport_if<> {
 public:
  struct Request {
    Cycle cycle;
    bool write;
    std::uint64_t address;
    unsigned bytes;
    AccessKind kind;
    MemExtension ext;
  };
  enum class Style { kPhases, kCompletesAtOnce };

  ScriptedTarget(sc_core::sc_module_name name, ClockDomain& domain, Cycle latency)
      : sc_module(name),
        socket("socket"),
        latency(latency),
        domain_(domain),
        queue_(this, &ScriptedTarget::later) {
    socket.bind(*this);
  }

  tlm::tlm_target_socket<> socket;
  Cycle latency;            ///< BEGIN_REQ to BEGIN_RESP
  Cycle accept_cycles = 0;  ///< BEGIN_REQ to END_REQ
  Style style = Style::kPhases;
  std::byte* direct = nullptr;  ///< grants direct access (DMI) to what lies here, from kBase on
  std::uint8_t dram_accesses = 0;
  tlm::tlm_response_status status = tlm::TLM_OK_RESPONSE;
  std::function<Cycle(const tlm::tlm_generic_payload&)> latency_of;  ///< overrides `latency`
  std::uint64_t unmapped = ~std::uint64_t{0};  ///< reads of this line are answered with an address error

  std::vector<Request> requests;
  /// Requests as text: "12 R 0x100000000+32".
  std::vector<std::string> log() const {
    std::vector<std::string> lines;
    for (const Request& r : requests) {
      char text[64];
      std::snprintf(text, sizeof text, "%llu %c %llx+%u", static_cast<unsigned long long>(r.cycle),
                    r.kind == AccessKind::kAtomic ? 'A'
                    : r.write                     ? 'W'
                                                  : 'R',
                    static_cast<unsigned long long>(r.address - kBase), r.bytes);
      lines.push_back(text);
    }
    return lines;
  }

 private:
  tlm::tlm_sync_enum nb_transport_fw(tlm::tlm_generic_payload& p, tlm::tlm_phase& phase,
                                     sc_core::sc_time& delay) override {
    if (phase == tlm::END_RESP) {
      EXPECT_EQ(responding_, &p);
      response_ended();
      return tlm::TLM_COMPLETED;
    }
    EXPECT_EQ(phase, tlm::BEGIN_REQ);
    EXPECT_EQ(requesting_, nullptr) << "a request before the last one's END_REQ";
    EXPECT_LE(p.get_data_length(), 128u);
    EXPECT_EQ(p.get_address() / 128, (p.get_address() + p.get_data_length() - 1) / 128);
    const MemExtension& ext = *p.get_extension<MemExtension>();
    requests.push_back({domain_.now(), p.is_write(), p.get_address(), p.get_data_length(), ext.kind, ext});
    if (style == Style::kCompletesAtOnce) {
      p.set_response_status(status);
      return tlm::TLM_COMPLETED;
    }
    p.acquire();
    const sc_core::sc_time period = domain_.period();
    queue_.notify(p, tlm::BEGIN_RESP, static_cast<double>(latency_of ? latency_of(p) : latency) * period);
    if (accept_cycles == 0) {
      phase = tlm::END_REQ;
      return tlm::TLM_UPDATED;
    }
    requesting_ = &p;
    queue_.notify(p, tlm::END_REQ, static_cast<double>(accept_cycles) * period);
    return tlm::TLM_ACCEPTED;
  }
  void later(tlm::tlm_generic_payload& p, const tlm::tlm_phase& phase) {
    if (phase == tlm::END_REQ) {
      requesting_ = nullptr;
      tlm::tlm_phase end = tlm::END_REQ;
      sc_core::sc_time delay;
      socket->nb_transport_bw(p, end, delay);
      return;
    }
    ready_.push_back(&p);
    if (!responding_) respond();
  }
  void respond() {
    while (!ready_.empty() && !responding_) {
      tlm::tlm_generic_payload& p = *ready_.front();
      ready_.pop_front();
      responding_ = &p;
      p.set_response_status(p.get_address() / 128 * 128 == unmapped ? tlm::TLM_ADDRESS_ERROR_RESPONSE
                                                                    : status);
      p.get_extension<MemExtension>()->dram_accesses = dram_accesses;
      tlm::tlm_phase phase = tlm::BEGIN_RESP;
      sc_core::sc_time delay;
      if (socket->nb_transport_bw(p, phase, delay) != tlm::TLM_ACCEPTED) response_ended();
    }
  }
  void response_ended() {
    if (!responding_) return;
    tlm::tlm_generic_payload* p = responding_;
    responding_ = nullptr;
    p->release();
  }
  void b_transport(tlm::tlm_generic_payload& p, sc_core::sc_time&) override {
    p.set_response_status(tlm::TLM_COMMAND_ERROR_RESPONSE);
  }
  unsigned transport_dbg(tlm::tlm_generic_payload&) override { return 0; }
  bool get_direct_mem_ptr(tlm::tlm_generic_payload&, tlm::tlm_dmi& dmi) override {
    dmi.set_start_address(kBase);
    dmi.set_dmi_ptr(reinterpret_cast<unsigned char*>(direct));
    return direct != nullptr;
  }

  ClockDomain& domain_;
  tlm_utils::peq_with_cb_and_phase<ScriptedTarget> queue_;
  std::deque<tlm::tlm_generic_payload*> ready_;
  tlm::tlm_generic_payload* requesting_ = nullptr;
  tlm::tlm_generic_payload* responding_ = nullptr;
};

/// Drives a memory side as an SM does and notes what it says.
class Bench : public sc_core::sc_module, public Clocked, public MemoryClient, public FetchClient {
 public:
  static constexpr unsigned kWarps = 64, kSubCores = 4;

  explicit Bench(const MemorySideConfig& config, Cycle latency = 100, sc_core::sc_module_name name = "bench",
                 const SmBacking& backing = {})
      : sc_module(name),
        domain("domain", 1000.0),
        target("target", domain, latency),
        checker("checker"),
        registers("SM", regmap::sm::kStride, ""),
        contexts(here(), [this](RegisterSpec spec) { registers.add(std::move(spec)); }),
        memory(Registry<MemorySideType>::instance()
                   .make(config.model)
                   ->build({"memory", config, 3, kSubCores, kWarps, *this, *this,
                            [this] { domain.wake(id_); }, contexts, events, backing})) {
    id_ = domain.join(*this);
    memory->socket().bind(checker.target);
    checker.initiator.bind(target.socket);
  }

  SmContext here() {
    SmContext context;
    context.index = 3;
    context.kernel_slots = 4;
    context.sub_cores = kSubCores;
    context.cycle = [this] { return now_; };
    context.events = &events;
    return context;
  }

  struct Step {
    Cycle cycle;
    MemoryRequest request;
  };
  /// Hands in `request` at edge `cycle`, or at the first edge after that with room; tokens count up from 0.
  std::uint32_t at(Cycle cycle, const ptx::MemoryAccess& access, unsigned warp = 0,
                   std::uint32_t launch = 0) {
    MemoryRequest request;
    request.access = access;
    request.owner.warp = static_cast<std::uint16_t>(warp);
    request.owner.launch = launch;
    request.owner.kernel_slot = static_cast<std::uint16_t>(launch % 4);
    request.local_base = kBase + (1 << 20);
    request.token = static_cast<std::uint32_t>(done.size());
    request.pc = pc;
    done.push_back(kNever);
    missed.push_back(kNever);
    accepted.push_back(kNever);
    completions.push_back(0);
    steps_.push_back({cycle, request});
    domain.wake(id_, cycle);
    return request.token;
  }
  /// Calls `what(edge)` within the evaluation of an edge.
  void call_at(Cycle cycle, std::function<void(Cycle)> what) {
    calls_.emplace(cycle, std::move(what));
    domain.wake(id_, cycle);
  }
  void run(double cycles = 100000) { sc_core::sc_start(cycles * domain.period()); }
  StatMap stats() const {
    StatMap map;
    memory->stats(map);
    return map;
  }

  void evaluate(Cycle now) override {
    ++ticks;
    now_ = now;
    if (accepts_first) hand_in(now);
    memory->evaluate(now);
    for (auto range = calls_.equal_range(now); range.first != range.second; ++range.first)
      range.first->second(now);
    if (!accepts_first) hand_in(now);
  }
  Cycle commit(Cycle now) override {
    memory->commit(now);
    Cycle next = memory->next_work(now);
    if (!steps_.empty()) next = std::min(next, std::max(steps_.front().cycle, now + 1));
    const auto call = calls_.upper_bound(now);
    return call == calls_.end() ? next : std::min(next, call->first);
  }
  void memory_missed(std::uint32_t token) override {
    EXPECT_EQ(missed.at(token), kNever) << "token " << token << " missed twice";
    EXPECT_EQ(done.at(token), kNever);
    missed[token] = now_;
  }
  void memory_done(std::uint32_t token) override {
    done.at(token) = now_;
    ++completions[token];
  }
  void stores_drained(unsigned warp) override {
    EXPECT_FALSE(memory->stores_outstanding(warp));
    drained.emplace_back(now_, warp);
  }
  void instruction_line_filled(std::uint64_t line, unsigned sub_core) override {
    lines_filled.emplace_back(now_, line);
    fillers.push_back(sub_core);
  }

  ClockDomain domain;
  ScriptedTarget target;
  ProtocolChecker checker;
  RegisterBlock registers;  ///< that the policies have declared
  SmEvents events;
  const SmContexts contexts;
  std::unique_ptr<MemorySide> memory;
  std::vector<Cycle> done, missed, accepted;
  std::vector<unsigned> completions;
  std::vector<std::pair<Cycle, unsigned>> drained;
  std::vector<std::pair<Cycle, std::uint64_t>> lines_filled;
  std::vector<unsigned> fillers;  ///< of lines_filled: the sub-core
  std::uint64_t ticks = 0;
  std::uint32_t pc = 0;        ///< of the instructions handed in from now on
  bool accepts_first = false;  ///< instructions are handed in before, not after, the memory side's evaluation

 private:
  void hand_in(Cycle now) {
    while (!steps_.empty() && steps_.front().cycle <= now && memory->can_accept(0)) {
      const Step step = steps_.front();
      steps_.pop_front();
      accepted[step.request.token] = now;
      memory->accept(step.request, now);
    }
  }

  unsigned id_ = 0;
  Cycle now_ = 0;
  std::deque<Step> steps_;
  std::multimap<Cycle, std::function<void(Cycle)>> calls_;
};

// ---- accesses

inline ptx::MemoryAccess access(ptx::Space space, unsigned bytes,
                                std::function<std::uint64_t(unsigned)> offset, ptx::LaneMask lanes = kAll) {
  ptx::MemoryAccess a;
  a.space = space;
  a.lanes = lanes;
  a.bytes = static_cast<std::uint8_t>(bytes);
  a.returns_value = true;
  for (unsigned lane = 0; lane < 32; ++lane) a.address[lane] = offset(lane);
  return a;
}
/// 32 consecutive words starting `line` lines from kBase.
inline ptx::MemoryAccess load_line(std::uint64_t line) {
  return access(ptx::Space::kGlobal, 4, [=](unsigned lane) { return kBase + line * 128 + lane * 4; });
}
/// One word, so one sector.
inline ptx::MemoryAccess load_word(std::uint64_t offset) {
  return access(ptx::Space::kGlobal, 4, [=](unsigned) { return kBase + offset; });
}
/// One word of each of `count` lines.
inline ptx::MemoryAccess load_lines(std::uint64_t first_line, unsigned count) {
  return access(ptx::Space::kGlobal, 4,
                [=](unsigned lane) { return kBase + (first_line + lane % count) * 128; });
}
inline ptx::MemoryAccess as_store(ptx::MemoryAccess a) {
  a.store = true;
  a.returns_value = false;
  return a;
}
inline ptx::MemoryAccess as_atomic(ptx::MemoryAccess a, bool returns_value) {
  a.atomic = true;
  a.returns_value = returns_value;
  return a;
}
inline ptx::MemoryAccess with_cache_op(ptx::MemoryAccess a, ptx::CacheOp op) {
  a.cache_op = static_cast<std::uint8_t>(op);
  return a;
}

/// A fetch of a program that goes on for long.
inline InstructionFetch fetch_at(std::uint64_t address, unsigned sub_core = 0) {
  return {address, address + (1 << 20), AccessOwner{}, sub_core};
}

/// A small cache with round numbers: 4 KiB, 4 ways of 8 sets, 10 cycles.
inline MemorySideConfig small_config() {
  MemorySideConfig config;
  config.l1.size_kib = 4;
  config.l1.latency = 10;
  config.shared.latency = 7;
  config.constant.latency = 5;
  return config;
}

}  // namespace warpvp::test
