// Texture and surface objects from YAML: values, time, and how faults are reported.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/platform/program.h"

namespace warpvp::test {
namespace {

using testing::AllOf;
using testing::HasSubstr;

// The kernel that turns an image, by nothing: what it writes is what it reads.
std::string copy_list(const std::string& texture, const std::string& surface) {
  return "platform: small\nworkload:\n  buffers:\n"
         "    image: {type: u8, count: 9216, init: random, seed: 5, min: 0, max: 255}\n"
         "    result: {type: u8, count: 9216, init: zero, min: 0, max: 255}\n"
         "  launches:\n    - ptx: " +
         std::string(WARPVP_SOURCE) +
         "/sw/kernels/image.ptx\n      entry: image_turn\n      grid: [2, 9]\n      block: [32, 4]\n"
         "      args:\n        - {texture: {buffer: image, " +
         texture + "}}\n        - {surface: {buffer: result, " + surface +
         "}}\n        - {u32: 64}\n        - {u32: 36}\n        - {f32: 0}\n        - {f32: 1}\n"
         "  checks:\n    - {buffer: result, equals: random, seed: 5}\n";
}
const std::string kTexture =
    "type: u8, channels: 4, size: [64, 36], normalized: true, normalized_values: true";
const std::string kSurface = "type: u8, channels: 4, size: [64, 36]";

TEST(Image, ALaunchListPassesTextureAndSurfaceObjects) {
  const ScratchFolder scratch;
  std::uint64_t transactions[2];
  const char* const filters[2] = {"point", "linear"};
  for (int i = 0; i < 2; ++i) {
    const std::string file =
        scratch.file("run.yaml", copy_list(kTexture + ", address: mirror, filter: " + filters[i], kSurface));
    const auto out = scratch / filters[i];
    const Finished run = run_program({"run", file, "--out", out.string()});
    EXPECT_EQ(run.status, 0) << run.err << run.out;
    const auto result = read_json(out / "result.json");
    transactions[i] = result.at("/kernels/0/l1/load_transactions"_json_pointer).get<std::uint64_t>();
  }
  // 32 texels of four bytes in a row: one line for points; two rows, and a line more on one side, for
  // filtering.
  EXPECT_EQ(transactions[0], 2u * 36);
  EXPECT_GT(transactions[1], 2 * transactions[0] - 1);
  EXPECT_LT(transactions[1], 5 * transactions[0]);
}

TEST(Image, TheResolvedConfigurationIsARunFile) {
  const ScratchFolder scratch;
  const std::string file =
      scratch.file("run.yaml", copy_list(kTexture + ", address: wrap, address_y: border", kSurface));
  const Finished config = run_program({"config", file});
  ASSERT_EQ(config.status, 0) << config.err;
  EXPECT_THAT(config.out, AllOf(HasSubstr("address_y: border"), HasSubstr("normalized_values: true")));
  const Finished run =
      run_program({"run", scratch.file("again.yaml", config.out), "--out", (scratch / "again").string()});
  EXPECT_EQ(run.status, 0) << run.err;
}

TEST(Image, FaultsNameThePlace) {
  const ScratchFolder scratch;
  const std::string file =
      scratch.file("run.yaml", copy_list(kTexture, "type: u8, channels: 4, size: [60, 36]"));
  const Finished run = run_program({"run", file, "--out", (scratch / "out").string()});
  EXPECT_EQ(run.status, 3) << run.err;
  EXPECT_THAT(run.err, AllOf(HasSubstr("surface store outside the surface, kernel image_turn"),
                             HasSubstr("sust.b.2d.b32.trap"), HasSubstr("image.ptx:")));
}

struct WrongImage {
  const char* name;
  std::string texture, surface;
  std::vector<std::string> message_has;
};
void PrintTo(const WrongImage& m, std::ostream* os) { *os << m.name; }
class ImageMistake : public testing::TestWithParam<WrongImage> {};

TEST_P(ImageMistake, IsRefusedAtItsPlace) {
  const ScratchFolder scratch;
  const std::string file = scratch.file("run.yaml", copy_list(GetParam().texture, GetParam().surface));
  const Finished run = run_program({"run", file, "--out", (scratch / "out").string()});
  EXPECT_EQ(run.status, 2) << run.err << run.out;
  EXPECT_THAT(run.err, HasSubstr("run.yaml:"));
  for (const std::string& part : GetParam().message_has) EXPECT_THAT(run.err, HasSubstr(part));
}

INSTANTIATE_TEST_SUITE_P(
    Image, ImageMistake,
    testing::Values(
        WrongImage{"unknown_key",
                   kTexture + ", filtr: linear",
                   kSurface,
                   {"run.yaml:12:", "filtr", "nearest: 'filter'"}},
        WrongImage{
            "surface_has_no_filter", kTexture, kSurface + ", filter: linear", {"run.yaml:13:", "filter"}},
        WrongImage{
            "unknown_filter", kTexture + ", filter: cubic", kSurface, {"run.yaml:12:", "point, linear"}},
        WrongImage{"too_large",
                   "type: f32, channels: 4, size: [64, 37]",
                   kSurface,
                   {"run.yaml:12:", "its texels take 37888 bytes, the buffer has 9216"}},
        WrongImage{"linear_integers",
                   "type: u8, channels: 4, size: [64, 36], filter: linear",
                   kSurface,
                   {"run.yaml:12:", "linear filtering needs texels that are read as floating point"}},
        WrongImage{"wrap_texels",
                   "type: u8, channels: 4, size: [64, 36], address: wrap",
                   kSurface,
                   {"run.yaml:12:", "wrap and mirror addressing need normalised coordinates"}},
        WrongImage{"no_size", "type: u8", kSurface, {"run.yaml:12:", "0 sizes; allowed: 1 to 3"}},
        WrongImage{"zero_size", "type: u8, size: [0]", kSurface, {"run.yaml:12:", "at least 1"}},
        WrongImage{"cube_of_a_line", "type: u8, size: [4], cube: true", kSurface, {"run.yaml:12:", "cube"}},
        WrongImage{"other_buffer", kTexture, "buffer: rest", {"run.yaml:"}}),
    [](const auto& info) { return info.param.name; });

TEST(Image, AnUnknownBufferIsNamed) {
  const ScratchFolder scratch;
  std::string text = copy_list(kTexture, kSurface);
  text.replace(text.find("buffer: image,"), 14, "buffer: imagee,");
  const Finished run =
      run_program({"run", scratch.file("run.yaml", text), "--out", (scratch / "out").string()});
  EXPECT_EQ(run.status, 2) << run.err;
  EXPECT_THAT(run.err, AllOf(HasSubstr("run.yaml:12:"), HasSubstr("did you mean 'image'")));
}

}  // namespace
}  // namespace warpvp::test
