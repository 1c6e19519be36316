#pragma once
// A small SM, traces as text and schedules as text.

#include <sstream>
#include <string>

#include "modules/sm/config.h"
#include "predict/predictor.h"
#include "predict/trace_file.h"

namespace warpvp::predict {

/// One scheduler, buffers of 3 + 1 entries, lines of 8 instructions, 10 cycles a miss, units that never wait.
inline SmConfig small_sm(const char* policy = "lrr") {
  SmConfig c;
  c.schedulers = 1;
  c.warp_scheduler = policy;
  c.resources.warps = 8;
  c.resources.ctas = 4;
  c.operands.banks = 64;
  c.operands.collectors = 32;
  c.int_unit = c.fp32_unit = c.fp64_unit = c.sfu_unit = c.lsu_unit = c.control_unit = UnitConfig(1);
  c.latency.barrier = 2;
  c.frontend.mode = "coordinated";
  c.frontend.fetch_width = 1;
  c.frontend.ibuffer_entries = 4;
  c.frontend.hit_latency = 3;
  c.frontend.decode_latency = 1;
  c.memory.model = "isolated";
  c.memory.isolated.instruction_miss_latency = 10;
  c.memory.instruction = {1024, 128, 2, 1};
  return c;
}

inline Trace trace_of(const std::string& lines) {
  std::istringstream in("warpvp-trace 1\n" + lines + "end\n");
  return read_trace(in, "test");
}

/// "0:0N 14:0.0 ...": edge, warp (of CTA c: c/w), and N or the instruction. With several schedulers "@s"
/// follows.
inline std::string text_of(const Schedule& schedule, bool schedulers = false) {
  std::string all;
  for (const Issue& i : schedule.issues) {
    all += (all.empty() ? "" : " ") + std::to_string(i.cycle) + ":";
    if (i.cta) all += std::to_string(i.cta) + "/";
    all += std::to_string(i.warp) + (i.pc == Issue::kNop ? "N" : "." + std::to_string(i.pc));
    if (schedulers) all += "@" + std::to_string(i.scheduler);
  }
  return all;
}

inline Schedule predict_on(const SmConfig& config, const std::string& lines,
                           BufferModel buffers = BufferModel::kCoordinated) {
  return Predictor(config, buffers).run(trace_of(lines), 0);
}

}  // namespace warpvp::predict
