#pragma once
// Whether a copy keeps to the memory of its context.

#include <optional>

#include "base/fault.h"
#include "interconnect/address_spaces.h"
#include "interconnect/device_memory.h"
#include "interconnect/register_map.h"

namespace warpvp {

/// What is wrong with a copy: that a part of it lies in device memory which its context must not touch. With
/// `spaces`, pages that are not mapped for the context; without (nullptr), memory of another owner. nullopt:
/// nothing. Copies of regmap::dma::kAnyContext may touch all of it. What lies outside of device memory, on
/// the host or nowhere, is not looked at.
std::optional<DeviceFault> foreign_access(const regmap::dma::Descriptor& copy, const DeviceMemory& memory,
                                          const AddressSpaces* spaces);

}  // namespace warpvp
