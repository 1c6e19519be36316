#include "predict/reference_policy.h"

#include <algorithm>
#include <deque>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "base/registry.h"

namespace warpvp::predict {

namespace {

using Warps = std::set<unsigned>;

Warps members(WarpMask mask) {
  Warps warps;
  for (unsigned w = 0; w < 64; ++w)
    if (mask >> w & 1) warps.insert(w);
  return warps;
}

/// Keeps the resident warps and answers what all selections ask.
class Residents : public ReferencePolicy {
 public:
  void warp_started(unsigned warp, const WarpInfo& info) override {
    if (warps_.empty()) first_pick_ = true;
    warps_[warp] = {info, started_++};
    entered(warp);
  }
  void warp_finished(unsigned warp) override {
    left(warp);
    warps_.erase(warp);
  }

 protected:
  struct Resident {
    WarpInfo info;
    std::uint64_t order;  // in which they started here; decides between equal ages
  };
  virtual void entered(unsigned) {}
  virtual void left(unsigned) {}

  unsigned oldest(const Warps& of) const {
    return *std::min_element(of.begin(), of.end(), [&](unsigned a, unsigned b) {
      const Resident &x = warps_.at(a), &y = warps_.at(b);
      return x.info.age != y.info.age ? x.info.age < y.info.age : x.order < y.order;
    });
  }
  /// First warp of `of` behind `last` in cyclic order.
  static unsigned behind(unsigned last, const Warps& of) {
    for (unsigned step = 1;; ++step)
      if (of.count((last + step) % 64)) return (last + step) % 64;
  }

  std::map<unsigned, Resident> warps_;
  bool first_pick_ = true;  // no pick since there are warps
  std::uint64_t started_ = 0;
};

// ---- SWaS paper, section II-B: selection and mode

struct SelectSetting {
  std::string selection = "round_robin";
  std::string mode = "loose";
  std::uint32_t lead = 16;
  bool greed_survives_idle = false;
  void fields(FieldVisitor& v) {
    v.field("selection", selection, "");
    v.field("mode", mode, "");
    v.field("lead", lead, "", "");
  }
};

class Select final : public Residents {
 public:
  explicit Select(SelectSetting setting) : setting_(std::move(setting)) {}

  unsigned pick(const IssueView& view) override {
    const Warps ready = members(view.ready);
    const Cycle idle = first_pick_ ? 0 : view.cycle - last_edge_ - 1;
    first_pick_ = false;
    last_edge_ = view.cycle;
    if (setting_.mode == "strict") {
      const Warps contenders = members(view.resident & ~view.held);
      // The turn goes round at every edge, at those without a ready warp too.
      if (setting_.selection == "round_robin")
        for (Cycle edge = 0; edge < idle % contenders.size(); ++edge) last_ = behind(last_, contenders);
      last_ = select(contenders, view);
      return ready.count(last_) ? last_ : kNoWarp;
    }
    if (setting_.mode == "loose") return last_ = select(ready, view);
    Warps candidates = ready;
    if (setting_.mode == "adaptive") {
      for (unsigned warp : ready)
        if (ahead(warp)) candidates.erase(warp);
    }
    const bool stalled = idle > 0 && !setting_.greed_survives_idle;
    if (stalled || !greedy_ || !candidates.count(*greedy_)) {
      last_ = select(candidates.empty() ? ready : candidates, view);
      greedy_ = last_;
    }
    ++turns_[*greedy_];
    return *greedy_;
  }

 private:
  unsigned select(const Warps& of, const IssueView& view) const {
    if (setting_.selection == "oldest") return oldest(of);
    if (setting_.selection == "round_robin") return behind(last_, of);
    Warps fewest;
    for (unsigned warp : of) {
      if (!fewest.empty() && view.buffered[warp] > view.buffered[*fewest.begin()]) continue;
      if (!fewest.empty() && view.buffered[warp] < view.buffered[*fewest.begin()]) fewest.clear();
      fewest.insert(warp);
    }
    return behind(last_, fewest);
  }
  std::uint64_t total() const {
    std::uint64_t sum = 0;
    for (const auto& [warp, turns] : turns_) sum += turns;
    return sum;
  }
  /// More than `lead` turns above the mean of the resident warps.
  bool ahead(unsigned warp) const {
    return turns_.at(warp) > setting_.lead && total() < (turns_.at(warp) - setting_.lead) * turns_.size();
  }
  void entered(unsigned warp) override {
    const std::uint64_t mean = turns_.empty() ? 0 : total() / turns_.size();
    turns_[warp] = mean;
  }
  void left(unsigned warp) override {
    turns_.erase(warp);
    if (greedy_ == warp) greedy_.reset();
  }

  SelectSetting setting_;
  unsigned last_ = 63;
  Cycle last_edge_ = 0;
  std::optional<unsigned> greedy_;
  std::map<unsigned, std::uint64_t> turns_;
};

// ---- Maestro: kernels in turn, greedy then oldest within each

class KernelsInTurn final : public Residents {
 public:
  unsigned pick(const IssueView& view) override {
    std::map<std::uint32_t, Warps> ready;  // by launch
    for (unsigned warp : members(view.ready)) ready[warps_.at(warp).info.launch_id].insert(warp);
    auto kernel = ready.lower_bound(next_launch_);
    if (kernel == ready.end()) kernel = ready.begin();
    next_launch_ = kernel->first + 1;
    auto greedy = greedy_.find(kernel->first);
    if (greedy == greedy_.end() || !kernel->second.count(greedy->second))
      greedy = greedy_.insert_or_assign(kernel->first, oldest(kernel->second)).first;
    return greedy->second;
  }

 private:
  void left(unsigned warp) override {
    for (auto it = greedy_.begin(); it != greedy_.end();) it = it->second == warp ? greedy_.erase(it) : ++it;
  }

  std::uint32_t next_launch_ = 0;
  std::map<std::uint32_t, unsigned> greedy_;  // by launch: the warp it issued last
};

// ---- Two levels (Narasiman et al., MICRO 2011)

struct TwoLevelSetting {
  std::uint32_t active_warps = 8;
  std::uint32_t patience = 32;
  std::string order = "lrr";
  void fields(FieldVisitor& v) {
    v.field("active_warps", active_warps, "", "");
    v.field("patience", patience, "", "");
    v.field("order", order, "");
  }
};

class TwoLevel final : public Residents {
 public:
  explicit TwoLevel(TwoLevelSetting setting) : setting_(std::move(setting)) {}

  unsigned pick(const IssueView& view) override {
    const Warps stalled = members(view.long_stalled);
    Warps calm;
    for (const auto& [warp, resident] : warps_)
      if (!stalled.count(warp)) calm.insert(warp);
    const Warps ready = members(view.ready);
    retire(stalled);
    admit(calm);
    if (common(active_, ready).empty()) {
      if (!waiting_since_) waiting_since_ = view.cycle;
      if (view.cycle - *waiting_since_ < setting_.patience) return kNoWarp;
      retire(Warps(active_));
      admit(ready);
      admit(calm);
    }
    waiting_since_.reset();
    const Warps choice = common(active_, ready);
    const bool in_a_row = last_edge_ && view.cycle <= *last_edge_ + 1;
    last_edge_ = view.cycle;
    if (setting_.order == "lrr") return last_ = behind(last_, choice);
    if (!in_a_row || !greedy_ || !choice.count(*greedy_)) greedy_ = oldest(choice);
    return *greedy_;
  }

 private:
  static Warps common(const Warps& a, const Warps& b) {
    Warps both;
    std::set_intersection(a.begin(), a.end(), b.begin(), b.end(), std::inserter(both, both.end()));
    return both;
  }
  void entered(unsigned warp) override { queue_.push_back(warp); }
  void left(unsigned warp) override {
    active_.erase(warp);
    queue_.erase(std::remove(queue_.begin(), queue_.end(), warp), queue_.end());
    if (greedy_ == warp) greedy_.reset();
  }
  /// Active warps of `which` go to the end of the queue.
  void retire(const Warps& which) {
    for (unsigned warp : common(active_, which)) {
      active_.erase(warp);
      queue_.push_back(warp);
    }
  }
  /// Waiting warps of `which` fill the active group.
  void admit(const Warps& which) {
    while (active_.size() < setting_.active_warps) {
      Warps eligible;
      std::optional<unsigned> first;
      for (unsigned warp : queue_) {
        if (!which.count(warp)) continue;
        if (!first) first = warp;
        eligible.insert(warp);
      }
      if (!first) return;
      const unsigned chosen = setting_.order == "gto" ? oldest(eligible) : *first;
      queue_.erase(std::find(queue_.begin(), queue_.end(), chosen));
      active_.insert(chosen);
    }
  }

  TwoLevelSetting setting_;
  Warps active_;
  std::deque<unsigned> queue_;
  std::optional<unsigned> greedy_;
  unsigned last_ = 63;
  std::optional<Cycle> last_edge_, waiting_since_;
};

// ---- QAWS paper, Algorithm 1 (and figure 3 for `switch_on: stall`), edge by edge. More than two groups form
// a
// ---- cycle in falling order of budget.

struct QawsSetting {
  std::string switch_on = "issue";
  void fields(FieldVisitor& v) { v.field("switch_on", switch_on, ""); }
};

class Qaws final : public Residents {
 public:
  explicit Qaws(QawsSetting setting) : on_stall_(setting.switch_on == "stall") {}

  unsigned pick(const IssueView& view) override {
    // The algorithm runs at every edge. Of the edges since the last issue at which nothing was ready, the
    // first can change something, the others find no greedy warp.
    if (last_edge_ && view.cycle > *last_edge_ + 1) edge({});
    last_edge_ = view.cycle;
    return edge(members(view.ready));
  }

 private:
  std::uint32_t budget_of(unsigned warp) const { return warps_.at(warp).info.budget; }
  /// Budgets of the resident warps, falling, beginning with g0's.
  std::vector<std::uint32_t> groups() const {
    std::set<std::uint32_t> budgets;
    for (const auto& [warp, resident] : warps_) budgets.insert(resident.info.budget);
    std::vector<std::uint32_t> cycle(budgets.rbegin(), budgets.rend());
    if (!front_) return cycle;
    auto at = cycle.begin();
    while (at != cycle.end() && *at > *front_) ++at;
    std::rotate(cycle.begin(), at == cycle.end() ? cycle.begin() : at, cycle.end());
    return cycle;
  }
  Warps group(std::uint32_t budget) const {
    Warps warps;
    for (const auto& [warp, resident] : warps_)
      if (resident.info.budget == budget) warps.insert(warp);
    return warps;
  }
  /// SORT: greedy, then by age.
  std::vector<unsigned> sorted(std::uint32_t budget) const {
    std::vector<unsigned> line;
    Warps rest = group(budget);
    if (greedy_ && rest.erase(*greedy_)) line.push_back(*greedy_);
    while (!rest.empty()) {
      line.push_back(oldest(rest));
      rest.erase(line.back());
    }
    return line;
  }
  void next_group(const std::vector<std::uint32_t>& groups) {
    switches_ = 0;
    front_ = groups[1];
  }
  /// Who is prioritised at this edge, given who issued at the one before.
  void decide(const Warps& ready) {
    const std::vector<std::uint32_t> g = groups();
    front_ = g[0];
    if (g.size() == 1 || last_group_ != g[0]) return;
    if (on_stall_) {
      if (greedy_ && ready.count(*greedy_)) return;
      if (switches_ >= g[0]) return next_group(g);
      for (unsigned warp : group(g[0])) {
        if (!ready.count(warp)) continue;
        ++switches_;
        return;
      }
      return;
    }
    if (issued_head_ || !greedy_) return;  // lines 11, 12
    if (switches_ < g[0]) {                // lines 15 to 17
      ++switches_;
    } else {  // lines 18 to 20
      next_group(g);
    }
  }
  unsigned edge(const Warps& ready) {
    decide(ready);
    std::vector<unsigned> line;
    for (std::uint32_t budget : groups())
      for (unsigned warp : sorted(budget)) line.push_back(warp);
    const auto issued = std::find_if(line.begin(), line.end(), [&](unsigned w) { return ready.count(w); });
    if (issued == line.end()) {
      greedy_.reset();
      issued_head_ = false;
      last_group_.reset();
      return kNoWarp;
    }
    greedy_ = *issued;
    issued_head_ = issued == line.begin();
    last_group_ = budget_of(*issued);
    return *issued;
  }
  void left(unsigned warp) override {
    if (greedy_ == warp) greedy_.reset();
    const std::uint32_t budget = budget_of(warp);
    if (group(budget).size() > 1) return;
    if (last_group_ == budget) last_group_.reset();
    if (front_ != budget) return;
    // Its successor is g0 now; with nobody left there is no history.
    const std::vector<std::uint32_t> g = groups();
    switches_ = 0;
    front_ = g.size() > 1 ? std::optional<std::uint32_t>(g[1]) : std::nullopt;
    if (g.size() == 1) last_edge_.reset();
  }

  const bool on_stall_;
  std::optional<std::uint32_t> front_;  // g0
  std::uint32_t switches_ = 0;          // g0.ncs
  std::optional<unsigned> greedy_;
  std::optional<std::uint32_t> last_group_;  // the group that issued at the edge before
  bool issued_head_ = false;
  std::optional<Cycle> last_edge_;
};

/// A policy of the SM, where there is no reference.
class Own final : public ReferencePolicy {
  template <class Body>
  auto call(Body&& body) {
    try {
      return body();
    } catch (...) {
      throw_part_failure(part_title(WarpSchedulerPolicy::kKind, name_), " while predicting");
    }
  }

 public:
  explicit Own(const PolicyChoice& choice)
      : policy_(Registry<WarpSchedulerPolicy>::instance().make(choice)), name_(choice.name) {}
  void warp_started(unsigned warp, const WarpInfo& info) override {
    call([&] { policy_->warp_started(warp, info); });
  }
  void warp_finished(unsigned warp) override {
    call([&] { policy_->warp_finished(warp); });
  }
  unsigned pick(const IssueView& view) override {
    return call([&] { return policy_->pick(view); });
  }

 private:
  std::unique_ptr<WarpSchedulerPolicy> policy_;
  const std::string name_;
};

template <class Setting>
Setting setting_of(const PolicyChoice& choice) {
  Setting setting;
  if (choice.load) choice.load([&](FieldVisitor& v) { setting.fields(v); });
  return setting;
}

std::unique_ptr<ReferencePolicy> select(const char* selection, const char* mode, bool survives_idle = false) {
  SelectSetting setting;
  setting.selection = selection;
  setting.mode = mode;
  setting.greed_survives_idle = survives_idle;
  return std::make_unique<Select>(setting);
}

struct LrrSetting {
  bool greedy = false;
  void fields(FieldVisitor& v) { v.field("greedy", greedy, ""); }
};
struct GtoSetting {
  bool greedy_survives_idle = false;
  void fields(FieldVisitor& v) { v.field("greedy_survives_idle", greedy_survives_idle, ""); }
};

}  // namespace

std::unique_ptr<ReferencePolicy> make_reference(const PolicyChoice& choice) {
  const std::string& name = choice.name;
  if (name == "lrr") return select("round_robin", setting_of<LrrSetting>(choice).greedy ? "greedy" : "loose");
  if (name == "gtlrr") return select("round_robin", "greedy");
  if (name == "gto") return select("oldest", "greedy", setting_of<GtoSetting>(choice).greedy_survives_idle);
  if (name == "gtlo") return select("oldest", "greedy");
  if (name == "oldest") return select("oldest", "loose");
  if (name == "icount") return select("icount", "loose");
  if (name == "select") return std::make_unique<Select>(setting_of<SelectSetting>(choice));
  if (name == "lrr_kernels_gto") return std::make_unique<KernelsInTurn>();
  if (name == "two_level") return std::make_unique<TwoLevel>(setting_of<TwoLevelSetting>(choice));
  if (name == "qaws") return std::make_unique<Qaws>(setting_of<QawsSetting>(choice));
  return nullptr;
}

std::unique_ptr<ReferencePolicy> make_reference_or_own(const PolicyChoice& choice) {
  if (auto reference = make_reference(choice)) return reference;
  return std::make_unique<Own>(choice);
}

}  // namespace warpvp::predict
