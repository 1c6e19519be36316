#pragma once
// Metrics of several programs that share a machine (Eyerman and Eeckhout, "System-Level Performance Metrics
// for Multiprogram Workloads", IEEE Micro 28(3), 2008), each from the times that programs took alone and
// shared:
//   normalised turnaround time  NTT_i = shared_i / alone_i; lower is better, 1: as fast as alone
//   normalised progress         NP_i  = alone_i / shared_i = 1 / NTT_i
//   ANTT                        mean of NTT_i; lower is better
//   STP                         sum of NP_i, programs' worth of work done in a unit of time; also called the
//                               weighted speed-up (Snavely and Tullsen, ASPLOS 2000); higher is better
//   harmonic speed-up           n / sum of NTT_i, the reciprocal of ANTT (Luo et al., ISPASS 2001)
//   fairness                    min over i, j of NP_i / NP_j; 1: equal progress, 0: someone starves

#include <string>
#include <vector>

#include "base/stats.h"

namespace warpvp {

/// How long a program took, in any unit of time, the same for both; greater than 0.
struct ProgramTimes {
  double alone = 0;
  double shared = 0;
};

/// The functions need at least one program; std::invalid_argument for none, or a time that is not above 0.
double normalised_turnaround_time(const ProgramTimes& program);
double average_normalised_turnaround_time(const std::vector<ProgramTimes>& programs);
double system_throughput(const std::vector<ProgramTimes>& programs);
double weighted_speedup(const std::vector<ProgramTimes>& programs);
double harmonic_speedup(const std::vector<ProgramTimes>& programs);
double fairness(const std::vector<ProgramTimes>& programs);

/// All of them, as statistics.
struct MultiprogramMetrics {
  double antt = 0, stp = 0, fairness = 0, weighted_speedup = 0, harmonic_speedup = 0;
  static MultiprogramMetrics of(const std::vector<ProgramTimes>& programs);
  void stats(StatVisitor& v) const;
};

}  // namespace warpvp
