#include "modules/command_processor/riscv/csr.h"

#include <fmt/format.h>

namespace warpvp::riscv {

const char* cause_text(Cause cause) {
  switch (cause) {
    case Cause::kFetchMisaligned:
      return "instruction address misaligned";
    case Cause::kFetchAccess:
      return "instruction access fault";
    case Cause::kIllegalInstruction:
      return "illegal instruction";
    case Cause::kBreakpoint:
      return "breakpoint";
    case Cause::kLoadMisaligned:
      return "load address misaligned";
    case Cause::kLoadAccess:
      return "load access fault";
    case Cause::kStoreMisaligned:
      return "store address misaligned";
    case Cause::kStoreAccess:
      return "store access fault";
    case Cause::kMachineCall:
      return "environment call from machine mode";
  }
  return "unknown exception";
}

std::string csr_name(std::uint16_t n) {
  struct Name {
    std::uint16_t number;
    const char* name;
  };
  static constexpr Name kNames[] = {{csr::kMstatus, "mstatus"},
                                    {csr::kMisa, "misa"},
                                    {csr::kMie, "mie"},
                                    {csr::kMtvec, "mtvec"},
                                    {csr::kMstatush, "mstatush"},
                                    {csr::kMcountinhibit, "mcountinhibit"},
                                    {csr::kMscratch, "mscratch"},
                                    {csr::kMepc, "mepc"},
                                    {csr::kMcause, "mcause"},
                                    {csr::kMtval, "mtval"},
                                    {csr::kMip, "mip"},
                                    {csr::kTselect, "tselect"},
                                    {csr::kTdata1, "tdata1"},
                                    {csr::kTdata2, "tdata2"},
                                    {csr::kTdata3, "tdata3"},
                                    {csr::kMburstlocal, "mburstlocal"},
                                    {csr::kMburstwords, "mburstwords"},
                                    {csr::kMburstread, "mburstread"},
                                    {csr::kMburstwrite, "mburstwrite"},
                                    {csr::kMcycle, "mcycle"},
                                    {csr::kMinstret, "minstret"},
                                    {csr::kMcycleh, "mcycleh"},
                                    {csr::kMinstreth, "minstreth"},
                                    {csr::kCycle, "cycle"},
                                    {csr::kTime, "time"},
                                    {csr::kInstret, "instret"},
                                    {csr::kCycleh, "cycleh"},
                                    {csr::kTimeh, "timeh"},
                                    {csr::kInstreth, "instreth"},
                                    {csr::kMvendorid, "mvendorid"},
                                    {csr::kMarchid, "marchid"},
                                    {csr::kMimpid, "mimpid"},
                                    {csr::kMhartid, "mhartid"},
                                    {csr::kMconfigptr, "mconfigptr"}};
  for (const Name& name : kNames)
    if (name.number == n) return name.name;
  if (n >= csr::kMhpmevent3 && n < csr::kMhpmevent3 + 29)
    return fmt::format("mhpmevent{}", n - csr::kMhpmevent3 + 3);
  if (n >= csr::kMhpmcounter3 && n < csr::kMhpmcounter3 + 29)
    return fmt::format("mhpmcounter{}", n - csr::kMhpmcounter3 + 3);
  if (n >= csr::kMhpmcounter3h && n < csr::kMhpmcounter3h + 29)
    return fmt::format("mhpmcounter{}h", n - csr::kMhpmcounter3h + 3);
  if (n >= csr::kPmpcfg0 && n < csr::kPmpcfg0 + 4) return fmt::format("pmpcfg{}", n - csr::kPmpcfg0);
  if (n >= csr::kPmpaddr0 && n < csr::kPmpaddr0 + 16) return fmt::format("pmpaddr{}", n - csr::kPmpaddr0);
  return fmt::format("{:#x}", n);
}

}  // namespace warpvp::riscv
