#pragma once
// Where a result comes from: program, machine, command and date. None of it is part of what two runs are
// compared by.

#include <string>

#include "platform/config/run_config.h"
#include "platform/results/build_info.h"
#include "platform/results/result_visitor.h"

namespace warpvp {

struct Provenance {
  BuildInfo build;
  PlatformOrigin platform;
  std::string command;  ///< as one would type it into a shell
  std::string date;     ///< UTC, "2026-01-31T12:00:00Z"

  void stats(ResultVisitor& v) const;
};

/// Of a run that this process begins now.
Provenance provenance_of_process(PlatformOrigin platform);
/// Words as one would type them into a shell.
std::string shell_text(const std::vector<std::string>& words);

}  // namespace warpvp
