// The register face of the work distributor: its declaration and the kernel status registers' hooks.
#include <algorithm>
#include <cstddef>
#include <cstring>

#include "interconnect/kernel_descriptor.h"
#include "modules/work_distributor/status_register_distributor.h"

namespace warpvp {

namespace wd = regmap::wd;

namespace {

/// Registers that are declared alike, one row each.
struct ImageWord {
  const char* name;
  unsigned width;
  const char* doc;
};
/// The members of wd::KernelSlotImage, in their order.
constexpr ImageWord kImage[] = {
    {"KERNEL_OBJECT", 8, "Device address of the kernel descriptor."},
    {"KERNARG_ADDRESS", 8, "Device address of the argument block."},
    {"LAUNCH_ID", 4, "Counts launches of the run; statistics are kept under it."},
    {"STREAM", 4, "Stream the launch came from."},
    {"CONTEXT", 4, "Context it belongs to."},
    {"PRIORITY", 4,
     "Signed; greater is more urgent. While the kernel runs, a write acts from its next CTA on."},
    {"BUDGET", 4, "QAWS budget, at least 1. While the kernel runs, a write acts from its next CTA on."},
    {"DYNAMIC_SHARED", 4, "Dynamic shared memory of a CTA in bytes."},
    {"GRID_X", 4, "CTAs in x."},
    {"GRID_Y", 4, "CTAs in y."},
    {"GRID_Z", 4, "CTAs in z."},
    {"BLOCK_X", 4, "Threads of a CTA in x."},
    {"BLOCK_Y", 4, "Threads of a CTA in y."},
    {"BLOCK_Z", 4, "Threads of a CTA in z."},
    {"REGISTERS", 4, "Registers per thread."},
    {"STATIC_SHARED", 4, "Static shared memory of a CTA in bytes."},
    {"BARRIERS", 4, "Named barriers of a CTA."},
    {"JOB", 4, "Job the launch belongs to."},
    {"DEADLINE", 8, "Absolute deadline in ns of simulated time; 0: none."},
};

struct SmWord {
  const char* name;
  std::uint64_t offset;
  std::uint32_t SmStatus::*member;
  const char* doc;
};
/// Numbers of an SM as the distributor knows them.
constexpr SmWord kSm[] = {
    {"SMSR_FREE_CTAS", wd::kFreeCtas, &SmStatus::free_ctas, "Free CTA slots."},
    {"SMSR_FREE_THREADS", wd::kFreeThreads, &SmStatus::free_threads, "Free threads."},
    {"SMSR_FREE_WARPS", wd::kFreeWarps, &SmStatus::free_warps, "Free warp slots."},
    {"SMSR_FREE_REGISTERS", wd::kFreeRegisters, &SmStatus::free_registers, "Free registers."},
    {"SMSR_FREE_SHARED", wd::kFreeShared, &SmStatus::free_shared_bytes,
     "Shared memory in bytes that CTAs could still have, whatever of it is L1 at present."},
    {"SMSR_FREE_BARRIERS", wd::kFreeBarriers, &SmStatus::free_barriers, "Free named barriers."},
    {"SMSR_RUNNING_CTAS", wd::kRunningCtas, &SmStatus::running_ctas, "CTAs running."},
    {"SMSR_SHARED", wd::kSmShared, &SmStatus::shared_bytes,
     "Bytes that shared memory has at present of the array that it divides with the L1."},
    {"SMSR_CONTEXT", wd::kSmContext, &SmStatus::context, "Context that the SM was last set up for."},
    {"SMSR_OWNER", wd::kSmOwner, &SmStatus::owner,
     "Kernel status register of the kernel that the SM was handed to; all ones: nobody, or the policy does "
     "not hand out SMs."},
    {"SMSR_NEXT", wd::kSmNext, &SmStatus::next,
     "Kernel status register of the kernel that has reserved the SM; all ones: none."},
};

}  // namespace

template <class T>
void StatusRegisterDistributor::put_at_next_edge(Inbox<T>& inbox, const T& item) {
  const Cycle visible = domain_.edge_after(access_delay_);
  inbox.put(visible, item);
  domain_.wake(clock_id_, visible);
}

template <class Record>
void StatusRegisterDistributor::add_mailbox(const char* name, std::uint64_t offset, const char* doc,
                                            Inbox<Record>& inbox) {
  block_.add(MailboxSpec{name, offset, sizeof(Record), doc, [this, &inbox](const unsigned char* data) {
                           Record record;
                           std::memcpy(&record, data, sizeof record);
                           put_at_next_edge(inbox, record);
                         }});
}

void StatusRegisterDistributor::declare_registers() {
  declare_counts();
  declare_reports();
  declare_watcher();
  declare_kernel_image();
  declare_kernel_control();
  declare_kernel_limit();
  declare_kernel_needs();
  declare_sms();
  declare_contexts();
}

void StatusRegisterDistributor::declare_counts() {
  block_.add({"SLOT_COUNT", wd::kSlotCount, 4, 1, 0, RegisterAccess::kReadOnly, config_.slots,
              "Number of kernel status registers."});
  block_.add(
      {"SM_COUNT", wd::kSmCount, 4, 1, 0, RegisterAccess::kReadOnly, state_.sm_count(), "Number of SMs."});
  block_.add(in_halves({"CTAS_ISSUED", wd::kCtasIssued, 8, 1, 0, RegisterAccess::kReadOnly, 0,
                        "CTAs launched so far.", [this](unsigned) { return stats_.ctas_issued; }}));
  block_.add({"CTAS_DONE", wd::kCtasDone, 4, config_.slots, 4, RegisterAccess::kReadOnly, 0,
              "Lower half of each KSR_DONE, in a row for reads in one burst.",
              [this](unsigned s) { return slots_[s].done & 0xffff'ffffu; }});
}

// What SMs and the driver tell.
void StatusRegisterDistributor::declare_reports() {
  add_mailbox("COMPLETION", wd::kCompletion, "An SM writes a CtaDone record here when a CTA has ended.",
              completions_);
  add_mailbox("PREEMPTED", wd::kPreempted,
              "An SM writes a CtaPreempted record here when a CTA has left it before its end.", preempted_);
  block_.add(
      {"KILL_CONTEXT",
       wd::kKillContext,
       4,
       1,
       0,
       RegisterAccess::kWriteOnly,
       0,
       "A context that has ended. Its kernels send no CTA any more, SMs drop those that they have, and each "
       "kernel is reported done when none is left; so is, at once, each that comes later. With bit 31: a new "
       "one of "
       "that number begins, whose kernels run; nothing of the one before may be left.",
       {},
       [this](unsigned, std::uint64_t context) {
         put_at_next_edge(kills_, static_cast<std::uint32_t>(context));
       }});
}

void StatusRegisterDistributor::declare_watcher() {
  watcher_ = block_.add(in_halves({"WATCHER", wd::kWatcher, 8, 1, 0, RegisterAccess::kReadWrite, 0,
                                   "Bus address of a mailbox; 0: there is none. With one, each kernel that "
                                   "comes is held (KSR_HOLD) and a "
                                   "KernelNotice is written there: kernel slot, launch id, 0, 0 (u32 each). "
                                   "Another one follows when it has ended, "
                                   "with 1 in the third word. Whoever watches lets it go."}));
}

void StatusRegisterDistributor::declare_kernel_image() {
  std::uint64_t offset = wd::kSlots;
  for (const ImageWord& word : kImage) {
    RegisterSpec spec = in_halves({std::string("KSR_") + word.name, offset, word.width, config_.slots,
                                   wd::kSlotStride, RegisterAccess::kReadWrite, 0, word.doc});
    const std::uint64_t at = offset - wd::kSlots;
    if (at == offsetof(wd::KernelSlotImage, priority) || at == offsetof(wd::KernelSlotImage, budget)) {
      const Change::Kind kind =
          at == offsetof(wd::KernelSlotImage, budget) ? Change::kBudget : Change::kPriority;
      spec.write = [this, kind](unsigned slot, std::uint64_t value) {
        if (slots_[slot].busy) change(kind, slot, value);
      };
    } else {
      spec.may_write = [this](unsigned slot) { return !slots_[slot].busy; };
    }
    image_words_.push_back(block_.add(std::move(spec)));
    offset += word.width;
  }
}

void StatusRegisterDistributor::declare_kernel_control() {
  const unsigned slots = config_.slots;
  block_.add({"KSR_START",
              wd::kSlots + wd::kSlotStart,
              4,
              slots,
              wd::kSlotStride,
              RegisterAccess::kWriteOnly,
              0,
              "Writing 1 hands the kernel described by the register to the distributor; STATUS tells whether "
              "it was taken.",
              {},
              [this](unsigned slot, std::uint64_t value) {
                if (value == 1) start(slot);
              }});
  block_.add(
      {"KSR_STATUS", wd::kSlots + wd::kSlotStatus, 4, slots, wd::kSlotStride, RegisterAccess::kReadOnly, 0,
       "0 free, 1 running, 2 refused: a CTA never fits, 3 refused: impossible grid or block, 4 refused: "
       "the register was running.",
       [this](unsigned s) { return static_cast<std::uint64_t>(slots_[s].status); }});
  block_.add(in_halves({"KSR_ISSUED", wd::kSlots + wd::kSlotIssued, 8, slots, wd::kSlotStride,
                        RegisterAccess::kReadOnly, 0, "CTAs launched.",
                        [this](unsigned s) { return slots_[s].issued; }}));
  block_.add(
      in_halves({"KSR_DONE", wd::kSlots + wd::kSlotDone, 8, slots, wd::kSlotStride, RegisterAccess::kReadOnly,
                 0, "CTAs done.", [this](unsigned s) { return slots_[s].done; }}));
  block_.add(
      {"KSR_HOLD", wd::kSlots + wd::kSlotHold, 4, slots, wd::kSlotStride, RegisterAccess::kReadWrite, 0,
       "Not 0: the kernel sends no CTAs; those on SMs go on. Acts from the next CTA on, also if written "
       "before START, and becomes 0 when the kernel ends.",
       [this](unsigned s) { return std::uint64_t{slots_[s].held}; },
       [this](unsigned s, std::uint64_t value) { change(Change::kHold, s, value); }});
}

void StatusRegisterDistributor::declare_kernel_limit() {
  const unsigned slots = config_.slots;
  limit_sms_ = block_.add({"KSR_LIMIT_SM", wd::kSlots + wd::kSlotLimitSm, 4, slots, wd::kSlotStride,
                           RegisterAccess::kReadWrite, wd::kAllSms,
                           "SM that KSR_CTA_LIMIT is about; all ones: each of them."});
  block_.add(
      {"KSR_CTA_LIMIT", wd::kSlots + wd::kSlotCtaLimit, 4, slots, wd::kSlotStride, RegisterAccess::kReadWrite,
       ResidentKernel::kNoLimit,
       "Most CTAs of the kernel on the SM of KSR_LIMIT_SM that may issue instructions. No more are sent "
       "there; of those there already the youngest keep their state and issue nothing (CTA_LIMIT of the SM). "
       "All ones: no limit, as for each kernel at its start.",
       [this](unsigned s) {
         const std::uint64_t sm = block_.get(limit_sms_, s);
         const ResidentKernel* kernel = state_.find(s);
         if (kernel == nullptr) return std::uint64_t{ResidentKernel::kNoLimit};
         return std::uint64_t{kernel->cta_limit(sm < state_.sm_count() ? static_cast<unsigned>(sm) : 0)};
       },
       [this](unsigned s, std::uint64_t value) { change(Change::kLimit, s, value); }});
  limit_drains_ = block_.add({"KSR_LIMIT_DRAINS", wd::kSlots + wd::kSlotLimitDrains, 4, slots,
                              wd::kSlotStride, RegisterAccess::kReadWrite, 0,
                              "1: CTAs above a limit that KSR_CTA_LIMIT gets from now on issue instructions "
                              "as the others, to their ends, and only "
                              "no more are sent. 0: they wait."});
}

void StatusRegisterDistributor::declare_kernel_needs() {
  const auto word = [this](const char* name, unsigned number, std::uint32_t CtaNeeds::*member,
                           const char* doc) {
    block_.add({name, wd::kSlots + wd::kSlotNeeds + 4 * number, 4, config_.slots, wd::kSlotStride,
                RegisterAccess::kReadOnly, 0, doc,
                [this, member](unsigned s) { return std::uint64_t{needs_of(image(s)).*member}; }});
  };
  word("KSR_CTA_THREADS", 0, &CtaNeeds::threads,
       "Threads that a CTA of the kernel in the register takes of an SM, started or not; 32 for each warp.");
  word("KSR_CTA_WARPS", 1, &CtaNeeds::warps, "Warp slots that it takes.");
  word("KSR_CTA_REGISTERS", 2, &CtaNeeds::registers, "Registers, in whole units of allocation.");
  word("KSR_CTA_SHARED", 3, &CtaNeeds::shared_bytes, "Shared memory in bytes, in whole units of allocation.");
  word("KSR_CTA_BARRIERS", 4, &CtaNeeds::barriers, "Named barriers.");
  word("KSR_OCCUPANCY", 5, &CtaNeeds::most_ctas,
       "CTAs of it that an SM has room for that has no others; 0: not even one.");
}

void StatusRegisterDistributor::declare_sms() {
  for (const SmWord& word : kSm) {
    const auto member = word.member;
    block_.add({word.name, wd::kSms + word.offset, 4, state_.sm_count(), wd::kSmStride,
                RegisterAccess::kReadOnly, 0, word.doc,
                [this, member](unsigned sm) { return std::uint64_t{state_.sm(sm).*member}; }});
  }
  block_.add({"SMSR_STATE", wd::kSms + wd::kSmState, 4, state_.sm_count(), wd::kSmStride,
              RegisterAccess::kReadOnly, 0,
              "0 idle, 1 running, 2 reserved: gets no CTA until those on it have ended.",
              [this](unsigned sm) { return static_cast<std::uint64_t>(state_.sm(sm).state); }});
  block_.add(
      {"SMSR_PREEMPTION", wd::kSms + wd::kSmPreemption, 4, state_.sm_count(), wd::kSmStride,
       RegisterAccess::kReadOnly, 0,
       "Of a reserved SM: 0 its CTAs run to their ends, 1 they are being saved, 2 those that can start "
       "again are dropped.",
       [this](unsigned sm) { return static_cast<std::uint64_t>(state_.sm(sm).preemption); }});
}

void StatusRegisterDistributor::declare_contexts() {
  const auto table = [this](const char* name, std::uint64_t offset, const char* doc) {
    return block_.add(in_halves({name, wd::kContexts + offset, 8, wd::kMaxContexts, wd::kContextStride,
                                 RegisterAccess::kReadWrite, 0, doc}));
  };
  page_tables_ =
      table("CONTEXT_PAGE_TABLE", wd::kContextPageTable,
            "Device address of the root of a context's page tables; 0: it has none. The driver "
            "writes it when it makes the context; that of context 0 is there at reset. An SM that is "
            "set up for the context gets it, before its next CTA where it has been set up already.");
  texture_tables_ = table("CONTEXT_TEXTURES", wd::kContextTextures,
                          "Device address of a context's table of texture and surface descriptors; 0: it has "
                          "none. SMs get it as they get the page table.");
  local_memories_ = block_.add(in_halves(
      {"CONTEXT_LOCAL_MEMORY", wd::kLocalMemories, 8, wd::kMaxContexts, 8, RegisterAccess::kReadWrite, 0,
       "Device address of a context's local memory, and of the saved states of its CTAs; 0: those of context "
       "0. SMs get it as they get the page table."}));
}

void StatusRegisterDistributor::change(Change::Kind kind, unsigned slot, std::uint64_t value) {
  put_at_next_edge(
      changes_, {kind, slot, static_cast<std::uint32_t>(value), slots_[slot].busy, slots_[slot].record,
                 static_cast<unsigned>(block_.get(limit_sms_, slot)), block_.get(limit_drains_, slot) == 1});
}

RegisterSpec in_policy_window(RegisterSpec spec) {
  spec.name = "POLICY_" + spec.name;
  spec.offset += wd::kPolicy;
  return spec;
}

void StatusRegisterDistributor::add_policy_register(RegisterSpec spec) {
  spec = in_policy_window(std::move(spec));
  if (spec.write) {
    policy_writes_.push_back(std::move(spec.write));
    spec.write = [this, which = policy_writes_.size() - 1](unsigned index, std::uint64_t value) {
      put_at_next_edge(writes_, {which, index, value});
    };
  }
  block_.add(std::move(spec));
}

void StatusRegisterDistributor::b_transport(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay) {
  access_delay_ = delay;
  block_.transport(payload);
}

wd::KernelSlotImage StatusRegisterDistributor::image(unsigned slot) const {
  wd::KernelSlotImage image;
  auto* out = reinterpret_cast<unsigned char*>(&image);
  unsigned at = 0;
  for (std::size_t i = 0; i < image_words_.size(); ++i) {
    const std::uint64_t value = block_.get(image_words_[i], slot);
    std::memcpy(out + at, &value, kImage[i].width);
    at += kImage[i].width;
  }
  return image;
}

CtaNeeds StatusRegisterDistributor::needs_of(const wd::KernelSlotImage& k) const {
  std::uint64_t threads = 1;
  for (const std::uint32_t n : k.block) threads = std::min<std::uint64_t>(threads * n, 0xffff'ffffu);
  return cta_needs(resources_, static_cast<std::uint32_t>(threads), k.registers_per_thread,
                   k.static_shared_bytes + k.dynamic_shared_bytes, k.barriers);
}

void StatusRegisterDistributor::start(unsigned index) {
  Slot& slot = slots_[index];
  if (slot.busy) {
    slot.status = wd::SlotStatus::kRefusedBusy;
    return;
  }
  const wd::KernelSlotImage k = image(index);
  std::uint64_t ctas = 1;
  bool possible = true;
  for (int d = 0; d < 3; ++d) {
    possible = possible && k.grid[d] > 0 && k.block[d] > 0 && k.block[d] <= resources_.threads_per_cta;
    if (!possible) break;
    ctas *= k.grid[d];
    possible = ctas <= kMostCtas;
  }
  if (!possible) {
    slot.status = wd::SlotStatus::kRefusedDimensions;
    ++stats_.refused;
    return;
  }
  const CtaNeeds needs = needs_of(k);
  if (needs.most_ctas == 0) {
    slot.status = wd::SlotStatus::kRefusedNeverFits;
    ++stats_.refused;
    return;
  }
  slot.busy = true;
  slot.image = k;
  slot.status = wd::SlotStatus::kRunning;
  slot.issued = slot.done = 0;
  slot.record = records_.size();
  KernelRecord record;
  record.launch_id = k.launch_id;
  record.kernel_object = k.kernel_object;
  record.slot = index;
  record.stream = k.stream;
  record.context = k.context;
  record.job = k.job;
  record.priority = k.priority;
  record.budget = k.budget;
  std::memcpy(record.grid, k.grid, sizeof k.grid);
  std::memcpy(record.block, k.block, sizeof k.block);
  record.ctas = ctas;
  record.deadline_ns = k.deadline_ns;
  record.needs = needs;
  record.launched = domain_.edge_after(access_delay_);
  record.launched_at = domain_.time_of(record.launched);
  records_.push_back(record);
  const Cycle ready = record.launched + config_.launch_cycles;
  arrivals_.put(ready, index);
  domain_.wake(clock_id_, ready);
}

}  // namespace warpvp
