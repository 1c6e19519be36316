#pragma once
// What a device fault means to a CUDA program, from the line that tells of it (DeviceFault::summary()).

#include <cstddef>
#include <optional>
#include <string>

#include "sw/cuda/errors.h"

namespace warpvp::cuda {

struct FaultText {
  /// What calls give from then on (CUDA Runtime API, "cudaError"): an assertion, a trap, an address that is
  /// not a multiple of the size, or any other, an address that is not the program's.
  Error error = kIllegalAddress;
  struct Place {
    std::string kernel;      ///< its mangled name
    std::size_t module = 0;  ///< in the order of loading, from 1
    std::size_t line = 0;    ///< of its PTX
  };
  std::optional<Place> place;  ///< if it is an instruction
};

FaultText read_fault(const std::string& line);

}  // namespace warpvp::cuda
