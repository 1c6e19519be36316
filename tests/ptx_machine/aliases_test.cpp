// One object reached by its name, by its address in its own space and by a generic address: machine code
// leaves what the same text leaves in its own order.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstring>
#include <string>
#include <vector>

#include "ptx/exec/functional_runner.h"
#include "ptx/module.h"

namespace warpvp::ptx::machine {
namespace {

struct Object {
  const char *test, *name, *space;  // of loads and stores by name
  const char* pointed;              // of those through its address
  bool stored_by_name;
};
void PrintTo(const Object& o, std::ostream* out) { *out << o.test; }

const Object kParameter{"Parameter", "p", "param", "local", false};
/// As kParameter, but loads through the address say ".param".
const Object kParameterAsParameter{"ParameterAsParameter", "p", "param", "param", false};
const Object kDepot{"Depot", "depot", "local", "local", true};
const Object kTile{"Tile", "tile", "shared", "shared", true};
const Object kArray{"Array", "array", "global", "global", true};

enum class Way { kName, kAddress, kGeneric };

struct Width {
  const char *type, *vector;
  int elements, bytes;
};
const Width kWidths[] = {{"u8", "", 1, 1}, {"u32", "", 1, 4}, {"u64", "", 1, 8}, {"u32", "v4.", 4, 16}};

struct Access {
  bool is_store;
  Way way;
  Width width;
  int offset;
};

bool possible(const Object& o, const Access& a) {
  if (a.offset % a.width.bytes != 0) return false;
  return !a.is_store || a.way != Way::kName || o.stored_by_name;
}

std::string place(const Object& o, const Access& a, bool late) {
  const char* late_name = late ? "l" : "";
  switch (a.way) {
    case Way::kName:
      return fmt::format("[{}+{}]", o.name, a.offset);
    case Way::kAddress:
      return fmt::format("[%{}space+{}]", late_name, a.offset);
    case Way::kGeneric:
      return fmt::format("[%{}any+{}]", late_name, a.offset);
  }
  return "";
}

/// Results of loads go to %s<number>..., values of stores come from %v, or from %w, which is known late.
std::string text_of(const Object& o, const Access& a, int number, bool late) {
  const std::string value = late ? "%w" : "%v";
  const bool wide = a.width.bytes == 8;
  std::string data;
  for (int e = 0; e < a.width.elements; ++e) {
    const std::string one =
        a.is_store ? (wide ? value + "d" : value) : fmt::format("%{}{}", wide ? "sd" : "s", 4 * number + e);
    data += (e ? ", " : "") + one;
  }
  if (a.width.elements > 1) data = "{" + data + "}";
  std::string space = a.way == Way::kGeneric ? "" : a.way == Way::kName ? o.space : o.pointed;
  if (a.is_store && space == "param") space = "local";
  if (!space.empty()) space += ".";
  const std::string at = place(o, a, late);
  return fmt::format("{}.{}{}{} {};\n", a.is_store ? "st" : "ld", space, a.width.vector, a.width.type,
                     a.is_store ? at + ", " + data : data + ", " + at);
}

/// Two accesses, the first of which has to wait for its value or its address, with a call between them or
/// not.
std::string program(const Object& o, const Access& first, const Access& second, bool call) {
  const std::string variable = o.name;
  std::string text =
      ".version 7.5\n.target sm_70\n.address_size 64\n.global .align 16 .b8 array[64];\n"
      ".func poke(.param .b64 a, .param .b32 x)\n{\n.reg .b64 %a; .reg .b32 %x;\nld.param.u64 %a, [a]; "
      "ld.param.u32 "
      "%x, [x]; st.u32 [%a+4], %x;\nret;\n}\n"
      ".func body(.param .align 16 .b8 p[64], .param .b64 out, .param .b32 x, .param .b32 zero)\n{\n"
      ".local .align 16 .b8 depot[64];\n.shared .align 16 .b8 tile[64];\n"
      ".reg .b64 %space, %any, %lspace, %lany, %late, %out, %vd, %wd, %sd<9>, %t<9>; .reg .b32 %v, %w, %z, "
      "%y, "
      "%s<9>;\n"
      "ld.param.u64 %out, [out]; ld.param.u32 %v, [x]; ld.param.u32 %z, [zero];\n";
  text += fmt::format("mov.u64 %space, {};\n", variable);
  const std::string space = std::string(o.space) == "param" ? "local" : o.space;
  text += fmt::format("cvta.{}.u64 %any, %space;\n", space);
  // A chain that ends in zero, for what is late.
  text += "mul.lo.u32 %y, %z, %v; mul.lo.u32 %y, %y, %y; div.u32 %y, %y, %v; mul.lo.u32 %y, %y, %v;\n";
  text +=
      "add.u32 %w, %v, 17; add.u32 %w, %w, %y; cvt.u64.u32 %late, %y; cvt.u64.u32 %vd, %v; mad.wide.u32 %wd, "
      "%w, 3, %late;\nadd.u64 %lspace, %space, %late; add.u64 %lany, %any, %late;\n";
  for (int r = 0; r < 8; ++r) text += fmt::format("mov.u32 %s{0}, 0; mov.u64 %sd{0}, 0;\n", r);
  // Known content; a parameter has its own.
  if (std::string(o.space) != "param")
    for (int k = 0; k < 8; ++k) text += fmt::format("st.u32 [%any+{}], {};\n", 4 * k, 0x01020304 * (k + 1));
  text += text_of(o, first, 0, true);
  if (call)
    text +=
        "{\n.param .b64 a0; .param .b32 a1;\nst.param.b64 [a0], %any; st.param.b32 [a1], %v;\ncall poke, "
        "(a0, a1);\n}\n";
  text += text_of(o, second, 1, false);
  // What was loaded is needed at the end of a chain, so that loads are wanted early.
  for (int r = 0; r < 8; ++r) {
    text += fmt::format("mad.lo.u32 %s{0}, %s{0}, 5, %s{0}; mul.lo.u32 %s{0}, %s{0}, %s{0};\n", r);
    text += fmt::format("st.global.u32 [%out+{}], %s{};\n", 4 * r, r);
    text += fmt::format("st.global.u64 [%out+{}], %sd{};\n", 32 + 8 * r, r);
  }
  for (int k = 0; k < 4; ++k)
    text += fmt::format(
        "ld.{}u64 %t{}, {};\nst.global.u64 [%out+{}], %t{};\n", k % 2 ? "" : std::string(o.space) + ".", k,
        k % 2 ? fmt::format("[%any+{}]", 8 * k) : fmt::format("[{}+{}]", variable, 8 * k), 96 + 8 * k, k);
  text +=
      "ret;\n}\n.visible .entry k(.param .u64 out, .param .u32 x, .param .u32 zero)\n{\n"
      ".reg .b64 %o; .reg .b32 %x, %z;\nld.param.u64 %o, [out]; ld.param.u32 %x, [x]; ld.param.u32 %z, "
      "[zero];\n{\n.param .align 16 .b8 a[64]; .param .b64 b; .param .b32 c; .param .b32 d;\n";
  for (int k = 0; k < 16; ++k)
    text += fmt::format("st.param.b32 [a+{}], {};\n", 4 * k, 0x01020304 * (k % 8 + 1));
  text +=
      "st.param.b64 [b], %o; st.param.b32 [c], %x; st.param.b32 [d], %z;\ncall body, (a, b, c, "
      "d);\n}\nret;\n}\n";
  return text;
}

std::vector<std::uint8_t> memory_after(const std::string& text, Code code) {
  CodeOptions options;
  options.code = code;
  const auto module = Module::parse(text, "t.ptx", options);
  FlatMemory memory(1 << 16);
  module->place([&](const GlobalVariable& g) { return memory.allocate(g.bytes); },
                [&](std::uint64_t address, const std::vector<std::uint8_t>& bytes) {
                  memory.write(address, bytes.data(), bytes.size());
                });
  const auto kernel = module->entry("k");
  const std::uint64_t out = memory.allocate(128);
  std::vector<std::uint8_t> arguments(kernel->param_bytes);
  std::memcpy(arguments.data(), &out, 8);
  arguments[8] = 0x5b, arguments[9] = 0xa7;
  FunctionalRunner runner(memory);
  const auto result = runner.run(*kernel, {1, 1, 1}, {1, 1, 1}, arguments);
  EXPECT_TRUE(result.ok()) << (result.ok() ? "" : result.fault->summary()) << text;
  std::vector<std::uint8_t> bytes(128);
  memory.read(out, bytes.data(), bytes.size());
  return bytes;
}

class Aliases : public testing::TestWithParam<Object> {};

// Loads before and behind stores, stores before stores; the same bytes, a part of them, their neighbours.
TEST_P(Aliases, OfOneObjectKeepTheOrderOfTheText) {
  const Object& o = GetParam();
  unsigned cases = 0, wrong = 0;
  for (const Way one : {Way::kName, Way::kAddress, Way::kGeneric})
    for (const Way other : {Way::kName, Way::kAddress, Way::kGeneric})
      for (const bool first_stores : {false, true})
        for (const bool second_stores : {false, true})
          for (const Width& w : kWidths)
            for (const Width& v : kWidths)
              for (const int offset : {0, 4, 8}) {
                const Access first{first_stores, one, w, 0}, second{second_stores, other, v, offset};
                if (!possible(o, first) || !possible(o, second)) continue;
                const bool call = (cases++ + static_cast<unsigned>(one)) % 4 == 0;
                const std::string text = program(o, first, second, call);
                if (memory_after(text, Code::kPtx) == memory_after(text, Code::kMachine)) continue;
                if (++wrong == 1) ADD_FAILURE() << text;
              }
  EXPECT_EQ(wrong, 0u) << "of " << cases;
}
INSTANTIATE_TEST_SUITE_P(All, Aliases,
                         testing::Values(kParameter, kParameterAsParameter, kDepot, kTile, kArray),
                         [](const auto& info) { return std::string(info.param.test); });

}  // namespace
}  // namespace warpvp::ptx::machine
