// The packet parser by itself, on a memory that is a map.
#include "modules/command_processor/queues/aql_parser.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <vector>

#include "interconnect/kernel_descriptor.h"

namespace warpvp::test {
namespace {

using aql::PacketType;
using regmap::cp::QueueError;

constexpr std::uint64_t kRing = 0x1'0000'1000, kObject = 0x1'0000'2000, kArguments = 0x1'0000'3000,
                        kSignal = 0x1'0000'4000, kExtension = 0x1'0000'5000;

struct Memory : PacketMemory {
  std::map<std::uint64_t, std::vector<unsigned char>> pieces;
  std::vector<std::pair<std::uint64_t, unsigned>> fetched;

  template <class T>
  void put(std::uint64_t address, const T& value) {
    const auto* bytes = reinterpret_cast<const unsigned char*>(&value);
    pieces[address].assign(bytes, bytes + sizeof value);
  }
  const unsigned char* at(std::uint64_t address, std::uint64_t bytes) const {
    auto piece = pieces.upper_bound(address);
    if (piece == pieces.begin()) return nullptr;
    --piece;
    const std::uint64_t offset = address - piece->first;
    if (offset > piece->second.size() || bytes > piece->second.size() - offset) return nullptr;
    return piece->second.data() + offset;
  }
  bool fetch(std::uint64_t address, void* data, unsigned bytes) override {
    fetched.push_back({address, bytes});
    const unsigned char* from = at(address, bytes);
    if (from) std::memcpy(data, from, bytes);
    return from != nullptr;
  }
  bool reachable(std::uint64_t address, std::uint64_t bytes) override {
    return at(address, bytes) != nullptr;
  }
};

class AqlParser : public ::testing::Test {
 protected:
  AqlParser() {
    KernelDescriptor kernel;
    kernel.registers_per_thread = 24;
    kernel.static_shared_bytes = 128;
    kernel.barriers = 2;
    kernel.param_bytes = 24;
    memory.put(kObject, kernel);
    memory.put(kArguments, std::array<unsigned char, 24>{});
    memory.put(kSignal, aql::Signal{});
    aql::Extension extension;
    extension.launch_id = 7;
    extension.job = 8;
    extension.priority = -9;
    extension.budget = 3;
    extension.stream = 10;
    extension.context = 11;
    extension.deadline_ns = 12;
    extension.enqueue_ns = 13;
    memory.put(kExtension, extension);
    place.ring_base = kRing;
    place.ring_packets = 1;
  }
  static aql::KernelDispatch kernel() {
    aql::KernelDispatch p;
    p.header = aql::header(PacketType::kKernelDispatch, true);
    for (int d = 0; d < 3; ++d) {
      p.workgroup_size[d] = static_cast<std::uint16_t>(2 + d);
      p.grid_size[d] = (2u + d) * (5 + d);
    }
    p.group_segment_size = 128 + 64;
    p.kernel_object = kObject;
    p.kernarg_address = kArguments;
    p.completion_signal = kSignal;
    return p;
  }
  static aql::Copy copy() {
    aql::Copy p;
    p.header = aql::header(PacketType::kVendor, false);
    p.kind = static_cast<std::uint16_t>(aql::CopyKind::kCopy);
    p.source = 1;
    p.destination = 2;
    p.bytes = 3;
    return p;
  }
  static aql::Barrier barrier(PacketType type) {
    aql::Barrier p;
    p.header = aql::header(type, true);
    p.dep_signal[1] = kSignal;
    return p;
  }
  template <class Packet>
  QueueError parse(const Packet& packet) {
    memory.put(kRing, packet);
    return parse_packet(memory, place, out);
  }

  Memory memory;
  PacketPlace place;
  ParsedPacket out;
};

TEST_F(AqlParser, AKernelBecomesTheImageOfAStatusRegister) {
  auto p = kernel();
  p.extension = kExtension;
  ASSERT_EQ(parse(p), QueueError::kNone);
  EXPECT_TRUE(out.is_kernel() && !out.is_copy() && !out.is_barrier());
  EXPECT_TRUE(out.barrier_bit);
  EXPECT_EQ(out.signal, kSignal);
  EXPECT_EQ(out.extension.enqueue_ns, 13u);
  const auto image = out.payload_as<regmap::wd::KernelSlotImage>();
  EXPECT_EQ(image.kernel_object, kObject);
  EXPECT_EQ(image.kernarg_address, kArguments);
  EXPECT_EQ(image.launch_id, 7u);
  EXPECT_EQ(image.job, 8u);
  EXPECT_EQ(image.priority, -9);
  EXPECT_EQ(image.budget, 3u);
  EXPECT_EQ(image.stream, 10u);
  EXPECT_EQ(image.context, 11u);
  EXPECT_EQ(image.deadline_ns, 12u);
  EXPECT_EQ(image.dynamic_shared_bytes, 64u);
  EXPECT_EQ(image.static_shared_bytes, 128u);
  EXPECT_EQ(image.registers_per_thread, 24u);
  EXPECT_EQ(image.barriers, 2u);
  EXPECT_THAT(image.block, ::testing::ElementsAre(2, 3, 4));
  EXPECT_THAT(image.grid, ::testing::ElementsAre(5, 6, 7));
}

TEST_F(AqlParser, WithoutAnExtensionTheQueuesRegistersCount) {
  place.priority = -4;
  place.context = 6;
  ASSERT_EQ(parse(kernel()), QueueError::kNone);
  const auto image = out.payload_as<regmap::wd::KernelSlotImage>();
  EXPECT_EQ(image.priority, -4);
  EXPECT_EQ(image.context, 6u);
  EXPECT_EQ(image.budget, 1u);
  EXPECT_EQ(image.launch_id, 0u);
}

TEST_F(AqlParser, ABudgetOfZeroIsOne) {
  aql::Extension x;
  x.budget = 0;
  memory.put(kExtension, x);
  auto p = kernel();
  p.extension = kExtension;
  ASSERT_EQ(parse(p), QueueError::kNone);
  EXPECT_EQ(out.payload_as<regmap::wd::KernelSlotImage>().budget, 1u);
}

TEST_F(AqlParser, ACopyBecomesADescriptor) {
  place.index = 0x1'0000'0005;
  ASSERT_EQ(parse(copy()), QueueError::kNone);
  EXPECT_TRUE(out.is_copy());
  EXPECT_FALSE(out.barrier_bit);
  const auto d = out.payload_as<regmap::dma::Descriptor>();
  EXPECT_EQ(d.source, 1u);
  EXPECT_EQ(d.destination, 2u);
  EXPECT_EQ(d.bytes, 3u);
  EXPECT_EQ(d.kind, 1u);
  EXPECT_EQ(d.tag, 5u);
}

TEST_F(AqlParser, ABarrierNamesItsSignals) {
  for (PacketType type : {PacketType::kBarrierAnd, PacketType::kBarrierOr}) {
    ASSERT_EQ(parse(barrier(type)), QueueError::kNone);
    EXPECT_EQ(out.type, type);
    EXPECT_TRUE(out.is_barrier());
    EXPECT_THAT(out.payload_as<ParsedPacket::DependentSignals>(),
                ::testing::ElementsAre(0, kSignal, 0, 0, 0));
  }
}

TEST_F(AqlParser, TheRingWrapsAround) {
  place.ring_packets = 4;
  place.index = 4 * 1000 + 3;
  memory.put(kRing + 3 * 64, kernel());
  ASSERT_EQ(parse_packet(memory, place, out), QueueError::kNone);
  EXPECT_EQ(out.index, place.index);
}

TEST_F(AqlParser, OnlyWhatParsingNeedsIsFetched) {
  auto p = kernel();
  p.extension = kExtension;
  ASSERT_EQ(parse(p), QueueError::kNone);
  using Fetch = std::pair<std::uint64_t, unsigned>;
  EXPECT_THAT(memory.fetched,
              ::testing::ElementsAre(Fetch{kRing, 64}, Fetch{kExtension, 64}, Fetch{kObject, 64}));
}

TEST_F(AqlParser, MalformedPacketsAreErrors) {
  const auto kernel_with = [&](auto change) {
    auto p = kernel();
    change(p);
    return parse(p);
  };
  using K = aql::KernelDispatch;
  for (unsigned type = 0; type < 256; ++type) {
    if (type == 0 || type == 2 || type == 3 || type == 5) continue;
    EXPECT_EQ(kernel_with([&](K& p) { p.header = static_cast<std::uint16_t>(0x300 | type); }),
              QueueError::kBadPacketType)
        << type;
  }
  for (int d = 0; d < 3; ++d) {
    EXPECT_EQ(kernel_with([&](K& p) { p.workgroup_size[d] = 0; }), QueueError::kBadDimensions);
    EXPECT_EQ(kernel_with([&](K& p) { p.grid_size[d] = 0; }), QueueError::kBadDimensions);
    EXPECT_EQ(kernel_with([&](K& p) { ++p.grid_size[d]; }), QueueError::kBadDimensions);
  }
  EXPECT_EQ(kernel_with([](K& p) { p.group_segment_size = 127; }), QueueError::kBadDimensions);
  EXPECT_EQ(kernel_with([](K& p) { p.kernel_object = 0; }), QueueError::kBadKernelObject);
  EXPECT_EQ(kernel_with([](K& p) { p.kernel_object += 32; }), QueueError::kBadKernelObject);
  EXPECT_EQ(kernel_with([](K& p) { p.kernel_object = kSignal; }), QueueError::kBadKernelObject);  // no magic
  EXPECT_EQ(kernel_with([](K& p) { p.kernel_object = ~std::uint64_t{63}; }), QueueError::kBadKernelObject);
  EXPECT_EQ(kernel_with([](K& p) { p.kernarg_address = kArguments + 1; }), QueueError::kBadAddress);
  EXPECT_EQ(kernel_with([](K& p) { p.kernarg_address = ~std::uint64_t{0}; }), QueueError::kBadAddress);
  EXPECT_EQ(kernel_with([](K& p) { p.completion_signal = kSignal + 8; }), QueueError::kBadAddress);
  EXPECT_EQ(kernel_with([](K& p) { p.completion_signal = 64; }), QueueError::kBadAddress);
  EXPECT_EQ(kernel_with([](K& p) { p.extension = kExtension + 8; }), QueueError::kBadAddress);
  EXPECT_EQ(kernel_with([](K& p) { p.extension = 64; }), QueueError::kBadAddress);
  EXPECT_EQ(kernel_with([](K& p) { p.extension = kSignal; }), QueueError::kBadAddress);  // no magic

  auto c = copy();
  for (std::uint16_t kind : {0, 3, 0xffff}) {
    c.kind = kind;
    EXPECT_EQ(parse(c), QueueError::kBadCopy);
  }
  for (int i = 0; i < 5; ++i) {
    auto b = barrier(PacketType::kBarrierAnd);
    b.dep_signal[i] = kSignal + 8;
    EXPECT_EQ(parse(b), QueueError::kBadAddress);
    b.dep_signal[i] = 64;
    EXPECT_EQ(parse(b), QueueError::kBadAddress);
  }
  place.ring_base = 0;
  EXPECT_EQ(parse_packet(memory, place, out), QueueError::kBadAddress);
}

TEST_F(AqlParser, ADescriptorThatAsksForTooManyArgumentsIsNoKernel) {
  KernelDescriptor d;
  d.param_bytes = kMaxArgumentBytes + 1;
  d.static_shared_bytes = 0;
  memory.put(kObject, d);
  memory.pieces[kArguments].resize(kMaxArgumentBytes + 1);
  EXPECT_EQ(parse(kernel()), QueueError::kBadKernelObject);
  d.param_bytes = kMaxArgumentBytes;
  memory.put(kObject, d);
  EXPECT_EQ(parse(kernel()), QueueError::kNone);
  d.param_bytes = 0;  // the address is not looked at
  memory.put(kObject, d);
  memory.pieces.erase(kArguments);
  EXPECT_EQ(parse(kernel()), QueueError::kNone);
}

}  // namespace
}  // namespace warpvp::test
