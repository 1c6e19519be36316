// PTX modules as the runtime loads them.

#include <gmock/gmock.h>

#include "base/error.h"
#include "ptx/image/ptx_loader.h"
#include "support.h"

namespace warpvp::ptx::image {
namespace {

using ::testing::HasSubstr;

constexpr const char* kText =
    ".version 7.0\n.target sm_70\n.address_size 64\n"
    ".global .u32 table[2] = {1, 2};\n.global .u32 counter;\n.global .u64 where = generic(table);\n"
    ".visible .entry k(.param .u64 p, .param .f32 x)\n{\n.reg .u64 %d; .reg .u32 %r; .shared .b32 s[16];\n"
    "mov.u64 %d, table; ld.global.u32 %r, [%d]; st.shared.u32 [s], %r; bar.sync 1; ret;\n}\n";

std::string refused(const std::function<void()>& call) {
  try {
    call();
  } catch (const InputError& e) {
    return e.what();
  }
  return "";
}

struct Loaded {
  std::unique_ptr<LoadableModule> module = make_ptx_loader({})->parse("m.ptx", kText);
  std::map<std::string, std::vector<std::uint8_t>> values;
  void place() {
    std::uint64_t next = kMemory.base;
    std::map<std::uint64_t, std::string> names;
    module->place(
        [&](const ModuleVariable& v) { return names[next += 0x100] = v.name, next; },
        [&](std::uint64_t at, const std::vector<std::uint8_t>& bytes) { values[names.at(at)] = bytes; });
  }
};

TEST(PtxLoader, SaysWhatADriverMustKnow) {
  Loaded l;
  ASSERT_EQ(l.module->variables().size(), 3u);
  EXPECT_EQ(l.module->variables()[0].name, "table");
  EXPECT_EQ(l.module->variables()[0].bytes, 8u);
  EXPECT_TRUE(l.module->variables()[0].has_value);
  EXPECT_FALSE(l.module->variables()[1].has_value);
  const KernelFacts k = l.module->kernel("k");
  EXPECT_EQ(k.name, "k");
  EXPECT_EQ(k.file, "m.ptx");
  ASSERT_EQ(k.parameters.size(), 2u);
  EXPECT_EQ(k.parameters[1].type, ".f32");
  EXPECT_EQ(k.parameters[1].offset, 8u);
  EXPECT_EQ(k.parameter_bytes, 12u);
  EXPECT_EQ(k.static_shared_bytes, 64u);
  EXPECT_EQ(k.barriers, 2u);
  EXPECT_EQ(k.code_bytes, 5u * 16);
}

TEST(PtxLoader, PlacesAndLinks) {
  Loaded l;
  l.place();
  EXPECT_EQ(l.values["table"], (std::vector<std::uint8_t>{1, 0, 0, 0, 2, 0, 0, 0}));
  const std::uint64_t table = kMemory.base + 0x100;
  std::uint64_t where = 0;
  ASSERT_EQ(l.values["where"].size(), 8u);
  for (unsigned i = 0; i < 8; ++i) where |= std::uint64_t{l.values["where"][i]} << (8 * i);
  EXPECT_EQ(where, table);
  const auto program = read(l.module->image("k", kMemory.base + 0x8000));
  EXPECT_EQ(program->code_address, kMemory.base + 0x8000);
  EXPECT_EQ(program->constants[0] | std::uint64_t{program->constants[1]} << 32, table);
}

TEST(PtxLoader, NamesWhatIsMissing) {
  Loaded l;
  EXPECT_EQ(refused([&] { l.module->variable("tabel"); }),
            "m.ptx: no variable 'tabel'; it has: counter, table, where; did you mean 'table'?");
  EXPECT_THAT(refused([&] { l.module->kernel("kk"); }), HasSubstr("no kernel 'kk'"));
  EXPECT_THAT(refused([&] { make_ptx_loader({})->parse("n.ptx", "nonsense"); }), HasSubstr("n.ptx:1:1"));
  EXPECT_THAT(refused([&] { make_ptx_loader({})->load("not/there.ptx"); }), HasSubstr("not/there.ptx"));
  EXPECT_EQ(l.module->variable("table").name, "table");
}

}  // namespace
}  // namespace warpvp::ptx::image
