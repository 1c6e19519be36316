// The memory manager's registers: each command, and what is refused.
#include "modules/host/memory_manager.h"

#include <gtest/gtest.h>

#include "tests/control/rig.h"

namespace warpvp::test {
namespace {

namespace mm = regmap::mm;
using mm::Operation;
using mm::Status;

struct Trees : AddressSpaces {
  std::uint64_t create(unsigned context) override {
    if (context == 9) throw InputError("device memory has no room for page tables");
    return 0x1000 * context;
  }
  std::uint64_t root(unsigned) const override { return 0; }
  std::optional<std::uint64_t> translate(std::uint64_t, std::uint64_t) const override { return {}; }
  std::uint64_t page_bytes() const override { return 4096; }
};

struct ManagerBench : sc_core::sc_module {
  explicit ManagerBench(sc_core::sc_module_name name, AddressSpaces* spaces = nullptr)
      : sc_module(name), memory(1 << 20), manager("manager", memory, spaces), driver("driver") {
    driver.socket.bind(manager.registers);
  }
  Status command(Operation operation, unsigned owner, std::uint64_t address = 0, std::uint64_t bytes = 0,
                 std::uint64_t alignment = 256) {
    driver.write(mm::kCommand,
                 mm::Command{static_cast<std::uint32_t>(operation), owner, address, bytes, alignment});
    answer = driver.read<mm::Answer>(mm::kAnswer);
    return static_cast<Status>(answer.status);
  }
  /// The same by debug accesses.
  mm::Answer debug(const mm::Command& command) {
    tlm::tlm_generic_payload p;
    mm::Command written = command;
    p.set_write();
    p.set_address(mm::kCommand);
    p.set_data_ptr(reinterpret_cast<unsigned char*>(&written));
    p.set_data_length(sizeof written);
    p.set_streaming_width(sizeof written);
    EXPECT_EQ(driver.socket->transport_dbg(p), sizeof written);
    mm::Answer read;
    p.set_read();
    p.set_address(mm::kAnswer);
    p.set_data_ptr(reinterpret_cast<unsigned char*>(&read));
    p.set_data_length(sizeof read);
    p.set_streaming_width(sizeof read);
    EXPECT_EQ(driver.socket->transport_dbg(p), sizeof read);
    return read;
  }

  DeviceMemory memory;
  MemoryManager manager;
  Driver driver;
  mm::Answer answer;
};

constexpr std::uint64_t kBase = DeviceMemory::kBase, kEnd = kBase + (1 << 20);

TEST(MemoryManager, AllocatesFindsAndFrees) {
  ManagerBench b("bench");
  EXPECT_EQ(b.driver.read<std::uint64_t>(mm::kSize), 1u << 20);
  EXPECT_EQ(b.driver.read<std::uint64_t>(mm::kPageBytes), 0u);
  EXPECT_EQ(b.command(Operation::kAllocate, 2, 0, 1000), Status::kDone);
  EXPECT_EQ(b.answer.begin, kBase);
  EXPECT_EQ(b.answer.end, kBase + 1000);
  EXPECT_EQ(b.answer.owner, 2u);
  EXPECT_EQ(b.command(Operation::kAllocateLast, memory_owner::kDriver, 0, 1000, 4096), Status::kDone);
  EXPECT_EQ(b.answer.begin, kEnd - 4096);
  EXPECT_EQ(b.command(Operation::kAllocateLast, memory_owner::kDriver, 0, 1000, 256), Status::kDone);
  EXPECT_EQ(b.answer.begin, kEnd - 4096 + 3072);  // behind it there is room
  EXPECT_EQ(b.driver.read<std::uint64_t>(mm::kInUse), 3000u);
  EXPECT_EQ(b.command(Operation::kFind, 0, kBase + 999), Status::kDone);
  EXPECT_EQ(b.answer.begin, kBase);
  EXPECT_EQ(b.command(Operation::kFind, 0, kBase + 1000), Status::kNothing);
  EXPECT_EQ(b.command(Operation::kRelease, 0, kBase + 8), Status::kNothing);
  EXPECT_EQ(b.command(Operation::kRelease, 0, kBase), Status::kDone);
  EXPECT_EQ(b.command(Operation::kRelease, 0, kBase), Status::kNothing);
  EXPECT_EQ(b.driver.read<std::uint64_t>(mm::kInUse), 2000u);
}

TEST(MemoryManager, GrowsARangeWhereItIsAskedTo) {
  ManagerBench b("bench");
  EXPECT_EQ(b.command(Operation::kGrow, 2, kBase + 4096, 512), Status::kDone);
  EXPECT_EQ(b.answer.begin, kBase + 4096);
  EXPECT_EQ(b.answer.end, kBase + 4608);
  EXPECT_EQ(b.command(Operation::kAllocate, 3, 0, 4096), Status::kDone);
  EXPECT_EQ(b.answer.begin, kBase);
  EXPECT_EQ(b.command(Operation::kGrow, 2, kBase + 4096, 8192), Status::kDone);
  EXPECT_EQ(b.answer.end, kBase + 4096 + 8192);
  EXPECT_EQ(b.driver.read<std::uint64_t>(mm::kInUse), 4096u + 8192u);
  EXPECT_EQ(b.command(Operation::kFind, 0, kBase + 12000), Status::kDone);
  EXPECT_EQ(b.answer.begin, kBase + 4096);
  // No less than there is, nobody else's, none that begins elsewhere, none that runs into another or out of
  // memory.
  EXPECT_EQ(b.command(Operation::kGrow, 2, kBase + 4096, 8192), Status::kNoRoom);
  EXPECT_EQ(b.command(Operation::kGrow, 3, kBase + 4096, 16384), Status::kNoRoom);
  EXPECT_EQ(b.command(Operation::kGrow, 2, kBase + 4352, 16384), Status::kNoRoom);
  EXPECT_EQ(b.command(Operation::kGrow, 2, kBase + 32768 + 8, 256), Status::kNoRoom);
  EXPECT_EQ(b.command(Operation::kGrow, 3, kBase, 8192), Status::kNoRoom);
  EXPECT_EQ(b.command(Operation::kGrow, 2, kBase + 4096, 1 << 20), Status::kNoRoom);
  EXPECT_EQ(b.command(Operation::kGrow, 2, 0, 256), Status::kNoRoom);
  EXPECT_EQ(b.driver.read<std::uint64_t>(mm::kInUse), 4096u + 8192u);
  EXPECT_EQ(b.command(Operation::kRelease, 0, kBase + 4096), Status::kDone);
  EXPECT_EQ(b.driver.read<std::uint64_t>(mm::kInUse), 4096u);
}

TEST(MemoryManager, RefusesWhatDoesNotFitOrIsNoCommand) {
  ManagerBench b("bench");
  for (const Operation operation : {Operation::kAllocate, Operation::kAllocateLast}) {
    EXPECT_EQ(b.command(operation, 0, 0, (1 << 20) + 1), Status::kNoRoom);
    EXPECT_EQ(b.command(operation, 0, 0, ~std::uint64_t{0}), Status::kNoRoom);
    EXPECT_EQ(b.command(operation, 0, 0, 8, 24), Status::kNoRoom);
    EXPECT_EQ(b.command(operation, 0, 0, 8, 0), Status::kNoRoom);
  }
  EXPECT_EQ(b.command(Operation::kCreateHeap, 0, 0, ~std::uint64_t{0}), Status::kNoRoom);
  EXPECT_EQ(b.command(Operation::kCreateSpace, 1), Status::kNothing);
  EXPECT_EQ(b.command(static_cast<Operation>(77), 1), Status::kUnknown);
  EXPECT_EQ(b.memory.allocated_bytes(), 0u);
}

TEST(MemoryManager, DebugAccessesDoTheSame) {
  ManagerBench b("bench");
  const mm::Answer made = b.debug({1, 5, 0, 64, 256});
  EXPECT_EQ(made.status, 0u);
  EXPECT_EQ(b.memory.range_of(made.begin)->context, 5u);
}

// What was another owner's is cleared; who gets back what was his finds it as it was.
TEST(MemoryManager, GivesNobodyWhatWasAnothers) {
  ManagerBench b("bench");
  const auto fill_and_free = [&] {
    std::memset(b.memory.at(kBase), 0x5a, 512);
    EXPECT_EQ(b.command(Operation::kRelease, 0, kBase), Status::kDone);
  };
  b.command(Operation::kAllocate, 1, 0, 512);
  fill_and_free();
  b.command(Operation::kAllocate, 1, 0, 512);
  EXPECT_EQ(*b.memory.at(kBase + 511), std::byte{0x5a});
  fill_and_free();
  b.command(Operation::kAllocate, 2, 0, 256);
  EXPECT_EQ(*b.memory.at(kBase + 255), std::byte{0});
  EXPECT_EQ(*b.memory.at(kBase + 256), std::byte{0x5a});
}

TEST(MemoryManager, MakesOneHeapForAContext) {
  ManagerBench b("bench");
  EXPECT_EQ(b.command(Operation::kCreateHeap, 3, 0, 4096), Status::kDone);
  const std::uint64_t begin = b.answer.begin;
  EXPECT_EQ(b.answer.end, begin + 4096);
  EXPECT_EQ(b.command(Operation::kCreateHeap, 3, 0, 8192), Status::kDone);
  EXPECT_EQ(b.answer.begin, begin);
  EXPECT_EQ(b.command(Operation::kRelease, 0, begin), Status::kNothing);
}

TEST(MemoryManager, MakesPageTables) {
  Trees trees;
  ManagerBench b("bench", &trees);
  EXPECT_EQ(b.driver.read<std::uint64_t>(mm::kPageBytes), 4096u);
  EXPECT_EQ(b.command(Operation::kCreateSpace, 7), Status::kDone);
  EXPECT_EQ(b.answer.begin, 0x7000u);
  EXPECT_EQ(b.command(Operation::kCreateSpace, 9), Status::kNoRoom);
}

}  // namespace
}  // namespace warpvp::test
