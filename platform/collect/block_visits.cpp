#include "platform/collect/block_visits.h"

#include <algorithm>
#include <map>
#include <systemc>

namespace warpvp {
namespace {

std::string kind_of(const Clocked& block) {
  const sc_core::sc_object* const module = module_of(block);
  if (module == nullptr) return "other";
  const std::string name = module->basename();
  const std::size_t number = name.find_last_not_of("0123456789") + 1;
  return number < name.size() && number > 0 && name[number - 1] == '_' ? name.substr(0, number - 1) : name;
}

}  // namespace

void BlockVisits::stats(ResultVisitor& v) const {
  v.text("block", block, "Which blocks, by their module's name without its number.");
  v.value("blocks", blocks, "blocks", "How many of them were evaluated at all.");
  v.value("edges", edges, "edges", "Edges at which they were evaluated, summed.");
  v.when(counts, "where the blocks count what they do", [&] {
    v.value("in_vain", in_vain, "edges",
            "Of these, edges at which nothing moved: no instruction, transaction or command.");
  });
}

std::vector<BlockVisits> block_visits(Platform& platform) {
  std::map<std::string, BlockVisits> kinds;
  for (const ClockDomain* clock : platform.clocks())
    clock->for_each_visited([&](const Clocked& block, const ClockDomain::Visits& visits) {
      if (visits.edges == 0) return;
      BlockVisits& kind = kinds[kind_of(block)];
      ++kind.blocks;
      kind.edges += visits.edges;
      kind.counts |= visits.progress != 0;
      kind.in_vain += visits.in_vain;
    });
  std::vector<BlockVisits> all;
  for (auto& [name, kind] : kinds) {
    kind.block = name;
    if (!kind.counts) kind.in_vain = 0;
    all.push_back(kind);
  }
  std::stable_sort(all.begin(), all.end(),
                   [](const BlockVisits& a, const BlockVisits& b) { return a.edges > b.edges; });
  return all;
}

}  // namespace warpvp
