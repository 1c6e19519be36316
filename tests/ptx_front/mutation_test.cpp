// Damaged PTX never does anything but load, refuse kernels or throw InputError.

#include "ptx/disassemble.h"
#include "ptx/report.h"
#include "support.h"

namespace warpvp::ptx {
namespace {

class Random {
 public:
  explicit Random(std::uint64_t seed) : state_(seed * 0x9e3779b97f4a7c15ull + 1) {}
  std::size_t below(std::size_t n) {
    state_ ^= state_ << 13;
    state_ ^= state_ >> 7;
    state_ ^= state_ << 17;
    return n == 0 ? 0 : static_cast<std::size_t>(state_ % n);
  }

 private:
  std::uint64_t state_;
};

std::string mutate(std::string text, const std::vector<std::string>& pieces, Random& random) {
  for (std::size_t edits = 1 + random.below(3); edits > 0; --edits) {
    const std::size_t at = random.below(text.size());
    switch (random.below(6)) {
      case 0:
        text.erase(at, 1 + random.below(12));
        break;
      case 1:
        text.insert(at, pieces[random.below(pieces.size())]);
        break;
      case 2:
        text[at] = static_cast<char>(random.below(128));
        break;
      case 3:
        text.insert(at, text.substr(random.below(text.size()), 1 + random.below(60)));
        break;
      case 4:
        text.resize(at);
        break;
      default: {  // swap two lines
        const std::size_t begin = text.rfind('\n', at), end = text.find('\n', at);
        if (begin == std::string::npos || end == std::string::npos) break;
        const std::string line = text.substr(begin, end - begin);
        text.erase(begin, end - begin);
        const std::size_t to = text.find('\n', random.below(text.size()));
        text.insert(to == std::string::npos ? text.size() : to, line);
      }
    }
    if (text.empty()) return "x";
  }
  return text;
}

TEST(Mutation, DamagedTextNeverCrashes) {
  const std::vector<std::string> pieces = {"{",
                                           "}",
                                           "(",
                                           ")",
                                           "[",
                                           "]",
                                           ";",
                                           ",",
                                           "<",
                                           ">",
                                           "|",
                                           "!",
                                           "@",
                                           "-",
                                           "+",
                                           "0x",
                                           "0f3F80",
                                           "0d",
                                           "1e",
                                           "99999999999",
                                           ".b8",
                                           ".u64",
                                           ".f16",
                                           ".pred",
                                           ".v4",
                                           ".param",
                                           ".shared",
                                           ".extern",
                                           ".align 7",
                                           ".reg",
                                           ".local",
                                           "%r1",
                                           "%rd1",
                                           "%p1",
                                           "_",
                                           "WARP_SZ",
                                           "ret;",
                                           "exit;",
                                           "trap;",
                                           "bra ",
                                           "call ",
                                           "brx.idx %r1, x;",
                                           ": ",
                                           "\"",
                                           "/*",
                                           "//",
                                           ".func",
                                           ".entry",
                                           ".callprototype",
                                           ".branchtargets",
                                           "mov.b64 {%r1,%r2}, %rd1;",
                                           "[0]",
                                           "4294967295",
                                           "generic(",
                                           "%tid.x",
                                           ".maxntid",
                                           "(((((((((",
                                           "-1",
                                           "~",
                                           "?",
                                           "\0",
                                           "ld.param.u64",
                                           "[%rd1+-4]"};
  int loaded = 0, refused = 0;
  for (const std::filesystem::path& path : ptx_files()) {
    const std::string original = read_file(path);
    if (original.size() > 24000) continue;
    Random random(std::hash<std::string>{}(path.filename().string()));
    for (int round = 0; round < 60; ++round) {
      const std::string text = mutate(original, pieces, random);
      try {
        const std::unique_ptr<Module> module = Module::parse(text, "mutant");
        module->refused().empty() ? ++loaded : ++refused;
        for (const auto& [kernel, reason] : module->refused())
          EXPECT_EQ(reason.rfind("mutant:", 0), 0u) << reason;
        report(text, "mutant", {});
        const ir::Module m = parse_module(text, "mutant");
        parse_module(disassemble(m), "mutant (disassembled)");
      } catch (const InputError& e) {
        ++refused;
        EXPECT_EQ(std::string(e.what()).rfind("mutant:", 0), 0u) << e.what();
      }
    }
  }
  EXPECT_GT(loaded, 50);
  EXPECT_GT(refused, 50);
}

TEST(Mutation, EveryPrefixOfAFileIsHandled) {
  const std::string text = read_file("tests/ptx_front/data/calls.ptx");
  for (std::size_t length = 0; length < text.size(); length += 61) {
    try {
      Module::parse(text.substr(0, length), "prefix");
    } catch (const InputError&) {
    }
  }
}

TEST(Mutation, DeepNestingIsRefused) {
  std::string parentheses(100000, '('), minus(100000, '-'), braces;
  EXPECT_NE(error_of(kHeader + ".global .u32 a = " + parentheses).find("nested too deeply"),
            std::string::npos);
  EXPECT_NE(error_of(kHeader + ".global .u32 a = " + minus + "1;").find("nested too deeply"),
            std::string::npos);
  EXPECT_NE(error_of(kernel(std::string(100000, '{'))).find("nested too deeply"), std::string::npos);
}

}  // namespace
}  // namespace warpvp::ptx
