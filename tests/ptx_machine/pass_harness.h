#pragma once
// One pass on one kernel, as text.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <vector>

#include "ptx/disassemble.h"
#include "ptx/legalise.h"
#include "ptx/parser.h"

namespace warpvp::ptx::machine {

using Lines = std::vector<std::string>;
using testing::ElementsAre;
using testing::ElementsAreArray;

inline const std::string kDeclarations =
    ".reg .pred %p<9>; .reg .b16 %h<9>; .reg .b32 %r<33>; .reg .b64 %rd<33>; .reg .f32 %f<33>; .reg .f64 "
    "%d<9>;\n"
    ".shared .align 4 .b8 tile[4096];\n";

/// The instructions of `kernel k(.param .u64 p, .param .u32 n)` with this body after a pass, without the
/// `ret` that ends it. Labels stand before the instruction they name.
struct Passed {
  ir::Module module;
  LegalFunction legal;
  Lines lines;
};
inline Passed passed(const std::function<void(const ir::Module&, LegalFunction&)>& pass,
                     const std::string& body) {
  Passed result;
  result.module = parse_module(
      ".version 7.5\n.target sm_70\n.address_size 64\n.global .align 4 .b8 array[4096];\n.const .align 4 .b8 "
      "table[64];\n.extern .shared .align 4 .b8 dynamic[];\n"
      ".visible .entry k(.param .u64 p, .param .u32 n)\n{\n" +
          kDeclarations + body + "\nret;\n}\n",
      "t.ptx");
  result.legal = legalise(result.module, result.module.functions[0]);
  pass(result.module, result.legal);
  const ir::Function& f = result.legal.function;
  for (std::size_t i = 0; i + 1 < f.code.size(); ++i)
    result.lines.push_back(disassemble(result.module, f, f.code[i]));
  return result;
}
inline Lines lines_after(const std::function<void(const ir::Module&, LegalFunction&)>& pass,
                         const std::string& body) {
  return passed(pass, body).lines;
}
/// After a pass that looks at nothing beyond the function.
inline Lines with(void (*pass)(ir::Function&), const std::string& body) {
  return lines_after([&](const ir::Module&, LegalFunction& legal) { pass(legal.function); }, body);
}
inline Lines lines_of(const std::string& body) {
  return lines_after([](const ir::Module&, LegalFunction&) {}, body);
}

}  // namespace warpvp::ptx::machine
