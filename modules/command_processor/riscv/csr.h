#pragma once
// Control and status registers of the machine: numbers, and names as assemblers know them.

#include <cstdint>
#include <optional>
#include <string>

namespace warpvp::riscv {

namespace csr {
inline constexpr std::uint16_t kMstatus = 0x300, kMisa = 0x301, kMie = 0x304, kMtvec = 0x305,
                               kMstatush = 0x310, kMcountinhibit = 0x320, kMhpmevent3 = 0x323,
                               kMscratch = 0x340, kMepc = 0x341, kMcause = 0x342, kMtval = 0x343,
                               kMip = 0x344, kPmpcfg0 = 0x3a0, kPmpaddr0 = 0x3b0, kTselect = 0x7a0,
                               kTdata1 = 0x7a1, kTdata2 = 0x7a2, kTdata3 = 0x7a3, kMburstlocal = 0x7c0, kMburstwords = 0x7c1, kMburstread = 0x7c2,
                               kMburstwrite = 0x7c3, kMcycle = 0xb00,
                               kMinstret = 0xb02, kMhpmcounter3 = 0xb03, kMcycleh = 0xb80, kMinstreth = 0xb82,
                               kMhpmcounter3h = 0xb83, kCycle = 0xc00, kTime = 0xc01, kInstret = 0xc02,
                               kCycleh = 0xc80, kTimeh = 0xc81, kInstreth = 0xc82, kMvendorid = 0xf11,
                               kMarchid = 0xf12, kMimpid = 0xf13, kMhartid = 0xf14, kMconfigptr = 0xf15;
}  // namespace csr

/// Bits of mstatus and, for the three machine-level interrupts, of mip and mie.
inline constexpr std::uint32_t kMstatusMie = 1u << 3, kMstatusMpie = 1u << 7, kMstatusMpp = 3u << 11;

/// Causes of exceptions (mcause without its interrupt bit).
enum class Cause : std::uint32_t {
  kFetchMisaligned = 0,
  kFetchAccess = 1,
  kIllegalInstruction = 2,
  kBreakpoint = 3,
  kLoadMisaligned = 4,
  kLoadAccess = 5,
  kStoreMisaligned = 6,
  kStoreAccess = 7,
  kMachineCall = 11,
};

/// "store access fault" and so on, as the privileged architecture names them.
const char* cause_text(Cause cause);

/// "mstatus"; "0x7c0" for a number without a name.
std::string csr_name(std::uint16_t number);

}  // namespace warpvp::riscv
