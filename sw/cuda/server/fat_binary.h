#pragma once
// Reads fat binaries, in which nvcc puts a translation unit's device code into a program: for one or more
// architectures machine code, PTX or both, PTX mostly compressed.
//
// The container is not documented by its maker. Its layout here is what public readers of it agree in (GPU
// Ocelot, ZLUDA, Ghidra's loader), and what nvcc 13 was seen to write: a header of 16 bytes (magic
// 0xba55ed50, version, its own size, bytes that follow), then entries, each with a header (kind, its own
// size, bytes of the payload with padding and, if compressed, without, architecture, flags, bytes once
// decompressed) and its payload.

#include <cstdint>
#include <string>
#include <vector>

#include "base/error.h"

namespace warpvp::cuda {

/// One entry. Values of `kind` as they stand in the container.
struct FatBinaryEntry {
  static constexpr std::uint16_t kPtx = 1, kMachineCode = 2;
  std::uint16_t kind = 0;
  std::uint32_t architecture = 0;     ///< 70 of sm_70
  std::vector<std::uint8_t> payload;  ///< decompressed
};

/// All entries, in order. InputError, which begins with `name`, for what is no fat binary or is damaged.
std::vector<FatBinaryEntry> read_fat_binary(const std::string& name, const std::uint8_t* data,
                                            std::size_t bytes);

/// There is no PTX in it.
class NoPtx : public InputError {
 public:
  using InputError::InputError;
};

/// The text of the PTX that fits compute capability `capability` (70 of 7.0) best: of the highest
/// architecture not above it; where all are above, of the lowest, as the model executes instructions of later
/// ones too. `data` may also be PTX itself. NoPtx, which says what there is and which flag of the compiler
/// helps, where there is none.
std::string ptx_for(const std::string& name, const std::uint8_t* data, std::size_t bytes,
                    std::uint32_t capability);

/// The architecture that PTX is made for, as its .target says: 80 of sm_80, sm_80a; 0 where it says none.
std::uint32_t architecture_of(const std::string& ptx);

}  // namespace warpvp::cuda
