#include "modules/command_processor/gdb/target_description.h"

#include <fmt/format.h>

namespace warpvp::gdb {

namespace {

constexpr const char* kAbiNames[] = {"zero", "ra", "sp", "gp", "tp",  "t0",  "t1", "t2", "fp", "s1", "a0",
                                     "a1",   "a2", "a3", "a4", "a5",  "a6",  "a7", "s2", "s3", "s4", "s5",
                                     "s6",   "s7", "s8", "s9", "s10", "s11", "t3", "t4", "t5", "t6"};

const char* type_of(std::string_view name) {
  if (name == "ra") return "code_ptr";
  if (name == "sp" || name == "gp" || name == "tp" || name == "fp") return "data_ptr";
  return "int";
}

}  // namespace

std::string describe_target(const DebugTarget& target) {
  std::string xml =
      "<?xml version=\"1.0\"?>\n"
      "<!DOCTYPE target SYSTEM \"gdb-target.dtd\">\n"
      "<target version=\"1.0\">\n"
      "<architecture>riscv:rv32</architecture>\n"
      "<feature name=\"org.gnu.gdb.riscv.cpu\">\n";
  for (unsigned i = 0; i < kPcRegister; ++i)
    xml += fmt::format("<reg name=\"{}\" bitsize=\"32\" type=\"{}\" regnum=\"{}\"/>\n", kAbiNames[i],
                       type_of(kAbiNames[i]), i);
  xml += fmt::format("<reg name=\"pc\" bitsize=\"32\" type=\"code_ptr\" regnum=\"{}\"/>\n", kPcRegister);
  xml += "</feature>\n<feature name=\"org.gnu.gdb.riscv.csr\">\n";
  for (const DebugTarget::Csr& csr : target.csrs())
    xml += fmt::format("<reg name=\"{}\" bitsize=\"32\" type=\"int\" regnum=\"{}\" save-restore=\"no\"/>\n",
                       csr.name, kFirstCsrRegister + csr.number);
  xml += "</feature>\n</target>\n";
  return xml;
}

}  // namespace warpvp::gdb
