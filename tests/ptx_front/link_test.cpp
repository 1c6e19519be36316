// Several modules as one.

#include "ptx/link.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "base/error.h"
#include "ptx/module.h"

namespace warpvp::ptx {
namespace {

using ::testing::HasSubstr;

const std::string kHead = ".version 7.0\n.target sm_70\n.address_size 64\n";

const ModuleText kMain{"main.ptx", kHead +
                                       R"(.extern .func (.param .b32 r) twice(.param .b32 a);
.extern .global .align 4 .u32 calls;
.global .align 4 .u32 local = 1;
.weak .func shared() { ret; }
.visible .entry k(.param .u64 p)
{
  .reg .u32 %r<3>;
  .param .b32 in;
  .param .b32 out;
  ld.global.u32 %r1, [local];
  st.param.b32 [in], %r1;
  call (out), twice, (in);
  ld.global.u32 %r2, [calls];
  ret;
}
)"};
const ModuleText kLibrary{"library.ptx", R"(.version 8.4
.target sm_80
.address_size 64
.visible .global .align 4 .u32 calls = 5;
.global .align 4 .b8 local[8] = {1, 2};
.weak .func shared() { ret; }
.visible .func (.param .b32 r) twice(.param .b32 a)
{
  .reg .u32 %r<2>;
  ld.global.u32 %r1, [local+4];
  st.param.b32 [r], %r1;
  ret;
}
)"};

TEST(Link, JoinsWhatOneDeclaresAndTheOtherDefines) {
  const std::string text = link_modules({kMain, kLibrary});
  EXPECT_THAT(text, HasSubstr(".version 8.4\n.target sm_80\n"));
  const auto module = Module::parse(text, "linked.ptx");
  EXPECT_TRUE(module->refused().empty());
  EXPECT_NE(module->entry("k"), nullptr);
  std::vector<std::string> names;
  for (const GlobalVariable& g : module->globals()) names.push_back(g.name);
  EXPECT_THAT(names, testing::UnorderedElementsAre("calls", "local", "local$2"));
  // The order does not matter.
  EXPECT_TRUE(Module::parse(link_modules({kLibrary, kMain}), "linked.ptx")->refused().empty());
  // Without the library the kernel cannot run.
  EXPECT_FALSE(Module::parse(link_modules({kMain}), "linked.ptx")->refused().empty());
}

TEST(Link, PrivateNamesStayPrivate) {
  const std::string text = link_modules({kMain, kLibrary});
  EXPECT_THAT(text, HasSubstr("ld.global.u32 %r1, [local];"));
  EXPECT_THAT(text, HasSubstr("ld.global.u32 %r1, [local$2+4];"));
  EXPECT_THAT(text, HasSubstr(".b8 local$2[8] = {1, 2};"));
}

// As nvcc names its strings; and a private name that another module gives to all.
TEST(Link, NoPrivateNameIsGivenTwice) {
  const ModuleText first{"a.ptx", kHead +
                                      ".global .b8 $str[2] = {1, 0};\n.global .b8 $str$2[2] = {2, 0};\n"
                                      ".global .u32 own = 3;\n"};
  const ModuleText second{"b.ptx", kHead + ".global .b8 $str[2] = {4, 0};\n.visible .global .u32 own = 5;\n"};
  const auto module = Module::parse(link_modules({first, second}), "linked.ptx");
  std::vector<std::string> names;
  for (const GlobalVariable& g : module->globals()) names.push_back(g.name);
  EXPECT_THAT(names, testing::UnorderedElementsAre("$str", "$str$2", "$str$2$", "own$1", "own"));
}

TEST(Link, SourceFilesKeepTheirLines) {
  const std::string function = " .func f%()\n{\n.loc 2 10 3\nret;\n}\n.file 1 \"x.h\"\n.file 2 \"%.cu\"\n";
  const auto module = [&](char letter) {
    std::string text = kHead + ".visible" + function;
    std::replace(text.begin(), text.end(), '%', letter);
    return ModuleText{std::string(1, letter), text};
  };
  const std::string text = link_modules({module('a'), module('b')});
  EXPECT_THAT(text, HasSubstr(".loc 2 10 3"));
  EXPECT_THAT(text, HasSubstr(".loc 4 10 3"));
  EXPECT_THAT(text, HasSubstr(".file 2 \"a.cu\""));
  EXPECT_THAT(text, HasSubstr(".file 4 \"b.cu\""));
}

TEST(Link, OfWeakDefinitionsTheFirstCounts) {
  const std::string text = link_modules({kMain, kLibrary});
  const std::size_t at = text.find(".func shared()");
  ASSERT_NE(at, std::string::npos);
  EXPECT_EQ(text.find(".func shared()", at + 1), std::string::npos);
}

TEST(Link, TwoDefinitionsAreRefused) {
  try {
    link_modules({kLibrary, {"other.ptx", kHead + ".visible .global .u32 calls;\n"}});
    FAIL() << "accepted";
  } catch (const InputError& error) {
    EXPECT_STREQ(error.what(), "'calls' is defined in library.ptx and in other.ptx; allowed: one definition");
  }
}

TEST(Link, ATextThatEndsTooEarlyIsToldWithItsPlace) {
  try {
    link_modules({{"cut.ptx", kHead + ".visible .func f()\n{ ret;"}});
    FAIL() << "accepted";
  } catch (const InputError& error) {
    EXPECT_THAT(error.what(), HasSubstr("cut.ptx:5:"));
  }
}

}  // namespace
}  // namespace warpvp::ptx
