#pragma once
// Where a policy stands: what it is built from besides its parameters. Each block tells its policies its
// place, its clock and the kernel slots of the device, and lends them a part of its window on the register
// bus. A constructor that ends in `const Context&` of its interface gets it (base/registry.h, make_policy()).

#include <cstdint>
#include <functional>
#include <string>

#include "base/cycle.h"
#include "interconnect/register_spec.h"

namespace warpvp {

/// The registers that a policy declares, in the window that its block has for it. A policy that is nowhere
/// declares them as well, and nobody sees them.
class PolicyRegisters {
 public:
  /// Takes a register with its offset in the policy's window.
  using Take = std::function<void(RegisterSpec)>;

  PolicyRegisters() = default;
  /// `bytes`: of the window.
  PolicyRegisters(std::uint64_t bytes, Take take) : bytes_(bytes), take_(std::move(take)) {}
  /// Of a block that is not on the register bus: `block` in words, for the message.
  static PolicyRegisters none(std::string block);
  /// A window of `bytes` from `base` on among a block's registers, whose names `kind` heads, in capitals.
  static PolicyRegisters window(std::string kind, std::uint64_t base, std::uint64_t bytes, Take take);

  /// Declares one register, or `count` of them; offsets count from the window's begin. Its `write` is called
  /// at the first edge of the block's clock after the access has arrived, within the block's evaluation; its
  /// `read` at any time, and without side effects. Throws std::logic_error where the block has no window, or
  /// the register does not fit into it or overlaps another.
  void add(RegisterSpec spec) const;

 private:
  std::uint64_t bytes_ = 0;
  Take take_;
  std::string absent_;
};

class RegisterBlock;
/// What shows the registers that a policy declares: its kind, its name, and a block that has them alone.
using ShowPolicyRegisters =
    std::function<void(const std::string& kind, const std::string& name, const RegisterBlock& block)>;

/// All that is referred to outlives the policy. Made without arguments: nowhere.
struct PolicyContext {
  std::string place;             ///< of the block, for messages: "SM 3, scheduler 1", "L2 bank 0"
  unsigned index = 0;            ///< of the block among its like: number of the SM, the bank, the channel
  unsigned kernel_slots = 1;     ///< of the device: kernels that can run at once
  std::uint64_t seed = 1;        ///< of the run, for what is random
  std::uint64_t period_fs = 0;   ///< of the block's clock; 0: nowhere
  std::function<Cycle()> cycle;  ///< the present edge of the block's clock
  PolicyRegisters registers = {};

  /// The present edge; 0: nowhere.
  Cycle now() const { return cycle ? cycle() : 0; }
};

}  // namespace warpvp
