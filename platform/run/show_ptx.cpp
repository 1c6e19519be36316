// show_ptx: `warpvp ptx`.

#include <fmt/format.h>

#include <cstdio>

#include "base/input_file.h"
#include "platform/platform_config.h"
#include "platform/run/run.h"
#include "ptx/disassemble.h"
#include "ptx/parser.h"
#include "ptx/report.h"

namespace warpvp {

ExitCode show_ptx(const PtxRequest& request) {
  const std::string text =
      read_input_file(request.file, input_limit::kPtx, "", "give the path of a PTX file");
  if (request.disassemble) {
    std::fputs(ptx::disassemble(ptx::parse_module(text, request.file.string())).c_str(), stdout);
    return ExitCode::kOk;
  }
  PlatformConfig config;
  RunConfig ignored;
  request.platform.read_platform([&](FieldVisitor& v) { config.fields(v); });
  if (!request.code.empty()) config.lowering.code = request.code;
  ptx::ReportOptions options;
  options.code = config.code_options();
  options.cfg = request.dot ? ptx::CfgStyle::kDot : ptx::CfgStyle::kText;
  options.entry = request.entry;
  options.sm = &config.sm.resources;
  options.platform_name = request.platform_name;
  options.block_sizes = {request.block};
  options.dynamic_shared_bytes = request.shared_bytes;
  const ptx::Report report = ptx::report(text, request.file.string(), options);
  std::fputs(report.text.c_str(), stdout);
  if (report.usable == 0 && report.refused != 0)
    throw InputError(fmt::format("{}: none of its kernels can run; {} refused", request.file.string(),
                                 report.refused == 1 ? "1 is" : fmt::format("{} are", report.refused)));
  return ExitCode::kOk;
}

}  // namespace warpvp
