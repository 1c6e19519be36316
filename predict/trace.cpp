#include "predict/trace.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <tuple>

#include "base/error.h"

namespace warpvp::predict {

namespace {

using Key = std::tuple<std::uint32_t, std::uint32_t, std::uint32_t, std::uint32_t>;
Key key_of(const Trace& trace, const CtaTrace& cta) {
  return {trace.launches[cta.launch].id, cta.index[0], cta.index[1], cta.index[2]};
}
std::string name_of(const Key& key) {
  return fmt::format("CTA ({},{},{}) of launch {}", std::get<1>(key), std::get<2>(key), std::get<3>(key),
                     std::get<0>(key));
}

}  // namespace

Trace at_arrivals_of(Trace trace, const Trace& run) {
  std::map<Key, CtaTrace*> by_key;
  for (CtaTrace& cta : trace.ctas) by_key[key_of(trace, cta)] = &cta;
  std::vector<CtaTrace> ctas;
  for (const CtaTrace& cta : run.ctas) {
    const Key key = key_of(run, cta);
    const auto found = by_key.find(key);
    if (found == by_key.end()) throw InputError(fmt::format("the traces lack {}, which runs", name_of(key)));
    if (found->second->warps.size() != cta.warps.size())
      throw InputError(fmt::format("{} has {} warps in the traces and {} in the run", name_of(key),
                                   found->second->warps.size(), cta.warps.size()));
    ctas.push_back(std::move(*found->second));
    ctas.back().sm = cta.sm;
    ctas.back().arrival = cta.arrival;
    by_key.erase(found);
  }
  if (!by_key.empty())
    throw InputError(fmt::format("the traces have {}, which does not run", name_of(by_key.begin()->first)));
  trace.ctas = std::move(ctas);
  return trace;
}

std::string first_difference(const Trace& a, const Trace& b) {
  for (std::size_t c = 0; c < a.ctas.size(); ++c)
    for (std::size_t w = 0; w < a.ctas[c].warps.size(); ++w) {
      const std::vector<Step>& left = a.ctas[c].warps[w].steps;
      const std::vector<Step>& right = b.ctas[c].warps[w].steps;
      const std::size_t common = std::min(left.size(), right.size());
      const std::size_t i = static_cast<std::size_t>(
          std::mismatch(left.begin(), left.begin() + static_cast<std::ptrdiff_t>(common), right.begin())
              .first -
          left.begin());
      if (i == common && left.size() == right.size()) continue;
      return fmt::format("{}, warp {}, step {}", name_of(key_of(a, a.ctas[c])), w, i);
    }
  return "";
}

}  // namespace warpvp::predict
