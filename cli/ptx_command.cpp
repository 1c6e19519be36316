// `warpvp ptx`: what a PTX file holds.

#include <fmt/format.h>

#include <ostream>

#include "cli/commands.h"
#include "cli/options.h"
#include "platform/run/run.h"

namespace warpvp {
namespace po = boost::program_options;

CommandOptions ptx_options() {
  CommandOptions options(
      {"ptx", "FILE",
       "Prints, for every kernel of a PTX file: registers, shared memory, instructions, control flow,\n"
       "and how many CTAs fit on an SM of a platform.",
       "  warpvp ptx sw/kernels/matmul.ptx\n"
       "  warpvp ptx kernel.ptx --entry scale --platform titan_v --block 128\n"
       "  warpvp ptx kernel.ptx --entry scale --code machine\n"
       "  warpvp ptx kernel.ptx --entry scale --dot | dot -Tsvg > scale.svg\n"});
  options.positional("file", 1);
  options.add()("entry,e", po::value<std::string>(), "Only this kernel.")(
      "dot", "The control-flow graph as Graphviz.")("disassemble,d", "The kernel as PTX text again.")(
      "code,c", po::value<std::string>(),
      "ptx: instructions as the text has them; machine: as the chip's assembler would make them, compared "
      "with "
      "those. Default: as the platform says.")(
      "platform,p", po::value<std::string>()->default_value("titan_v"), "The platform for occupancy.")(
      "block,b", po::value<std::string>()->default_value("256"), "Threads in a CTA, for occupancy.")(
      "shared", po::value<std::string>()->default_value("0"),
      "Bytes of dynamic shared memory a CTA, for occupancy.")("set,s", po::value<Words>()->composing(),
                                                              "Set platform.a.b=value; may be repeated.");
  return options;
}

ExitCode ptx_command(const Words& words, const Console& console) {
  CommandOptions options = ptx_options();
  if (!options.parse(words, *console.out)) return ExitCode::kOk;
  PtxRequest request;
  request.file = options.required("file");
  request.entry = options.get_or<std::string>("entry", "");
  request.dot = options.has("dot");
  request.disassemble = options.has("disassemble");
  request.code = options.get_or<std::string>("code", "");
  if (!request.code.empty() && request.code != "ptx" && request.code != "machine")
    throw InputError(fmt::format("--code is '{}'; allowed: ptx, machine", request.code));
  request.platform_name = options.get<std::string>("platform");
  request.block = static_cast<unsigned>(options.number("block", 1, 1024));
  request.shared_bytes = static_cast<unsigned>(options.number("shared", 0, 1u << 30));
  const ConfigSearch search = ConfigSearch::standard();
  Setting platform =
      Setting::string(search.find(request.platform_name, "platforms", ".", "--platform").string());
  platform.directory = ".";
  Setting tree = Setting::mapping();
  tree.put("platform", std::move(platform));
  request.platform = RunFile::from_tree(std::move(tree), search);
  request.platform.apply(options.get_or<Words>("set", {}));
  return show_ptx(request);
}

}  // namespace warpvp
