// What a policy may do and is told, and that C and C++ mean the same by their numbers.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "interconnect/aql.h"
#include "interconnect/register_map.h"
#include "tests/firmware/scripted_machine.h"

namespace warpvp::test {
namespace {

using ::testing::ElementsAre;

std::vector<std::string> calls;
bool hold = false, stop = false;
int bad_pick = -1;

void note(const char* what, unsigned queue) {
  calls.push_back(std::string(what) + " q" + std::to_string(queue));
}
void init() { calls.push_back("init"); }
void head(unsigned q) {
  note("head", q);
  if (stop) fw_stop(q, FW_BAD_ADDRESS);
}
void prepare(unsigned q, unsigned slot) {
  note("prepare", q);
  hal_write32(WD_KSR_PRIORITY(slot), 42);
}
void started(unsigned q, unsigned destination) {
  note(destination == FW_NO_DESTINATION ? "started barrier" : "started", q);
  if (destination != FW_NO_DESTINATION && fw_queues[q].type == FW_KERNEL) {
    EXPECT_EQ(fw_slot_queue(destination), static_cast<int>(q));
  }
}
void completed(unsigned q, unsigned) { note("completed", q); }
void forgotten(unsigned q) { note("forgotten", q); }
void end_hold(std::uint32_t) { hold = false; }
int pick(const fw_set* can_start) {
  if (hold) return -1;
  return bad_pick >= 0 ? bad_pick : fw_next(can_start, 0);
}

class PolicyInterface : public ::testing::Test {
 protected:
  PolicyInterface() {
    calls.clear();
    hold = stop = false;
    bad_pick = -1;
    p.name = "probe";
    p.init = init;
    p.pick = pick;
    p.head = head;
    p.prepare = prepare;
    p.started = started;
    p.completed = completed;
    p.forgotten = forgotten;
    p.message = end_hold;
  }
  fw_policy p{};
  ScriptedMachine m;
};

TEST_F(PolicyInterface, EventsComeInOrder) {
  ScriptedPacket kernel, barrier;
  barrier.type = FW_BARRIER_AND;
  m.push(2, {kernel, barrier});
  m.at(9000, [&] { m.unmap(2); });
  m.run(p);
  EXPECT_THAT(calls, ElementsAre("init", "head q2", "prepare q2", "started q2", "head q2", "completed q2",
                                 "started barrier q2", "completed q2", "forgotten q2"));
  EXPECT_EQ(fw_slot_queue(0), -1);
}

TEST_F(PolicyInterface, PrepareChangesTheSlotBeforeItStarts) {
  m.push(0, {{}});
  m.run(p);
  EXPECT_THAT(m.slot_writes, ElementsAre(std::pair<std::uint32_t, std::uint32_t>(WD_KSR_PRIORITY(0), 42),
                                         std::pair<std::uint32_t, std::uint32_t>(WD_KSR_START(0), 1)));
}

TEST_F(PolicyInterface, HeldBackWorkIsOfferedAgain) {
  hold = true;
  m.push(1, {{}});
  m.at(5000, [&] { m.send_word(0); });
  m.run(p, 4000);
  EXPECT_TRUE(m.starts.empty());
  m.resume();
  EXPECT_THAT(m.starts, ElementsAre(1));
}

TEST_F(PolicyInterface, AStoppedQueueTellsItsPacket) {
  stop = true;
  m.set_first_index(4, 9);
  m.push(4, {{}, {}});
  m.run(p);
  EXPECT_THAT(m.log, ElementsAre("stop q4 error 4 packet 9"));
  EXPECT_THAT(calls, ElementsAre("init", "head q4", "forgotten q4"));
  fw_stop(4, FW_BAD_ADDRESS);  // no head any more
  fw_stop(FW_MAX_QUEUES, FW_BAD_ADDRESS);
  EXPECT_EQ(m.log.size(), 1u);
}

TEST_F(PolicyInterface, PickingWhatCannotStartIsAPanic) {
  for (int wrong : {1, 7, 8, 255, 256, 1000000}) {
    ScriptedMachine machine;
    bad_pick = wrong;
    machine.push(0, {{}});
    machine.run(p);
    EXPECT_EQ(machine.halted, FW_HALT_POLICY);
    EXPECT_EQ(machine.console,
              "panic: policy probe picked queue " + std::to_string(wrong) + ", which cannot start\n");
  }
}

TEST_F(PolicyInterface, APolicyThatCannotPickIsAPanic) {
  p.pick = nullptr;
  m.run(p);
  EXPECT_EQ(m.halted, FW_HALT_POLICY);
  EXPECT_EQ(m.console, "panic: policy probe lacks pick or tick\n");
}

// ---- The same numbers on both sides

TEST(FirmwareInterface, AddressesAreThoseOfTheRegisterMap) {
  namespace cp = regmap::cp;
  namespace qc = regmap::qc;
  namespace wd = regmap::wd;
  EXPECT_EQ(CP_Q_RING_BASE(5), cp::queue(5) + cp::kRingBase);
  EXPECT_EQ(CP_Q_RING_PACKETS(5), cp::queue(5) + cp::kRingPackets);
  EXPECT_EQ(CP_Q_READ_INDEX(5), cp::queue(5) + cp::kReadIndex);
  EXPECT_EQ(CP_Q_WRITE_INDEX(5), cp::queue(5) + cp::kWriteIndex);
  EXPECT_EQ(QC_READY(3), qc::kBase + qc::kReady + 12);
  EXPECT_EQ(QC_EVENT_COUNT, qc::kBase + qc::kEventCount);
  EXPECT_EQ(QC_EVENT, qc::kBase + qc::kEvent);
  EXPECT_EQ(QC_EVENT_POP, qc::kBase + qc::kEventPop);
  EXPECT_EQ(QC_FORWARD, qc::kBase + qc::kForward);
  EXPECT_EQ(QC_TAKE, qc::kBase + qc::kTake);
  EXPECT_EQ(QC_STOP, qc::kBase + qc::kStop);
  EXPECT_EQ(QC_REJECT, qc::kBase + qc::kReject);
  EXPECT_EQ(QC_REJECT_JOB, qc::kBase + qc::kRejectJob);
  EXPECT_EQ(QC_STOP_INDEX, qc::kBase + qc::kStopIndex);
  EXPECT_EQ(QC_SIGNAL, qc::kBase + qc::kSignal);
  EXPECT_EQ(QC_START_NS, qc::kBase + qc::kStartNs);
  EXPECT_EQ(QC_COMPLETE, qc::kBase + qc::kComplete);
  EXPECT_EQ(QC_HEAD_TYPE(7), qc::head(7) + qc::kType);
  EXPECT_EQ(QC_HEAD_INDEX(7), qc::head(7) + qc::kIndex);
  EXPECT_EQ(QC_HEAD_IN_FLIGHT(7), qc::head(7) + qc::kHeadInFlight);
  EXPECT_EQ(QC_HEAD_SIGNAL(7), qc::head(7) + qc::kHeadSignal);
  EXPECT_EQ(QC_HEAD_DOORBELL_NS(7), qc::head(7) + qc::kDoorbellNs);
  EXPECT_EQ(QC_HEAD_LAUNCH_ID(7), qc::head(7) + qc::kLaunchId);
  EXPECT_EQ(QC_HEAD_STREAM(7), qc::head(7) + qc::kStream);
  EXPECT_EQ(QC_HEAD_CONTEXT(7), qc::head(7) + qc::kHeadContext);
  EXPECT_EQ(QC_HEAD_PRIORITY(7), qc::head(7) + qc::kHeadPriority);
  EXPECT_EQ(QC_HEAD_BUDGET(7), qc::head(7) + qc::kBudget);
  EXPECT_EQ(QC_HEAD_JOB(7), qc::head(7) + qc::kJob);
  EXPECT_EQ(QC_HEAD_DEADLINE_NS(7), qc::head(7) + qc::kDeadlineNs);
  EXPECT_EQ(QC_HEAD_ENQUEUE_NS(7), qc::head(7) + qc::kEnqueueNs);
  EXPECT_EQ(QC_HEAD_JOB_ARRIVAL_NS(7), qc::head(7) + qc::kJobArrivalNs);
  EXPECT_EQ(QC_HEAD_JOB_INDEX(7), qc::head(7) + qc::kJobIndex);
  EXPECT_EQ(QC_HEAD_JOB_KERNELS(7), qc::head(7) + qc::kJobKernels);
  EXPECT_EQ(QC_HEAD_JOB_FLAGS(7), qc::head(7) + qc::kJobFlags);
  EXPECT_EQ(QC_HEAD_PAYLOAD(7), qc::head(7) + qc::kPayload);
  EXPECT_EQ(UART_DATA, regmap::uart::kBase + regmap::uart::kData);
  EXPECT_EQ(UART_STATUS, regmap::uart::kBase + regmap::uart::kStatus);
  EXPECT_EQ(UART_RX_POP, regmap::uart::kBase + regmap::uart::kRxPop);
  EXPECT_EQ(TIMER_MTIME, regmap::timer::kBase + regmap::timer::kTime);
  EXPECT_EQ(TIMER_MTIMECMP, regmap::timer::kBase + regmap::timer::kCompare);
  EXPECT_EQ(INTC_PENDING, regmap::intc::kBase + regmap::intc::kPending);
  EXPECT_EQ(INTC_ENABLE, regmap::intc::kBase + regmap::intc::kEnable);
  EXPECT_EQ(MAILBOX_TO_CORE_COUNT, regmap::mailbox::kBase + regmap::mailbox::kToCoreCount);
  EXPECT_EQ(MAILBOX_TO_CORE, regmap::mailbox::kBase + regmap::mailbox::kToCore);
  EXPECT_EQ(MAILBOX_TO_CORE_POP, regmap::mailbox::kBase + regmap::mailbox::kToCorePop);
  EXPECT_EQ(MAILBOX_TO_HOST, regmap::mailbox::kBase + regmap::mailbox::kToHost);
  EXPECT_EQ(PERF_VALUE(3), regmap::perf::kBase + regmap::perf::kValues + 24);
  EXPECT_EQ(SYSCTL_QUEUES, regmap::sysctl::kBase + regmap::sysctl::kQueues);
  EXPECT_EQ(SYSCTL_SLOTS, regmap::sysctl::kBase + regmap::sysctl::kSlots);
  EXPECT_EQ(SYSCTL_ENGINES, regmap::sysctl::kBase + regmap::sysctl::kEngines);
  EXPECT_EQ(SYSCTL_SIGNAL_POLL_NS, regmap::sysctl::kBase + regmap::sysctl::kSignalPollNs);
  EXPECT_EQ(SYSCTL_HALT, regmap::sysctl::kBase + regmap::sysctl::kHalt);
  EXPECT_EQ(SYSCTL_APERTURE(2), regmap::sysctl::kBase + regmap::sysctl::kApertures + 16);
  EXPECT_EQ(SYSCTL_PARAMETER(2), regmap::sysctl::kBase + regmap::sysctl::kParameters + 8);
  EXPECT_EQ(WD_KSR_PRIORITY(9), wd::slot(9) + offsetof(wd::KernelSlotImage, priority));
  EXPECT_EQ(WD_KSR_BUDGET(9), wd::slot(9) + offsetof(wd::KernelSlotImage, budget));
  EXPECT_EQ(WD_KSR_START(9), wd::slot(9) + wd::kSlotStart);
  EXPECT_EQ(WD_KSR_STATUS(9), wd::slot(9) + wd::kSlotStatus);
  EXPECT_EQ(WD_KSR_ISSUED(9), wd::slot(9) + wd::kSlotIssued);
  EXPECT_EQ(WD_KSR_DONE(9), wd::slot(9) + wd::kSlotDone);
  EXPECT_EQ(WD_KSR_HOLD(9), wd::slot(9) + wd::kSlotHold);
  EXPECT_EQ(DMA_START(1), regmap::dma::engine(1) + regmap::dma::kStart);
}

template <class A, class B>
bool same(A a, B b) {
  return static_cast<std::uint64_t>(a) == static_cast<std::uint64_t>(b);
}

TEST(FirmwareInterface, CodesAreThoseOfThePlatform) {
  using regmap::cp::QueueError;
  using regmap::qc::Event;
  using regmap::wd::SlotStatus;
  EXPECT_TRUE(same(FW_COPY, aql::PacketType::kVendor));
  EXPECT_TRUE(same(FW_KERNEL, aql::PacketType::kKernelDispatch));
  EXPECT_TRUE(same(FW_BARRIER_AND, aql::PacketType::kBarrierAnd));
  EXPECT_TRUE(same(FW_BARRIER_OR, aql::PacketType::kBarrierOr));
  EXPECT_TRUE(same(FW_BARRIER_BIT, aql::kBarrierBit));
  EXPECT_TRUE(same(FW_EVENT_KERNEL_DONE, Event::kKernelDone));
  EXPECT_TRUE(same(FW_EVENT_COPY_DONE, Event::kCopyDone));
  EXPECT_TRUE(same(FW_EVENT_COPY_FAILED, Event::kCopyFailed));
  EXPECT_TRUE(same(FW_EVENT_SIGNALS_CHANGED, Event::kSignalsChanged));
  EXPECT_TRUE(same(FW_EVENT_QUEUE_CHANGED, Event::kQueueChanged));
  EXPECT_TRUE(same(FW_BAD_PACKET_TYPE, QueueError::kBadPacketType));
  EXPECT_TRUE(same(FW_BAD_DIMENSIONS, QueueError::kBadDimensions));
  EXPECT_TRUE(same(FW_BAD_KERNEL_OBJECT, QueueError::kBadKernelObject));
  EXPECT_TRUE(same(FW_BAD_ADDRESS, QueueError::kBadAddress));
  EXPECT_TRUE(same(FW_CTA_NEVER_FITS, QueueError::kCtaNeverFits));
  EXPECT_TRUE(same(FW_RING_OVERRUN, QueueError::kRingOverrun));
  EXPECT_TRUE(same(FW_QUEUE_NOT_MAPPED, QueueError::kQueueNotMapped));
  EXPECT_TRUE(same(FW_COPY_FAILED, QueueError::kCopyFailed));
  EXPECT_TRUE(same(FW_BAD_COPY, QueueError::kBadCopy));
  EXPECT_TRUE(same(FW_DISPATCH_FAILED, QueueError::kDispatchFailed));
  EXPECT_TRUE(same(FW_SLOT_FREE, SlotStatus::kFree));
  EXPECT_TRUE(same(FW_SLOT_RUNNING, SlotStatus::kRunning));
  EXPECT_TRUE(same(FW_SLOT_NEVER_FITS, SlotStatus::kRefusedNeverFits));
  EXPECT_TRUE(same(FW_SLOT_BAD_DIMENSIONS, SlotStatus::kRefusedDimensions));
  EXPECT_TRUE(same(FW_SLOT_BUSY, SlotStatus::kRefusedBusy));
  EXPECT_TRUE(same(FW_IRQ_HEAD, 1u << regmap::intc::kHead));
  EXPECT_TRUE(same(FW_IRQ_EVENT, 1u << regmap::intc::kEvent));
  EXPECT_TRUE(same(FW_IRQ_MAILBOX, 1u << regmap::intc::kMailbox));
  EXPECT_TRUE(same(FW_IRQ_UART_RX, 1u << regmap::intc::kUartRx));
  EXPECT_TRUE(same(FW_NO_DESTINATION, regmap::qc::kNoDestination));
  EXPECT_TRUE(same(FW_APERTURE_BASE, regmap::core::kApertureBase));
  EXPECT_TRUE(same(FW_APERTURE_BYTES, regmap::core::kApertureBytes));
  EXPECT_TRUE(same(FW_APERTURES, regmap::sysctl::kApertureCount));
  EXPECT_TRUE(same(FW_PARAMETERS, regmap::sysctl::kParameterCount));
  EXPECT_TRUE(same(FW_MAX_QUEUES, regmap::cp::kMaxQueues));
}

TEST(FirmwareInterface, RecordsAreLaidOutAlike) {
  EXPECT_EQ(sizeof(fw_packet), 64u);
  EXPECT_EQ(sizeof(fw_extension), 64u);
  EXPECT_EQ(offsetof(fw_kernel_packet, workgroup_size), offsetof(aql::KernelDispatch, workgroup_size));
  EXPECT_EQ(offsetof(fw_kernel_packet, grid_size), offsetof(aql::KernelDispatch, grid_size));
  EXPECT_EQ(offsetof(fw_kernel_packet, group_segment_size),
            offsetof(aql::KernelDispatch, group_segment_size));
  EXPECT_EQ(offsetof(fw_kernel_packet, kernel_object), offsetof(aql::KernelDispatch, kernel_object));
  EXPECT_EQ(offsetof(fw_kernel_packet, completion_signal), offsetof(aql::KernelDispatch, completion_signal));
  EXPECT_EQ(offsetof(fw_barrier_packet, signals), offsetof(aql::Barrier, dep_signal));
  EXPECT_EQ(offsetof(fw_barrier_packet, extension), offsetof(aql::Barrier, extension));
  EXPECT_EQ(offsetof(fw_copy_packet, bytes), offsetof(aql::Copy, bytes));
  EXPECT_EQ(offsetof(fw_extension, stream), offsetof(aql::Extension, stream));
  EXPECT_EQ(offsetof(fw_extension, deadline_ns), offsetof(aql::Extension, deadline_ns));
  EXPECT_EQ(offsetof(fw_extension, enqueue_ns), offsetof(aql::Extension, enqueue_ns));
  EXPECT_EQ(offsetof(fw_extension, job_arrival_ns), offsetof(aql::Extension, job_arrival_ns));
  EXPECT_EQ(offsetof(fw_extension, job_index), offsetof(aql::Extension, job_index));
  EXPECT_EQ(offsetof(fw_extension, job_kernels), offsetof(aql::Extension, job_kernels));
  EXPECT_EQ(offsetof(fw_extension, job_flags), offsetof(aql::Extension, job_flags));
  EXPECT_TRUE(same(FW_JOB_LAST, aql::kJobLast));
}

}  // namespace
}  // namespace warpvp::test
