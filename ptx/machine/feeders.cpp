#include "ptx/machine/feeders.h"

#include <algorithm>

#include "ptx/liveness.h"
#include "ptx/machine/edit.h"

namespace warpvp::ptx::machine {

Feeders::Feeders(ir::Function& f) : f_(f), cfg_(f), values_(f, cfg_), taken_(f.code.size(), false) {}

const ir::Instruction* Feeders::of(const ir::Operand& o, std::uint32_t at) const {
  if (o.kind != ir::Operand::Kind::kRegister || values_.reads(o.index) != 1) return nullptr;
  const int d = values_.definition(o.index);
  if (d < 0 || taken_[static_cast<std::size_t>(d)] ||
      cfg_.block_of(static_cast<std::uint32_t>(d)) != cfg_.block_of(at))
    return nullptr;
  const ir::Instruction& i = f_.code[static_cast<std::size_t>(d)];
  if (i.dst_count != 1 || i.guard >= 0) return nullptr;
  std::vector<int> read;
  registers_read(i, read);
  const bool stable = std::all_of(read.begin(), read.end(), [&](int r) {
    return values_.definition(r) >= 0 || f_.registers[static_cast<std::size_t>(r)].constant;
  });
  return stable ? &i : nullptr;
}

void Feeders::take(const ir::Operand& o) {
  taken_[static_cast<std::size_t>(values_.definition(o.index))] = true;
}

void Feeders::remove_taken() { remove_instructions(f_, taken_); }

}  // namespace warpvp::ptx::machine
