#include "interconnect/cache/prefetching.h"

#include <fmt/format.h>

#include <algorithm>

#include "interconnect/policy_contract.h"

namespace warpvp {

PrefetchCounters& PrefetchCounters::operator+=(const PrefetchCounters& o) {
  issued += o.issued;
  useful += o.useful;
  late += o.late;
  unused += o.unused;
  redundant += o.redundant;
  outside += o.outside;
  dropped += o.dropped;
  return *this;
}

void PrefetchCounters::stats(StatVisitor& v) const {
  v.value("issued", issued, "lines", "Lines requested before anybody asked for them.");
  v.value("useful", useful, "lines", "Of these: asked for later, when they were here.");
  v.value("late", late, "lines", "Of these: asked for while they were on their way.");
  v.value("unused", unused, "lines", "Of these: gone without having been asked for.");
  v.value("redundant", redundant, "lines", "Lines proposed that were here or on their way.");
  v.value("outside", outside, "lines",
          "Lines proposed in another page than the load's, or where there is no memory.");
  v.value("dropped", dropped, "lines",
          "Lines proposed for which there was no room: in the queue of proposals, among MSHRs, ways or "
          "requests.");
}

Prefetching::Prefetching(const PolicyChoice& choice, const PolicyContext& context,
                         const Prefetcher::Cache& cache, std::uint32_t lines, unsigned queue)
    : policy_(choice, context), title_(context.place), line_bytes_(cache.line_bytes) {
  configure_policy(Prefetcher::kKind, choice, [&] {
    on_ = policy_.call([&](Prefetcher& policy) {
      if (policy.never()) return false;
      policy.configure(cache);
      return true;
    });
  });
  if (!on_) return;
  unused_.assign(lines, 0);
  fresh_.reserve(Prefetcher::kMostProposals);
  proposals_.set_capacity(queue);
}

void Prefetching::access(const Prefetcher::Access& access, const Cause& cause, PrefetchCounters& counters) {
  fresh_.clear();
  policy_.call([&](Prefetcher& policy) { policy.access(access, fresh_); });
  if (fresh_.size() > Prefetcher::kMostProposals)
    report_broken_contract(Prefetcher::kKind, policy_.name(),
                           fmt::format("access() proposed {} lines; allowed: at most {}", fresh_.size(),
                                       Prefetcher::kMostProposals),
                           fmt::format("{}, line {:#x}", title_, access.line));
  for (const std::uint64_t address : fresh_) {
    if (proposals_.full()) {
      ++counters.dropped;
    } else {
      proposals_.push({address / line_bytes_ * line_bytes_, access.line, cause});
    }
  }
}

bool Prefetching::used(std::uint32_t line, bool here, PrefetchCounters& counters) {
  if (!unused_[line]) return false;
  unused_[line] = 0;
  ++(here ? counters.useful : counters.late);
  return true;
}

void Prefetching::gone(std::uint32_t line, PrefetchCounters& counters) {
  counters.unused += unused_[line];
  unused_[line] = 0;
}

void Prefetching::stats(StatVisitor& v, const char* key) const { policy_.stats(v, kPrefetcherSentence, key); }

void Prefetching::forget() {
  std::fill(unused_.begin(), unused_.end(), 0);
  while (!proposals_.empty()) proposals_.pop();
}

}  // namespace warpvp
