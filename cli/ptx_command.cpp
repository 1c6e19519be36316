// `warpvp ptx`: what a PTX file holds.

#include <fmt/format.h>

#include <array>
#include <ostream>
#include <sstream>

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
       "  warpvp ptx sw/kernels/matmul.ptx --redundancy --block 32,32\n"
       "  warpvp ptx kernel.ptx --entry scale --dot | dot -Tsvg > scale.svg\n"});
  options.positional("file", 1);
  options.add()("entry,e", po::value<std::string>(), "Only this kernel.")(
      "dot", "The control-flow graph as Graphviz.")("disassemble,d", "The kernel as PTX text again.")(
      "code,c", po::value<std::string>(),
      "ptx: instructions as the text has them; machine: as the chip's assembler would make them, compared "
      "with "
      "those. Default: as the platform says.")(
      "platform,p", po::value<std::string>()->default_value("titan_v"), "The platform for occupancy.")(
      "block,b", po::value<std::string>(),
      "Threads in a CTA, for occupancy (default 256); X,Y or X,Y,Z: its shape.")(
      "redundancy",
      "The instructions with their marks: DR, one value in a CTA; CR, the same in each warp if the CTA's "
      "shape "
      "(--block X,Y) lets tid.x repeat; CR2, if it lets tid.x and tid.y; V, neither. A star: redundant in "
      "such "
      "CTAs.")("with-tid-y", "With --redundancy: tid.y may repeat too, in blocks of three dimensions.")(
      "shared", po::value<std::string>()->default_value("0"),
      "Bytes of dynamic shared memory a CTA, for occupancy.")("set,s", po::value<Words>()->composing(),
                                                              "Set platform.a.b=value; may be repeated.");
  return options;
}

namespace {

/// Of "256", "16,16" or "8,8,4".
std::array<std::uint32_t, 3> block_shape(const std::string& text) {
  const auto wrong = [&] {
    return InputError(fmt::format(
        "--block is '{}'; allowed: X, X,Y or X,Y,Z, whole numbers from 1 on, 1024 threads at most", text));
  };
  std::array<std::uint32_t, 3> shape{1, 1, 1};
  std::size_t dimension = 0;
  std::stringstream words(text);
  std::uint64_t threads = 1;
  for (std::string word; std::getline(words, word, ','); ++dimension) {
    if (dimension == 3 || word.empty() || word.size() > 4 ||
        word.find_first_not_of("0123456789") != word.npos)
      throw wrong();
    shape[dimension] = static_cast<std::uint32_t>(std::stoul(word));
    threads *= shape[dimension];
  }
  if (dimension == 0 || threads == 0 || threads > 1024 || text.back() == ',') throw wrong();
  return shape;
}

}  // namespace

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
  request.redundancy = options.has("redundancy");
  request.by_xy = options.has("with-tid-y");
  if (options.has("block")) {
    request.shape = block_shape(options.get<std::string>("block"));
    request.block = request.shape[0] * request.shape[1] * request.shape[2];
  }
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
