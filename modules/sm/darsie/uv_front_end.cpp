// `sm.frontend.mode: uv`: a reuse buffer removes instructions that yield one value for the whole CTA when
// they have been fetched and decoded (Yeh's thesis, sections 2.5.1 and 7.6, of Xiang et al., Exploiting
// Uniform Vector Instructions for GPGPU Performance, ICS 2013).
//
// The hardware finds uniform operands by comparing values; here instructions are uniform that the marks say
// are (ptx/redundancy.h: definitely redundant). Where the thesis has them leave at issue, here they do when
// they are decoded, which is as early as their I-buffer entry could be given free. What is favourable to UV:
// the values of an instruction that was removed are as ready as the warp's own rows are, and moving them
// there takes no time.

#include <algorithm>
#include <array>
#include <deque>
#include <memory>
#include <string>
#include <vector>

#include "base/registry.h"
#include "modules/sm/darsie/params.h"
#include "modules/sm/darsie/values.h"
#include "modules/sm/darsie/ways.h"
#include "modules/sm/frontend/separate_front_end.h"

namespace warpvp {
namespace {

using darsie::LeaderValues;

struct UvParams {
  std::uint32_t entries = 32;
  bool check = false;
  void fields(FieldVisitor& v) {
    v.field("entries", entries, "entries",
            "Of the reuse buffer, which an SM has one of; the oldest is replaced. Free: the thesis names no "
            "number.",
            Constraint::range(1, 1024));
    v.field(
        "check", check,
        "What a warp reuses is computed nevertheless and compared with what the warp had that executed it. "
        "A difference is a fault of the device.");
  }
};

struct UvCounters {
  std::uint64_t reused = 0, entered = 0, lookups = 0, too_early = 0, replaced = 0;
  void stats(StatVisitor& v) const {
    v.value("reused", reused, "instructions",
            "Uniform instructions that warps left out behind decode, as another had executed them.");
    v.value("entered", entered, "entries", "Results of uniform instructions that entered the reuse buffer.");
    v.value("lookups", lookups, "accesses",
            "To the reuse buffer, by uniform instructions that were decoded.");
    v.value("too_early", too_early, "instructions",
            "That another warp had issued, but whose result was not there yet when they were decoded; they "
            "were executed again.");
    v.value("replaced", replaced, "entries", "Of the reuse buffer, to make room.");
  }
};

/// The reuse buffer of an SM.
class ReuseBuffer : public SharedFrontEnd, private SmListener {
 public:
  /// What a warp of the CTA in `slot` has executed: on one way an instruction comes once.
  struct Instance {
    unsigned slot;
    std::uint64_t way;
    ptx::Pc pc;
    bool operator==(const Instance& o) const { return slot == o.slot && way == o.way && pc == o.pc; }
  };
  struct Entry {
    Instance instance;
    Cycle there;  ///< the edge from which the result may be read
    std::shared_ptr<LeaderValues> values;
  };

  ReuseBuffer(const SmContext& place, const UvParams& params) : params(params) {
    place.listen(*this, {SmEvent::kCtas});
  }
  const Entry* find(const Instance& instance) const {
    for (const Entry& entry : entries_)
      if (entry.instance == instance) return &entry;
    return nullptr;
  }
  void enter(Entry entry) {
    if (entries_.size() == params.entries) {
      entries_.pop_front();
      ++counters.replaced;
    }
    entries_.push_back(std::move(entry));
    ++counters.entered;
  }

  const UvParams params;
  UvCounters counters;

 private:
  void cta_ended(const CtaHere& cta, Cycle) override {
    entries_.erase(std::remove_if(entries_.begin(), entries_.end(),
                                  [&](const Entry& entry) { return entry.instance.slot == cta.slot; }),
                   entries_.end());
  }

  std::deque<Entry> entries_;  // oldest first
};

class UvFrontEnd final : public SeparateFrontEndOf<UvFrontEnd> {
 public:
  static constexpr bool kDrops = true;

  explicit UvFrontEnd(const StageContext& context)
      : SeparateFrontEndOf(context), buffer_(static_cast<ReuseBuffer&>(*context.shared)) {}

  void warp_started(unsigned warp, const WarpInfo& info, const ptx::Program& program,
                    const AccessOwner& owner, FetchCounters& counters) override {
    WarpState& w = warps_[warp];
    w.slot = info.cta;
    w.index = info.index;
    w.code = program.code.data();
    w.flags = darsie::uniform_flags(program, {info.block[0], info.block[1], info.block[2]}).data();
    w.way.start(darsie::full_warps(info) >> info.index & 1);
    w.fresh = true;
    w.reused.clear();
    SeparateFrontEndOf::warp_started(warp, info, program, owner, counters);
  }
  void redirect(unsigned warp, ptx::Pc pc) override {
    WarpState& w = warps_[warp];
    if (w.fresh) w.way.resumed();  // its CTA has been preempted
    w.fresh = false;
    w.way.redirected(pc);
    w.reused.clear();
    SeparateFrontEndOf::redirect(warp, pc);
  }

  bool drops(unsigned warp, ptx::Pc pc) {
    WarpState& w = warps_[warp];
    const darsie::Flags& flags = w.flags[pc];
    w.fresh = false;
    w.way.ahead(pc, flags);
    // Behind a branch this is on speculation: where it goes elsewhere, nothing has been left out.
    if (!flags.skip || !w.way.shares()) return false;
    ++buffer_.counters.lookups;
    const ReuseBuffer::Entry* const entry = buffer_.find({w.slot, w.way.ahead(), pc});
    if (entry == nullptr) return false;
    if (entry->there > context().now()) {
      ++buffer_.counters.too_early;
      return false;
    }
    w.reused.push_back(entry->values);
    return true;
  }

  bool follows_issue() const override { return true; }
  void issued(const IssuedEntry& entry) override {
    WarpState& w = warps_[entry.warp];
    const darsie::Flags& flags = w.flags[entry.pc];
    const ReuseBuffer::Instance instance{w.slot, w.way.behind(), entry.pc};
    if (flags.skip && w.way.shares() && buffer_.find(instance) == nullptr)
      buffer_.enter(
          {instance, entry.result_at, buffer_.params.check ? darsie::values_of(w.index, entry) : nullptr});
    w.way.issued(entry.pc, flags, entry.stream.active() == ~ptx::LaneMask{0});
  }
  std::string skipped(unsigned warp, ptx::Pc pc, const ptx::InstructionStream& stream) override {
    WarpState& w = warps_[warp];
    ++buffer_.counters.reused;
    const std::shared_ptr<LeaderValues> values = w.reused.front();
    w.reused.pop_front();
    // A branch behind which it was left out may have parted the warp since.
    if (!w.way.full()) return {};
    const std::string wrong = darsie::difference(values.get(), w.code[pc], stream);
    return wrong.empty() ? wrong : "UV reused an instruction that is not uniform: " + wrong;
  }

  void stats(StatVisitor& v) const override {
    SeparateFrontEndOf::stats(v);
    // Of the SM: one of its sub-cores shows them.
    v.group(FrontEndType::kKind, context().sub_core == 0 ? buffer_.counters : UvCounters(),
            "What the front end counts.");
  }

 private:
  struct WarpState {
    unsigned slot = 0, index = 0;  // of its CTA, and in it
    const ptx::Inst* code = nullptr;
    const darsie::Flags* flags = nullptr;
    darsie::OwnWay way;
    bool fresh = false;                                // nothing has been decoded
    std::deque<std::shared_ptr<LeaderValues>> reused;  // that has not taken effect yet
  };

  ReuseBuffer& buffer_;
  std::array<WarpState, 64> warps_;
};

class Uv : public FrontEndType {
 public:
  explicit Uv(const UvParams& params) : params_(params) {}
  std::unique_ptr<SharedFrontEnd> build_shared(const SmContext& place, const SmConfig&) const override {
    return std::make_unique<ReuseBuffer>(place, params_);
  }
  std::unique_ptr<FrontEnd> build(const StageContext& context) const override {
    return std::make_unique<UvFrontEnd>(context);
  }
  void stats(StatVisitor& v) const override { UvCounters().stats(v); }

 private:
  const UvParams params_;
};

WARPVP_REGISTER_POLICY_WITH_PARAMS(FrontEndType, Uv, UvParams, "uv",
                                   "As `separate`, but instructions whose result is the same in all lanes of "
                                   "a CTA are dropped behind decode "
                                   "where another warp of the CTA has executed them (Uniform Vector).");

}  // namespace
}  // namespace warpvp
