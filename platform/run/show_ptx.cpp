// show_ptx: `warpvp ptx`.

#include <fmt/format.h>

#include <cstdio>

#include "base/input_file.h"
#include "platform/platform_config.h"
#include "platform/run/run.h"
#include "ptx/disassemble.h"
#include "ptx/module.h"
#include "ptx/parser.h"
#include "ptx/redundancy.h"
#include "ptx/report.h"

namespace warpvp {

namespace {

/// The marks of ptx/redundancy.h, kernel by kernel.
void show_redundancy(const PtxRequest& request, const std::string& text, const ptx::CodeOptions& code) {
  const auto module = ptx::Module::parse(text, request.file.string(), code);
  bool found = false;
  for (const std::string& name : module->entries()) {
    if (!request.entry.empty() && name != request.entry) continue;
    found = true;
    std::printf("%s\n%s", name.c_str(),
                ptx::redundancy_listing(*module->entry(name), request.shape, request.by_xy).c_str());
  }
  if (!found)
    throw InputError(fmt::format("{}: no kernel '{}'; allowed: {}", request.file.string(), request.entry,
                                 fmt::join(module->entries(), ", ")));
}

}  // namespace

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
  if (request.redundancy) {
    show_redundancy(request, text, config.code_options());
    return ExitCode::kOk;
  }
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
