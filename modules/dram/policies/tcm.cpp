// Thread cluster memory scheduling (Kim, Papamichael, Mutlu and Harchol-Balter, MICRO 2010), with kernels or
// contexts as the paper's threads. Every quantum, those that used the least bandwidth in the last one, up to
// `cluster_threshold` of the total, form the latency-sensitive cluster; it goes first, who uses less before
// who uses more. The others are the bandwidth-sensitive cluster, whose order changes every
// `shuffle_interval`. Of one rank, accesses to open rows go before older ones (Algorithm 3 of the paper:
// rank, row hit, age).
//
// What differs: the paper orders the first cluster by misses for each instruction, and gives bandwidth as the
// cycles that banks are busy; a memory channel knows no instructions, so both are column accesses here. Each
// channel decides for itself, without the paper's exchange between controllers. The shuffle is a rotation
// (the paper's round robin), not the insertion shuffle by niceness. Who had nothing served in the last
// quantum goes first of all, and before the end of the first quantum nobody has a rank. A row is not closed
// while accesses to it wait of which one has the same rank or a better one.

#include <algorithm>
#include <array>
#include <vector>

#include "base/registry.h"
#include "modules/dram/scheduler.h"

namespace warpvp {
namespace {

struct TcmParams {
  std::uint64_t quantum = 100000;
  std::uint64_t shuffle_interval = 800;
  double cluster_threshold = 0.1667;
  std::string threads = "kernels";

  void fields(FieldVisitor& v) {
    v.field("quantum", quantum, "CK",
            "Clusters are formed anew this often. The paper's runs are longer, and so is its quantum, 1 "
            "million cycles.",
            Constraint::at_least(1));
    v.field("shuffle_interval", shuffle_interval, "CK",
            "The order of the bandwidth-sensitive cluster changes this often (the paper's ShuffleInterval).",
            Constraint::at_least(1));
    v.field("cluster_threshold", cluster_threshold, "share",
            "Of all column accesses, what the latency-sensitive cluster has at most (the paper's "
            "ClusterThresh, which is 4/24).",
            Constraint::range(0, 1));
    v.field("threads", threads, "What is ranked: kernels (by their slots), or contexts.",
            Constraint::words({"kernels", "contexts"}));
  }
};

class Tcm : public DramScheduler {
 public:
  explicit Tcm(const TcmParams& params)
      : params_(params), by_context_(params.threads == "contexts"), quantum_end_(params.quantum) {}

  bool ranks_kernels() const override { return true; }

  int pick(const std::vector<Candidate>& candidates, Cycle now) override {
    advance(now);
    // By bank: the best rank of accesses to the open row.
    best_hit_.fill(kLast);
    for (const Candidate& c : candidates)
      if (c.command == Command::kColumn) best_hit_[c.bank] = std::min(best_hit_[c.bank], rank_of(c));
    const Candidate* best = nullptr;
    std::uint32_t best_rank = kLast;
    for (const Candidate& c : candidates) {
      if (c.earliest > now) continue;
      const std::uint32_t rank = rank_of(c);
      if (c.command == Command::kPrecharge && c.bank_has_hits) {
        // Asked about one command bus alone, it is not shown who has the hits.
        if (best_hit_[c.bank] == kLast || best_hit_[c.bank] <= rank) continue;
      }
      const bool hit = c.command == Command::kColumn;
      const bool best_hits = best != nullptr && best->command == Command::kColumn;
      if (best == nullptr || rank < best_rank ||
          (rank == best_rank && (hit != best_hits ? hit : c.age < best->age))) {
        best = &c;
        best_rank = rank;
      }
    }
    return best ? static_cast<int>(best - candidates.data()) : -1;
  }
  void issued(const Candidate& c, Cycle now) override {
    if (c.command != Command::kColumn) return;
    advance(now);
    const std::uint32_t id = thread_of(c);
    for (Thread& thread : threads_)
      if (thread.id == id) {
        ++thread.served;
        return;
      }
    threads_.push_back({id, 1, 0});
  }
  void stats(StatVisitor& v) const override {
    v.value("quanta", quanta_, "quanta", "Times that clusters were formed.");
    v.value("latency_sensitive", latency_sensitive_, "threads",
            "Kernels (or contexts) in the latency-sensitive cluster, summed over the quanta.");
    v.value("bandwidth_sensitive", bandwidth_sensitive_, "threads",
            "Those in the bandwidth-sensitive cluster, likewise.");
  }

 private:
  static constexpr std::uint32_t kLast = ~0u;
  struct Thread {
    std::uint32_t id;
    std::uint64_t served = 0;  // column accesses in this quantum
    std::uint32_t rank = 0;    // smaller goes first; 0: none yet
  };

  std::uint32_t thread_of(const Candidate& c) const { return by_context_ ? c.context : c.kernel_slot; }
  std::uint32_t rank_of(const Candidate& c) const {
    const std::uint32_t id = thread_of(c);
    for (const Thread& thread : threads_)
      if (thread.id == id) return thread.rank;
    return 0;
  }
  void advance(Cycle now) {
    if (now >= quantum_end_) {
      quantum_end_ += ((now - quantum_end_) / params_.quantum + 1) * params_.quantum;
      form_clusters();
      next_shuffle_ = now + params_.shuffle_interval;
    }
    if (now >= next_shuffle_ && bandwidth_.size() > 1) {
      const std::uint64_t times = (now - next_shuffle_) / params_.shuffle_interval + 1;
      next_shuffle_ += times * params_.shuffle_interval;
      const auto first = bandwidth_.begin() + static_cast<std::ptrdiff_t>(times % bandwidth_.size());
      std::rotate(bandwidth_.begin(), first, bandwidth_.end());
      rank_bandwidth_cluster();
    }
  }
  void form_clusters() {
    threads_.erase(std::remove_if(threads_.begin(), threads_.end(),
                                  [](const Thread& thread) { return thread.served == 0; }),
                   threads_.end());
    std::sort(threads_.begin(), threads_.end(), [](const Thread& a, const Thread& b) {
      return a.served != b.served ? a.served < b.served : a.id < b.id;
    });
    std::uint64_t total = 0, sum = 0;
    for (const Thread& thread : threads_) total += thread.served;
    const double most = params_.cluster_threshold * static_cast<double>(total);
    first_of_bandwidth_ = 0;
    for (Thread& thread : threads_) {
      sum += thread.served;
      if (static_cast<double>(sum) > most) break;
      thread.rank = ++first_of_bandwidth_;
    }
    bandwidth_.clear();
    for (std::size_t i = first_of_bandwidth_; i < threads_.size(); ++i) bandwidth_.push_back(i);
    rank_bandwidth_cluster();
    for (Thread& thread : threads_) thread.served = 0;
    ++quanta_;
    latency_sensitive_ += first_of_bandwidth_;
    bandwidth_sensitive_ += bandwidth_.size();
  }
  void rank_bandwidth_cluster() {
    for (std::size_t i = 0; i < bandwidth_.size(); ++i)
      threads_[bandwidth_[i]].rank = first_of_bandwidth_ + 1 + static_cast<std::uint32_t>(i);
  }

  const TcmParams params_;
  const bool by_context_;
  std::vector<Thread> threads_;  // those of the last quantum by what they used, then those that came since
  std::vector<std::size_t> bandwidth_;  // indices of the bandwidth-sensitive ones, by rank
  std::uint32_t first_of_bandwidth_ = 0;
  Cycle quantum_end_;
  Cycle next_shuffle_ = kNever;
  std::array<std::uint32_t, 64> best_hit_{};
  std::uint64_t quanta_ = 0, latency_sensitive_ = 0, bandwidth_sensitive_ = 0;
};

WARPVP_REGISTER_POLICY_WITH_PARAMS(DramScheduler, Tcm, TcmParams, "tcm",
                                   "Thread cluster memory scheduling (TCM): kernels that use little "
                                   "bandwidth go first, the others take turns.");

}  // namespace
}  // namespace warpvp
