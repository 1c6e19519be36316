#include "tests/ptx_reference/differential.h"

#include <fmt/format.h>

#include <functional>

#include "base/error.h"
#include "ptx/exec/functional_runner.h"
#include "ptx/module.h"
#include "tests/ptx_reference/machine.h"

namespace warpvp::reference {
namespace {

// Generated programs stay far below. The reference counts the instructions of threads, the platform those of
// warps.
constexpr std::uint64_t kWarpInstructions = 400'000, kThreadInstructions = 32 * kWarpInstructions;

// Both runs see the same addresses.
struct Layout {
  ptx::FlatMemory memory{1 << 20};
  std::uint64_t in, out, cells;
  explicit Layout(const GeneratedProgram& p)
      : in(memory.allocate(p.in.size())),
        out(memory.allocate(p.threads() * GeneratedProgram::kOutputBytes)),
        cells(memory.allocate(p.cells.size())) {}
  std::vector<std::uint8_t> arguments() const {
    std::vector<std::uint8_t> bytes;
    for (const std::uint64_t a : {in, out, cells})
      for (int i = 0; i < 8; ++i) bytes.push_back(static_cast<std::uint8_t>(a >> (8 * i)));
    return bytes;
  }
};

std::string first_difference(const char* what, const std::vector<std::uint8_t>& left, const char* left_name,
                             const std::vector<std::uint8_t>& right, const char* right_name,
                             std::size_t stride) {
  for (std::size_t i = 0; i < left.size(); i += 4) {
    std::uint32_t a = 0, b = 0;
    for (std::size_t k = 0; k < 4; ++k) {
      a |= static_cast<std::uint32_t>(left[i + k]) << (8 * k);
      b |= static_cast<std::uint32_t>(right[i + k]) << (8 * k);
    }
    if (a != b)
      return fmt::format("{} {} byte {}: {} {:#010x}, {} {:#010x}", what, i / stride, i % stride, left_name,
                         a, right_name, b);
  }
  return "";
}

}  // namespace

Outcome run_platform(const GeneratedProgram& p, ptx::Code code) {
  Outcome outcome;
  Layout layout(p);
  layout.memory.write(layout.in, p.in.data(), p.in.size());
  layout.memory.write(layout.cells, p.cells.data(), p.cells.size());
  ptx::CodeOptions options;
  options.code = code;
  try {
    const auto module = ptx::Module::parse(p.text(), "generated.ptx", options);
    module->place([&](const ptx::GlobalVariable& v) { return layout.memory.allocate(v.bytes); },
                  [&](std::uint64_t address, const std::vector<std::uint8_t>& bytes) {
                    layout.memory.write(address, bytes.data(), bytes.size());
                  });
    ptx::FunctionalRunner runner(layout.memory);
    runner.limit = kWarpInstructions;
    runner.stale = 0xdead'beefu;
    const auto result = runner.run(*module->entry("k"), {p.grid[0], p.grid[1], p.grid[2]},
                                   {p.block[0], p.block[1], p.block[2]}, layout.arguments());
    if (result.fault) outcome.error = "fault: " + result.fault->summary() + "\n" + result.fault->detail;
  } catch (const InputError& e) {
    outcome.error = std::string("refused: ") + e.what();
  }
  outcome.out.resize(p.threads() * GeneratedProgram::kOutputBytes);
  outcome.cells.resize(p.cells.size());
  layout.memory.read(layout.out, outcome.out.data(), outcome.out.size());
  layout.memory.read(layout.cells, outcome.cells.data(), outcome.cells.size());
  return outcome;
}

Outcome run_reference(const GeneratedProgram& p) {
  Outcome outcome;
  const Layout layout(p);
  Memory memory;
  memory.add(layout.in, p.in);
  memory.add(layout.out, std::vector<std::uint8_t>(p.threads() * GeneratedProgram::kOutputBytes));
  memory.add(layout.cells, p.cells);
  try {
    Machine machine(read_text(p.text()), memory, {});
    Launch launch;
    launch.grid = p.grid;
    launch.block = p.block;
    launch.arguments = layout.arguments();
    launch.limit = kThreadInstructions;
    machine.run("k", launch);
  } catch (const ReferenceError& e) {
    outcome.error = e.what();
  }
  outcome.out = memory.parts().at(layout.out);
  outcome.cells = memory.parts().at(layout.cells);
  return outcome;
}

std::string difference(const GeneratedProgram& program) {
  const Outcome reference = run_reference(program);
  if (!reference.error.empty()) return reference.error;
  for (const auto& [code, name] :
       {std::pair(ptx::Code::kPtx, ""), std::pair(ptx::Code::kMachine, "machine code: ")}) {
    const Outcome platform = run_platform(program, code);
    if (!platform.error.empty()) return fmt::format("{}platform: {}", name, platform.error);
    const std::string found = difference(platform, "platform", reference, "reference");
    if (!found.empty()) return name + found;
  }
  return "";
}

std::string difference(const Outcome& a, const char* name_of_a, const Outcome& b, const char* name_of_b) {
  const std::string found =
      first_difference("thread", a.out, name_of_a, b.out, name_of_b, GeneratedProgram::kOutputBytes);
  return found.empty() ? first_difference("cell", a.cells, name_of_a, b.cells, name_of_b, 8) : found;
}

GeneratedProgram shrunk(GeneratedProgram program, const Judge& judge) {
  // The kind of difference, not its place, has to stay: otherwise shrinking wanders to invalid programs.
  const auto kind = [&](const GeneratedProgram& p) {
    const std::string d = judge(p);
    for (const std::string side : {"platform: ", "reference: "})
      if (d.rfind(side, 0) == 0) return d.substr(0, d.find_first_of(" :", side.size()));
    return d.substr(0, d.find_first_of(" :"));
  };
  const std::string wanted = kind(program);
  const std::function<void(Piece&)> visit = [&](Piece& piece) {
    for (std::size_t size = piece.inside.size(); size != 0; size /= 2) {
      for (std::size_t i = 0; i < piece.inside.size();) {
        const std::size_t n = std::min(size, piece.inside.size() - i);
        bool droppable = true;
        for (std::size_t k = i; k < i + n; ++k) droppable &= piece.inside[k].droppable;
        const std::vector<Piece> before = piece.inside;
        if (droppable) {
          piece.inside.erase(piece.inside.begin() + static_cast<long>(i),
                             piece.inside.begin() + static_cast<long>(i + n));
          if (kind(program) == wanted) continue;
          piece.inside = before;
        }
        i += n;
      }
    }
    for (Piece& inside : piece.inside) visit(inside);
  };
  visit(program.root);
  return program;
}

std::string report(const GeneratedProgram& program) {
  const std::string what = difference(program);
  if (what.empty()) return "";
  const GeneratedProgram small = shrunk(program);
  return fmt::format("seed {}: {}\ngrid {} block {}x{}; without what does not matter:\n{}\n{}\n",
                     program.seed, what, program.grid[0], program.block[0], program.block[1],
                     difference(small), small.text());
}

}  // namespace warpvp::reference
