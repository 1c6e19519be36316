// Jobs from the host's side: what the runtime puts into packets, and what it learns of jobs that ran and jobs
// that a scheduler rejected. The scheduler is a function of the test that starts every head but those it
// rejects.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "sw/runtime/runtime_impl.h"
#include "tests/control/rig.h"
#include "tests/control/scripted_core.h"
#include "tests/control/scripted_ptx.h"

namespace warpvp::test {
namespace {

namespace qc = regmap::qc;
namespace wd = regmap::wd;
namespace intc = regmap::intc;
namespace mailbox = regmap::mailbox;
using rt::Args;
using rt::Dim3;
using rt::JobState;
using rt::Stream;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

struct Head {
  std::uint32_t queue, job, index, kernels, flags;
  std::uint64_t deadline_ns, arrival_ns;
};

/// Starts whatever is ready, one after the other, and completes it.
class Scheduler {
 public:
  std::set<std::uint32_t> reject_jobs;     ///< with code 40 + job
  std::set<std::uint32_t> reject_kernels;  ///< index in the job; with code 7, the packet alone
  std::vector<Head> seen;
  std::function<void(ScriptedCore&, std::uint32_t)> on_word;

  void operator()(ScriptedCore& c) {
    c.write(intc::kBase + intc::kEnable, 1u << intc::kHead | 1u << intc::kEvent | 1u << intc::kMailbox);
    for (;;) {
      c.sleep();
      c.write(intc::kBase + intc::kPending, c.read(intc::kBase + intc::kPending));
      while (c.read(mailbox::kBase + mailbox::kToCoreCount) != 0) {
        const std::uint32_t word = c.read(mailbox::kBase + mailbox::kToCore);
        c.write(mailbox::kBase + mailbox::kToCorePop, 1);
        if (on_word) on_word(c, word);
      }
      while (const std::uint32_t event = c.read(qc::kBase + qc::kEvent)) {
        c.write(qc::kBase + qc::kEventPop, 1);
        finish(c, event);
      }
      for (std::uint32_t ready = c.read(qc::kBase + qc::kReady); ready != 0; ready &= ready - 1)
        start(c, static_cast<unsigned>(__builtin_ctz(ready)));
    }
  }

 private:
  struct Running {
    std::uint32_t queue = 0;
    std::uint64_t signal = 0;
  };
  void complete(ScriptedCore& c, const Running& r) {
    c.write(qc::kBase + qc::kSignal, static_cast<std::uint32_t>(r.signal));
    c.write(qc::kBase + qc::kSignal + 4, static_cast<std::uint32_t>(r.signal >> 32));
    c.write(qc::kBase + qc::kStartNs, 1000);
    c.write(qc::kBase + qc::kComplete, r.queue);
  }
  void finish(ScriptedCore& c, std::uint32_t event) {
    const auto kind = static_cast<qc::Event>(event >> 24);
    if (kind == qc::Event::kKernelDone) complete(c, slots_[event & 0xffff]);
    if (kind == qc::Event::kCopyDone) complete(c, engines_[event & 0xffff]);
  }
  void start(ScriptedCore& c, unsigned q) {
    const std::uint64_t head = qc::head(q);
    const std::uint32_t type = c.read(head + qc::kType);
    if (c.read(head + qc::kHeadInFlight) != 0) return;
    Head h{q,
           c.read(head + qc::kJob),
           c.read(head + qc::kJobIndex),
           c.read(head + qc::kJobKernels),
           c.read(head + qc::kJobFlags),
           c.read64(head + qc::kDeadlineNs),
           c.read64(head + qc::kJobArrivalNs)};
    if (h.job != 0) seen.push_back(h);
    if (reject_jobs.count(h.job) != 0) return c.write(qc::kBase + qc::kRejectJob, (40 + h.job) << 16 | q);
    if (h.job != 0 && reject_kernels.count(h.index) != 0)
      return c.write(qc::kBase + qc::kReject, 7u << 16 | q);
    const Running r{q, c.read64(head + qc::kHeadSignal)};
    if ((type & 0xff) == static_cast<std::uint32_t>(aql::PacketType::kBarrierAnd)) {
      c.write(qc::kBase + qc::kTake, qc::kNoDestination << 16 | q);
      complete(c, r);
      return;
    }
    const bool kernel = (type & 0xff) == static_cast<std::uint32_t>(aql::PacketType::kKernelDispatch);
    const std::uint32_t to = kernel ? q : 0;  // a slot for each queue
    c.write(qc::kBase + qc::kForward, to << 16 | q);
    c.write(kernel ? wd::slot(to) + wd::kSlotStart : regmap::dma::engine(to) + regmap::dma::kStart, 1);
    c.write(qc::kBase + qc::kTake, to << 16 | q);
    (kernel ? slots_ : engines_)[to] = r;
  }

  Running slots_[8], engines_[1];
};

struct Machine : ControlPath {
  Machine() : Machine(std::make_shared<Scheduler>()) {}

  void program(std::function<void(rt::Runtime&)> body) {
    run([this, body](HostInterface& host) {
      rt::RuntimeImpl runtime(host, *services);
      module = runtime.load_module("a.ptx");
      kernel = runtime.kernel(module, "add");
      buffer = runtime.malloc(64);
      body(runtime);
    });
  }
  void launch(rt::Runtime& device, Stream s, unsigned ctas = 2) {
    device.launch(kernel, Dim3(ctas), Dim3(64), Args::of(buffer), s);
  }

  std::shared_ptr<Scheduler> scheduler;
  rt::LaunchDirectory launches;
  rt::JobDirectory jobs;
  std::unique_ptr<rt::RuntimeServices> services;
  rt::ModuleHandle module;
  rt::Kernel kernel;
  rt::DevicePtr buffer = 0;

 private:
  explicit Machine(std::shared_ptr<Scheduler> s)
      : ControlPath("machine", options(s)), scheduler(std::move(s)) {
    ptx::KernelFacts k;
    k.name = "add";
    k.file = "a.ptx";
    k.code_bytes = 160;
    k.parameters = {{"add_param_0", ".u64", 0, 8}};
    k.parameter_bytes = 8;
    k.registers_per_thread = 20;
    ScriptedModule scripted;
    scripted.kernels = {k};
    scripted_modules()["a.ptx"] = scripted;
    const Options o = options(scheduler);
    services = std::make_unique<rt::RuntimeServices>(rt::RuntimeServices{
        faults, launches, jobs, o.resources, o.sms, o.processor.queues, {}, &scripted_loader(), true});
  }
  static Options options(const std::shared_ptr<Scheduler>& scheduler) {
    Options o;
    o.core = ScriptedCore::factory([scheduler](ScriptedCore& c) { (*scheduler)(c); });
    o.processor.queues = 8;
    o.distributor.slots = 8;
    o.dma_engines = 1;
    return o;
  }
};

rt::JobOptions job(const std::string& name, double deadline_us = 0, std::uint32_t kernels = 0) {
  rt::JobOptions options;
  options.name = name;
  options.deadline_us = deadline_us;
  options.kernels = kernels;
  return options;
}

double us(SimTime time) { return time.to_seconds() * 1e6; }

TEST(RuntimeJobs, PacketsNameTheirJob) {
  Machine m;
  m.program([&](rt::Runtime& device) {
    const Stream s = device.create_stream();
    m.launch(device, s);  // of no job
    device.host().sleep(SimTime::from_us(20));
    rt::JobOptions options = job("request", 500, 2);
    options.arrival = device.host().now() - SimTime::from_us(3);
    const rt::Job j = device.begin_job(s, options);
    EXPECT_EQ(device.job_status(j).state, JobState::kOpen);
    m.launch(device, s);
    m.launch(device, s);
    device.end_job(j);
    const rt::JobStatus status = device.synchronize(j);
    EXPECT_EQ(status.state, JobState::kComplete);
    EXPECT_EQ(status.met, true);
    EXPECT_EQ(us(status.deadline - status.arrival), 500);
    EXPECT_EQ(status.arrival, *options.arrival);
    ASSERT_EQ(m.scheduler->seen.size(), 2u);
    const auto ns = static_cast<std::uint64_t>(status.arrival.fs() / 1'000'000);
    for (unsigned i = 0; i < 2; ++i) {
      const Head& h = m.scheduler->seen[i];
      EXPECT_EQ(h.job, j.id);
      EXPECT_EQ(h.index, i);
      EXPECT_EQ(h.kernels, 2u);
      EXPECT_EQ(h.flags, i == 1 ? aql::kJobLast : 0u);
      EXPECT_EQ(h.arrival_ns, ns);
      EXPECT_EQ(h.deadline_ns, ns + 500'000);
    }
  });
  EXPECT_EQ(m.launches.launches()[0].job, 0u);
  EXPECT_EQ(m.launches.launches()[1].job, 1u);
  EXPECT_EQ(m.distributor.records()[1].job, 1u);
}

TEST(RuntimeJobs, WithoutANumberOfKernelsTheEndIsAPacketOfItsOwn) {
  Machine m;
  m.program([&](rt::Runtime& device) {
    const Stream s = device.create_stream();
    const rt::Job j = device.begin_job(s, job("open"));
    m.launch(device, s);
    device.memset_async(m.buffer, 0, 64, s);
    device.end_job(j);
    const rt::JobStatus status = device.synchronize(j);
    EXPECT_EQ(status.commands, 2u) << "the packet that tells the end is none of the host's";
    EXPECT_EQ(status.met, std::nullopt) << "it has no deadline";
    device.synchronize(s);
  });
  ASSERT_EQ(m.scheduler->seen.size(), 3u);
  EXPECT_EQ(m.scheduler->seen[1].flags, 0u);
  EXPECT_EQ(m.scheduler->seen[2].flags, aql::kJobLast);
}

TEST(RuntimeJobs, CopiesMayFollowTheLastKernelWhereTheNumberOfCommandsIsKnown) {
  Machine m;
  m.program([&](rt::Runtime& device) {
    const Stream s = device.create_stream();
    rt::JobOptions options = job("task", 500, 1);
    options.commands = 3;
    const rt::Job j = device.begin_job(s, options);
    device.memset_async(m.buffer, 0, 64, s);
    m.launch(device, s);
    const auto refused = [&](const char* text, auto call) {
      try {
        call();
        ADD_FAILURE() << "accepted: " << text;
      } catch (const InputError& error) {
        EXPECT_THAT(error.what(), HasSubstr(text));
      }
    };
    refused("was begun with 1 kernels and has them; no other kernel may follow",
            [&] { m.launch(device, s); });
    refused("was begun with 3 commands and has 2", [&] { device.end_job(j); });
    device.memset_async(m.buffer, 0, 64, s);
    refused("was begun with 3 commands and has them; nothing may follow",
            [&] { device.memset_async(m.buffer, 0, 64, s); });
    device.end_job(j);
    const rt::JobStatus status = device.synchronize(j);
    EXPECT_EQ(status.state, JobState::kComplete);
    EXPECT_EQ(status.commands, 3u);
    device.synchronize(s);
  });
  ASSERT_EQ(m.scheduler->seen.size(), 3u) << "no packet of the end's own";
  for (unsigned i = 0; i < 3; ++i) {
    EXPECT_EQ(m.scheduler->seen[i].kernels, 1u);
    EXPECT_EQ(m.scheduler->seen[i].flags, i == 2 ? aql::kJobLast : 0u);
  }
}

TEST(RuntimeJobs, ARejectedJobReturnsWithItsCodeAndTheOthersGoOn) {
  Machine m;
  m.scheduler->reject_jobs = {2};
  std::vector<std::uint8_t> host(64, 1);
  m.program([&](rt::Runtime& device) {
    device.memset_async(m.buffer, 9, 64, Stream{0});
    device.synchronize();
    const Stream a = device.create_stream(), b = device.create_stream();
    const rt::Job first = device.begin_job(a, job("first", 1000));
    m.launch(device, a);
    device.end_job(first);
    const rt::Job second = device.begin_job(b, job("second", 1000));
    m.launch(device, b);
    device.copy_to_host_async(host.data(), m.buffer, 64, b);
    const rt::Event event = device.record(b);
    device.end_job(second);
    const rt::Job third = device.begin_job(b, job("third", 1000));
    m.launch(device, b);
    device.end_job(third);
    device.synchronize(event);
    EXPECT_EQ(host[0], 1) << "copies of a rejected job do not happen";
    const rt::JobStatus rejected = device.synchronize(second);
    EXPECT_EQ(rejected.state, JobState::kRejected);
    EXPECT_EQ(rejected.code, 42u);
    EXPECT_EQ(rejected.met, false);
    EXPECT_EQ(rejected.start, std::nullopt);
    EXPECT_GT(*rejected.end, rejected.arrival);
    EXPECT_EQ(rejected.commands_rejected, 3u);
    EXPECT_EQ(device.synchronize(first).state, JobState::kComplete);
    EXPECT_EQ(device.synchronize(third).state, JobState::kComplete);
    device.synchronize();
  });
  EXPECT_FALSE(m.faults.faulted());
  EXPECT_EQ(m.distributor.records().size(), 2u) << "no kernel of the second job";
}

TEST(RuntimeJobs, OneRejectedKernelLeavesTheRestOfItsJob) {
  Machine m;
  m.scheduler->reject_kernels = {1};
  m.program([&](rt::Runtime& device) {
    const rt::Job j = device.begin_job(Stream{0}, job("", 0, 3));
    for (int i = 0; i < 3; ++i) m.launch(device, Stream{0});
    device.end_job(j);
    const rt::JobStatus status = device.synchronize(j);
    EXPECT_EQ(status.state, JobState::kRejected);
    EXPECT_EQ(status.code, 7u);
    EXPECT_EQ(status.commands_rejected, 1u);
  });
  EXPECT_EQ(m.distributor.records().size(), 2u);
  EXPECT_EQ(m.jobs.at(1).name, "job1");
}

TEST(RuntimeJobs, AJobThatEndsTooLateMissesItsDeadline) {
  Machine m;
  m.sms.cycles = [](const CtaLaunch&) { return 50'000; };
  m.program([&](rt::Runtime& device) {
    const rt::Job j = device.begin_job(Stream{0}, job("late", 40, 1));
    m.launch(device, Stream{0});
    device.end_job(j);
    EXPECT_EQ(device.job_status(j).state, JobState::kQueued);
    EXPECT_EQ(device.job_status(j).met, std::nullopt);
    EXPECT_EQ(device.synchronize(j).met, false);
  });
}

TEST(RuntimeJobs, TheDeviceMayBeToldAnotherDeadlineThanTheOneThatCounts) {
  Machine m;
  m.sms.cycles = [](const CtaLaunch&) { return 50'000; };
  m.program([&](rt::Runtime& device) {
    rt::JobOptions options = job("wrong", 40, 1);
    options.told_deadline_us = 4000;
    const rt::Job j = device.begin_job(Stream{0}, options);
    m.launch(device, Stream{0});
    device.end_job(j);
    const rt::JobStatus status = device.synchronize(j);
    EXPECT_EQ(status.met, false);
    EXPECT_EQ(us(status.deadline - status.arrival), 40);
    const Head& h = m.scheduler->seen.at(0);
    EXPECT_EQ(h.deadline_ns - h.arrival_ns, 4'000'000u);
  });
}

TEST(RuntimeJobs, TheHostMayRejectAJobBeforeTheDeviceHearsOfIt) {
  Machine m;
  m.program([&](rt::Runtime& device) {
    const Stream s = device.create_stream();
    const rt::Job first = device.begin_job(s, job("first", 1000));
    device.host().sleep(SimTime::from_us(2));
    device.reject_job(first, 12);
    const rt::JobStatus status = device.synchronize(first);
    EXPECT_EQ(status.state, JobState::kRejected);
    EXPECT_EQ(status.code, 12u);
    EXPECT_EQ(status.met, false);
    EXPECT_EQ(*status.end - status.arrival, SimTime::from_us(2));
    const rt::Job second = device.begin_job(s, job("second", 1000, 1));  // the stream is free again
    m.launch(device, s);
    device.end_job(second);
    EXPECT_EQ(device.synchronize(second).state, JobState::kComplete);
  });
  EXPECT_EQ(m.scheduler->seen.size(), 1u);
}

TEST(RuntimeJobs, ABatchIsAKernelOfEachOfItsJobs) {
  Machine m;
  m.program([&](rt::Runtime& device) {
    const Stream a = device.create_stream(), b = device.create_stream(), c = device.create_stream();
    const rt::Job one = device.begin_job(a, job("one", 1000, 2)),
                  two = device.begin_job(b, job("two", 1000, 1));
    EXPECT_FALSE(device.next_completion());
    rt::LaunchOptions options;
    options.batch = {one, two};
    device.launch(m.kernel, Dim3(5), Dim3(64), Args::of(m.buffer), c, options);
    device.end_job(two);
    m.launch(device, a);
    device.end_job(one);
    EXPECT_EQ(device.synchronize(two).state, JobState::kComplete);
    EXPECT_EQ(device.synchronize(one).state, JobState::kComplete);
    std::vector<std::uint32_t> completed;
    while (const auto completion = device.next_completion()) {
      EXPECT_EQ(completion->code, 0u);
      EXPECT_GT(completion->end, completion->start);
      completed.push_back(completion->job.id);
    }
    EXPECT_THAT(completed, testing::UnorderedElementsAre(one.id, one.id, two.id));
  });
  EXPECT_EQ(m.distributor.records().size(), 2u);
  EXPECT_EQ(m.distributor.records()[0].job, 0u) << "to the device a batch is a kernel of no job";
  EXPECT_THAT(m.launches.launches()[0].batch, ElementsAre(1u, 2u));
}

TEST(RuntimeJobs, TheHostWaitsUntilATimeOrSomethingHolds) {
  Machine m;
  m.program([&](rt::Runtime& device) {
    HostInterface& host = device.host();
    const SimTime begin = host.now();
    EXPECT_FALSE(host.wait_until([] { return false; }, begin + SimTime::from_us(7)));
    EXPECT_EQ(host.now() - begin, SimTime::from_us(7));
    EXPECT_TRUE(host.wait_until([] { return true; }, begin));
    EXPECT_FALSE(host.wait_until([] { return false; }, begin));
    EXPECT_EQ(host.now() - begin, SimTime::from_us(7)) << "a time that has passed is no wait";
    const rt::Job j = device.begin_job(Stream{0}, job("j", 0, 1));
    m.launch(device, Stream{0});
    device.end_job(j);
    const SimTime late = host.now() + SimTime::from_us(100'000);
    EXPECT_TRUE(host.wait_until([&] { return device.job_status(j).state == JobState::kComplete; }, late));
    EXPECT_LT(host.now(), late);
  });
}

TEST(RuntimeJobs, WrongUseIsRefusedInOneLine) {
  Machine m;
  m.program([&](rt::Runtime& device) {
    const auto refused = [](const char* text, auto call) {
      try {
        call();
        ADD_FAILURE() << "accepted: " << text;
      } catch (const InputError& error) {
        EXPECT_THAT(error.what(), HasSubstr(text));
      }
    };
    const Stream s = device.create_stream({"mine", 0, 0});
    refused("a deadline of -1 us, before the job's arrival; allowed: from 0 (none) to 1e9 us after",
            [&] { device.begin_job(s, job("x", -1)); });
    refused("which is in the future", [&] {
      rt::JobOptions o = job("x");
      o.arrival = device.host().now() + SimTime::from_us(1);
      device.begin_job(s, o);
    });
    refused("begin_job: no stream 77", [&] { device.begin_job(Stream{77}); });
    const rt::Job j = device.begin_job(s, job("mine", 0, 2));
    refused("stream 'mine' has job 'mine' open; end that first", [&] { device.begin_job(s); });
    refused("job 'mine' has no commands", [&] { device.end_job(j); });
    m.launch(device, s);
    refused("was begun with 2 kernels and has 1", [&] { device.end_job(j); });
    refused("synchronize: job 'mine' is open", [&] { device.synchronize(j); });
    refused("a launch of a job has the job's deadline", [&] {
      rt::LaunchOptions o;
      o.deadline_us = 5;
      device.launch(m.kernel, Dim3(1), Dim3(32), Args::of(m.buffer), s, o);
    });
    m.launch(device, s);
    refused("was begun with 2 kernels and has them; nothing may follow", [&] { m.launch(device, s); });
    refused("nothing may follow", [&] { device.memset_async(m.buffer, 0, 4, s); });
    refused("reject_job: job 'mine' with code 0; allowed: 1 to 65535", [&] { device.reject_job(j, 0); });
    refused("reject_job: job 'mine' has commands that the device has", [&] { device.reject_job(j, 1); });
    rt::LaunchOptions batch;
    batch.batch = {j};
    refused("a batch in stream 'mine', which has job 'mine' open",
            [&] { device.launch(m.kernel, Dim3(1), Dim3(64), Args::of(m.buffer), s, batch); });
    batch.batch = {j, j};
    refused("job 'mine' is in its batch twice",
            [&] { device.launch(m.kernel, Dim3(1), Dim3(64), Args::of(m.buffer), Stream{0}, batch); });
    refused("begin_job 'x': a deadline of 2000000000 us; allowed",
            [&] { device.begin_job(Stream{0}, job("x", 2e9)); });
    refused("the device is told a deadline of -5 us, before the job's arrival", [&] {
      rt::JobOptions o = job("x");
      o.told_deadline_us = -5;
      device.begin_job(Stream{0}, o);
    });
    device.end_job(j);
    refused("has ended already", [&] { device.end_job(j); });
    refused("job_status: no job 9; 1 were begun", [&] { device.job_status(rt::Job{9}); });
    device.synchronize();
  });
}

TEST(RuntimeJobs, WordsGoToTheFirmwareAndBack) {
  Machine m;
  m.scheduler->on_word = [](ScriptedCore& c, std::uint32_t word) {
    for (std::uint32_t i = 0; i < 2; ++i) c.write(mailbox::kBase + mailbox::kToHost, 2 * word + i);
  };
  std::vector<std::uint32_t> words;
  m.program([&](rt::Runtime& device) {
    EXPECT_EQ(device.receive_from_firmware(false), std::nullopt);
    for (std::uint32_t i = 0; i < 25; ++i) device.send_to_firmware(i);  // more than wait at once
    for (int i = 0; i < 50; ++i) words.push_back(*device.receive_from_firmware());
    EXPECT_EQ(device.receive_from_firmware(false), std::nullopt);
    // More than the host keeps.
    for (std::uint32_t i = 0; i < 40; ++i) device.send_to_firmware(i);
    device.host().sleep(SimTime::from_us(200));
    try {
      device.receive_from_firmware();
      ADD_FAILURE();
    } catch (const InputError& error) {
      EXPECT_THAT(error.what(), HasSubstr("words of the firmware are lost; at most 64 wait"));
    }
  });
  std::vector<std::uint32_t> expected(50);
  for (std::uint32_t i = 0; i < 50; ++i) expected[i] = i;
  EXPECT_EQ(words, expected);
}

TEST(RuntimeJobs, WithoutFirmwareThereIsNobodyToTalkTo) {
  Machine m;
  m.services->firmware = false;
  m.program([&](rt::Runtime& device) {
    EXPECT_THROW(device.send_to_firmware(1), InputError);
    EXPECT_THROW(device.receive_from_firmware(), InputError);
  });
}

}  // namespace
}  // namespace warpvp::test
