// The table of expansions. Which machine instructions there are, and how many, was read from what ptxas V13.0
// writes for sm_75 (tests/ptx_front/data/machine_instructions.tsv has the counts, and a test compares); which
// wait for which, from the registers that they name. Divisions and roots go the way of ordinary numbers: the
// assembler's code for the rest is jumped over or not called.

#include "ptx/machine/expansion.h"

#include <algorithm>
#include <cassert>
#include <cstring>
#include <map>

namespace warpvp::ptx::machine {
namespace {

/// A mnemonic with what executes it. Sources: NVIDIA developer forum, topic 108729 (on GV100 the FMA pipe has
/// FP32 and IMAD, the ALU other integer instructions and data movement); CUDA C++ Programming Guide,
/// throughput of native arithmetic instructions of compute capability 7.0 (conversions, population counts,
/// bit reversal and leading bits: 16 lanes a cycle and SM, as special functions).
constexpr MachineStep kMnemonics[] = {
    {"BMOV", Unit::kControl, OpClass::kMove, false},    {"BSSY", Unit::kControl, OpClass::kMove, false},
    {"BRA", Unit::kControl, OpClass::kControl, false},  {"BSYNC", Unit::kControl, OpClass::kControl, false},
    {"CALL", Unit::kControl, OpClass::kControl, false}, {"RET", Unit::kControl, OpClass::kControl, false},
    {"MOV", Unit::kInt, OpClass::kMove, false},         {"SEL", Unit::kInt, OpClass::kMove, false},
    {"FSEL", Unit::kInt, OpClass::kMove, false},        {"IADD3", Unit::kInt, OpClass::kIntAdd, false},
    {"IABS", Unit::kInt, OpClass::kIntAdd, false},      {"IMAD", Unit::kInt, OpClass::kIntMul, false},
    {"IMAD.HI", Unit::kInt, OpClass::kIntMul, false},   {"IMAD.WIDE", Unit::kInt, OpClass::kIntMul, false},
    {"LOP3", Unit::kInt, OpClass::kLogic, false},       {"PRMT", Unit::kInt, OpClass::kLogic, false},
    {"LEA", Unit::kInt, OpClass::kIntAdd, false},       {"SHF", Unit::kInt, OpClass::kLogic, false},
    {"SGXT", Unit::kInt, OpClass::kLogic, false},       {"BMSK", Unit::kInt, OpClass::kLogic, false},
    {"ISETP", Unit::kInt, OpClass::kCompare, false},    {"ISETP@", Unit::kInt, OpClass::kGuard, false},
    {"FSETP", Unit::kFp32, OpClass::kCompare, false},   {"FSETP@", Unit::kFp32, OpClass::kGuard, false},
    {"DSETP", Unit::kFp64, OpClass::kCompare, false},   {"FADD", Unit::kFp32, OpClass::kFpAdd, false},
    {"FMUL", Unit::kFp32, OpClass::kFpMul, false},      {"FFMA", Unit::kFp32, OpClass::kFpFma, false},
    {"MUFU", Unit::kSfu, OpClass::kSpecial, false},     {"FCHK", Unit::kSfu, OpClass::kConvert, false},
    {"I2F", Unit::kSfu, OpClass::kConvert, false},      {"F2I", Unit::kSfu, OpClass::kConvert, false},
    {"F2F", Unit::kSfu, OpClass::kConvert, false},      {"FRND", Unit::kSfu, OpClass::kConvert, false},
    {"POPC", Unit::kSfu, OpClass::kConvert, false},     {"FLO", Unit::kSfu, OpClass::kConvert, false},
    {"BREV", Unit::kSfu, OpClass::kConvert, false},     {"DADD", Unit::kFp64, OpClass::kDpAdd, false},
    {"DMUL", Unit::kFp64, OpClass::kDpFma, false},      {"DFMA", Unit::kFp64, OpClass::kDpFma, false},
    {"ATOMS", Unit::kLsu, OpClass::kMemory, false},
};

struct Rule {
  const char* form;
  /// Mnemonics; `>` waits for the result of the one before it, `@` behind a comparison says that its
  /// predicate guards what follows.
  const char* steps;
};

constexpr Rule kRules[] = {
    // Two words: a carry, or each on its own.
    {"add.b64", "IADD3 >IADD3"},
    {"lea.b64", "LEA >LEA"},
    {"neg.b64", "IADD3 >IADD3"},
    {"abs.b64", "IADD3 MOV ISETP >SEL SEL"},
    {"min.b64", "ISETP >ISETP >SEL SEL"},
    {"and.b64", "LOP3 LOP3"},
    {"cnot.b64", "ISETP >ISETP >SEL >SHF >MOV"},
    {"shl.b64", "SHF SHF"},
    {"setp.b64", "ISETP >ISETP"},
    {"set.b64", "ISETP >ISETP >SEL"},
    {"selp.b64", "SEL SEL"},
    {"slct.b64", "ISETP >SEL SEL"},
    {"mul.lo.b64", "IMAD >IMAD IMAD.WIDE >IADD3"},
    {"mad.lo.b64", "IMAD >IMAD IMAD.WIDE >IADD3"},
    {"mul.hi.b64", "IMAD.WIDE IMAD.WIDE >IMAD.WIDE >IADD3 >MOV IADD3 >IMAD.WIDE"},
    {"mad.hi.b64", "IMAD.WIDE IMAD.WIDE >IADD3 >IMAD.WIDE >IADD3 IADD3 >IMAD.WIDE"},
    {"mul.hi.s64",
     "IMAD.WIDE IMAD.WIDE ISETP >IMAD.WIDE IADD3 MOV >IADD3 >IMAD.WIDE >IADD3 IADD3 >SEL SEL >IADD3 ISETP "
     ">IMAD >SEL SEL"},
    {"mad.hi.s64",
     "IMAD.WIDE IMAD.WIDE >IMAD.WIDE IADD3 >IADD3 IADD3 ISETP >IMAD.WIDE >IADD3 >SEL IMAD >IADD3 >SEL ISETP "
     ">IMAD >SEL "
     "SEL"},
    {"popc.b64", "POPC POPC >IADD3"},
    {"clz.b64", "ISETP >SEL >FLO >IADD3 >IADD3 >MOV"},
    {"brev.b64", "BREV BREV"},
    {"bfind.b64", "BMOV BSSY FLO ISETP@ >IADD3 BRA >FLO BSYNC"},
    {"bfe.b64", "MOV SHF >SHF IADD3 SHF SHF >IADD3 >LOP3 LOP3"},
    {"bfi.b64", "MOV LOP3 >SHF >SHF >SHF SHF >LOP3 LOP3"},
    // Multiplication in other widths.
    {"mad.hi.b32", "MOV >IMAD.HI"},
    {"mul.lo.b32 shift", "SHF"},
    {"mad.lo.b32 shift", "LEA"},
    {"mul.wide.b32", "IMAD.WIDE"},
    {"mad.wide.b32", "IMAD.WIDE"},
    {"mul24.lo", "PRMT PRMT >IMAD"},
    {"mul24.hi", "PRMT PRMT >IMAD.WIDE >SHF >PRMT"},
    // Bits.
    {"cnot.b32", "ISETP >SEL >IADD3"},
    {"popc.b32", "POPC"},
    {"clz.b32", "FLO >IADD3"},
    {"brev.b32", "BREV"},
    {"bfind.b32", "FLO"},
    {"bfe.b32", "PRMT PRMT >PRMT >SHF >SGXT"},
    {"bfe.b32 imm", "SHF >SGXT"},
    {"bfi.b32", "MOV PRMT >PRMT >PRMT >BMSK SHF >LOP3"},
    {"bfi.b32 imm", "SHF >LOP3"},
    // Comparisons that yield a value.
    {"set.b32", "ISETP >SEL"},
    {"set.f32", "FSETP >SEL"},
    {"set.f64", "DSETP >SEL"},
    {"slct.b32", "ISETP >SEL"},
    {"slct.f32", "FSETP >FSEL"},
    {"testp.f32", "LOP3 >ISETP"},
    {"testp.f64", "LOP3 >ISETP >ISETP"},
    {"min.f64", "MOV MOV DSETP >FSEL SEL >LOP3 >MOV"},
    // Division and remainder of integers.
    {"div.u32",
     "I2F >MUFU >IADD3 >F2I >IADD3 >IMAD >IMAD.HI >IMAD.HI >IADD3 >IMAD >ISETP@ >IADD3 IADD3 >ISETP@ ISETP "
     "MOV IADD3 >LOP3"},
    {"rem.u32",
     "I2F >MUFU >IADD3 >F2I >MOV >IMAD >IMAD.HI >IMAD.HI >MOV >IMAD >ISETP@ >IADD3 >ISETP@ ISETP MOV >IMAD "
     ">LOP3"},
    {"div.s32",
     "IABS IABS IABS LOP3 MOV >I2F >MUFU >IADD3 >F2I MOV >MOV >IMAD >IMAD.HI >IMAD.HI >IMAD >ISETP@ >IMAD "
     "IADD3 ISETP "
     "ISETP MOV >ISETP@ >IADD3 >IADD3 >LOP3"},
    {"rem.s32",
     "IABS IABS IABS ISETP MOV >I2F >MUFU >IADD3 >F2I MOV >IADD3 >IMAD >IMAD.HI >IMAD.HI >IMAD >ISETP@ "
     ">IADD3 ISETP "
     ">ISETP@ >IMAD >IADD3 MOV >LOP3"},
    // By a number that is known when the code is made.
    {"div.u32 imm",
     "I2F >MUFU >IADD3 >F2I MOV >IMAD >IMAD.HI >IMAD.HI >IMAD >ISETP@ >IADD3 IADD3 >ISETP@ >IADD3"},
    {"rem.u32 imm", "I2F >MUFU >IADD3 >F2I MOV >IMAD >IMAD.HI >IMAD.HI >IMAD >ISETP@ >IADD3 >ISETP@ >IADD3"},
    {"div.s32 imm",
     "I2F >MUFU >IADD3 >F2I MOV >IMAD >IMAD.HI IABS LOP3 >IMAD.HI ISETP >IMAD >ISETP@ >IADD3 IADD3 >ISETP@ "
     ">IADD3 >MOV"},
    {"rem.s32 imm",
     "I2F >MUFU >IADD3 >F2I MOV >IMAD >IMAD.HI IABS ISETP >IMAD.HI >IMAD >ISETP@ >IADD3 >ISETP@ >IADD3 >MOV"},
    // What is left of them when another division by the same divisor stands before (again), or one of the
    // same
    // numbers (beside): the reciprocal is there, or the quotient and the remainder but for their correction.
    {"div.u32 again", "IMAD.HI >MOV >IMAD >ISETP@ >IADD3 >ISETP@ MOV >IADD3 SEL >SEL"},
    {"rem.u32 again", "IMAD.HI >IADD3 >IMAD >ISETP@ >IADD3 >ISETP@ >IADD3 SEL >SEL"},
    {"div.s32 again", "IABS LOP3 MOV >IMAD.HI >MOV >IMAD >ISETP@ >IADD3 >ISETP@ ISETP >IADD3 MOV SEL >SEL"},
    {"rem.s32 again", "IABS MOV >IMAD.HI >MOV >IMAD >ISETP@ >IADD3 ISETP >ISETP@ >IADD3 MOV SEL >SEL"},
    {"div.u32 beside", "IADD3 >IADD3 SEL >SEL"},
    {"rem.u32 beside", "IADD3 SEL >SEL"},
    {"div.s32 beside", "MOV LOP3 ISETP >IADD3 >IADD3 >SEL MOV SEL >SEL"},
    {"rem.s32 beside", "MOV ISETP ISETP >SEL MOV SEL >SEL"},
    {"div.b16",
     "MOV CALL I2F I2F MOV >FSETP FSETP >FSEL FSEL ISETP >FMUL >MUFU >FMUL >IADD3 MOV >FMUL MOV >F2I >LOP3 "
     "MOV RET"},
    {"rem.b16",
     "MOV CALL I2F I2F MOV >FSETP FSETP >FSEL FSEL ISETP >FMUL >MUFU >FMUL >IADD3 >FMUL MOV >F2I >LOP3 "
     ">IADD3 >IMAD "
     "MOV MOV RET"},
    {"div.u64",
     "MOV CALL >I2F >MUFU >IADD3 >F2I >IMAD.WIDE >IMAD IADD3 >IMAD >IMAD.HI IADD3 MOV >IMAD.WIDE >IMAD "
     ">IMAD.HI IMAD.HI "
     ">IADD3 IADD3 >IMAD.WIDE IADD3 >IMAD IADD3 >IMAD >IMAD.HI MOV MOV >IMAD.WIDE >IMAD >IMAD.HI IMAD.HI "
     ">IADD3 IADD3 "
     "IMAD.HI >IADD3 >IMAD.WIDE IMAD >IMAD.HI IMAD.HI >IADD3 IADD3 >IMAD.WIDE MOV IADD3 >IMAD ISETP >IMAD "
     ">IADD3 IADD3 "
     "IADD3 >ISETP IMAD IADD3 >SEL SEL SEL >IADD3 SEL >ISETP MOV ISETP >ISETP ISETP >SEL SEL MOV MOV >SEL "
     "RET MOV MOV SEL"},
    {"rem.u64",
     "MOV CALL >I2F >MUFU >IADD3 >F2I >IMAD.WIDE >IMAD IADD3 >IMAD >IMAD.HI IADD3 MOV >IMAD.WIDE >IMAD "
     ">IMAD.HI IMAD.HI "
     ">IADD3 IADD3 >IMAD.WIDE IADD3 >IMAD IADD3 >IMAD >IMAD.HI MOV MOV >IMAD.WIDE >IMAD >IMAD.HI IMAD.HI "
     ">IADD3 IADD3 "
     "IMAD.HI >IADD3 >IMAD.WIDE IMAD >IMAD.HI IMAD.HI >IADD3 IADD3 >IMAD.WIDE MOV IADD3 >IMAD ISETP >IMAD "
     ">IADD3 IADD3 "
     ">ISETP IADD3 >SEL SEL >IADD3 ISETP ISETP >IMAD ISETP >ISETP >SEL SEL MOV MOV >SEL RET MOV MOV SEL"},
    {"div.s64",
     "IADD3 ISETP >SEL SEL ISETP >SEL SEL MOV MOV IMAD MOV CALL >I2F >MUFU >IADD3 >F2I >IMAD.WIDE "
     ">IMAD IADD3 >IMAD >IMAD.HI IADD3 MOV >IMAD.WIDE >IMAD >IMAD.HI IMAD.HI >IADD3 IADD3 >IMAD.WIDE "
     "IADD3 >IMAD IADD3 >IMAD >IMAD.HI MOV MOV >IMAD.WIDE >IMAD >IMAD.HI IMAD.HI >IADD3 IADD3 IMAD.HI "
     ">IADD3 >IMAD.WIDE IMAD >IMAD.HI IMAD.HI >IADD3 IADD3 >IMAD.WIDE MOV IADD3 >IMAD ISETP >IMAD "
     ">IADD3 IADD3 IADD3 >ISETP IMAD IADD3 >SEL SEL SEL >IADD3 SEL >ISETP MOV ISETP >ISETP ISETP >SEL "
     "SEL MOV MOV >SEL RET MOV MOV SEL >LOP3 >IMAD IMAD ISETP >SEL SEL"},
    {"rem.s64",
     "IADD3 ISETP >SEL SEL MOV MOV IMAD >SEL SEL MOV CALL >I2F >MUFU >IADD3 >F2I >IMAD.WIDE >IMAD "
     "IADD3 >IMAD >IMAD.HI IADD3 MOV >IMAD.WIDE >IMAD >IMAD.HI IMAD.HI >IADD3 IADD3 >IMAD.WIDE IADD3 "
     ">IMAD IADD3 >IMAD >IMAD.HI MOV MOV >IMAD.WIDE >IMAD >IMAD.HI IMAD.HI >IADD3 IADD3 IMAD.HI "
     ">IADD3 >IMAD.WIDE IMAD >IMAD.HI IMAD.HI >IADD3 IADD3 >IMAD.WIDE MOV IADD3 >IMAD ISETP >IMAD "
     ">IADD3 IADD3 >ISETP IADD3 >SEL SEL >IADD3 ISETP ISETP >IMAD ISETP >ISETP >SEL SEL MOV MOV >SEL "
     "RET MOV MOV SEL >IMAD IMAD ISETP >SEL SEL"},
    // Single precision.
    {"div.rn.f32", "BMOV BSSY FCHK MUFU >FFMA >FFMA >FFMA >FFMA BRA BSYNC >FFMA"},
    {"div.approx.f32", "FSETP@ >FMUL FMUL >MUFU >FMUL"},
    {"div.approx.ftz.f32", "MUFU >FMUL"},
    {"div.full.f32", "FSETP FSETP@ >FMUL FMUL FMUL >FMUL >MUFU >FMUL"},
    {"div.full.ftz.f32", "FSETP@ >FMUL FMUL >MUFU >FMUL"},
    {"div.approx.f32 again", "FMUL >FMUL"},
    {"div.approx.ftz.f32 again", "FMUL"},
    {"div.full.f32 again", "FMUL >FMUL >FMUL"},
    {"div.full.ftz.f32 again", "FMUL >FMUL"},
    {"rcp.rn.f32", "BMOV BSSY IADD3 >LOP3 >ISETP@ >BRA MUFU >FFMA >FADD BSYNC >FFMA"},
    {"rcp.approx.f32", "FSETP FSETP MOV >FSEL FSEL >FMUL >MUFU >FMUL"},
    {"rcp.approx.ftz.f32", "MUFU"},
    {"sqrt.rn.f32", "BMOV BSSY IADD3 >ISETP@ >BRA MUFU >FMUL FMUL >FFMA BSYNC >FFMA"},
    {"sqrt.rz.f32", "BMOV BSSY IADD3 >ISETP@ >BRA MUFU >FMUL FMUL >FADD >FFMA >FFMA >FADD >FFMA BSYNC >FFMA"},
    {"sqrt.approx.f32", "FSETP@ >FMUL >MUFU >FMUL"},
    {"sqrt.approx.ftz.f32", "MUFU"},
    {"rsqrt.approx.f32", "FSETP@ >FMUL >MUFU >FMUL"},
    {"rsqrt.approx.ftz.f32", "MUFU"},
    {"sin.approx.f32", "FMUL >MUFU"},
    {"sin.approx.f32 again", "MUFU"},
    {"ex2.approx.f32", "FSETP@ >FMUL >MUFU >FMUL"},
    {"ex2.approx.ftz.f32", "MUFU"},
    {"lg2.approx.f32", "FSETP@ >FMUL >MUFU >FADD"},
    {"lg2.approx.ftz.f32", "MUFU"},
    // Double precision.
    {"div.rn.f64",
     "BMOV BSSY MOV FSETP MUFU >DFMA >DFMA >DFMA >DFMA >DFMA >DMUL >DFMA >FFMA >FSETP BRA BSYNC >DFMA"},
    {"rcp.rn.f64", "BMOV BSSY IADD3 FSETP MUFU >DFMA >DFMA >DFMA >DFMA BRA BSYNC >DFMA"},
    {"rcp.approx.ftz.f64", "MOV >MUFU"},
    {"sqrt.rn.f64",
     "BMOV BSSY MOV MOV ISETP IADD3 MUFU >DMUL >DFMA >DFMA >DMUL >DFMA >DMUL IADD3 MOV >DFMA BRA BSYNC "
     ">DFMA"},
    {"rsqrt.approx.f64", "BMOV BSSY MOV MOV MOV ISETP IADD3 MUFU >DMUL >DFMA >DFMA >DMUL BRA BSYNC >DFMA"},
    {"rsqrt.approx.ftz.f64", "MOV >MUFU"},
    // Conversions.
    {"cvt.float", "F2F"},
    {"cvt.rni", "FRND"},
    {"cvt.same", "FADD"},
    {"cvt.b64.u32", "MOV"},
    {"cvt.b64.s32", "SHF"},
    {"cvt.b64.s16", "PRMT >SHF"},
    {"cvt.b64.u16", "MOV"},
    {"cvt.b32.s16", "PRMT"},
    {"cvt.b32.u16", "LOP3"},
    {"cvta", "IADD3 >IADD3"},
    // Memory: floating-point and 64-bit atomics in shared memory are a loop around a compare-and-swap, gone
    // through once.
    // Its load is left out.
    {"atom.shared loop", "BMOV BSSY FADD >ISETP BRA BSYNC >ATOMS"},
    {"video", "PRMT PRMT >IADD3"},
};

MachineStep mnemonic(const char* begin, const char* end) {
  const std::size_t length = static_cast<std::size_t>(end - begin);
  for (const MachineStep& m : kMnemonics)
    if (std::strlen(m.name) == length && std::strncmp(m.name, begin, length) == 0) return m;
  assert(!"unknown mnemonic in the table of expansions");
  return kMnemonics[0];
}

std::map<std::string, Expansion> parse_rules() {
  std::map<std::string, Expansion> all;
  for (const Rule& rule : kRules) {
    Expansion& expansion = all[rule.form];
    for (const char* at = rule.steps; *at != 0;) {
      const bool waits = *at == '>';
      if (waits) ++at;
      const char* end = at;
      while (*end != 0 && *end != ' ') ++end;
      expansion.push_back(mnemonic(at, end));
      expansion.back().waits = waits;
      at = *end == 0 ? end : end + 1;
    }
  }
  return all;
}

const std::map<std::string, Expansion>& rules() {
  static const std::map<std::string, Expansion> all = parse_rules();
  return all;
}

}  // namespace

const Expansion& expansion_of_form(const std::string& form) {
  static const Expansion none;
  const auto found = rules().find(form);
  return found == rules().end() ? none : found->second;
}

std::vector<std::string> expanded_forms() {
  std::vector<std::string> forms;
  for (const auto& [form, expansion] : rules()) forms.push_back(form);
  return forms;
}

}  // namespace warpvp::ptx::machine
