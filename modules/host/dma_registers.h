#pragma once
// The register window of a DMA engine or channel (regmap::dma), the same for all types.

#include <functional>

#include "interconnect/register_block.h"
#include "interconnect/register_map.h"

namespace warpvp {

class DmaRegisters {
 public:
  /// What the registers show and do.
  struct Owner {
    std::function<void()> start;           ///< 1 was written to START while nothing is under way
    std::function<bool()> busy;            ///< a copy is under way
    std::function<std::uint32_t()> error;  ///< of the last copy; 0: none
    std::function<std::uint64_t()> done_bytes;
  };
  explicit DmaRegisters(Owner owner);

  /// The copy as it is written in the registers.
  regmap::dma::Descriptor descriptor() const;
  RegisterBlock& block() { return block_; }
  const RegisterBlock& block() const { return block_; }

 private:
  Owner owner_;
  RegisterBlock block_;
  RegisterBlock::Id source_, destination_, bytes_, kind_, value_, tag_;
};

}  // namespace warpvp
