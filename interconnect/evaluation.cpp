#include "interconnect/evaluation.h"

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <mutex>
#include <thread>
#include <utility>

#include "interconnect/clock_domain.h"

namespace warpvp {

void EvaluationConfig::fields(FieldVisitor& v) {
  v.field("threads", threads, "",
          "Threads of the host that evaluate the blocks of an edge together. Results are the same.",
          Constraint::range(1, 64));
  v.field(
      "order", order,
      "In which order one thread evaluates the blocks of an edge. Results are the same; that they are finds "
      "blocks that touch what is not theirs.",
      Constraint::words({"forward", "reverse"}));
}

/// Threads beside the simulation's own. Each evaluates the same blocks at every edge, so that their state
/// stays in its core's caches. An edge is over when all have left it.
class Evaluation::Helpers {
 public:
  explicit Helpers(unsigned count) {
    for (unsigned i = 0; i < count; ++i) threads_.emplace_back([this, i] { serve(i + 1); });
  }
  ~Helpers() {
    ending_ = true;
    begin_edge();
    for (std::thread& thread : threads_) thread.join();
  }

  void run(const std::vector<Clocked*>& blocks, const std::vector<unsigned>& active, Cycle now) {
    blocks_ = &blocks;
    active_ = &active;
    now_ = now;
    busy_.store(threads_.size(), std::memory_order_relaxed);
    begin_edge();
    work(0);
    for (unsigned spins = 0; busy_.load(std::memory_order_acquire) != 0; ++spins)
      if (spins > kSpins) std::this_thread::yield();
    if (!thrown_) return;
    const std::exception_ptr thrown = std::exchange(thrown_, nullptr);
    std::rethrow_exception(thrown);
  }

 private:
  /// Looks for the next edge before a thread sleeps. Edges follow each other within microseconds.
  static constexpr unsigned kSpins = 4000;

  void begin_edge() {
    {
      const std::lock_guard<std::mutex> lock(mutex_);
      edge_.fetch_add(1, std::memory_order_release);
    }
    if (sleeping_.load() != 0) begun_.notify_all();
  }

  void serve(std::size_t thread) {
    std::uint64_t seen = 0;
    while (true) {
      for (unsigned spins = 0; edge_.load(std::memory_order_acquire) == seen; ++spins) {
        if (spins < kSpins) continue;
        std::unique_lock<std::mutex> lock(mutex_);
        ++sleeping_;
        begun_.wait(lock, [&] { return edge_.load(std::memory_order_acquire) != seen; });
        --sleeping_;
      }
      ++seen;
      if (ending_) return;
      work(thread);
      busy_.fetch_sub(1, std::memory_order_acq_rel);
    }
  }

  /// The part of the blocks that is this thread's: 0 is the simulation's own.
  void work(std::size_t thread) {
    const std::size_t parts = threads_.size() + 1;
    const std::size_t begin = blocks_->size() * thread / parts, end = blocks_->size() * (thread + 1) / parts;
    const auto first = std::lower_bound(active_->begin(), active_->end(), begin);
    for (auto id = first; id != active_->end() && *id < end; ++id) {
      try {
        at_edge_of(*(*blocks_)[*id], [&](Clocked& block) { block.evaluate(now_); });
      } catch (...) {
        const std::lock_guard<std::mutex> lock(mutex_);
        if (thrown_ && thrown_at_ < *id) continue;
        thrown_ = std::current_exception();
        thrown_at_ = *id;
      }
    }
  }

  std::vector<std::thread> threads_;
  const std::vector<Clocked*>* blocks_ = nullptr;
  const std::vector<unsigned>* active_ = nullptr;
  Cycle now_ = 0;
  std::atomic<std::uint64_t> edge_{0};  // counts edges handed out
  std::atomic<std::size_t> busy_{0};    // threads that have not left the edge
  std::atomic<unsigned> sleeping_{0};
  bool ending_ = false;
  std::mutex mutex_;
  std::condition_variable begun_;
  std::exception_ptr thrown_;
  unsigned thrown_at_ = 0;
};

Evaluation::Evaluation(const EvaluationConfig& config) : reverse_(config.order == "reverse") {
  if (config.threads > 1) helpers_ = std::make_unique<Helpers>(config.threads - 1);
}

Evaluation::~Evaluation() = default;

void Evaluation::run(const std::vector<Clocked*>& blocks, const std::vector<unsigned>& active, Cycle now) {
  // Few blocks are done before another thread has noticed.
  constexpr std::size_t kFew = 4;
  if (helpers_ && active.size() >= kFew) {
    helpers_->run(blocks, active, now);
    return;
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
