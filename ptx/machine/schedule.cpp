#include "ptx/machine/schedule.h"

#include <algorithm>

#include "ptx/liveness.h"
#include "ptx/machine/dependences.h"
#include "ptx/machine/facts.h"
#include "ptx/machine/latencies.h"
#include "ptx/machine/live_sets.h"

namespace warpvp::ptx::machine {
namespace {

/// Longer stretches are scheduled in pieces: the time taken grows with the square.
constexpr std::uint32_t kLongest = 1024;
/// Predicates of a thread: P0 to P6 (public assemblers of Volta's machine code).
constexpr int kPredicates = 7;

/// Registers alive: [0] 32-bit registers, [1] predicates.
struct Pressure {
  int count[2] = {0, 0};
  void add(const ir::Register& r, int sign) {
    if (r.constant) return;  // not in the register file
    if (r.type == Type::pred)
      count[1] += sign;
    else
      count[0] += sign * static_cast<int>(rows_of(r.type));
  }
  bool within(const Pressure& limit) const {
    return count[0] <= limit.count[0] && count[1] <= limit.count[1];
  }
  void raise(const Pressure& other) {
    for (int k = 0; k < 2; ++k) count[k] = std::max(count[k], other.count[k]);
  }
};

// A stretch of a block between instructions that stay in their places.
class Stretch {
 public:
  Stretch(const ir::Module& m, const ir::Function& f, std::uint32_t begin, std::uint32_t end,
          const std::vector<bool>& live_behind)
      : f_(f), begin_(begin), size_(end - begin), live_behind_(live_behind) {
    successors_ = dependences(m, f, begin, end);
    height_.assign(size_, 0);
    read_.resize(size_);
    written_.resize(size_);
    keeps_.resize(size_);
    for (std::uint32_t k = 0; k < size_; ++k) {
      registers_read(f.code[begin + k], read_[k]);
      registers_written(f.code[begin + k], written_[k]);
      for (std::vector<int>* list : {&read_[k], &written_[k]}) {
        std::sort(list->begin(), list->end());
        list->erase(std::unique(list->begin(), list->end()), list->end());
      }
      keeps_[k] = keeps_sources(f, f.code[begin + k]);
    }
    for (std::uint32_t k = size_; k-- > 0;) {
      // A result that is read behind the stretch is on its way there.
      const bool leaves = std::any_of(written_[k].begin(), written_[k].end(),
                                      [&](int r) { return live_behind[static_cast<std::size_t>(r)]; });
      height_[k] = leaves ? expected_latency(f.code[begin + k]) : 1;
      for (const Dependence& d : successors_[k]) height_[k] = std::max(height_[k], d.latency + height_[d.to]);
    }
  }

  std::vector<std::uint32_t> text_order() const {
    std::vector<std::uint32_t> order(size_);
    for (std::uint32_t k = 0; k < size_; ++k) order[k] = k;
    return order;
  }

  // The most that is alive at once.
  Pressure pressure_of(const std::vector<std::uint32_t>& order) const {
    std::vector<bool> live = live_behind_;
    Pressure now = of_set(live), most = now;
    for (std::size_t n = order.size(); n-- > 0;) {
      const std::uint32_t k = order[n];
      Pressure at = now;
      for (const int r : written_[k]) {
        const auto u = static_cast<std::size_t>(r);
        if (!live[u]) at.add(reg(r), 1);  // a result that nobody reads has its place for a moment
        if (live[u] && ends_old_values(f_.code[begin_ + k])) now.add(reg(r), -1);
        if (ends_old_values(f_.code[begin_ + k])) live[u] = false;
      }
      most.raise(at);
      for (const int r : read_[k]) {
        const auto u = static_cast<std::size_t>(r);
        if (live[u]) continue;
        live[u] = true;
        now.add(reg(r), 1);
        if (keeps_[k]) at.add(reg(r), 1);
      }
      most.raise(at);
      most.raise(now);
    }
    return most;
  }

  // Instructions in the order in which they should issue with no more than `limit` alive, as far as can be
  // seen.
  std::vector<std::uint32_t> list_schedule(const Pressure& limit) const {
    std::vector<std::uint32_t> waits_for(size_, 0), earliest(size_, 0), ready, order;
    for (const std::vector<Dependence>& list : successors_)
      for (const Dependence& d : list) ++waits_for[d.to];
    State state = begin_state();
    for (std::uint32_t k = 0; k < size_; ++k)
      if (waits_for[k] == 0) ready.push_back(k);
    std::uint32_t cycle = 0;
    while (!ready.empty()) {
      const std::size_t n = choose(ready, earliest, cycle, state, limit);
      const std::uint32_t k = ready[n];
      ready.erase(ready.begin() + static_cast<std::ptrdiff_t>(n));
      order.push_back(k);
      cycle = std::max(cycle, earliest[k]) + 1;
      state.now = after(state, k);
      for (const int r : read_[k]) --state.reads_left[static_cast<std::size_t>(r)];
      for (const int r : written_[k]) {
        if (!is_needed(state, r)) state.now.add(reg(r), -1);
        state.present[static_cast<std::size_t>(r)] = is_needed(state, r);
      }
      for (const int r : read_[k]) state.present[static_cast<std::size_t>(r)] = is_needed(state, r);
      for (const Dependence& d : successors_[k]) {
        earliest[d.to] = std::max(earliest[d.to], cycle - 1 + d.latency);
        if (--waits_for[d.to] == 0) ready.push_back(d.to);
      }
    }
    return order;
  }

 private:
  struct State {
    std::vector<unsigned> reads_left;
    std::vector<bool> present;  // holds a value that is still needed
    Pressure now;
  };

  const ir::Register& reg(int r) const { return f_.registers[static_cast<std::size_t>(r)]; }
  Pressure of_set(const std::vector<bool>& live) const {
    Pressure p;
    for (std::size_t r = 0; r < live.size(); ++r)
      if (live[r]) p.add(f_.registers[r], 1);
    return p;
  }
  bool is_needed(const State& s, int r) const {
    const auto u = static_cast<std::size_t>(r);
    return s.reads_left[u] > 0 || live_behind_[u];
  }

  State begin_state() const {
    State s;
    s.reads_left.assign(f_.registers.size(), 0);
    s.present = live_behind_;
    for (std::uint32_t k = size_; k-- > 0;) step_back(f_.code[begin_ + k], s.present);
    for (const std::vector<int>& list : read_)
      for (const int r : list) ++s.reads_left[static_cast<std::size_t>(r)];
    s.now = of_set(s.present);
    return s;
  }

  // What is alive behind instruction k if it is next.
  Pressure after(const State& s, std::uint32_t k) const {
    Pressure p = s.now;
    for (const int r : read_[k]) {
      const auto u = static_cast<std::size_t>(r);
      if (s.present[u] && s.reads_left[u] == 1 && !live_behind_[u]) p.add(reg(r), -1);
    }
    for (const int r : written_[k]) {
      const auto u = static_cast<std::size_t>(r);
      const bool read_too = std::binary_search(read_[k].begin(), read_[k].end(), r);
      const bool freed = read_too && s.present[u] && s.reads_left[u] == 1 && !live_behind_[u];
      if (!s.present[u] || freed) p.add(reg(r), 1);
    }
    return p;
  }

  std::size_t choose(const std::vector<std::uint32_t>& ready, const std::vector<std::uint32_t>& earliest,
                     std::uint32_t cycle, const State& state, const Pressure& limit) const {
    std::size_t best = ready.size();
    bool best_fits = false, best_now = false;
    for (std::size_t n = 0; n < ready.size(); ++n) {
      const std::uint32_t k = ready[n];
      const Pressure p = after(state, k);
      // What raises nothing may always go on.
      const bool fits =
          p.within(limit) || (p.count[0] <= state.now.count[0] && p.count[1] <= state.now.count[1]);
      const bool now = earliest[k] <= cycle;
      if (best == ready.size()) {
        best = n, best_fits = fits, best_now = now;
        continue;
      }
      const std::uint32_t b = ready[best];
      bool better;
      if (fits != best_fits)
        better = fits;
      else if (!fits)
        better = k < b;  // the text's own order is known to get along
      else if (now != best_now)
        better = now;
      else if (!now && earliest[k] != earliest[b])
        better = earliest[k] < earliest[b];
      else
        better = height_[k] != height_[b] ? height_[k] > height_[b] : k < b;
      if (better) best = n, best_fits = fits, best_now = now;
    }
    return best;
  }

  const ir::Function& f_;
  const std::uint32_t begin_, size_;
  const std::vector<bool>& live_behind_;
  std::vector<std::vector<Dependence>> successors_;
  std::vector<std::uint32_t> height_;  // cycles to the end along the longest way
  std::vector<std::vector<int>> read_, written_;
  std::vector<bool> keeps_;
};

// The best order that keeps within the limit, or the text's own.
std::vector<std::uint32_t> order_of_stretch(const Stretch& stretch, Pressure limit) {
  const std::vector<std::uint32_t> text = stretch.text_order();
  limit.raise(stretch.pressure_of(text));
  Pressure aim = limit;
  for (int attempt = 0; attempt < 4; ++attempt) {
    std::vector<std::uint32_t> order = stretch.list_schedule(aim);
    if (stretch.pressure_of(order).within(limit)) return order;
    aim.count[0] -= std::max(2, limit.count[0] / 8);
    --aim.count[1];
  }
  return text;
}

}  // namespace

void schedule(const ir::Module& m, ir::Function& f, unsigned registers) {
  const ControlFlowGraph cfg(f);
  const std::vector<std::vector<bool>> live_behind = live_behind_blocks(f, cfg);
  Pressure limit;
  limit.count[0] = static_cast<int>(registers);
  limit.count[1] = kPredicates;
  for (std::size_t b = 0; b < cfg.blocks().size(); ++b) {
    const Block& block = cfg.blocks()[b];
    std::vector<bool> live = live_behind[b];
    // From the end of the block to its begin; moving within a stretch changes nothing that is alive around
    // it.
    for (std::uint32_t end = block.end; end > block.begin;) {
      if (order_of(f.code[end - 1]) == Order::kFixed) {
        step_back(f.code[--end], live);
        continue;
      }
      std::uint32_t begin = end;
      while (begin > block.begin && end - begin < kLongest && order_of(f.code[begin - 1]) != Order::kFixed)
        --begin;
      if (end - begin > 1) {
        const Stretch stretch(m, f, begin, end, live);
        const std::vector<std::uint32_t> order = order_of_stretch(stretch, limit);
        std::vector<ir::Instruction> sorted;
        for (const std::uint32_t k : order) sorted.push_back(std::move(f.code[begin + k]));
        std::move(sorted.begin(), sorted.end(), f.code.begin() + begin);
      }
      while (end > begin) step_back(f.code[--end], live);
    }
  }
}

}  // namespace warpvp::ptx::machine
