// Kernels of foreign PTX by the names that their source has.

#include "ptx/demangle.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace warpvp::ptx {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

const std::vector<std::string> kNames{"_Z5scaleIfEvPT_i", "_Z5scaleIdEvPT_i",           "_Z3addPKfS0_Pf",
                                      "_ZN3img3addEi",    "_ZN12_GLOBAL__N_15localEPf", "plain"};

TEST(Demangle, ShowsWhatTheSourceSays) {
  EXPECT_EQ(demangled("_Z5scaleIfEvPT_i"), "void scale<float>(float*, int)");
  EXPECT_EQ(demangled("plain"), "plain");
  EXPECT_EQ(short_name("_Z5scaleIfEvPT_i"), "scale<float>");
  EXPECT_EQ(short_name("_ZN3img3addEi"), "img::add");
  EXPECT_EQ(short_name("plain"), "plain");
  EXPECT_EQ(demangled("i"), "i") << "not a mangled name, though it is one of a type";
}

TEST(Demangle, FindsByAnyFormOfTheName) {
  EXPECT_THAT(names_meant(kNames, "_Z3addPKfS0_Pf"), ElementsAre("_Z3addPKfS0_Pf"));
  EXPECT_THAT(names_meant(kNames, "void scale<float>(float*, int)"), ElementsAre("_Z5scaleIfEvPT_i"));
  EXPECT_THAT(names_meant(kNames, "scale<double>(double*,int)"), ElementsAre("_Z5scaleIdEvPT_i"));
  EXPECT_THAT(names_meant(kNames, "scale<float>"), ElementsAre("_Z5scaleIfEvPT_i"));
  EXPECT_THAT(names_meant(kNames, "add"), ElementsAre("_Z3addPKfS0_Pf"));
  EXPECT_THAT(names_meant(kNames, "img::add"), ElementsAre("_ZN3img3addEi"));
  EXPECT_THAT(names_meant(kNames, "{anonymous}::local"), ElementsAre("_ZN12_GLOBAL__N_15localEPf"));
  EXPECT_THAT(names_meant(kNames, "plain"), ElementsAre("plain"));
}

TEST(Demangle, SaysAllThatAreMeantOrNone) {
  EXPECT_THAT(names_meant(kNames, "scale"), ElementsAre("_Z5scaleIfEvPT_i", "_Z5scaleIdEvPT_i"));
  EXPECT_THAT(names_meant(kNames, "scal"), IsEmpty());
  EXPECT_THAT(names_meant(kNames, ""), IsEmpty());
}

}  // namespace
}  // namespace warpvp::ptx
