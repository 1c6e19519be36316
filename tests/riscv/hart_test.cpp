// The hart by itself: running ahead and back, code that changes, limits, what it leaves to its owner.

#include "modules/command_processor/riscv/hart.h"

#include <gtest/gtest.h>

#include <cstring>
#include <random>

#include "tests/riscv/assembler.h"

namespace warpvp::riscv {
namespace {

using test::Assembler;
using Stop = Hart::Stop;
constexpr std::uint32_t kBase = Assembler::kBase, kBytes = 64 * 1024;

class HartTest : public ::testing::Test {
 protected:
  void load(const std::string& text) {
    program_ = std::make_unique<Assembler>(text);
    const auto bytes = program_->bytes();
    std::memcpy(memory_.data(), bytes.data(), bytes.size());
    hart_ = std::make_unique<Hart>(memory_.data(), kBase, kBytes, RiscvCosts{});
    hart_->reset(kBase);
    hart_->set_origin(0, 1'000'000);
    hart_->begin(1'000'000);
  }
  std::uint32_t label(const char* name) const { return program_->label(name); }
  std::uint32_t reg(const char* name) const {
    for (unsigned i = 0; i < 32; ++i)
      if (std::string(name) == register_name(i)) return hart_->x(i);
    ADD_FAILURE() << name;
    return 0;
  }

  std::vector<std::uint8_t> memory_ = std::vector<std::uint8_t>(kBytes);
  std::unique_ptr<Assembler> program_;
  std::unique_ptr<Hart> hart_;
};

TEST_F(HartTest, StopsAfterAsManyInstructionsAsAsked) {
  load("addi a0,a0,1\n addi a0,a0,1\n addi a0,a0,1\n addi a0,a0,1\n");
  EXPECT_EQ(hart_->run(3), Stop::kLimit);
  EXPECT_EQ(reg("a0"), 3u);
  EXPECT_EQ(hart_->pc(), kBase + 12);
  EXPECT_EQ(hart_->retired(), 3u);
  EXPECT_EQ(hart_->run(0), Stop::kLimit);
  EXPECT_EQ(hart_->retired(), 3u);
}

TEST_F(HartTest, StopsAtTheFirstInstructionFromACycleOn) {
  load("div a0,a0,a1\n addi a0,a0,1\n addi a0,a0,1\n");  // 33, 1, 1 cycles
  EXPECT_EQ(hart_->run(100, 1), Stop::kLimit);
  EXPECT_EQ(hart_->cycles(), 33u);
  EXPECT_EQ(hart_->run(100, 33), Stop::kLimit);
  EXPECT_EQ(hart_->retired(), 1u);
  EXPECT_EQ(hart_->run(100, 34), Stop::kLimit);
  EXPECT_EQ(hart_->retired(), 2u);
}

TEST_F(HartTest, LeavesDevicesToItsOwner) {
  load(
      "li a0,0x100000\n li a1,0x1234567\n sh a1,6(a0)\n lbu a2,1(a0)\n lb a3,1(a0)\n lhu a4,2(a0)\n lh "
      "a5,2(a0)\n");
  EXPECT_EQ(hart_->run(100), Stop::kDevice);
  const Hart::Access store = hart_->pending_access();
  EXPECT_EQ(store.address, 0x100006u);
  EXPECT_EQ(store.value, 0x4567u);
  EXPECT_EQ(store.bytes, 2);
  EXPECT_TRUE(store.store);
  EXPECT_EQ(hart_->pc(), kBase + 16) << "before it, not after";
  EXPECT_EQ(hart_->retired(), 4u);
  hart_->finish_access(0);
  EXPECT_EQ(hart_->run(100), Stop::kDevice);
  EXPECT_FALSE(hart_->pending_access().store);
  EXPECT_EQ(hart_->pending_access().bytes, 1);
  hart_->finish_access(0xffffff80);
  EXPECT_EQ(reg("a2"), 0x80u);
  for (const std::uint32_t loaded : {0x80u, 0x8001u, 0x8001u}) {
    EXPECT_EQ(hart_->run(100), Stop::kDevice);
    hart_->finish_access(loaded);
  }
  EXPECT_EQ(reg("a3"), 0xffffff80u);
  EXPECT_EQ(reg("a4"), 0x8001u);
  EXPECT_EQ(reg("a5"), 0xffff8001u);
}

TEST_F(HartTest, LeavesWhatInterruptsActThroughToItsOwner) {
  load(
      "csrrs a0,mstatus,zero\n csrrwi zero,mie,8\n csrrs a1,mip,zero\n wfi\n mret\n csrrw "
      "zero,mscratch,a0\n");
  hart_->write_csr(csr::kMepc, kBase + 20);
  for (const Hart::System what : {Hart::System::kCsr, Hart::System::kCsr, Hart::System::kCsr,
                                  Hart::System::kWait, Hart::System::kReturn}) {
    EXPECT_EQ(hart_->run(100), Stop::kSystem);
    hart_->set_lines(0x800);
    EXPECT_EQ(hart_->execute_system(), what);
  }
  EXPECT_EQ(reg("a0"), 0x1800u);
  EXPECT_EQ(reg("a1"), 0x800u);
  EXPECT_EQ(hart_->enabled_lines(), 8u);
  EXPECT_EQ(hart_->run(1), Stop::kLimit) << "other CSRs need nobody";
  EXPECT_EQ(hart_->read_csr(csr::kMscratch), 0x1800u);
}

TEST_F(HartTest, StopsBeforeAnInstructionThatTraps) {
  load("addi a0,a0,1\n lw a0,1(sp)\n");
  hart_->set_x(2, kBase + 64);
  EXPECT_EQ(hart_->run(100), Stop::kTrap);
  EXPECT_EQ(hart_->pc(), kBase + 4);
  EXPECT_EQ(hart_->retired(), 1u);
  EXPECT_EQ(hart_->pending_exception().cause, Cause::kLoadMisaligned);
  EXPECT_EQ(hart_->pending_exception().value, kBase + 65);
}

TEST_F(HartTest, MisalignedAccessesWorkWhereTheyAreAllowed) {
  load(
      "li a0,0x80001003\n li a1,0x11223344\n sw a1,0(a0)\n lw a2,0(a0)\n lh a3,0(a0)\n li a0,0x8000ffff\n sh "
      "a1,0(a0)\n");
  Hart hart(memory_.data(), kBase, kBytes, RiscvCosts{}, false);
  hart.reset(kBase);
  hart.begin(100);
  EXPECT_EQ(hart.run(100), Stop::kTrap) << "the last one reaches over the end";
  EXPECT_EQ(hart.pending_exception().cause, Cause::kStoreMisaligned);
  EXPECT_EQ(hart.x(12), 0x11223344u);
  EXPECT_EQ(hart.x(13), 0x3344u);
  EXPECT_EQ(memory_[0x1003], 0x44);
  EXPECT_EQ(memory_[0x1006], 0x11);
  hart.undo();
  for (unsigned i = 0x1000; i < 0x1008; ++i) EXPECT_EQ(memory_[i], 0) << i;
}

TEST_F(HartTest, StoresMakeCodeBeDecodedAnew) {
  // The loop changes an instruction that it has just executed, without a fence.
  load(R"(
    la a0,target
    li a1,0x00170713       # addi a4,a4,1
    li a3,3
again:
target:
    addi a2,a2,1
    sw a1,0(a0)
    addi a3,a3,-1
    bne a3,zero,again
    ebreak
)");
  EXPECT_EQ(hart_->run(100), Stop::kTrap);
  EXPECT_EQ(reg("a2"), 1u);
  EXPECT_EQ(reg("a4"), 2u);
}

TEST_F(HartTest, OthersWritesMakeCodeBeDecodedAnew) {
  load("addi a0,a0,1\n j 80000000\n");
  hart_->run(10);
  EXPECT_EQ(reg("a0"), 5u);
  const std::uint32_t other = 0x06450513;  // addi a0,a0,100
  hart_->write_local(kBase, &other, 4);
  hart_->run(2);
  EXPECT_EQ(reg("a0"), 105u);
  const std::uint16_t half = 0x0c85;  // of the immediate: 200
  hart_->write_local(kBase + 2, &half, 2);
  hart_->run(2);
  EXPECT_EQ(reg("a0"), 305u);
}

TEST_F(HartTest, TakingBackRestoresChangedCode) {
  load(R"(
    la a0,target
    li a1,0x00a68693       # addi a3,a3,10
target:
    addi a3,a3,1
    sw a1,0(a0)
    bltu a3,a1,target
)");
  EXPECT_EQ(hart_->run(5), Stop::kLimit);  // up to and with target
  hart_->begin(100);
  hart_->run(2);
  hart_->run(1);
  EXPECT_EQ(reg("a3"), 11u);
  hart_->undo();
  EXPECT_EQ(reg("a3"), 1u);
  hart_->set_pc(label("target"));
  hart_->run(1);
  EXPECT_EQ(reg("a3"), 2u);
}

// Registers, CSRs, counters, reservation and memory come back, and what follows is the same again.
TEST_F(HartTest, TakingBackIsExact) {
  std::mt19937 rng(5);
  std::string text =
      "li s0,0x80001000\n li s1,0x80001080\n csrrwi zero,mcountinhibit,4\n lr.w a0,(s0)\nloop:\n";
  const char* const kRegisters[] = {"a0", "a1", "a2", "a3", "a4", "a5", "t0", "t1"};
  const auto r = [&] { return kRegisters[rng() % 8]; };
  for (unsigned i = 0; i < 400; ++i) {
    switch (rng() % 9) {
      case 0:
        text += fmt::format("sw {},{}(s0)\n", r(), 4 * (rng() % 64));
        break;
      case 1:
        text += fmt::format("sb {},{}(s0)\n", r(), rng() % 256);
        break;
      case 2:
        text += fmt::format("lh {},{}(s0)\n", r(), 2 * (rng() % 128));
        break;
      case 3:
        text += fmt::format("amoadd.w {},{},(s1)\n", r(), r());
        break;
      case 4:
        text += fmt::format("sc.w {},{},(s0)\n", r(), r());
        break;
      case 5:
        text += fmt::format("lr.w {},(s0)\n", r());
        break;
      case 6:
        text += fmt::format("csrrw {},mscratch,{}\n", r(), r());
        break;
      case 7:
        text += fmt::format("csrrs {},{},zero\n", r(), rng() % 2 ? "mcycle" : "minstret");
        break;
      default:
        text += fmt::format("add {},{},{}\n", r(), r(), r());
        break;
    }
  }
  load(text + "csrrwi zero,mcycle,7\n csrrwi zero,mtvec,8\n j loop\n");
  const auto state = [&] {
    std::vector<std::uint32_t> all{hart_->pc(), static_cast<std::uint32_t>(hart_->retired()),
                                   static_cast<std::uint32_t>(hart_->cycles()), hart_->has_handler()};
    for (unsigned i = 0; i < 32; ++i) all.push_back(hart_->x(i));
    for (std::uint16_t n = 0; n < 0x1000; ++n)
      if (const auto value = hart_->read_csr(n)) all.push_back(*value);
    return all;
  };
  for (unsigned round = 0; round < 60; ++round) {
    hart_->begin(2000);
    const auto before = state();
    const auto memory_before = memory_;
    const unsigned count = 1 + rng() % 900;
    ASSERT_EQ(hart_->run(count), Stop::kLimit);
    const auto after = state();
    const auto memory_after = memory_;
    hart_->undo();
    ASSERT_EQ(state(), before);
    ASSERT_EQ(memory_, memory_before);
    const unsigned part = rng() % count;
    hart_->run(part);
    hart_->run(count - part);
    ASSERT_EQ(state(), after);
    ASSERT_EQ(memory_, memory_after);
  }
}

TEST_F(HartTest, CountsTimeFromItsOrigin) {
  load("nop\n nop\n csrrs a0,mcycle,zero\n csrrs a1,time,zero\n csrrs a2,timeh,zero\n");
  hart_->set_origin(12'345'678'000'000'000ull, 2'000'000);  // 500 MHz
  hart_->run(5);
  EXPECT_EQ(reg("a0"), static_cast<std::uint32_t>(12'345'678'000ull / 2 + 2));
  EXPECT_EQ(reg("a1"), static_cast<std::uint32_t>(12'345'678'000ull + (1 + 1 + 2) * 2));
  EXPECT_EQ(reg("a2"), static_cast<std::uint32_t>((12'345'678'000ull + 12) >> 32));
}

TEST_F(HartTest, WritesOfADebuggerTakeEffectAtOnce) {
  load("nop\n csrrs a0,minstret,zero\n csrrs a1,mcycle,zero\n");
  EXPECT_TRUE(hart_->write_csr(csr::kMinstret, 100));
  EXPECT_TRUE(hart_->write_csr(csr::kMcycle, 1000));
  EXPECT_EQ(hart_->read_csr(csr::kMinstret), 100u);
  EXPECT_EQ(hart_->read_csr(csr::kMcycle), 1000u);
  hart_->run(3);
  EXPECT_EQ(reg("a0"), 101u);
  EXPECT_EQ(reg("a1"), 1003u);
  EXPECT_FALSE(hart_->write_csr(csr::kMhartid, 1));
  EXPECT_FALSE(hart_->write_csr(0x7c4, 1));
  EXPECT_FALSE(hart_->read_csr(0x7c4));
  hart_->set_x(0, 5);
  EXPECT_EQ(hart_->x(0), 0u);
}

}  // namespace
}  // namespace warpvp::riscv
