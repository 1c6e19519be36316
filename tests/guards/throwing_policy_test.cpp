// Policies that throw, out of each function that the model calls, and blocks that throw: the run ends with
// exit status 3 and one line that names the part and what it threw.

#include <gmock/gmock.h>
#include <tlm_utils/simple_target_socket.h>

#include "base/registry.h"
#include "interconnect/cache/prefetcher.h"
#include "interconnect/cache/replacement_policy.h"
#include "interconnect/clock_domain.h"
#include "modules/command_processor/command_processor.h"
#include "modules/dram/address_mapping.h"
#include "modules/dram/memory_channel.h"
#include "modules/dram/page_policy.h"
#include "modules/dram/refresh_policy.h"
#include "modules/dram/scheduler.h"
#include "modules/dram/write_drain_policy.h"
#include "modules/l2/l2_bank.h"
#include "modules/l2/write_back_policy.h"
#include "modules/l2/write_policy.h"
#include "modules/sm/memory/miss_queue.h"
#include "modules/sm/policies.h"
#include "modules/work_distributor/partition_policy.h"
#include "modules/work_distributor/policy.h"
#include "tests/guards/run.h"

namespace warpvp::test {
namespace {

using ::testing::HasSubstr;
using ::testing::MatchesRegex;

[[noreturn]] void boom() { throw std::runtime_error("boom\nin two lines"); }
/// In the named function only.
void boom_in(const std::string& where, const char* here) {
  if (where == here) boom();
}

/// Which function of the policy throws.
struct Where {
  std::string where = "pick";
  void fields(FieldVisitor& v) { v.field("where", where, "Which function throws."); }
};

struct ThrowingScheduler : WarpPolicy<ThrowingScheduler> {
  explicit ThrowingScheduler(const Where& params) : where(params.where) { boom_in(where, "constructor"); }
  ThrowingScheduler(const ThrowingScheduler& other) : WarpPolicy(other), where(other.where) {
    boom_in(where, "clone");
  }
  void warp_started(unsigned, const WarpInfo&) override { boom_in(where, "warp_started"); }
  void warp_finished(unsigned) override { boom_in(where, "warp_finished"); }
  unsigned pick(const IssueView& view) override {
    boom_in(where, "pick");
    if (where == "words") throw "words";
    if (where == "number") throw 7;
    if (where == "input") throw InputError("no input is read here");
    if (where == "memory") throw std::bad_alloc();
    if (where == "report") SC_REPORT_ERROR("own", "a report");
    return view.ready ? static_cast<unsigned>(__builtin_ctzll(view.ready)) : kNoWarp;
  }
  const std::string where;
};
WARPVP_REGISTER_POLICY_WITH_PARAMS(WarpSchedulerPolicy, ThrowingScheduler, Where, "throwing", "Throws.");

struct ThrowingFetch : FetchPolicy {
  explicit ThrowingFetch(const Where& params) : where(params.where) {}
  void warp_started(unsigned, const WarpInfo&) override { boom_in(where, "warp_started"); }
  void warp_finished(unsigned) override { boom_in(where, "warp_finished"); }
  unsigned pick(const FetchView& view, const std::uint8_t*) override {
    boom_in(where, "pick");
    return static_cast<unsigned>(__builtin_ctzll(view.fetchable));
  }
  const std::string where;
};
WARPVP_REGISTER_POLICY_WITH_PARAMS(FetchPolicy, ThrowingFetch, Where, "throwing", "Throws.");

struct ThrowingQueue : MissQueue {
  explicit ThrowingQueue(const Where& params) : where(params.where) {}
  void configure(unsigned) override { boom_in(where, "configure"); }
  bool can_push(unsigned, unsigned count) const override {
    boom_in(where, "can_push");
    return waiting.size() + count < 16;
  }
  void push(Transaction& request, Cycle) override {
    boom_in(where, "push");
    waiting.push_back(&request);
  }
  Transaction* pop(Cycle) override {
    boom_in(where, "pop");
    if (waiting.empty()) return nullptr;
    Transaction* request = waiting.front();
    waiting.erase(waiting.begin());
    return request;
  }
  bool empty() const override {
    boom_in(where, "empty");
    return waiting.empty();
  }
  Cycle next_issue(Cycle now) const override {
    boom_in(where, "next_issue");
    return waiting.empty() ? kNever : now + 1;
  }
  void response(const MemExtension&, bool, Cycle) override { boom_in(where, "response"); }
  void stats(StatVisitor&) const override {}
  const std::string where;
  std::vector<Transaction*> waiting;
};
WARPVP_REGISTER_POLICY_WITH_PARAMS(MissQueue, ThrowingQueue, Where, "throwing", "Throws.");

struct ThrowingDispatch : CtaDispatchPolicy {
  explicit ThrowingDispatch(const Where& params) : where(params.where) {}
  void kernels_changed(const DispatchState&) override { boom_in(where, "kernels_changed"); }
  std::optional<Choice> pick(const DispatchState&) override { boom(); }
  const std::string where;
};
WARPVP_REGISTER_POLICY_WITH_PARAMS(CtaDispatchPolicy, ThrowingDispatch, Where, "throwing", "Throws.");

struct ThrowingPartition : PartitionPolicy {
  void partition(const DispatchState&, SmVerbs&) override { boom(); }
};
WARPVP_REGISTER_POLICY(CtaDispatchPolicy, ThrowingPartition, "throwing_partition", "Throws.");

struct ThrowingReplacement : ReplacementPolicy {
  explicit ThrowingReplacement(const Where& params) : where(params.where) {}
  void configure(const Cache&) override { boom_in(where, "configure"); }
  std::uint32_t victim(const Full&) override { boom(); }
  Place allocated(std::uint32_t, std::uint32_t, const CacheUser&) override {
    boom_in(where, "allocated");
    return Place::kNewest;
  }
  void touched(std::uint32_t, std::uint32_t, const CacheUser&) override { boom_in(where, "touched"); }
  void removed(std::uint32_t, std::uint32_t) override { boom_in(where, "removed"); }
  const std::string where;
};
WARPVP_REGISTER_POLICY_WITH_PARAMS(ReplacementPolicy, ThrowingReplacement, Where, "throwing", "Throws.");

struct ThrowingWriteBack : L2WriteBackPolicy {
  bool clean(const State&) override { boom(); }
};
WARPVP_REGISTER_POLICY(L2WriteBackPolicy, ThrowingWriteBack, "throwing", "Throws.");

struct ThrowingPrefetcher : Prefetcher {
  explicit ThrowingPrefetcher(const Where& params) : where(params.where) {}
  void configure(const Cache&) override { boom_in(where, "configure"); }
  void access(const Access&, Proposals&) override { boom_in(where, "access"); }
  const std::string where;
};
WARPVP_REGISTER_POLICY_WITH_PARAMS(Prefetcher, ThrowingPrefetcher, Where, "throwing", "Throws.");

struct ThrowingWritePolicy : L2WritePolicy {
  Decision decide(const Write&) override { boom(); }
};
WARPVP_REGISTER_POLICY(L2WritePolicy, ThrowingWritePolicy, "throwing", "Throws.");

struct ThrowingDram : DramScheduler {
  explicit ThrowingDram(const Where& params) : where(params.where) {}
  int pick(const std::vector<Candidate>& candidates, Cycle now) override {
    boom_in(where, "pick");
    for (std::size_t i = 0; i < candidates.size(); ++i)
      if (candidates[i].earliest <= now) return static_cast<int>(i);
    return -1;
  }
  void issued(const Candidate&, Cycle) override { boom_in(where, "issued"); }
  const std::string where;
};
WARPVP_REGISTER_POLICY_WITH_PARAMS(DramScheduler, ThrowingDram, Where, "throwing", "Throws.");

struct ThrowingPage : DramPagePolicy {
  explicit ThrowingPage(const Where& params) : where(params.where) {}
  void configure(const DramTiming&) override { boom_in(where, "configure"); }
  Cycle close_at(const Access&, Cycle) override { boom(); }
  const std::string where;
};
WARPVP_REGISTER_POLICY_WITH_PARAMS(DramPagePolicy, ThrowingPage, Where, "throwing", "Throws.");

struct ThrowingRefresh : DramRefreshPolicy {
  explicit ThrowingRefresh(const Where& params) : where(params.where) {}
  void configure(const DramTiming&) override {}
  Cycle next() const override {
    boom_in(where, "next");
    return 500;
  }
  Refresh take(Cycle, std::uint64_t) override { boom(); }
  const std::string where;
};
WARPVP_REGISTER_POLICY_WITH_PARAMS(DramRefreshPolicy, ThrowingRefresh, Where, "throwing", "Throws.");

struct ThrowingDrain : DramWriteDrainPolicy {
  void configure(const Queue&) override {}
  bool drain(const View&) const override { boom(); }
};
WARPVP_REGISTER_POLICY(DramWriteDrainPolicy, ThrowingDrain, "throwing", "Throws.");

struct ThrowingMapping : DramAddressMapping {
  void configure(const DramGeometry&) override {}
  DramPlace place(std::uint64_t) const override { boom(); }
};
WARPVP_REGISTER_POLICY(DramAddressMapping, ThrowingMapping, "throwing", "Throws.");

struct ThrowingL2Type : L2Type {
  std::unique_ptr<L2Bank> build(const char*, const L2Place&) const override { boom(); }
};
WARPVP_REGISTER_POLICY(L2Type, ThrowingL2Type, "throwing", "Throws.");

struct ThrowingProcessorType : CommandProcessorType {
  std::unique_ptr<CommandProcessor> build(const char*, const CommandProcessorPlace&) const override {
    SC_REPORT_ERROR("own", "a report");
    return nullptr;
  }
};
WARPVP_REGISTER_POLICY(CommandProcessorType, ThrowingProcessorType, "throwing", "Throws.");

/// A channel that throws in one of its own edges, or in a process of its own.
class ThrowingChannel : public MemoryChannel, private Clocked {
 public:
  SC_HAS_PROCESS(ThrowingChannel);
  ThrowingChannel(sc_core::sc_module_name name, const MemoryChannelPlace& place, const std::string& where)
      : MemoryChannel(name), where_(where) {
    for (unsigned i = 0; i < place.ports; ++i) {
      sockets_.push_back(std::make_unique<Socket>(("in_" + std::to_string(i)).c_str()));
      sockets_.back()->register_b_transport(this, &ThrowingChannel::b_transport);
    }
    place.domain.wake(place.domain.join(*this), 3);
    if (where == "process") SC_THREAD(run);
  }
  tlm::tlm_target_socket<>& in(unsigned port) override { return *sockets_[port]; }
  const PerLaunch<MemoryCounters>& launches() const override { return launches_; }
  void stats(StatVisitor&) const override {}

 private:
  using Socket = tlm_utils::simple_target_socket<ThrowingChannel>;
  void run() {
    wait(10, sc_core::SC_NS);
    boom();
  }
  void b_transport(tlm::tlm_generic_payload& payload, sc_core::sc_time&) {
    payload.set_response_status(tlm::TLM_OK_RESPONSE);
  }
  void evaluate(Cycle) override { boom_in(where_, "evaluate"); }
  Cycle commit(Cycle) override {
    boom_in(where_, "commit");
    return kNever;
  }
  const std::string where_;
  std::vector<std::unique_ptr<Socket>> sockets_;
  PerLaunch<MemoryCounters> launches_;
};

struct Case {
  const char* name;
  const char* setting;  ///< below `platform`
  const char* value;
  const char* message;  ///< regular expression
};
void PrintTo(const Case& c, std::ostream* out) { *out << c.name; }

RunOutcome run_case(const Folder& folder, const Case& c) {
  return run_yaml(folder, "platform: small\nworkload: {app: vector_add, params: {count: 20000}}\n",
                  {std::string("platform.") + c.setting + "=" + c.value});
}

class Thrown : public ::testing::TestWithParam<Case> {};

TEST_P(Thrown, EndsTheRunNamingThePolicyAndWhatItThrew) {
  const Folder folder;
  const RunOutcome run = run_case(folder, GetParam());
  EXPECT_EQ(run.status, 3);
  const std::string message = run.result["message"].get<std::string>();
  EXPECT_THAT(message, MatchesRegex(GetParam().message));
  EXPECT_EQ(message.find('\n'), std::string::npos);
}

#define RUNTIME_ERROR "std::runtime_error: boom in two lines; at [0-9.]+ [fpnum]?s"
INSTANTIATE_TEST_SUITE_P(
    Policies, Thrown,
    ::testing::Values(
        Case{"scheduler_pick", "sm.warp_scheduler", "{name: throwing, where: pick}",
             "warp_scheduler policy 'throwing' threw " RUNTIME_ERROR},
        Case{"scheduler_started", "sm.warp_scheduler", "{name: throwing, where: warp_started}",
             "warp_scheduler policy 'throwing' threw " RUNTIME_ERROR},
        Case{"scheduler_finished", "sm.warp_scheduler", "{name: throwing, where: warp_finished}",
             "warp_scheduler policy 'throwing' threw " RUNTIME_ERROR},
        Case{"scheduler_words", "sm.warp_scheduler", "{name: throwing, where: words}",
             "warp_scheduler policy 'throwing' threw words; at .*"},
        Case{"scheduler_number", "sm.warp_scheduler", "{name: throwing, where: number}",
             "warp_scheduler policy 'throwing' threw an object of type int; at .*"},
        Case{"scheduler_input", "sm.warp_scheduler", "{name: throwing, where: input}",
             "warp_scheduler policy 'throwing' threw warpvp::InputError: no input is read here; at .*"},
        Case{"scheduler_memory", "sm.warp_scheduler", "{name: throwing, where: memory}",
             "warp_scheduler policy 'throwing' threw std::bad_alloc: std::bad_alloc; at .*"},
        Case{"scheduler_report", "sm.warp_scheduler", "{name: throwing, where: report}",
             "warp_scheduler policy 'throwing' threw own: a report; at .*"},
        Case{"fetch_pick", "sm.frontend.fetch_scheduler", "{name: throwing, where: pick}",
             "fetch_scheduler policy 'throwing' threw " RUNTIME_ERROR},
        Case{"fetch_started", "sm.frontend.fetch_scheduler", "{name: throwing, where: warp_started}",
             "fetch_scheduler policy 'throwing' threw " RUNTIME_ERROR},
        Case{"fetch_finished", "sm.frontend.fetch_scheduler", "{name: throwing, where: warp_finished}",
             "fetch_scheduler policy 'throwing' threw " RUNTIME_ERROR},
        Case{"queue_can_push", "sm.memory.l1.miss_queue", "{name: throwing, where: can_push}",
             "miss_queue policy 'throwing' threw " RUNTIME_ERROR},
        Case{"queue_push", "sm.memory.l1.miss_queue", "{name: throwing, where: push}",
             "miss_queue policy 'throwing' threw " RUNTIME_ERROR},
        Case{"queue_pop", "sm.memory.l1.miss_queue", "{name: throwing, where: pop}",
             "miss_queue policy 'throwing' threw " RUNTIME_ERROR},
        Case{"queue_empty", "sm.memory.l1.miss_queue", "{name: throwing, where: empty}",
             "miss_queue policy 'throwing' threw " RUNTIME_ERROR},
        Case{"queue_next_issue", "sm.memory.l1.miss_queue", "{name: throwing, where: next_issue}",
             "miss_queue policy 'throwing' threw " RUNTIME_ERROR},
        Case{"queue_response", "sm.memory.l1.miss_queue", "{name: throwing, where: response}",
             "miss_queue policy 'throwing' threw " RUNTIME_ERROR},
        Case{"dispatch_pick", "work_distributor.policy", "{name: throwing, where: pick}",
             "cta_dispatch policy 'throwing' threw " RUNTIME_ERROR},
        Case{"dispatch_changed", "work_distributor.policy", "{name: throwing, where: kernels_changed}",
             "cta_dispatch policy 'throwing' threw " RUNTIME_ERROR},
        Case{"partition", "work_distributor.policy", "throwing_partition",
             "cta_dispatch policy 'throwing_partition' threw " RUNTIME_ERROR},
        Case{"l2_allocated", "l2.replacement", "{name: throwing, where: allocated}",
             "replacement policy 'throwing' threw " RUNTIME_ERROR},
        Case{"l2_touched", "l2.replacement", "{name: throwing, where: touched}",
             "replacement policy 'throwing' threw " RUNTIME_ERROR},
        Case{"l1_allocated", "sm.memory.l1.replacement", "{name: throwing, where: allocated}",
             "replacement policy 'throwing' threw " RUNTIME_ERROR},
        Case{"l1_prefetch", "sm.memory.l1.prefetcher", "{name: throwing, where: access}",
             "prefetcher policy 'throwing' threw " RUNTIME_ERROR},
        Case{"l2_prefetch", "l2.prefetcher", "{name: throwing, where: access}",
             "prefetcher policy 'throwing' threw " RUNTIME_ERROR},
        Case{"l2_decide", "l2.write_policy", "throwing",
             "l2_write_policy policy 'throwing' threw " RUNTIME_ERROR},
        Case{"l2_clean", "l2.write_back", "throwing", "l2_write_back policy 'throwing' threw " RUNTIME_ERROR},
        Case{"dram_pick", "dram.scheduler", "{name: throwing, where: pick}",
             "dram_scheduler policy 'throwing' threw " RUNTIME_ERROR},
        Case{"dram_issued", "dram.scheduler", "{name: throwing, where: issued}",
             "dram_scheduler policy 'throwing' threw " RUNTIME_ERROR},
        Case{"dram_close_at", "dram.page_policy", "throwing",
             "dram_page_policy policy 'throwing' threw " RUNTIME_ERROR},
        Case{"dram_refresh", "dram.refresh", "throwing",
             "dram_refresh policy 'throwing' threw " RUNTIME_ERROR},
        Case{"dram_drain", "dram.write_drain", "throwing",
             "dram_write_drain policy 'throwing' threw " RUNTIME_ERROR},
        Case{"dram_place", "dram.address_mapping", "throwing",
             "dram_address_mapping policy 'throwing' threw " RUNTIME_ERROR},
        Case{"block_evaluate", "dram", "throwing_in_evaluate",
             "block platform.dram_[0-9] threw " RUNTIME_ERROR},
        Case{"block_commit", "dram", "throwing_in_commit", "block platform.dram_[0-9] threw " RUNTIME_ERROR},
        Case{"block_process", "dram", "throwing_in_process", "process platform.dram_[0-9].run threw boom.*"}),
    [](const auto& info) { return info.param.name; });

class ThrownEarly : public ::testing::TestWithParam<Case> {};

TEST_P(ThrownEarly, WhileThePlatformIsBuiltComesOutOfTheSession) {
  const Folder folder;
  try {
    run_case(folder, GetParam());
    ADD_FAILURE() << "nothing was thrown";
  } catch (const std::exception& error) {
    EXPECT_EQ(exit_code_of(error), ExitCode::kDeviceFault);
    EXPECT_THAT(error.what(), MatchesRegex(GetParam().message));
  }
}

INSTANTIATE_TEST_SUITE_P(
    Parts, ThrownEarly,
    ::testing::Values(
        Case{"scheduler_constructor", "sm.warp_scheduler", "{name: throwing, where: constructor}",
             "warp_scheduler 'throwing' threw std::runtime_error: boom in two lines when it was made"},
        Case{"queue_configure", "sm.memory.l1.miss_queue", "{name: throwing, where: configure}",
             "miss_queue policy 'throwing' threw std::runtime_error: boom in two lines; at 0 s"},
        Case{"l2_configure", "l2.replacement", "{name: throwing, where: configure}",
             "replacement policy 'throwing' threw std::runtime_error: boom in two lines; at 0 s"},
        Case{"page_configure", "dram.page_policy", "{name: throwing, where: configure}",
             "dram_page_policy policy 'throwing' threw std::runtime_error: boom in two lines; at 0 s"},
        Case{"refresh_next", "dram.refresh", "{name: throwing, where: next}",
             "dram_refresh policy 'throwing' threw std::runtime_error: boom in two lines; at 0 s"},
        Case{"l2_built", "l2.type", "throwing",
             "l2 'throwing' threw std::runtime_error: boom in two lines when block l2_0 was built"},
        Case{"command_processor_built", "command_processor.type", "throwing",
             "command_processor 'throwing' threw own: a report when block command_processor was built"}),
    [](const auto& info) { return info.param.name; });

template <int where>
struct ThrowingChannelType : MemoryChannelType {
  double clock_mhz() const override { return 1000; }
  double peak_bytes_per_second() const override { return 0; }
  std::unique_ptr<MemoryChannel> build(const char* name, const MemoryChannelPlace& place) const override {
    static const char* const kWhere[] = {"evaluate", "commit", "process"};
    return std::make_unique<ThrowingChannel>(name, place, kWhere[where]);
  }
};
using InEvaluate = ThrowingChannelType<0>;
using InCommit = ThrowingChannelType<1>;
using InProcess = ThrowingChannelType<2>;
WARPVP_REGISTER_POLICY(MemoryChannelType, InEvaluate, "throwing_in_evaluate", "Throws.");
WARPVP_REGISTER_POLICY(MemoryChannelType, InCommit, "throwing_in_commit", "Throws.");
WARPVP_REGISTER_POLICY(MemoryChannelType, InProcess, "throwing_in_process", "Throws.");

TEST(Thrown, TheCopiesOfAnOracleAreThePolicys) {
  const Folder folder;
  const RunOutcome run =
      run_yaml(folder, "platform: small\nworkload: {app: vector_add}\n",
               {"platform.sm.warp_scheduler={name: throwing, where: clone}", "platform.sm.oracle=true"});
  EXPECT_EQ(run.status, 3);
  EXPECT_THAT(run.err, HasSubstr("warp_scheduler policy 'throwing' threw std::runtime_error: boom"));
}

TEST(Thrown, OnAnotherThreadOfTheHostAsWell) {
  const Folder folder;
  const RunOutcome run = run_yaml(
      folder, "platform: small\nworkload: {app: vector_add}\n",
      {"platform.sm.warp_scheduler={name: throwing}", "platform.sms=8", "platform.evaluation.threads=4"});
  EXPECT_EQ(run.status, 3);
  EXPECT_THAT(run.err, HasSubstr("warp_scheduler policy 'throwing' threw std::runtime_error: boom"));
}

}  // namespace
}  // namespace warpvp::test
