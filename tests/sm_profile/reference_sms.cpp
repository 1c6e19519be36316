#include "tests/sm_profile/reference_sms.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace warpvp::test {

namespace {

constexpr double kInfinite = std::numeric_limits<double>::infinity();

struct Running {
  ReferenceCta cta;
  double left, rate = 1;
};

/// Raises a level from nothing until those below it use the capacity up: by bisection, as nothing is simpler.
double water_level(const std::vector<double>& asked, double capacity) {
  double sum = 0, high = 0;
  for (const double a : asked) {
    sum += a;
    high = std::max(high, a);
  }
  if (sum <= capacity) return kInfinite;
  double low = 0;
  for (unsigned i = 0; i < 200; ++i) {
    const double middle = (low + high) / 2;
    double used = 0;
    for (const double a : asked) used += std::min(a, middle);
    (used > capacity ? high : low) = middle;
  }
  return low;
}

/// The rates of the CTAs on one SM, and what they ask of the memory.
double set_rates(std::vector<Running*>& here, double issue, double level) {
  double load = 0;
  for (const Running* r : here) {
    const KernelProfile& p = r->cta.profile;
    load += std::max(p.sm_cycles, p.instructions / issue) / p.cta_cycles;
  }
  const double pace = load > 1 ? 1 / load : 1;
  std::vector<double> asked;
  double sum = 0;
  for (Running* r : here) {
    r->rate = pace;
    asked.push_back(r->cta.profile.memory_bytes / r->cta.profile.cta_cycles * pace);
    sum += asked.back();
  }
  if (sum > level) {
    const double each = water_level(asked, level);
    for (std::size_t i = 0; i < here.size(); ++i)
      if (asked[i] > each) here[i]->rate = pace * each / asked[i];
  }
  return sum;
}

}  // namespace

ReferenceResult run_reference(std::vector<ReferenceCta> ctas, unsigned sms, double issue,
                              double bytes_per_cycle, std::uint64_t interval) {
  ReferenceResult result;
  std::vector<Running> running;
  std::vector<double> asked(sms, 0.0);
  std::map<std::pair<unsigned, std::uint32_t>, std::uint64_t> firsts;  // starts of launches, by SM
  double level = kInfinite;
  std::uint64_t due = ~std::uint64_t{0}, computed = 0;
  bool ever = false;
  std::size_t left = ctas.size();
  for (std::uint64_t now = 0; left != 0; ++now) {
    for (Running& r : running) {
      r.left -= r.rate;
      result.progress += r.rate;
    }
    for (std::size_t i = running.size(); i-- > 0;) {
      if (running[i].left > 1e-6) continue;
      result.ended[{running[i].cta.launch, running[i].cta.number}] = now;
      running.erase(running.begin() + static_cast<long>(i));
      --left;
    }
    for (const ReferenceCta& cta : ctas)
      if (cta.start == now) firsts.emplace(std::pair{cta.sm, cta.launch}, now);
    for (const ReferenceCta& cta : ctas) {
      const auto first = firsts.find({cta.sm, cta.launch});
      if (cta.start > now || first == firsts.end()) continue;
      if (now == std::max(cta.start, first->second + static_cast<std::uint64_t>(cta.profile.cold_cycles)))
        running.push_back({cta, cta.profile.cta_cycles});
    }
    // The division of the memory's bandwidth, by what was asked for before this cycle.
    if (now == due) {
      level = water_level(asked, bytes_per_cycle);
      computed = now;
      ever = true;
      due = ~std::uint64_t{0};
    }
    bool changed = false;
    double sum = 0;
    for (unsigned s = 0; s < sms; ++s) {
      std::vector<Running*> here;
      for (Running& r : running)
        if (r.cta.sm == s) here.push_back(&r);
      const double wants = set_rates(here, issue, level);
      changed = changed || std::abs(wants - asked[s]) > 1e-9 * std::max(wants, asked[s]);
      asked[s] = wants;
      sum += wants;
    }
    if (changed && due == ~std::uint64_t{0} && (level != kInfinite || sum > bytes_per_cycle))
      due = ever ? std::max(now + 1, computed + interval) : now + 1;
    double moved = 0;
    for (const Running& r : running) moved += r.rate * r.cta.profile.memory_bytes / r.cta.profile.cta_cycles;
    if (due == ~std::uint64_t{0}) result.most_bytes = std::max(result.most_bytes, moved);
  }
  return result;
}

}  // namespace warpvp::test
