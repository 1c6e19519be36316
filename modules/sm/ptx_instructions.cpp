// `sm.instructions: ptx`: warps execute the PTX of their kernel, with real results, on device memory.

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

#include "base/part_mark.h"
#include "base/registry.h"
#include "modules/sm/config.h"
#include "modules/sm/idle_warps.h"
#include "modules/sm/instruction_source.h"
#include "modules/sm/sm.h"
#include "modules/sm/sm_context.h"
#include "ptx/exec/slice_stores.h"
#include "ptx/exec/store_log.h"
#include "ptx/exec/stretches.h"
#include "ptx/exec/warp.h"

namespace warpvp {
namespace {

/// Device memory as execution sees it: values and the allocation map.
class Memory : public ptx::GlobalMemory {
 public:
  Memory(DeviceMemory& device, const AddressSpaces* spaces) : device_(device), spaces_(spaces) {
    host = device.host_base();
    origin = device.base();
  }
  Range range_of(std::uint64_t address, unsigned context) const override {
    const auto range = device_.range_of(address);
    // Whose a range is, the page tables tell, where there are any: those of others are not mapped.
    const bool reached =
        spaces_ ? spaces_->translate(page_table, address).has_value() : range && range->context == context;
    if (!range || !reached) return {};
    return {range->begin, range->end};
  }
  Range surroundings_of(std::uint64_t address, unsigned context) const override {
    if (spaces_ && !spaces_->translate(page_table, address)) return {};
    const auto range = device_.surroundings_of(address, context);
    return range ? Range{range->begin, range->end} : Range{};
  }
  std::uint64_t generation() const override { return device_.generation(); }
  std::uint64_t heap_allocate(std::uint64_t bytes, unsigned context) override {
    return device_.heap_allocate(bytes, context);
  }
  bool heap_release(std::uint64_t address, unsigned context) override {
    return device_.heap_release(address, context);
  }

  std::uint64_t page_table = 0;  ///< of the context whose CTAs are here

 private:
  DeviceMemory& device_;
  const AddressSpaces* spaces_;  // nullptr: no translation
};

/// The CTA and its warps as they are: nobody else has pointers to them.
class SavedPtx : public SavedInstructions {
 public:
  std::unique_ptr<ptx::Cta> cta;
  std::vector<std::unique_ptr<ptx::Warp>> warps;  ///< by index; nullptr: has exited
};

class PtxInstructions : public InstructionSource {
 public:
  PtxInstructions(const SmConfig& config, const SmServices& services, unsigned sm)
      : memory_(services.memory),
        global_(services.memory, services.spaces),
        idle_(services.idle_warps),
        ctas_(config.resources.ctas),
        warps_(config.resources.warps) {
    env_.global = &global_;
    env_.print = services.print;
    env_.fault = &fault_;
    env_.defer_effects = true;
    env_.defer_signals = true;
    env_.sm_id = sm;
    env_.sm_count = services.sm_count;
    env_.divergence = {config.divergence.independent_threads, config.divergence.switch_after};
    if (services.strays)
      env_.stray = [this, strays = services.strays](const ptx::Warp& warp, const ptx::ExecFault& access) {
        strays->note(env_.cycle, described(warp, access));
      };
  }

  void start_cta(unsigned slot, const ptx::Program& program, const CtaLaunch& record) override {
    if (ctas_[slot] == nullptr)
      ctas_[slot] = shares_idle_ ? idle_->ctas.take() : std::make_unique<ptx::Cta>();
    ctas_[slot]->start(program, env_, {record.grid[0], record.grid[1], record.grid[2]},
                       {record.block[0], record.block[1], record.block[2]},
                       {record.cta[0], record.cta[1], record.cta[2]}, record.dynamic_shared_bytes,
                       record.context, record.launch_id,
                       reinterpret_cast<const std::uint8_t*>(memory_.at(record.kernarg_address)));
  }
  ptx::InstructionStream& start_warp(unsigned slot, unsigned index, unsigned place) override {
    if (warps_[place] == nullptr)
      warps_[place] = shares_idle_ ? idle_->warps.take() : std::make_unique<ptx::Warp>();
    warps_[place]->launch(*ctas_[slot], index);
    return *warps_[place];
  }
  void end_warp(unsigned place) override {
    if (shares_idle_) idle_->warps.give_back(std::move(warps_[place]));
  }
  void end_cta(unsigned slot) override {
    if (shares_idle_) idle_->ctas.give_back(std::move(ctas_[slot]));
  }
  bool acted_outside(unsigned slot) const override { return ctas_[slot]->acted_outside(); }
  std::unique_ptr<SavedInstructions> save_cta(unsigned slot) override {
    auto saved = std::make_unique<SavedPtx>();
    saved->warps.resize(ctas_[slot]->warps());
    for (auto& warp : warps_) {
      if (warp == nullptr || warp->exited() || &warp->cta() != ctas_[slot].get()) continue;
      std::unique_ptr<ptx::Warp>& place = saved->warps[warp->index()];
      place = std::exchange(warp, std::make_unique<ptx::Warp>());
    }
    saved->cta = std::exchange(ctas_[slot], std::make_unique<ptx::Cta>());
    return saved;
  }
  void restore_cta(unsigned slot, SavedInstructions& state) override {
    restored_ = &static_cast<SavedPtx&>(state);
    ctas_[slot] = std::move(restored_->cta);
    ctas_[slot]->move_to(env_);
  }
  ptx::InstructionStream* restore_warp(unsigned, unsigned index, unsigned place) override {
    if (restored_->warps[index] == nullptr) return nullptr;
    warps_[place] = std::move(restored_->warps[index]);
    warps_[place]->follow_cta();
    return warps_[place].get();
  }
  std::uint64_t take_released(unsigned slot) override { return ctas_[slot]->take_released(); }
  void set_address_space(std::uint64_t page_table, std::uint64_t texture_table) override {
    global_.page_table = page_table;
    env_.texture_table = texture_table;
    env_.range_generation = ~0ull;  // what was found through other tables is looked up again
  }
  const ptx::ExecFault& fault() const override { return fault_; }
  void begin_edge(Cycle now) override { env_.cycle = now; }
  void apply_effects(EffectClient& client) override {
    if (env_.pending.empty() && (slice_ == nullptr || slice_->empty())) return;
    const PartMark execution("PTX execution");
    // A warp that has put something off has made its other stores before.
    if (slice_ != nullptr) slice_->write();
    for (const ptx::PendingEffect& effect : env_.pending) apply(effect, client);
    env_.pending.clear();
  }
  bool looks_for_others(const ptx::Program& program) const override {
    return ptx::Stretches::of(program).looks_for_others();
  }
  void act_at_once() override {
    env_.defer_effects = false;
    env_.stores = nullptr;
    shares_idle_ = idle_ != nullptr;
    if (!shares_idle_ || slice_ != nullptr) return;  // some may be in use
    for (auto& cta : ctas_) cta = nullptr;
    for (auto& warp : warps_) warp = nullptr;
  }
  void step_slices() override {
    if (slice_ == nullptr) slice_ = std::make_unique<ptx::SliceStores>(global_.host, global_.origin);
    env_.defer_effects = true;
    env_.stores = slice_.get();
    env_.forget_stores();
    shares_idle_ = false;  // other SMs step at the same time
    if (idle_ == nullptr) return;
    // Else each change from one way to the other and back would leave more there.
    for (auto& cta : ctas_)
      if (cta == nullptr) cta = idle_->ctas.take_if_any();
    for (auto& warp : warps_)
      if (warp == nullptr) warp = idle_->warps.take_if_any();
  }
  // The same on any host, whichever instructions are code of it.
  std::uint64_t hindered() const override {
    return put_off() + (slice_ != nullptr ? slice_->looked() + slice_->scattered() : 0);
  }
  void forget_stores() override { env_.forget_stores(); }
  std::size_t put_off() const override { return env_.pending.size(); }
  bool can_step_ahead() const override { return true; }
  void step_ahead() override {
    stores_ = std::make_unique<ptx::StoreLog>(global_.host, global_.origin);
    env_.stores = stores_.get();
  }
  void apply_effects_until(EffectClient& client, Cycle now) override {
    if (next_effect() > now) return;
    const PartMark execution("PTX execution");
    std::size_t applied = 0;
    for (; applied < env_.pending.size() && env_.pending[applied].edge <= now; ++applied) {
      const ptx::PendingEffect& effect = env_.pending[applied];
      while (stores_->written() < effect.after) stores_->write_first();
      apply(effect, client);
    }
    env_.pending.erase(env_.pending.begin(), env_.pending.begin() + static_cast<std::ptrdiff_t>(applied));
    while (stores_->first() <= now) stores_->write_first();
  }
  Cycle next_effect() const override {
    const Cycle store = stores_ ? stores_->first() : kNever;
    return env_.pending.empty() ? store : std::min<Cycle>(store, env_.pending.front().edge);
  }
  std::uint64_t path_switches() const override { return env_.group_switches; }

 private:
  DeviceFault described(const ptx::Warp& warp, const ptx::ExecFault& access) const {
    const ptx::Cta& cta = warp.cta();
    DeviceFault found;
    found.what = fmt::format("{} of {} bytes", access.what, access.bytes);
    found.kernel = cta.program().name;
    found.ptx_location = cta.program().locate(warp.pc());
    found.address = access.address;
    const ptx::Dim3 id = cta.id();
    found.cta[0] = id.x, found.cta[1] = id.y, found.cta[2] = id.z;
    found.sm = static_cast<int>(env_.sm_id);
    found.warp = static_cast<int>(warp.index());
    found.lane = access.lane;
    found.context = cta.context();
    return found;
  }
  void apply(const ptx::PendingEffect& effect, EffectClient& client) {
    if (!ptx::Warp::apply(effect)) client.effect_failed(*effect.warp, effect.pc);
  }

  DeviceMemory& memory_;
  Memory global_;
  ptx::ExecEnv env_;
  ptx::ExecFault fault_;
  std::unique_ptr<ptx::StoreLog> stores_;    // step_ahead()
  std::unique_ptr<ptx::SliceStores> slice_;  // step_slices()
  const std::shared_ptr<IdleWarps> idle_;
  bool shares_idle_ = false;                       // those that are not in use are there
  std::vector<std::unique_ptr<ptx::Cta>> ctas_;    // by CTA slot
  std::vector<std::unique_ptr<ptx::Warp>> warps_;  // by warp slot
  SavedPtx* restored_ = nullptr;                   // whose warps come next
};

class Ptx : public InstructionSourceType {
 public:
  std::unique_ptr<InstructionSource> build(const SmConfig& config, const SmServices& services,
                                           const SmContext& context) const override {
    return std::make_unique<PtxInstructions>(config, services, context.sm());
  }
};
WARPVP_REGISTER_POLICY(InstructionSourceType, Ptx, "ptx",
                       "The PTX of the kernel, instruction by instruction, with real results.");

}  // namespace
}  // namespace warpvp
