// The distributor's account of an SM and the occupancy that `warpvp ptx` prints follow the same rules.
#include <gtest/gtest.h>

#include "interconnect/sm_resources.h"
#include "ptx/occupancy.h"

namespace warpvp {
namespace {

TEST(Occupancy, DistributorAndPtxReportAgree) {
  const SmResources sm;
  ptx::SmLimits limits;
  limits.barriers = sm.barriers;
  unsigned compared = 0;
  for (unsigned threads = 1; threads <= 1024; threads += threads < 64 ? 7 : 31) {
    for (unsigned registers = 1; registers <= 255; registers += 3) {
      for (unsigned shared : {0u, 1u, 256u, 5000u, 12289u, 49152u, 98304u}) {
        for (unsigned barriers : {0u, 1u, 16u}) {
          const unsigned mine = cta_needs(sm, threads, registers, shared, barriers).most_ctas;
          const unsigned theirs = ptx::occupancy(limits, {threads, registers, shared, barriers}).ctas;
          ASSERT_EQ(mine, theirs) << threads << " threads, " << registers << " registers, " << shared
                                  << " bytes, " << barriers << " barriers";
          ++compared;
        }
      }
    }
  }
  EXPECT_GT(compared, 10000u);
}

}  // namespace
}  // namespace warpvp
