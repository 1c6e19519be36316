#pragma once
// For tests of programs as code of the host (ptx/native).

#include <gtest/gtest.h>

#include <string>

#include "ptx/exec/select.h"
#include "ptx/native/native_code.h"
#include "tests/ptx_exec/ptx_harness.h"

namespace warpvp::ptx::testing {

/// Text of a kernel with one argument `out`, registers of all kinds, and some memory of its own.
inline std::string native_kernel(const std::string& body) {
  return ".version 8.0\n.target sm_90\n.address_size 64\n.visible .entry k(.param .u64 out)\n{\n"
         ".reg .pred %p<20>;\n.reg .b16 %h<8>;\n.reg .b32 %r<80>;\n.reg .f32 %f<20>;\n.reg .b64 %rd<40>;\n"
         ".reg .f64 %d<8>;\n.shared .align 8 .b8 word[16];\n.local .align 8 .b8 room[64];\n" +
         body + "ret;\n}\n";
}

class NativeCodeTest : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!set_isa_level(IsaLevel::kNative)) GTEST_SKIP() << "this machine does not have that level";
  }
  void TearDown() override {
    if (NativeCode::available()) set_isa_level(before_);
  }
  const IsaLevel before_ = isa_level();
};

}  // namespace warpvp::ptx::testing
