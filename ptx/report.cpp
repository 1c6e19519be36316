#include "ptx/report.h"

#include <fmt/format.h>

#include <algorithm>

#include "ptx/cfg.h"
#include "ptx/code_report.h"
#include "ptx/disassemble.h"
#include "ptx/legalise.h"
#include "ptx/liveness.h"
#include "ptx/module.h"
#include "ptx/parser.h"

namespace warpvp::ptx {
namespace {

std::string occupancy_table(const Program& p, const ReportOptions& options) {
  std::string out =
      fmt::format("  occupancy on {}:\n", options.platform_name.empty() ? "this SM" : options.platform_name);
  std::vector<std::uint32_t> sizes = options.block_sizes;
  if (p.required_block[0]) {
    sizes = {p.required_block[0] * p.required_block[1] * p.required_block[2]};
  } else if (p.max_threads) {
    sizes.erase(
        std::remove_if(sizes.begin(), sizes.end(), [&](std::uint32_t n) { return n > p.max_threads; }),
        sizes.end());
    if (std::find(sizes.begin(), sizes.end(), p.max_threads) == sizes.end()) sizes.push_back(p.max_threads);
  }
  for (const std::uint32_t threads : sizes) {
    const CtaNeeds needs = cta_needs(*options.sm, threads, p.registers_per_thread,
                                     p.static_shared_bytes + options.dynamic_shared_bytes, p.barriers);
    if (needs.most_ctas == 0) {
      out += fmt::format("    {:>5} threads: does not fit ({})\n", threads, needs.limited_by);
      continue;
    }
    const std::uint32_t warps = needs.most_ctas * needs.warps;
    out += fmt::format("    {:>5} threads: {:>2} CTAs, {:>2} warps, {:>3.0f} %, limited by {}\n", threads,
                       needs.most_ctas, warps, 100.0 * warps / options.sm->warps, needs.limited_by);
  }
  return out;
}

}  // namespace

Report report(const std::string& text, const std::string& file, const ReportOptions& options) {
  const ir::Module m = parse_module(text, file);
  const std::unique_ptr<Module> module = Module::parse(text, file, options.code);
  const bool machine = options.code.code == Code::kMachine;
  const std::unique_ptr<Module> in_text_order = machine ? Module::parse(text, file) : nullptr;
  if (!options.entry.empty()) module->entry(options.entry);
  Report result;
  std::string& out = result.text;
  for (const ir::Function& f : m.functions) {
    if (!f.is_entry || !f.has_body || (!options.entry.empty() && f.name != options.entry)) continue;
    const auto refusal = module->refused().find(f.name);
    if (refusal != module->refused().end()) {
      ++result.refused;
      out += fmt::format(options.cfg == CfgStyle::kDot ? "// {}: refused: {}\n" : "{}\n  refused: {}\n",
                         f.name, refusal->second);
      continue;
    }
    ++result.usable;
    const ControlFlowGraph cfg(f);
    if (options.cfg == CfgStyle::kDot) {
      out += cfg.dot(m, f);
      continue;
    }
    const std::shared_ptr<Program> p = module->entry(f.name);
    const LegalFunction legal = legalise(m, f);
    const Liveness liveness = analyse_liveness(legal.function, ControlFlowGraph(legal.function));
    out += fmt::format("{}\n", f.name);
    out += fmt::format("  registers per thread  {}", p->registers_per_thread);
    if (p->registers_per_thread == 255) out += " or more (a real GPU would spill)";
    if (p->functions.size() > 0 && p->function_of.size() > 1) out += ", with the functions it calls";
    out += "\n";
    if (!legal.function.code.empty()) {
      out += fmt::format("  most live             {} at line {}: {}\n", liveness.max_live_rows,
                         legal.function.code[liveness.worst_instruction].where.line,
                         disassemble(m, legal.function, legal.function.code[liveness.worst_instruction]));
    }
    out += fmt::format("  predicates            {}\n", p->preds);
    out += fmt::format("  shared memory         {} bytes{}\n", p->static_shared_bytes,
                       p->uses_dynamic_shared ? " and dynamic" : "");
    out += fmt::format("  local memory          {} bytes per thread{}\n", p->depot_bytes,
                       p->recursive ? ", more when it recurses" : "");
    out += fmt::format("  barriers              {}\n", p->barriers);
    out += fmt::format("  instructions          {}", p->code.size());
    for (std::size_t k = 1; k < p->function_of.size(); ++k)
      out += fmt::format("{}{}", k == 1 ? ", with " : ", ", p->function_of[k]);
    out += "\n";
    if (p->required_block[0]) {
      out += fmt::format("  block must be         {} x {} x {}\n", p->required_block[0], p->required_block[1],
                         p->required_block[2]);
    } else if (p->max_threads) {
      out += fmt::format("  block at most         {} threads\n", p->max_threads);
    }
    out += fmt::format("  parameters            {} bytes\n", p->param_bytes);
    for (const Param& param : p->params) {
      out += fmt::format("    {:>5}  {:<10} {}{}\n", param.offset, param.type, param.name,
                         param.is_pointer ? " (pointer)" : "");
    }
    if (options.cfg == CfgStyle::kText) out += "  control flow:\n" + cfg.text(m, f);
    if (machine) out += compare_code(*in_text_order->entry(f.name), *p) + list_code(*p);
    if (options.sm) out += occupancy_table(*p, options);
  }
  return result;
}

}  // namespace warpvp::ptx
