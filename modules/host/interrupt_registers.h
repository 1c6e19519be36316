#pragma once
// Registers of a host that is somebody else's platform (host_interrupts.h): in the register map behind those
// of the bandwidth controller.

#include <cstdint>

namespace warpvp::regmap {

/// All registers lie below: what a PCI device's BAR shows of them.
inline constexpr std::uint64_t kRegisterBytes = 0x1000'0000;

namespace interrupts {
inline constexpr std::uint64_t kBase = 0x0060'0000, kBytes = 0x1000;
inline constexpr std::uint64_t kPending = 0x00;         ///< u32, kHostMemoryWritten; write 1 to clear
inline constexpr std::uint64_t kEnable = 0x04;          ///< u32, kLine, kMessages
inline constexpr std::uint64_t kMessageAddress = 0x08;  ///< u64, in the host's platform
inline constexpr std::uint64_t kMessageData = 0x10;     ///< u32
inline constexpr std::uint32_t kHostMemoryWritten = 1u << 0;
inline constexpr std::uint32_t kLine = 1u << 0, kMessages = 1u << 1;
}  // namespace interrupts

}  // namespace warpvp::regmap
