#include "ptx/regalloc.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "base/error.h"

namespace warpvp::ptx {
namespace {

// The occupied ranges of one row: disjoint, by their begin. A row serves registers of one width only: the 64-bit
// value of a lane covers the columns of two other lanes in a 32-bit row, and those lanes may be on a path where a
// 32-bit register of that row is alive.
class RegisterRow {
 public:
  bool serves(unsigned width) const { return width_ == 0 || width_ == width; }
  bool free_for(const std::vector<LiveRange>& ranges) const {
    for (const LiveRange& r : ranges) {
      auto next = taken_.upper_bound(r.end);
      if (next != taken_.begin() && std::prev(next)->second >= r.begin) return false;
    }
    return true;
  }
  void take(const std::vector<LiveRange>& ranges, unsigned width) {
    width_ = width;
    for (const LiveRange& r : ranges) taken_.emplace(r.begin, r.end);
  }

 private:
  std::map<std::uint32_t, std::uint32_t> taken_;
  unsigned width_ = 0;  // 0: not used yet
};

}  // namespace

Allocation allocate(const ir::Function& f, const Liveness& liveness, const std::string& where) {
  Allocation result;
  result.row.assign(f.registers.size(), kNoRow);
  std::vector<int> order;
  for (std::size_t r = 0; r < f.registers.size(); ++r) {
    if (!liveness.ranges[r].empty()) order.push_back(static_cast<int>(r));
  }
  std::stable_sort(order.begin(), order.end(), [&](int a, int b) {
    return liveness.ranges[static_cast<std::size_t>(a)][0].begin <
           liveness.ranges[static_cast<std::size_t>(b)][0].begin;
  });
  std::vector<RegisterRow> rows, predicates;
  for (const int r : order) {
    const auto u = static_cast<std::size_t>(r);
    const std::vector<LiveRange>& ranges = liveness.ranges[u];
    const unsigned width = rows_of(f.registers[u].type);
    std::vector<RegisterRow>& file = width ? rows : predicates;
    const unsigned step = std::max(width, 1u);
    for (unsigned row = 0;; row += step) {
      if (row + step > kMaxRows) {
        throw InputError(fmt::format("{}: '{}' needs more than {} {} per thread", where, f.name, kMaxRows,
                                     width ? "registers" : "predicates"));
      }
      if (row + step > file.size()) file.resize(row + step);
      if (!file[row].serves(step) || (width == 2 && !file[row + 1].serves(step))) continue;
      if (!file[row].free_for(ranges) || (width == 2 && !file[row + 1].free_for(ranges))) continue;
      for (unsigned k = 0; k < step; ++k) file[row + k].take(ranges, step);
      result.row[u] = static_cast<std::uint16_t>(row);
      break;
    }
  }
  result.rows = static_cast<unsigned>(rows.size());
  result.predicates = static_cast<unsigned>(predicates.size());
  return result;
}

}  // namespace warpvp::ptx
