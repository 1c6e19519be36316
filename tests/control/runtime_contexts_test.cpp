// Contexts as the runtime makes them: what the distributor hears, texture tables, whose copies are whose.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/control/runtime_machine.h"

namespace warpvp::test {
namespace {

using rt::Stream;
using ::testing::HasSubstr;

/// The tables of context n lie at 0x10000 * (n + 1).
class NumberedTables : public AddressSpaces {
 public:
  std::uint64_t create(unsigned context) override {
    made.push_back(context);
    return root(context);
  }
  std::uint64_t root(unsigned context) const override { return 0x10000ull * (context + 1); }
  std::optional<std::uint64_t> translate(std::uint64_t, std::uint64_t address) const override {
    return address;
  }
  std::uint64_t page_bytes() const override { return 4096; }
  std::vector<unsigned> made;
};

ControlPathOptions with(NumberedTables& tables) {
  ControlPathOptions options;
  options.spaces = &tables;
  return options;
}

regmap::wd::ContextRow row_of(rt::Runtime& device, unsigned context) {
  regmap::wd::ContextRow row;
  device.host().read(regmap::wd::context(context), &row, sizeof row);
  return row;
}

TEST(Runtime, TheDistributorHearsOfAContextsTables) {
  NumberedTables tables;
  Machine m("machine", with(tables));
  m.program([&](rt::Runtime& device) {
    const unsigned one = device.create_context(), two = device.create_context();
    EXPECT_EQ(tables.made, (std::vector<unsigned>{one, two}));
    EXPECT_EQ(row_of(device, one).page_table, tables.root(one));
    EXPECT_EQ(row_of(device, two).page_table, tables.root(two));
    EXPECT_EQ(row_of(device, one).texture_table, 0u);
    EXPECT_EQ(row_of(device, two + 1).page_table, 0u);
    for (unsigned context = two + 1; context < regmap::wd::kMaxContexts; ++context) device.create_context();
    try {
      device.create_context();
      ADD_FAILURE() << "accepted";
    } catch (const InputError& e) {
      EXPECT_THAT(e.what(), HasSubstr("at most 1024 contexts"));
    }
  });
}

// Of its own each, and as much as the device says.
TEST(Runtime, TheDistributorHearsOfAContextsLocalMemory) {
  NumberedTables tables;
  Machine m("machine", with(tables));
  m.services->local_bytes = 1 << 20;
  m.program([&](rt::Runtime& device) {
    std::uint64_t last = 0;
    for (int i = 0; i < 2; ++i) {
      const unsigned context = device.create_context();
      std::uint64_t local = 0;
      device.host().read(regmap::wd::local_memory(context), &local, sizeof local);
      EXPECT_NE(local, last);
      last = local;
      const auto range = m.memory.range_of(local);
      ASSERT_TRUE(range.has_value());
      EXPECT_EQ(range->begin, local);
      EXPECT_EQ(range->end - local, 1u << 20);
      EXPECT_EQ(range->context, context);
    }
  });
}

// Zeros to everyone else, to who had it what he left.
TEST(Runtime, WhatAContextHasFreedIsClearedForAnother) {
  Machine m("machine");
  m.program([&](rt::Runtime& device) {
    const unsigned one = device.create_context(), two = device.create_context();
    const std::vector<std::uint32_t> words(10000, 7);
    std::vector<std::uint32_t> found(words.size());
    const auto give = [&](unsigned context, rt::DevicePtr expected) {
      const rt::DevicePtr at = device.malloc(4 * words.size(), context);
      EXPECT_EQ(at, expected == 0 ? at : expected);
      device.copy_to_host(found.data(), at, 4 * found.size());
      device.copy_to_device(at, words.data(), 4 * words.size());
      device.free(at);
      return at;
    };
    const rt::DevicePtr place = give(one, 0);
    give(one, place);
    EXPECT_EQ(found, words) << "his own";
    give(two, place);
    EXPECT_EQ(found, std::vector<std::uint32_t>(words.size())) << "another's";
    // The end of what one had is left over when two takes its beginning.
    const rt::DevicePtr first = device.malloc(4096, one);
    EXPECT_EQ(first, place);
    std::uint32_t word = 1;
    device.copy_to_host(&word, first, 4);
    EXPECT_EQ(word, 0u);
    give(two, 0);
    EXPECT_EQ(found[0], 7u) << "two's own, behind what one has now";
  });
}

TEST(Runtime, WithoutPageTablesTheDistributorHearsNothing) {
  Machine m("machine");
  m.program([&](rt::Runtime& device) { EXPECT_EQ(row_of(device, device.create_context()).page_table, 0u); });
}

TEST(Runtime, TexturesAreNumberedInTheTableOfTheirContext) {
  NumberedTables tables;
  Machine m("machine", with(tables));
  m.program([&](rt::Runtime& device) {
    rt::TextureDescription t;
    t.width = 5;
    const unsigned one = device.create_context(), two = device.create_context();
    const auto first = device.malloc(64, one), second = device.malloc(64, two);
    const rt::ImageHandle a = device.create_texture(first, t), b = device.create_surface(second, t),
                          c = device.create_texture(first, t);
    EXPECT_EQ((std::vector<rt::ImageHandle>{a, b, c}), (std::vector<rt::ImageHandle>{1, 2, 3}));
    const std::uint64_t table = row_of(device, one).texture_table, other = row_of(device, two).texture_table;
    EXPECT_EQ(m.memory.range_of(table)->context, one);
    EXPECT_EQ(m.memory.range_of(other)->context, two);
    const auto descriptor = [&](std::uint64_t at, rt::ImageHandle handle) {
      ptx::ImageDescriptor d;
      device.copy_to_host(&d, at + handle * sizeof d, sizeof d);
      return d;
    };
    EXPECT_EQ(descriptor(table, a).base, first);
    EXPECT_EQ(descriptor(other, b).base, second);
    EXPECT_EQ(descriptor(table, c).base, first);
    for (const rt::ImageHandle handle : {std::uint64_t{0}, b}) EXPECT_EQ(descriptor(table, handle).magic, 0u);
    device.destroy_image(a);
    EXPECT_EQ(descriptor(table, a).magic, 0u);
    EXPECT_EQ(device.create_texture(second, t), a) << "its number is free again";
    EXPECT_EQ(descriptor(other, a).base, second);
    for (unsigned handle = 4; handle < ptx::kTextureTableEntries; ++handle) device.create_texture(first, t);
    try {
      device.create_texture(first, t);
      ADD_FAILURE() << "accepted";
    } catch (const InputError& e) {
      EXPECT_THAT(e.what(), HasSubstr("at most 1023 textures and surfaces at once"));
    }
  });
}

// The driver's own copies, and those of context 0, go anywhere; others say whose they are.
TEST(Runtime, ACopyIsOfItsStreamsContext) {
  Machine m("machine");
  m.program([&](rt::Runtime& device) {
    const unsigned one = device.create_context(), two = device.create_context();
    const auto mine = device.malloc(64, one), other = device.malloc(64, two);
    const Stream s = device.create_stream({"s", 0, one});
    device.load_module("a.ptx", two);  // whose variables are set to zero
    device.memset_async(mine, 1, 64, s);
    device.copy_on_device_async(other, mine, 64, Stream{0});
    device.synchronize();
    EXPECT_FALSE(m.faults.faulted());
    device.copy_on_device_async(other, mine, 64, s);
    device.synchronize();
    ADD_FAILURE() << "the run has ended";
  });
  ASSERT_TRUE(m.faults.faulted());
  EXPECT_EQ(m.faults.fault()->what, "write of 64 bytes by a copy of context 1 in memory of context 2");
}

}  // namespace
}  // namespace warpvp::test
