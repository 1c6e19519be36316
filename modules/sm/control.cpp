// The SM on the register bus: what is written to its registers, and what it reports.
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/part_mark.h"
#include "base/registry.h"
#include "modules/sm/streaming_multiprocessor.h"

namespace warpvp {

SmRegisterHooks StreamingMultiprocessor::register_hooks() {
  SmRegisterHooks hooks;
  hooks.launch = [this](const CtaLaunch& record) { accept_launch(record); };
  hooks.kernel_start = [this](std::uint32_t launch_id) { accept_setup(SetupKind::kKernelStart, launch_id); };
  hooks.set_context = [this](std::uint32_t context) { context_ = context; };
  hooks.set_page_table = [this](std::uint64_t root) { accept_setup(SetupKind::kPageTable, root); };
  hooks.set_texture_table = [this](std::uint64_t table) { accept_setup(SetupKind::kTextures, table); };
  hooks.set_local_memory = [this](std::uint64_t base) { accept_setup(SetupKind::kLocalMemory, base); };
  hooks.preempt = [this](std::uint32_t way) { accept_preemption(way); };
  hooks.resume = [this](std::uint32_t state) { resume_ = state; };
  hooks.functional = [this](std::uint32_t on) { functional_ = on == 1; };
  hooks.limit = [this](unsigned kernel_slot, std::uint32_t ctas) {
    accept_setup(SetupKind::kCtaLimit, ctas, kernel_slot);
  };
  hooks.instructions = [this](unsigned kernel_slot) {
    return instructions_before_[kernel_slot] + instructions_of_last(kernel_slot);
  };
  hooks.context = [this] { return context_; };
  hooks.divide = [this](std::uint32_t bytes) { accept_division(bytes); };
  hooks.shared_bytes = [this] { return shared_bytes_; };
  hooks.l1_bytes = [this] { return memory_->l1_bytes(); };
  hooks.resident_ctas = [this] { return shared_.ctas.resident(); };
  hooks.resident_warps = [this] { return resident_warps_; };
  hooks.waiting_ctas = [this] {
    return static_cast<std::uint32_t>(launches_.size() + (fast_forward_ ? fast_forward_->waiting() : 0));
  };
  return hooks;
}

void StreamingMultiprocessor::control_transport(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay) {
  access_delay_ = delay;
  refused_ = false;
  registers_.transport(payload);
  if (refused_) payload.set_response_status(tlm::TLM_GENERIC_ERROR_RESPONSE);
}

void StreamingMultiprocessor::accept_launch(const CtaLaunch& record) {
  if (record.context != context_) {
    DeviceFault fault;
    fault.what = wrong_context(record.context, context_);
    for (int i = 0; i < 3; ++i) fault.cta[i] = record.cta[i];
    fault.sm = static_cast<int>(shared_.sm_id);
    services_.faults.raise(std::move(fault));
    stopped_ = true;
    return;
  }
  if (std::exchange(functional_, false)) return accept_functional(record);
  const Cycle due =
      std::max(acts_at(), clock_.edge_after(access_delay_) - 1 + shared_.config.cta_launch_latency);
  const auto later =
      std::find_if(launches_.begin(), launches_.end(), [&](const auto& l) { return l.due > due; });
  launches_.insert(later, {due, record, std::exchange(resume_, 0)});
  clock_.wake(clock_id_, due);
}

void StreamingMultiprocessor::accept_functional(const CtaLaunch& record) {
  if (!fast_forward_) {
    SmContext beside;  // a second source: it has no registers
    beside.index = shared_.sm_id;
    beside.place = fmt::format("SM {}", shared_.sm_id);
    fast_forward_ = std::make_unique<FastForward>(Registry<InstructionSourceType>::instance()
                                                      .make(shared_.config.instructions)
                                                      ->build(shared_.config, services_, beside),
                                                  shared_.sm_id, shared_.config.resources, services_);
    fast_forward_->set_address_space(page_table_, texture_table_);
  }
  fast_forward_->accept(record, clock_.edge_after(access_delay_));
  clock_.wake(clock_id_, fast_forward_->next());
}

Cycle StreamingMultiprocessor::run_functional(Cycle now) {
  if (stopped_ || halted_) return kNever;
  if (fast_forward_->next() > now) return fast_forward_->next();
  const PartMark mark("SM: functional");
  std::vector<CtaDone> done;
  fast_forward_->run(now, done);
  for (const CtaDone& each : done) complete(each);
  if (auto fault = fast_forward_->take_fault()) {
    halted_ = services_.faults.raise(std::move(*fault));
    stopped_ = !halted_;
  }
  return fast_forward_->next();
}

void StreamingMultiprocessor::add_policy_register(RegisterSpec spec) {
  if (spec.write) {
    policy_writes_.push_back(std::move(spec.write));
    spec.write = [this, policy = policy_writes_.size() - 1](unsigned index, std::uint64_t value) {
      accept_setup(SetupKind::kPolicy, value, index, policy);
    };
  }
  registers_.add(std::move(spec));
}

void StreamingMultiprocessor::accept_setup(SetupKind kind, std::uint64_t value, unsigned index,
                                           std::size_t policy) {
  const Cycle due = acts_at();
  const auto later =
      std::find_if(setups_.begin(), setups_.end(), [&](const Setup& s) { return s.due > due; });
  setups_.insert(later, {due, kind, value, policy, index});
  clock_.wake(clock_id_, due);
}

void StreamingMultiprocessor::accept_division(std::uint32_t bytes) {
  const SmResources& r = shared_.config.resources;
  std::uint64_t used = shared_used_;
  for (const auto& launch : launches_)
    if (const auto program =
            services_.kernels.find(launch.record.kernel_object, launch.record.launch_id).program)
      used += shared_need(launch.record, *program);
  const bool occupied = shared_.ctas.resident() != 0 || !launches_.empty();
  refused_ = !r.adaptive() || bytes % 1024 != 0 || r.division_for(bytes) != bytes || used > bytes ||
             (occupied && bytes != shared_bytes_ && !r.grows_anytime());
  if (refused_) return;
  shared_bytes_ = bytes;
  accept_setup(SetupKind::kDivision, bytes);
}

void StreamingMultiprocessor::set_up(Cycle now) {
  while (!setups_.empty() && setups_.front().due <= now) {
    const Setup setup = setups_.front();
    setups_.erase(setups_.begin());
    switch (setup.kind) {
      case SetupKind::kKernelStart:
        if (shared_.config.memory.invalidate == "kernel_start") memory_->invalidate();
        if (shared_.config.memory.instruction.invalidate == "kernel_start")
          memory_->invalidate_instructions();
        break;
      case SetupKind::kDivision:
        memory_->resize_l1(shared_.config.memory.l1.unified_kib * 1024 -
                           static_cast<std::uint32_t>(setup.value));
        for (const auto& launch : shared_.ctas.launches()) launch->counters->note_l1(memory_->l1_bytes());
        break;
      case SetupKind::kPageTable:
        page_table_ = setup.value;
        memory_->set_page_table(static_cast<std::uint16_t>(context_), page_table_, now);
        source_->set_address_space(page_table_, texture_table_);
        if (fast_forward_) fast_forward_->set_address_space(page_table_, texture_table_);
        break;
      case SetupKind::kLocalMemory:
        shared_.local_memory_base = setup.value != 0 ? setup.value : services_.local_memory_base;
        break;
      case SetupKind::kTextures:
        texture_table_ = setup.value;
        source_->set_address_space(page_table_, texture_table_);
        if (fast_forward_) fast_forward_->set_address_space(page_table_, texture_table_);
        break;
      case SetupKind::kCtaLimit:
        cta_limits_[setup.index] = static_cast<std::uint32_t>(setup.value);
        limited_ = true;
        apply_limit(setup.index);
        break;
      case SetupKind::kPolicy:
        policy_writes_[setup.policy](setup.index, setup.value);
        break;
    }
  }
}

std::uint32_t StreamingMultiprocessor::shared_need(const CtaLaunch& record,
                                                   const ptx::Program& program) const {
  const std::uint32_t unit = shared_.config.resources.shared_unit;
  return (program.static_shared_bytes + record.dynamic_shared_bytes + unit - 1) / unit * unit;
}

void StreamingMultiprocessor::complete(const CtaDone& done) {
  if (!post(services_, shared_.sm_id, services_.completion_address, done, "completion")) stopped_ = true;
}

void StreamingMultiprocessor::report(const CtaPreempted& record) {
  if (!post(services_, shared_.sm_id, services_.preempted_address, record, "preemption")) stopped_ = true;
}

}  // namespace warpvp
