#include "modules/bandwidth/mix_controller.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <utility>

namespace warpvp {

namespace wd = regmap::wd;
namespace rate = regmap::sm::miss_queue;

MixController::MixController(sc_core::sc_module_name name, const BandwidthControllerPlace& place,
                             const Options& options)
    : BandwidthController(name),
      place_(place),
      options_(options),
      block_("Bandwidth controller", regmap::bandwidth::kBytes,
             "Divides CTAs and memory bandwidth among kernels that run together (CCBP, section 5)."),
      registers_("registers"),
      bus_("bus", "bandwidth controller", place.faults) {
  block_.add(
      MailboxSpec{"NOTICE", regmap::bandwidth::kNotice, sizeof(wd::KernelNotice),
                  "The work distributor writes a KernelNotice record here when a kernel has come or ended.",
                  [this](const unsigned char* data) {
                    wd::KernelNotice notice;
                    std::memcpy(&notice, data, sizeof notice);
                    notices_.push_back(notice);
                    noticed_.notify(sc_core::SC_ZERO_TIME);
                  }});
  registers_.register_b_transport(this, &MixController::b_transport);
  SC_HAS_PROCESS(MixController);
  SC_THREAD(run);
}

void MixController::b_transport(tlm::tlm_generic_payload& payload, sc_core::sc_time&) {
  block_.transport(payload);
}

void MixController::run() {
  bus_.write<std::uint64_t>(wd::kBase + wd::kWatcher, regmap::bandwidth::kBase + regmap::bandwidth::kNotice);
  while (true) {
    changed_ = false;
    take_notices();
    if (changed_) continue;
    control();
    while (!changed_ && wait_cycles(kNever)) {
    }
  }
}

bool MixController::wait_cycles(Cycle n) {
  const sc_core::sc_time end = n == kNever ? sc_core::sc_max_time() : sc_core::sc_time_stamp() + cycles(n);
  while (!changed_) {
    // A kernel that stays away leaves the mix at a time of its own.
    Cycle absence = kNever;
    for (const MixKernel* kernel : mix_.present())
      if (!kernel->slot) absence = std::min(absence, kernel->left_at + options_.absent_cycles);
    sc_core::sc_time until = end;
    if (absence != kNever)
      until = std::min(until, sc_core::sc_time_stamp() + cycles(absence > now() ? absence - now() : 0));
    if (until == sc_core::sc_max_time()) {
      rests_ = true;
      sc_core::wait(noticed_);
      rests_ = false;
    } else if (until > sc_core::sc_time_stamp()) {
      sc_core::wait(until - sc_core::sc_time_stamp(), noticed_);
    }
    take_notices();
    for (MixKernel* kernel : mix_.present())
      if (!kernel->slot && kernel->left_at + options_.absent_cycles <= now()) kernel->gone = changed_ = true;
    if (sc_core::sc_time_stamp() >= end) break;
  }
  return !changed_;
}

void MixController::take_notices() {
  while (!notices_.empty()) {
    const std::vector<wd::KernelNotice> taken = std::exchange(notices_, {});
    for (const wd::KernelNotice& notice : taken) notice.ended ? ended(notice) : started(notice);
  }
}

void MixController::started(const wd::KernelNotice& notice) {
  const auto image = bus_.read<wd::KernelSlotImage>(wd::slot(notice.slot));
  bus_.finish();
  const auto [kernel, joined] = mix_.start(notice.slot, image, place_.resources);
  if (terms_.size() <= kernel.number) terms_.resize(kernel.number + 1);
  if (joined) terms_[kernel.number] = first_terms(kernel);
  changed_ = changed_ || joined;
  begin_counting(kernel);
  set_terms(notice.slot, terms_[kernel.number]);
  bus_.write<std::uint32_t>(wd::slot(notice.slot) + wd::kSlotHold, 0);
  bus_.finish();
}

void MixController::ended(const wd::KernelNotice& notice) {
  MixKernel* kernel = mix_.in_slot(notice.slot);
  if (kernel == nullptr) return;
  look(*kernel);
  kernel->slot.reset();
  kernel->left_at = now();
}

void MixController::set_terms(unsigned slot, const KernelTerms& terms) {
  bus_.write<std::uint32_t>(wd::slot(slot) + wd::kSlotLimitDrains, terms.drains);
  if (terms.ctas_of_sm.empty()) {
    bus_.write<std::uint32_t>(wd::slot(slot) + wd::kSlotCtaLimit, terms.ctas);
  } else {
    for (unsigned sm = 0; sm < place_.sms; ++sm) {
      // Where it is to have none its CTAs leave: those that waited would keep the room.
      const std::uint32_t drains = terms.drains || terms.ctas_of_sm[sm] == 0;
      bus_.write<std::uint32_t>(wd::slot(slot) + wd::kSlotLimitDrains, drains);
      bus_.write<std::uint32_t>(wd::slot(slot) + wd::kSlotLimitSm, sm);
      bus_.write<std::uint32_t>(wd::slot(slot) + wd::kSlotCtaLimit, terms.ctas_of_sm[sm]);
    }
    bus_.write<std::uint32_t>(wd::slot(slot) + wd::kSlotLimitSm, wd::kAllSms);
  }
  if (!options_.rations) return;
  const std::uint32_t quota =
      std::min(terms.quota, rate::kNoQuota) | (terms.latency_sensitive ? rate::kLatencySensitive : 0);
  for (unsigned sm = 0; sm < place_.sms; ++sm)
    bus_.write<std::uint32_t>(regmap::sm::window(sm) + rate::of_slot(slot) + rate::kQuota, quota);
}

void MixController::give(MixKernel& kernel, const KernelTerms& terms) {
  terms_[kernel.number] = terms;
  if (!kernel.slot) return;
  set_terms(*kernel.slot, terms);
  bus_.finish();
}

namespace {
struct MonitorRow {
  std::uint32_t values[5];  ///< REQUESTS to DEMAND
};
}  // namespace

void MixController::begin_counting(MixKernel& kernel) {
  kernel.seen.assign(place_.sms, {});
  kernel.seen_instructions.assign(place_.sms, 0);
  kernel.instructions_of_sm.resize(place_.sms, 0);
  for (unsigned sm = 0; sm < place_.sms; ++sm) {
    const std::uint64_t window = regmap::sm::window(sm);
    kernel.seen_instructions[sm] =
        bus_.read<std::uint64_t>(window + regmap::sm::kInstructions + 8 * *kernel.slot);
    if (!options_.rations) continue;
    const auto row = bus_.read<MonitorRow>(window + rate::of_slot(*kernel.slot) + rate::kRequests);
    std::copy(std::begin(row.values), std::end(row.values), kernel.seen[sm].begin());
  }
}

const KernelCounts& MixController::look(MixKernel& kernel) {
  if (!kernel.slot) return kernel.counts;
  KernelCounts& counts = kernel.counts;
  for (unsigned sm = 0; sm < place_.sms; ++sm) {
    const std::uint64_t window = regmap::sm::window(sm);
    if (options_.rations) {
      const auto row = bus_.read<MonitorRow>(window + rate::of_slot(*kernel.slot) + rate::kRequests);
      std::uint64_t* const to[] = {&counts.requests, &counts.reads, &counts.answers, &counts.dram_accesses,
                                   &counts.demand};
      for (unsigned i = 0; i < 5; ++i) {
        *to[i] += row.values[i] - kernel.seen[sm][i];
        kernel.seen[sm][i] = row.values[i];
      }
    }
    const auto instructions = bus_.read<std::uint64_t>(window + regmap::sm::kInstructions + 8 * *kernel.slot);
    counts.instructions += instructions - kernel.seen_instructions[sm];
    kernel.instructions_of_sm[sm] += instructions - kernel.seen_instructions[sm];
    kernel.seen_instructions[sm] = instructions;
  }
  return counts;
}

std::uint64_t MixController::resident_ctas(const MixKernel& kernel) {
  if (!kernel.slot) return 0;
  // In this order, so that what ends in between is not missed in the difference.
  const auto done = bus_.read<std::uint64_t>(wd::slot(*kernel.slot) + wd::kSlotDone);
  const auto issued = bus_.read<std::uint64_t>(wd::slot(*kernel.slot) + wd::kSlotIssued);
  return issued - done;
}

MixController::Drained MixController::wait_until_drained(
    const std::vector<MixKernel*>& kernels, const std::function<std::uint64_t(std::size_t)>& most,
    Cycle longest) {
  constexpr Cycle kLookCycles = 5'000;
  const auto drained = [&] {
    for (std::size_t k = 0; k < kernels.size(); ++k)
      if (resident_ctas(*kernels[k]) > most(k)) return false;
    return true;
  };
  const Cycle latest = now() + longest;
  while (!drained()) {
    if (now() >= latest) return Drained::kNotInTime;
    if (!wait_cycles(kLookCycles)) return Drained::kMixChanged;
  }
  return Drained::kYes;
}

void MixController::fail(const std::string& what) {
  DeviceFault fault;
  fault.what = "bandwidth controller: " + what;
  place_.faults.raise(std::move(fault));
}

}  // namespace warpvp
