// Which copies leave the memory of their context, with page tables and without.

#include "modules/host/copy_access.h"

#include <gtest/gtest.h>

#include "interconnect/aql.h"

namespace warpvp {
namespace {

constexpr std::uint64_t kPage = 4096;

/// A page is mapped for the context that owns something on it.
class Owners : public AddressSpaces {
 public:
  explicit Owners(const DeviceMemory& memory) : memory_(memory) {}
  std::uint64_t create(unsigned context) override { return root(context); }
  std::uint64_t root(unsigned context) const override { return kPage * (1 + context); }
  std::optional<std::uint64_t> translate(std::uint64_t root, std::uint64_t address) const override {
    for (const auto& [begin, range] : memory_.ranges())
      if (begin / kPage <= address / kPage && address / kPage <= (range.end - 1) / kPage &&
          root == this->root(range.context))
        return address;
    return {};
  }
  std::uint64_t page_bytes() const override { return kPage; }

 private:
  const DeviceMemory& memory_;
};

struct CopyAccess : testing::TestWithParam<bool> {
  DeviceMemory memory{1 << 20};
  const std::uint64_t one = *memory.allocate(3 * kPage, kPage, 1),
                      two = *memory.allocate(3 * kPage, kPage, 2), more = *memory.allocate(kPage, kPage, 1);
  Owners owners{memory};
  const std::uint64_t host = regmap::kHostBusBase;

  std::string wrong(std::uint64_t from, std::uint64_t to, std::uint64_t bytes, std::uint16_t context,
                    aql::CopyKind kind = aql::CopyKind::kCopy) const {
    regmap::dma::Descriptor copy;
    copy.source = from;
    copy.destination = to;
    copy.bytes = bytes;
    copy.kind = static_cast<std::uint16_t>(kind);
    copy.context = context;
    const auto fault = foreign_access(copy, memory, GetParam() ? &owners : nullptr);
    if (!fault) return {};
    const std::uint64_t base = *fault->address >= more ? more : *fault->address >= two ? two : one;
    return fault->what + " at " +
           (base == more  ? "more"
            : base == two ? "two"
                          : "one") +
           "+" + std::to_string(*fault->address - base);
  }
};

TEST_P(CopyAccess, OfItsOwnMemoryIsRight) {
  EXPECT_EQ(wrong(one, one + kPage, 2 * kPage, 1), "");
  EXPECT_EQ(wrong(one + 3 * kPage - 8, more, 8, 1), "");
  EXPECT_EQ(wrong(host, two, 3 * kPage, 2), "");
  EXPECT_EQ(wrong(two, host, 3 * kPage, 2), "");
  EXPECT_EQ(wrong(0, two, 100, 2, aql::CopyKind::kFill), "");
  EXPECT_EQ(wrong(one, two, 0, 3), "") << "of nothing";
}

TEST_P(CopyAccess, OfAnothersMemoryIsNamed) {
  EXPECT_EQ(wrong(one, two, 16, 2),
            "read of 16 bytes by a copy of context 2 in memory of context 1 at one+0");
  EXPECT_EQ(wrong(one, two, 16, 1),
            "write of 16 bytes by a copy of context 1 in memory of context 2 at two+0");
  EXPECT_EQ(wrong(two + 2 * kPage + 8, host, kPage, 2),
            "read of 4096 bytes by a copy of context 2 in memory of context 1 at more+0");
  EXPECT_EQ(wrong(host, two + 40, 8, 1),
            "write of 8 bytes by a copy of context 1 in memory of context 2 at two+40");
  EXPECT_EQ(wrong(one, two + 8, 16, 1, aql::CopyKind::kFill),
            "write of 16 bytes by a copy of context 1 in memory of context 2 at two+8")
      << "a fill has no source";
}

TEST_P(CopyAccess, OfTheDriverGoAnywhere) {
  EXPECT_EQ(wrong(one, two, 3 * kPage, regmap::dma::kAnyContext), "");
}

TEST_P(CopyAccess, OfWhatNobodyHasIsFoundByPageTablesAlone) {
  EXPECT_EQ(
      wrong(host, more + kPage, 8, 1),
      GetParam() ? "write of 8 bytes by a copy of context 1 in a page that is not mapped at more+4096" : "");
}

INSTANTIATE_TEST_SUITE_P(Modes, CopyAccess, testing::Bool(),
                         [](const auto& info) { return info.param ? "page_tables" : "none"; });

}  // namespace
}  // namespace warpvp
