// Requests of a memory side under page tables.

#include <gtest/gtest.h>

#include "tests/sm_memory/harness.h"

namespace warpvp::test {
namespace {

// Page tables of context 4, of context 5, and of that context again.
TEST(MemorySide, RequestsNameThePageTablesOfTheirTime) {
  MemorySideConfig config = small_config();
  config.l1.write_policy = "write_back_allocate";
  Bench b(config);
  const auto space = [&](Cycle when, std::uint16_t context, std::uint64_t root) {
    b.call_at(when, [&b, context, root](Cycle now) { b.memory->set_page_table(context, root, now); });
  };
  b.at(1, load_line(9));
  space(500, 4, 0x4000);
  b.at(1000, as_store(load_line(0)));
  b.at(1500, load_line(1));
  space(2000, 5, 0x5000);
  b.at(2500, load_line(1));
  b.call_at(2600, [&b](Cycle now) { EXPECT_FALSE(b.memory->fetch(fetch_at(kBase + 4096), now)); });
  space(3000, 5, 0x5000);
  b.at(3500, load_line(1));
  b.run();
  std::vector<std::string> seen;
  for (const auto& r : b.target.requests) {
    char text[64];
    std::snprintf(text, sizeof text, "%c %llx %d %llx", r.write ? 'W' : 'R',
                  static_cast<unsigned long long>(r.address - kBase), r.write ? r.ext.context : -1,
                  static_cast<unsigned long long>(r.ext.page_table));
    seen.push_back(text);
  }
  // What was stored goes where it belongs, under the tables that were; the line that was read is read again.
  EXPECT_EQ(seen, (std::vector<std::string>{"R 480 -1 0", "R 80 -1 4000", "W 0 4 4000", "R 80 -1 5000",
                                            "R 1000 -1 5000"}));
}

TEST(MemorySide, APageThatIsNotMappedIsReported) {
  Bench b(small_config());
  b.target.status = tlm::TLM_ADDRESS_ERROR_RESPONSE;
  std::vector<std::uint64_t> reported;
  b.memory->on_page_fault = [&](const tlm::tlm_generic_payload& p) { reported.push_back(p.get_address()); };
  b.call_at(1, [&](Cycle now) { b.memory->set_page_table(4, 0x4000, now); });
  b.at(10, load_word(256));
  b.run();
  EXPECT_EQ(reported, std::vector<std::uint64_t>{kBase + 256});
}

}  // namespace
}  // namespace warpvp::test
