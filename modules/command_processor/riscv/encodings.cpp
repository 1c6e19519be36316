// The table of instructions. Sources: The RISC-V Instruction Set Manual, volume I, version 20191213, chapter
// 24 (RV32I, Zifencei, Zicsr, M, A) and chapter 16 (C); volume II, version 20211203 (mret, wfi).
#include "modules/command_processor/riscv/instruction.h"

namespace warpvp::riscv {

namespace {

// What is fixed: the opcode; with funct3; with funct7; everything; in atomics all but aq and rl.
constexpr std::uint32_t kOpcode = 0x0000007f, kFunct3 = 0x0000707f, kFunct7 = 0xfe00707f, kAll = 0xffffffff,
                        kAtomicMask = 0xf800707f, kLrMask = 0xf9f0707f;

using C = CostClass;
using F = Format;

// clang-format off
const std::vector<Encoding> kTable = {
    {"lui",       0x00000037, kOpcode, F::kUpper, Op::kLui, C::kAlu},
    {"auipc",     0x00000017, kOpcode, F::kUpper, Op::kAuipc, C::kAlu},
    {"jal",       0x0000006f, kOpcode, F::kJump, Op::kJal, C::kJump},
    {"jalr",      0x00000067, kFunct3, F::kJumpRegister, Op::kJalr, C::kJump},
    {"beq",       0x00000063, kFunct3, F::kBranch, Op::kBeq, C::kBranch},
    {"bne",       0x00001063, kFunct3, F::kBranch, Op::kBne, C::kBranch},
    {"blt",       0x00004063, kFunct3, F::kBranch, Op::kBlt, C::kBranch},
    {"bge",       0x00005063, kFunct3, F::kBranch, Op::kBge, C::kBranch},
    {"bltu",      0x00006063, kFunct3, F::kBranch, Op::kBltu, C::kBranch},
    {"bgeu",      0x00007063, kFunct3, F::kBranch, Op::kBgeu, C::kBranch},
    {"lb",        0x00000003, kFunct3, F::kLoad, Op::kLb, C::kLoad},
    {"lh",        0x00001003, kFunct3, F::kLoad, Op::kLh, C::kLoad},
    {"lw",        0x00002003, kFunct3, F::kLoad, Op::kLw, C::kLoad},
    {"lbu",       0x00004003, kFunct3, F::kLoad, Op::kLbu, C::kLoad},
    {"lhu",       0x00005003, kFunct3, F::kLoad, Op::kLhu, C::kLoad},
    {"sb",        0x00000023, kFunct3, F::kStore, Op::kSb, C::kStore},
    {"sh",        0x00001023, kFunct3, F::kStore, Op::kSh, C::kStore},
    {"sw",        0x00002023, kFunct3, F::kStore, Op::kSw, C::kStore},
    {"addi",      0x00000013, kFunct3, F::kI, Op::kAddi, C::kAlu},
    {"slti",      0x00002013, kFunct3, F::kI, Op::kSlti, C::kAlu},
    {"sltiu",     0x00003013, kFunct3, F::kI, Op::kSltiu, C::kAlu},
    {"xori",      0x00004013, kFunct3, F::kI, Op::kXori, C::kAlu},
    {"ori",       0x00006013, kFunct3, F::kI, Op::kOri, C::kAlu},
    {"andi",      0x00007013, kFunct3, F::kI, Op::kAndi, C::kAlu},
    {"slli",      0x00001013, kFunct7, F::kShift, Op::kSlli, C::kAlu},
    {"srli",      0x00005013, kFunct7, F::kShift, Op::kSrli, C::kAlu},
    {"srai",      0x40005013, kFunct7, F::kShift, Op::kSrai, C::kAlu},
    {"add",       0x00000033, kFunct7, F::kR, Op::kAdd, C::kAlu},
    {"sub",       0x40000033, kFunct7, F::kR, Op::kSub, C::kAlu},
    {"sll",       0x00001033, kFunct7, F::kR, Op::kSll, C::kAlu},
    {"slt",       0x00002033, kFunct7, F::kR, Op::kSlt, C::kAlu},
    {"sltu",      0x00003033, kFunct7, F::kR, Op::kSltu, C::kAlu},
    {"xor",       0x00004033, kFunct7, F::kR, Op::kXor, C::kAlu},
    {"srl",       0x00005033, kFunct7, F::kR, Op::kSrl, C::kAlu},
    {"sra",       0x40005033, kFunct7, F::kR, Op::kSra, C::kAlu},
    {"or",        0x00006033, kFunct7, F::kR, Op::kOr, C::kAlu},
    {"and",       0x00007033, kFunct7, F::kR, Op::kAnd, C::kAlu},
    // Reserved fields of fences are ignored, as the manual asks (section 2.7).
    {"fence.tso", 0x8330000f, 0xfff0707f, F::kNone, Op::kFence, C::kAlu},
    {"fence",     0x0000000f, kFunct3, F::kFence, Op::kFence, C::kAlu},
    {"fence.i",   0x0000100f, kFunct3, F::kNone, Op::kFenceI, C::kSystem},
    {"ecall",     0x00000073, kAll, F::kNone, Op::kEcall, C::kSystem},
    {"ebreak",    0x00100073, kAll, F::kNone, Op::kEbreak, C::kSystem},
    {"mret",      0x30200073, kAll, F::kNone, Op::kMret, C::kSystem},
    {"wfi",       0x10500073, kAll, F::kNone, Op::kWfi, C::kSystem},
    {"csrrw",     0x00001073, kFunct3, F::kCsr, Op::kCsrrw, C::kSystem},
    {"csrrs",     0x00002073, kFunct3, F::kCsr, Op::kCsrrs, C::kSystem},
    {"csrrc",     0x00003073, kFunct3, F::kCsr, Op::kCsrrc, C::kSystem},
    {"csrrwi",    0x00005073, kFunct3, F::kCsrImmediate, Op::kCsrrwi, C::kSystem},
    {"csrrsi",    0x00006073, kFunct3, F::kCsrImmediate, Op::kCsrrsi, C::kSystem},
    {"csrrci",    0x00007073, kFunct3, F::kCsrImmediate, Op::kCsrrci, C::kSystem},
    {"mul",       0x02000033, kFunct7, F::kR, Op::kMul, C::kMultiply},
    {"mulh",      0x02001033, kFunct7, F::kR, Op::kMulh, C::kMultiply},
    {"mulhsu",    0x02002033, kFunct7, F::kR, Op::kMulhsu, C::kMultiply},
    {"mulhu",     0x02003033, kFunct7, F::kR, Op::kMulhu, C::kMultiply},
    {"div",       0x02004033, kFunct7, F::kR, Op::kDiv, C::kDivide},
    {"divu",      0x02005033, kFunct7, F::kR, Op::kDivu, C::kDivide},
    {"rem",       0x02006033, kFunct7, F::kR, Op::kRem, C::kDivide},
    {"remu",      0x02007033, kFunct7, F::kR, Op::kRemu, C::kDivide},
    {"lr.w",      0x1000202f, kLrMask, F::kLoadReserved, Op::kLr, C::kAtomic},
    {"sc.w",      0x1800202f, kAtomicMask, F::kAtomic, Op::kSc, C::kAtomic},
    {"amoswap.w", 0x0800202f, kAtomicMask, F::kAtomic, Op::kAmoswap, C::kAtomic},
    {"amoadd.w",  0x0000202f, kAtomicMask, F::kAtomic, Op::kAmoadd, C::kAtomic},
    {"amoxor.w",  0x2000202f, kAtomicMask, F::kAtomic, Op::kAmoxor, C::kAtomic},
    {"amoand.w",  0x6000202f, kAtomicMask, F::kAtomic, Op::kAmoand, C::kAtomic},
    {"amoor.w",   0x4000202f, kAtomicMask, F::kAtomic, Op::kAmoor, C::kAtomic},
    {"amomin.w",  0x8000202f, kAtomicMask, F::kAtomic, Op::kAmomin, C::kAtomic},
    {"amomax.w",  0xa000202f, kAtomicMask, F::kAtomic, Op::kAmomax, C::kAtomic},
    {"amominu.w", 0xc000202f, kAtomicMask, F::kAtomic, Op::kAmominu, C::kAtomic},
    {"amomaxu.w", 0xe000202f, kAtomicMask, F::kAtomic, Op::kAmomaxu, C::kAtomic},

    {"c.addi4spn", 0x0000, 0xe003, F::kCAddi4spn, Op::kAddi, C::kAlu},
    {"c.lw",       0x4000, 0xe003, F::kCLoad, Op::kLw, C::kLoad},
    {"c.sw",       0xc000, 0xe003, F::kCStore, Op::kSw, C::kStore},
    {"c.nop",      0x0001, 0xef83, F::kCNop, Op::kAddi, C::kAlu},
    {"c.addi",     0x0001, 0xe003, F::kCImmediate, Op::kAddi, C::kAlu},
    {"c.jal",      0x2001, 0xe003, F::kCJumpAndLink, Op::kJal, C::kJump},
    {"c.li",       0x4001, 0xe003, F::kCLoadImmediate, Op::kAddi, C::kAlu},
    {"c.addi16sp", 0x6101, 0xef83, F::kCAddi16sp, Op::kAddi, C::kAlu},
    {"c.lui",      0x6001, 0xe003, F::kCLui, Op::kLui, C::kAlu},
    {"c.srli",     0x8001, 0xfc03, F::kCShiftShort, Op::kSrli, C::kAlu},
    {"c.srai",     0x8401, 0xfc03, F::kCShiftShort, Op::kSrai, C::kAlu},
    {"c.andi",     0x8801, 0xec03, F::kCAndi, Op::kAndi, C::kAlu},
    {"c.sub",      0x8c01, 0xfc63, F::kCShort, Op::kSub, C::kAlu},
    {"c.xor",      0x8c21, 0xfc63, F::kCShort, Op::kXor, C::kAlu},
    {"c.or",       0x8c41, 0xfc63, F::kCShort, Op::kOr, C::kAlu},
    {"c.and",      0x8c61, 0xfc63, F::kCShort, Op::kAnd, C::kAlu},
    {"c.j",        0xa001, 0xe003, F::kCJump, Op::kJal, C::kJump},
    {"c.beqz",     0xc001, 0xe003, F::kCBranch, Op::kBeq, C::kBranch},
    {"c.bnez",     0xe001, 0xe003, F::kCBranch, Op::kBne, C::kBranch},
    {"c.slli",     0x0002, 0xf003, F::kCShift, Op::kSlli, C::kAlu},
    {"c.lwsp",     0x4002, 0xe003, F::kCLoadSp, Op::kLw, C::kLoad},
    {"c.jr",       0x8002, 0xf07f, F::kCJumpRegister, Op::kJalr, C::kJump},
    {"c.mv",       0x8002, 0xf003, F::kCMove, Op::kAdd, C::kAlu},
    {"c.ebreak",   0x9002, 0xffff, F::kCNone, Op::kEbreak, C::kSystem},
    {"c.jalr",     0x9002, 0xf07f, F::kCJumpAndLinkRegister, Op::kJalr, C::kJump},
    {"c.add",      0x9002, 0xf003, F::kCAdd, Op::kAdd, C::kAlu},
    {"c.swsp",     0xc002, 0xe003, F::kCStoreSp, Op::kSw, C::kStore},
};
// clang-format on

}  // namespace

const std::vector<Encoding>& encodings() { return kTable; }

}  // namespace warpvp::riscv
