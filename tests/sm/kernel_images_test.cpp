// Programs that SMs find in device memory, and what they say of damaged ones.
#include "modules/sm/kernel_images.h"

#include <fmt/format.h>
#include <gmock/gmock.h>

#include "tests/sm/sm_bench.h"

namespace warpvp::test {
namespace {

using ::testing::HasSubstr;

struct Loaded {
  explicit Loaded(const std::string& body = "ret;") { object = load_kernel(memory, *program_of(body)); }
  static std::shared_ptr<ptx::Program> program_of(const std::string& body) {
    return ptx::Module::parse(
               ".version 7.0\n.target sm_70\n.address_size 64\n.visible .entry k()\n{\n.reg .u32 %r<4>;\n" +
                   body + "}\n",
               "test.ptx")
        ->entry("k");
  }
  KernelDescriptor& descriptor() { return *reinterpret_cast<KernelDescriptor*>(memory.at(object)); }
  std::uint8_t* image() { return reinterpret_cast<std::uint8_t*>(memory.at(descriptor().image_address)); }
  std::string problem(std::uint32_t launch) {
    const KernelImages::Found found = images.find(object, launch);
    EXPECT_EQ(found.program == nullptr, !found.problem.empty());
    return found.problem;
  }

  DeviceMemory memory{16 << 20};
  KernelImages images{memory};
  std::uint64_t object = 0;
};

TEST(KernelImages, TheSameBytesAreTheSameProgram) {
  Loaded l;
  const auto program = l.images.find(l.object, 1).program;
  ASSERT_NE(program, nullptr);
  EXPECT_EQ(program->name, "k");
  EXPECT_EQ(l.images.find(l.object, 1).program, program);
  EXPECT_EQ(l.images.find(l.object, 2).program, program);
  // Another descriptor of it, with more registers.
  const std::uint64_t second = *l.memory.allocate(256);
  std::memcpy(l.memory.at(second), &l.descriptor(), sizeof(KernelDescriptor));
  EXPECT_EQ(l.images.find(second, 3).program, program);
}

TEST(KernelImages, AnotherKernelAtTheSamePlaceIsSeenFromTheNextLaunchOn) {
  Loaded l("mov.u32 %r0, 1; mov.u32 %r1, 2; mov.u32 %r2, 3; ret;");
  const auto first = l.images.find(l.object, 5).program;
  ASSERT_NE(first, nullptr);
  const auto other = Loaded::program_of("mov.u32 %r0, 1; ret;");
  other->code_address = l.descriptor().code_address;
  const std::vector<std::uint8_t> bytes = ptx::image::write_image(*other);
  std::memcpy(l.image(), bytes.data(), bytes.size());
  l.descriptor().image_bytes = static_cast<std::uint32_t>(bytes.size());
  l.descriptor().code_bytes = static_cast<std::uint32_t>(other->code.size() * ptx::Program::kInstBytes);
  EXPECT_EQ(l.images.find(l.object, 5).program, first);
  EXPECT_EQ(l.images.find(l.object, 4).program, first);
  const auto second = l.images.find(l.object, 6).program;
  ASSERT_NE(second, nullptr);
  EXPECT_EQ(second->code.size(), 2u);
  EXPECT_EQ(l.images.find(l.object, 5).program, first);  // a launch keeps its program
  EXPECT_EQ(l.images.find(l.object, 6).program, second);
}

TEST(KernelImages, WhatCannotBeUsedIsNamed) {
  const struct {
    const char* why;
    std::function<void(Loaded&)> damage;
  } cases[] = {
      {"its checksum is wrong", [](Loaded& l) { l.image()[l.descriptor().image_bytes - 1] ^= 4; }},
      {"it does not begin with the magic number", [](Loaded& l) { l.image()[0] = 0; }},
      {"its length is not that of its descriptor", [](Loaded& l) { l.descriptor().image_bytes += 8; }},
      {"bytes are not in one allocation", [](Loaded& l) { l.descriptor().image_bytes = 0; }},
      {"bytes are not in one allocation", [](Loaded& l) { l.descriptor().image_bytes = 1u << 30; }},
      {"bytes are not in one allocation",
       [](Loaded& l) { l.descriptor().image_address = ~std::uint64_t{0}; }},
      {"bytes are not in one allocation", [](Loaded& l) { l.memory.release(l.descriptor().image_address); }},
      {"it is of context 3",
       [](Loaded& l) {
         const std::uint64_t theirs = *l.memory.allocate(l.descriptor().image_bytes, 256, 3);
         std::memcpy(l.memory.at(theirs), l.image(), l.descriptor().image_bytes);
         l.descriptor().image_address = theirs;
       }},
      {"its descriptor says other sizes", [](Loaded& l) { l.descriptor().static_shared_bytes = 64; }},
      {"its descriptor says other sizes", [](Loaded& l) { l.descriptor().code_address += 16; }},
      {"CTA launched for an unknown kernel object", [](Loaded& l) { l.descriptor().magic = 0; }},
      {"CTA launched for an unknown kernel object", [](Loaded& l) { l.object = 0x10; }},
  };
  for (const auto& c : cases) {
    Loaded l;
    // The length beyond the image must lie in the allocation, so that it is the image that is looked at.
    if (std::string(c.why).find("its length is not") == 0) {
      l.memory.release(l.descriptor().image_address);
      const std::uint64_t longer =
          *l.memory.allocate(l.descriptor().image_bytes + 256, 256, DeviceMemory::kDriver);
      std::memcpy(l.memory.at(longer), l.image(), l.descriptor().image_bytes);
      l.descriptor().image_address = longer;
    }
    c.damage(l);
    EXPECT_THAT(l.problem(1), HasSubstr(c.why));
    EXPECT_THAT(l.problem(1), HasSubstr(c.why));  // and again: nothing was kept
  }
}

TEST(KernelImages, ADamagedImageIsAFaultOfTheDevice) {
  SmBench bench(plain_sm());
  bench.load("ret;", 32);
  const std::uint64_t at = bench.descriptor().image_address;
  *bench.memory.at(at + 200) ^= std::byte{1};
  bench.expect_fault = true;
  bench.run_again();
  ASSERT_TRUE(bench.faults.faulted());
  EXPECT_EQ(bench.faults.fault()->what,
            fmt::format("the kernel image at {:#x} cannot be used: its checksum is wrong", at));
}

}  // namespace
}  // namespace warpvp::test
