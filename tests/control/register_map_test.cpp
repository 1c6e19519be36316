// docs/register-map.md is what the register blocks say. To write it anew after a change, run this test with
// WARPVP_UPDATE_DOCS=1 in the environment.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <sstream>

#include "tests/control/rig.h"

namespace warpvp::test {
namespace {

std::string register_map() {
  ControlPathOptions options;
  options.sms = 80;
  ControlPath path("path", options);
  std::string out =
      "# Register map\n\n"
      "Generated from the register blocks' declarations; do not edit. Addresses are those of the device as the host, "
      "the command processor and the other masters of the register bus see it (`interconnect/register_map.h`). The "
      "numbers of queues, slots and SMs are parameters; those shown are the defaults, with 80 SMs.\n\n"
      "An access may span consecutive registers and must cover each of them whole. Otherwise: address error where "
      "there is no register, command error for a direction that the access column does not list, burst error for a "
      "part of a register or of a mailbox record. A refused access changes nothing.\n\n"
      "| base | block |\n|---|---|\n";
  const auto row = [&](std::uint64_t base, const std::string& text) {
    out += fmt::format("| `{:#x}` | {} |\n", base, text);
  };
  row(regmap::cp::kBase, "command processor");
  row(regmap::wd::kBase, "work distributor");
  row(regmap::dma::kBase, fmt::format("DMA engines, one every `{:#x}`", regmap::dma::kStride));
  row(regmap::sm::kBase, fmt::format("SMs, one every `{:#x}`", regmap::sm::kStride));
  row(DeviceMemory::kBase, "device memory");
  row(regmap::kHostBusBase, "host memory, for DMA engines and completion writes");
  out += "\n" + path.processor.register_block().markdown(regmap::cp::kBase);
  out += "\n" + path.distributor.register_block().markdown(regmap::wd::kBase);
  out += "\n" + path.engines[0]->register_block().markdown(regmap::dma::kBase, options.dma.engines,
                                                           regmap::dma::kStride);
  RegisterBlock sm("SM", regmap::sm::kStride, "Takes CTAs from the work distributor.");
  sm.add(MailboxSpec{"LAUNCH", regmap::sm::kLaunch, sizeof(CtaLaunch),
                     "The work distributor writes a CtaLaunch record here to start a CTA.", {}});
  out += "\n" + sm.markdown(regmap::sm::kBase, options.sms, regmap::sm::kStride);
  return out;
}

TEST(RegisterMap, DocumentIsUpToDate) {
  const std::string path = "docs/register-map.md";  // tests run in the source folder
  const std::string now = register_map();
  if (std::getenv("WARPVP_UPDATE_DOCS") != nullptr) std::ofstream(path) << now;
  std::ifstream file(path);
  ASSERT_TRUE(file) << path;
  std::stringstream text;
  text << file.rdbuf();
  EXPECT_EQ(text.str(), now) << "run this test with WARPVP_UPDATE_DOCS=1";
}

}  // namespace
}  // namespace warpvp::test
