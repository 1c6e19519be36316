#include "interconnect/evaluation.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <thread>
#include <utility>

#include "interconnect/clock_domain.h"

namespace warpvp {

void EvaluationConfig::fields(FieldVisitor& v) {
  v.field("threads", threads, "",
          "Threads of the host that evaluate the blocks of an edge together. Results are the same. 0: as "
          "many as the host has processors, but no more than one for each four SMs, where SMs are evaluated "
          "for many edges at a time (`window`, `sm.exchange: slice` and `auto`), else one.",
          Constraint::range(0, kMostThreads));
  v.field(
      "order", order,
      "In which order one thread evaluates the blocks of an edge. Results are the same; that they are finds "
      "blocks that touch what is not theirs.",
      Constraint::words({"forward", "reverse"}));
  v.field(
      "window", window, "cycles",
      "For how many edges an SM is evaluated at once: as long before others can reach it. 1: for one. Wider "
      "windows are faster where there "
      "are many SMs, and let cycles differ by little (docs/architecture.md). So much of the L2's latency is "
      "spent behind the crossbar: at most the least time in which the L2 answers.",
      Constraint::range(1, 4096));
}

/// Threads beside the simulation's own. All that take part in an edge take blocks from one list, a few at a
/// time, as some have much to do and others little. An edge is over when the list is empty and all have left
/// it: nobody waits for a thread that the host has not come to yet.
class Evaluation::Helpers {
 public:
  explicit Helpers(unsigned count) {
    for (unsigned i = 0; i < count; ++i) helpers_.push_back(std::make_unique<Helper>());
    for (unsigned i = 0; i < count; ++i) helpers_[i]->thread = std::thread([this, i] { serve(i); });
  }
  ~Helpers() {
    ending_ = true;
    open_edge(count());
    for (const auto& helper : helpers_) helper->thread.join();
  }
  unsigned count() const { return static_cast<unsigned>(helpers_.size()); }

  /// With up to `helpers` of them.
  void run(const std::vector<Clocked*>& blocks, const std::vector<unsigned>& active, Cycle now,
           unsigned helpers) {
    blocks_ = &blocks;
    active_ = &active;
    now_ = now;
    next_.store(0, std::memory_order_relaxed);
    few_ = std::max<std::size_t>(1, active.size() / (std::size_t{16} * (helpers + 1)));
    if (rests()) {
      work();
    } else {
      const Time began = Clock::now();
      open_edge(helpers);
      work();
      edge_.fetch_and(~kOpen);
      wait_for_helpers(began);
    }
    if (!thrown_) return;
    const std::exception_ptr thrown = std::exchange(thrown_, nullptr);
    std::rethrow_exception(thrown);
  }

 private:
  // Who takes part hangs on the clock, and what comes of an edge does not hang on who takes part.
  using Clock = std::chrono::steady_clock;
  using Time = Clock::time_point;

  /// This edge is to be without helpers: the host has let others have its processors while edges waited.
  bool rests() {
    if (rest_ == 0) return false;
    --rest_;
    return true;
  }
  void wait_for_helpers(Time began) {
    const auto one_is_inside = [this] { return (edge_.load(std::memory_order_acquire) & kAllInside) != 0; };
    if (!one_is_inside()) return note_edge(false);
    const Time done = Clock::now();
    for (unsigned spins = 0; one_is_inside(); ++spins)
      if (spins > kSpins) std::this_thread::yield();
    // A helper takes a small part of the list at a time.
    note_edge(Clock::now() - done > 2 * (done - began) + kShortWait);
  }
  // One helper that is kept from its processor costs more than many edges' help.
  void note_edge(bool held_up) {
    constexpr unsigned kFirstRest = 64, kLongestRest = 1 << 14, kGoodEdges = 256;
    if (held_up) {
      next_rest_ = std::min(kLongestRest, std::max(kFirstRest, 2 * next_rest_));
      rest_ = next_rest_;
      good_ = 0;
    } else if (++good_ % kGoodEdges == 0) {
      next_rest_ /= 2;
    }
  }

  static constexpr std::chrono::microseconds kShortWait{50};
  /// Looks for the next edge before a thread sleeps. Edges follow each other within microseconds.
  static constexpr unsigned kSpins = 4000;
  // Of edge_: how many of the helpers may take part, the first ones; how many are inside; whether one may
  // still come; and above that edges are counted.
  static constexpr std::uint64_t kAllInvited = 0xff, kOneInside = 0x100, kAllInside = 0xff00, kOpen = 0x10000,
                                 kOneEdge = 0x20000;
  static_assert(EvaluationConfig::kMostThreads <= kAllInvited);

  struct Helper {
    std::thread thread;
    std::atomic<bool> sleeps{false};
    std::mutex mutex;
    std::condition_variable begun;
  };

  // Requires that the one before is closed and nobody is inside.
  void open_edge(unsigned helpers) {
    edge_.store((edge_.load() / kOneEdge + 1) * kOneEdge | kOpen | helpers);
    // One that is about to sleep says so before it looks for the last time.
    for (unsigned i = 0; i < helpers; ++i) {
      Helper& helper = *helpers_[i];
      if (!helper.sleeps) continue;
      const std::lock_guard<std::mutex> lock(helper.mutex);
      helper.begun.notify_one();
    }
  }

  void serve(unsigned index) {
    Helper& own = *helpers_[index];
    std::uint64_t seen = 0;  // the last edge that it took part in
    const auto invited = [&](std::uint64_t edge) {
      return (edge & kOpen) != 0 && edge / kOneEdge != seen && index < (edge & kAllInvited);
    };
    const auto begun = [&] { return invited(edge_.load()); };
    while (true) {
      for (unsigned spins = 0; !begun(); ++spins) {
        if (spins < kSpins) continue;
        std::unique_lock<std::mutex> lock(own.mutex);
        own.sleeps = true;
        own.begun.wait(lock, begun);
        own.sleeps = false;
      }
      std::uint64_t edge = edge_.load();
      bool inside = false;
      while (invited(edge) && !inside) inside = edge_.compare_exchange_weak(edge, edge + kOneInside);
      if (!inside) continue;  // it was closed meanwhile
      seen = edge / kOneEdge;
      if (ending_) return;
      work();
      edge_.fetch_sub(kOneInside, std::memory_order_acq_rel);
    }
  }

  void work() {
    const std::size_t all = active_->size();
    for (std::size_t first = next_.fetch_add(few_, std::memory_order_relaxed); first < all;
         first = next_.fetch_add(few_, std::memory_order_relaxed))
      for (std::size_t i = first; i < std::min(first + few_, all); ++i) evaluate((*active_)[i]);
  }
  void evaluate(unsigned id) {
    try {
      at_edge_of(*(*blocks_)[id], [&](Clocked& block) { block.evaluate(now_); });
    } catch (...) {
      const std::lock_guard<std::mutex> lock(mutex_);
      if (thrown_ && thrown_at_ < id) return;
      thrown_ = std::current_exception();
      thrown_at_ = id;
    }
  }

  std::vector<std::unique_ptr<Helper>> helpers_;
  const std::vector<Clocked*>* blocks_ = nullptr;
  const std::vector<unsigned>* active_ = nullptr;
  Cycle now_ = 0;
  std::atomic<std::uint64_t> edge_{0};  // the last one
  std::atomic<std::size_t> next_{0};    // of active_: not taken by any thread
  std::size_t few_ = 1;                 // taken at a time
  bool ending_ = false;
  unsigned rest_ = 0, next_rest_ = 0, good_ = 0;  // in edges: see note_edge()
  std::mutex mutex_;                              // of the next two
  std::exception_ptr thrown_;
  unsigned thrown_at_ = 0;
};

Evaluation::Evaluation(const EvaluationConfig& config) : reverse_(config.order == "reverse") {
  if (config.threads > 1) helpers_ = std::make_unique<Helpers>(config.threads - 1);
}

Evaluation::~Evaluation() = default;

void Evaluation::run(const std::vector<Clocked*>& blocks, const std::vector<unsigned>& active, Cycle now) {
  // One or two blocks are done before another thread has noticed.
  constexpr unsigned kBlocksOfAThread = 2;
  const auto worth = [&](unsigned id) { return blocks[id]->worth_a_thread(now); };
  if (helpers_) {
    const auto busy = static_cast<unsigned>(std::count_if(active.begin(), active.end(), worth));
    const unsigned threads = std::min(helpers_->count() + 1, busy / kBlocksOfAThread);
    if (threads > 1) return helpers_->run(blocks, active, now, threads - 1);
  }
  const auto evaluate = [&](unsigned id) {
    at_edge_of(*blocks[id], [&](Clocked& block) { block.evaluate(now); });
  };
  if (reverse_) {
    std::for_each(active.rbegin(), active.rend(), evaluate);
  } else {
    std::for_each(active.begin(), active.end(), evaluate);
  }
}

}  // namespace warpvp
