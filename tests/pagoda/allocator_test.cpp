// Pagoda's allocator of shared memory as it runs on the device, beside a buddy system written without a tree:
// blocks by their places. Random sequences, of every size of pool.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <map>
#include <optional>
#include <random>
#include <set>

#include "base/data_folder.h"
#include "sw/kernels/pagoda/probe.h"
#include "sw/kernels/pagoda/task_table.h"
#include "tests/apps/functional_device.h"

namespace warpvp::test {
namespace {

using ::pagoda::kLeafBytes;
using ::pagoda::kNodes;
using ::pagoda::kPoolBytes;

struct Place {
  unsigned offset, bytes;
  bool meets(const Place& o) const { return offset < o.offset + o.bytes && o.offset < offset + bytes; }
};

Place place_of(unsigned node) {
  unsigned first = 1, bytes = kPoolBytes;
  for (; node >= 2 * first; first *= 2) bytes /= 2;
  return {(node - first) * bytes, bytes};
}

/// A buddy system: sizes are powers of two times a leaf, blocks lie at multiples of their size.
class Reference {
 public:
  explicit Reference(unsigned pool_bytes) : pool_(pool_bytes) {}
  /// Where the block must lie, or nothing.
  std::optional<Place> allocate(unsigned step, unsigned bytes) {
    unsigned size = kLeafBytes;
    while (size < bytes) size *= 2;
    for (unsigned offset = 0; offset + size <= pool_; offset += size) {
      const Place place{offset, size};
      if (!is_free(place)) continue;
      live_[step] = place;
      return place;
    }
    return std::nullopt;
  }
  void free(unsigned step) { live_.erase(step); }
  const std::map<unsigned, Place>& live() const { return live_; }
  /// What the tree's invariant says of a node: marked if anything in it is taken, or lies outside of the
  /// pool.
  bool marked(unsigned node) const {
    const Place place = place_of(node);
    return place.offset + place.bytes > pool_ || !is_free(place);
  }

 private:
  bool is_free(const Place& place) const {
    for (const auto& [step, other] : live_)
      if (other.meets(place)) return false;
    return true;
  }
  unsigned pool_;
  std::map<unsigned, Place> live_;
};

struct Case {
  unsigned pool_bytes, seed;
};

class BuddyAllocator : public ::testing::TestWithParam<Case> {};

TEST_P(BuddyAllocator, DoesWhatABuddySystemDoes) {
  constexpr unsigned kSteps = 600;
  const unsigned pool = GetParam().pool_bytes;
  std::mt19937 random(GetParam().seed);
  // Which steps are possible depends on what came before: the reference runs along.
  Reference reference(pool);
  std::vector<BuddyStep> steps;
  std::vector<std::optional<Place>> expected;
  std::vector<std::vector<bool>> marks;
  std::set<unsigned> later;
  unsigned refused = 0, given = 0;
  while (steps.size() < kSteps) {
    const auto number = static_cast<unsigned>(steps.size());
    std::vector<unsigned> free_now;
    for (const auto& [step, place] : reference.live())
      if (later.count(step) == 0) free_now.push_back(step);
    const unsigned choice = random() % 10;
    std::optional<Place> place;
    if (choice < 5 || (choice < 9 && free_now.empty())) {
      const unsigned bytes = 1 + random() % (random() % 4 == 0 ? pool : 4 * kLeafBytes);
      steps.push_back({kBuddyAllocate, bytes});
      place = reference.allocate(number, bytes);
      ++(place ? given : refused);
    } else if (choice < 9) {
      const unsigned step = free_now[random() % free_now.size()];
      const bool now = choice < 7;
      steps.push_back({now ? kBuddyFree : kBuddyFreeLater, step});
      if (now) {
        reference.free(step);
      } else {
        later.insert(step);
      }
    } else {
      steps.push_back({kBuddyFreeMarked, 0});
      for (unsigned step : later) reference.free(step);
      later.clear();
    }
    expected.push_back(place);
    std::vector<bool> now(kNodes, true);
    for (unsigned node = 1; node < kNodes; ++node) now[node] = reference.marked(node);
    marks.push_back(now);
  }
  EXPECT_GT(given, 100u);
  EXPECT_GT(refused, 5u);

  FunctionalDevice functional;
  rt::Runtime& device = functional;
  const rt::Kernel probe =
      device.kernel(device.load_module(data_folder("sw/kernels") / "pagoda/probe.ptx"), "buddy_probe");
  const rt::DevicePtr d_steps = device.malloc(steps.size() * sizeof(BuddyStep)),
                      d_nodes = device.malloc(4 * kSteps), d_marks = device.malloc(kSteps * kNodes);
  device.copy_to_device(d_steps, steps.data(), steps.size() * sizeof(BuddyStep));
  device.launch(probe, rt::Dim3(1), rt::Dim3(32), rt::Args::of(d_steps, kSteps, pool, d_nodes, d_marks));
  std::vector<unsigned> nodes(kSteps);
  std::vector<unsigned char> seen(kSteps * kNodes);
  device.copy_to_host(nodes.data(), d_nodes, 4 * kSteps);
  device.copy_to_host(seen.data(), d_marks, seen.size());
  for (unsigned s = 0; s < kSteps; ++s) {
    ASSERT_EQ(nodes[s] != 0, expected[s].has_value()) << "step " << s << ", " << steps[s].value << " bytes";
    if (expected[s]) {
      EXPECT_EQ(place_of(nodes[s]).offset, expected[s]->offset) << "step " << s;
      EXPECT_EQ(place_of(nodes[s]).bytes, expected[s]->bytes) << "step " << s;
    }
    for (unsigned node = 1; node < kNodes; ++node)
      ASSERT_EQ(seen[s * kNodes + node] != 0, marks[s][node]) << "step " << s << ", node " << node;
  }
}

INSTANTIATE_TEST_SUITE_P(Pools, BuddyAllocator,
                         ::testing::Values(Case{kPoolBytes, 1}, Case{kPoolBytes, 2}, Case{kPoolBytes, 3},
                                           Case{kPoolBytes / 2, 4}, Case{24 * 1024, 5},
                                           Case{5 * kLeafBytes, 6}),
                         [](const auto& info) {
                           return fmt::format("of_{}_bytes_{}", info.param.pool_bytes, info.param.seed);
                         });

}  // namespace
}  // namespace warpvp::test
