#include "base/multiprogram_metrics.h"

#include <algorithm>
#include <stdexcept>

namespace warpvp {

namespace {

double progress(const ProgramTimes& program) { return 1 / normalised_turnaround_time(program); }

void require_some(const std::vector<ProgramTimes>& programs) {
  if (programs.empty()) throw std::invalid_argument("metrics of no program");
}

}  // namespace

double normalised_turnaround_time(const ProgramTimes& program) {
  if (!(program.alone > 0) || !(program.shared > 0))
    throw std::invalid_argument("a program's times must be above 0");
  return program.shared / program.alone;
}

double average_normalised_turnaround_time(const std::vector<ProgramTimes>& programs) {
  require_some(programs);
  double sum = 0;
  for (const ProgramTimes& program : programs) sum += normalised_turnaround_time(program);
  return sum / static_cast<double>(programs.size());
}

double system_throughput(const std::vector<ProgramTimes>& programs) {
  require_some(programs);
  double sum = 0;
  for (const ProgramTimes& program : programs) sum += progress(program);
  return sum;
}

double weighted_speedup(const std::vector<ProgramTimes>& programs) { return system_throughput(programs); }

double harmonic_speedup(const std::vector<ProgramTimes>& programs) {
  return 1 / average_normalised_turnaround_time(programs);
}

double fairness(const std::vector<ProgramTimes>& programs) {
  require_some(programs);
  double least = progress(programs.front()), most = least;
  for (const ProgramTimes& program : programs) {
    least = std::min(least, progress(program));
    most = std::max(most, progress(program));
  }
  return least / most;
}

MultiprogramMetrics MultiprogramMetrics::of(const std::vector<ProgramTimes>& programs) {
  return {average_normalised_turnaround_time(programs), system_throughput(programs),
          warpvp::fairness(programs), warpvp::weighted_speedup(programs), warpvp::harmonic_speedup(programs)};
}

void MultiprogramMetrics::stats(StatVisitor& v) const {
  v.value("antt", antt, "ratio", "Average normalised turnaround time: the mean of ntt over processes.");
  v.value("stp", stp, "ratio", "System throughput: the sum of 1 / ntt over processes.");
  v.value("fairness", fairness, "ratio", "Least over greatest progress (1 / ntt) of processes; 1: equal.");
  v.value("weighted_speedup", weighted_speedup, "ratio", "Sum of 1 / ntt over processes: another name of stp.");
  v.value("harmonic_speedup", harmonic_speedup, "ratio", "Number of processes by the sum of ntt: 1 / antt.");
}

}  // namespace warpvp
