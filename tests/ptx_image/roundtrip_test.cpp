// A program written and read is the same program, and written again the same bytes: for every kernel of the
// tree.

#include <algorithm>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "support.h"
#include "sw/apps/micro_code.h"

namespace warpvp::ptx::image {
namespace {

bool same(const Operand& a, const Operand& b) {
  return a.kind == b.kind && a.negated == b.negated && a.index == b.index;
}

template <class T>
bool same(const T* a, const T* b, unsigned count) {
  return std::equal(a, a + count, b);
}

bool same(const Inst& a, const Inst& b) {
  for (unsigned k = 0; k < kMaxDst; ++k)
    if (!same(a.dst[k], b.dst[k])) return false;
  for (unsigned k = 0; k < kMaxSrc + 2; ++k)
    if (!same(a.source(k), b.source(k))) return false;
  return a.exec == b.exec && a.opcode == b.opcode && a.unit == b.unit && a.op_class == b.op_class &&
         a.effect == b.effect && a.is_part == b.is_part && a.flops == b.flops && same(a.guard, b.guard) &&
         a.dst_count == b.dst_count && a.src_count == b.src_count && a.read_rows == b.read_rows &&
         a.written_rows == b.written_rows && a.read_preds == b.read_preds &&
         a.written_preds == b.written_preds && same(a.reads, b.reads, a.read_rows) &&
         same(a.writes, b.writes, a.written_rows) && same(a.pred_reads, b.pred_reads, a.read_preds) &&
         same(a.pred_writes, b.pred_writes, a.written_preds) && a.target == b.target &&
         a.reconverge == b.reconverge && a.offset == b.offset && a.aux == b.aux && a.space == b.space &&
         a.access_bytes == b.access_bytes && a.vector == b.vector && a.cache_op == b.cache_op &&
         a.is_store == b.is_store && a.is_atomic == b.is_atomic && a.is_volatile == b.is_volatile &&
         a.is_async == b.is_async && a.depot == b.depot && a.uniform == b.uniform &&
         a.loop_units == b.loop_units && a.wide == b.wide && a.table == b.table &&
         a.frame_rows == b.frame_rows && a.frame_preds == b.frame_preds &&
         a.frame_param_bytes == b.frame_param_bytes && a.line == b.line && a.ir_index == b.ir_index &&
         a.modifiers == b.modifiers;
}

bool same(const Param& a, const Param& b) {
  return a.name == b.name && a.type == b.type && a.offset == b.offset && a.bytes == b.bytes &&
         a.alignment == b.alignment && a.is_pointer == b.is_pointer;
}

bool same(const PresetRow& a, const PresetRow& b) {
  return a.row == b.row && a.wide == b.wide && a.offset == b.offset && a.bytes == b.bytes &&
         a.sign == b.sign && a.special == b.special && a.in_memory == b.in_memory && a.address == b.address;
}

template <class T>
void expect_same_lists(const std::vector<T>& a, const std::vector<T>& b, const char* what) {
  ASSERT_EQ(a.size(), b.size()) << what;
  for (std::size_t i = 0; i < a.size(); ++i) EXPECT_TRUE(same(a[i], b[i])) << what << ' ' << i;
}

void expect_same(const Program& a, const Program& b) {
  EXPECT_EQ(a.name, b.name);
  EXPECT_EQ(a.file, b.file);
  ASSERT_EQ(a.code.size(), b.code.size());
  for (std::size_t i = 0; i < a.code.size(); ++i)
    EXPECT_TRUE(same(a.code[i], b.code[i])) << a.locate(static_cast<Pc>(i));
  EXPECT_EQ(a.modifiers.size(), b.modifiers.size());
  EXPECT_EQ(a.texts, b.texts);
  EXPECT_EQ(a.function_of, b.function_of);
  EXPECT_EQ(a.constants, b.constants);
  EXPECT_EQ(a.branch_tables, b.branch_tables);
  EXPECT_EQ(a.functions, b.functions);
  expect_same_lists(a.params, b.params, "parameter");
  expect_same_lists(a.presets, b.presets, "preset");
  EXPECT_EQ(a.param_bytes, b.param_bytes);
  EXPECT_EQ(a.rows, b.rows);
  EXPECT_EQ(a.preds, b.preds);
  EXPECT_EQ(a.depot_bytes, b.depot_bytes);
  EXPECT_EQ(a.stack_bytes, b.stack_bytes);
  EXPECT_EQ(a.recursive, b.recursive);
  EXPECT_EQ(a.has_calls, b.has_calls);
  EXPECT_EQ(a.frame_rows, b.frame_rows);
  EXPECT_EQ(a.registers_per_thread, b.registers_per_thread);
  EXPECT_EQ(a.static_shared_bytes, b.static_shared_bytes);
  EXPECT_EQ(a.uses_dynamic_shared, b.uses_dynamic_shared);
  EXPECT_EQ(a.reserved_shared_bytes, b.reserved_shared_bytes);
  EXPECT_EQ(a.uses_heap, b.uses_heap);
  EXPECT_EQ(a.const_ranges, b.const_ranges);
  EXPECT_EQ(a.barriers, b.barriers);
  EXPECT_EQ(a.max_threads, b.max_threads);
  EXPECT_TRUE(std::equal(a.required_block, a.required_block + 3, b.required_block));
  EXPECT_EQ(a.min_ctas_per_sm, b.min_ctas_per_sm);
  EXPECT_EQ(a.code_address, b.code_address);
}

/// PTX with a name: the tree's files, and what the tree makes when a run needs it.
std::vector<std::pair<std::string, std::string>> all_texts() {
  std::vector<std::pair<std::string, std::string>> all;
  for (const auto& path : all_ptx_files()) all.emplace_back(path.string(), text_of(path));
  for (const apps::MicroInstruction& instruction : apps::micro_instructions())
    all.emplace_back(instruction.name, apps::micro_ptx(instruction));
  all.emplace_back("instruction_cache", apps::instruction_cache_ptx());
  return all;
}

/// Kernels of all texts that can be placed; the tree has some on purpose that cannot.
template <class Each>
unsigned each_kernel(const CodeOptions& options, Each each) {
  unsigned kernels = 0;
  for (const auto& [text_name, text] : all_texts()) {
    std::unique_ptr<Module> module;
    try {
      module = placed(text, std::filesystem::path(text_name).filename().string(), options);
    } catch (const std::exception&) {
      continue;
    }
    for (const std::string& name : module->entries()) {
      SCOPED_TRACE(text_name + ": " + name);
      each(*module->entry(name));
      ++kernels;
    }
  }
  return kernels;
}

void expect_round_trip(const Program& program) {
  const std::vector<std::uint8_t> bytes = write_image(program);
  EXPECT_EQ(image_bytes(bytes.data(), bytes.size()), bytes.size());
  std::shared_ptr<const Program> back;
  try {
    back = read(bytes);
  } catch (const ImageError& e) {
    FAIL() << e.what();
  }
  expect_same(program, *back);
  EXPECT_EQ(write_image(*back), bytes);
}

TEST(KernelImage, EveryKernelOfTheTree) { EXPECT_GT(each_kernel({}, expect_round_trip), 200u); }

TEST(KernelImage, EveryKernelAsMachineCode) {
  CodeOptions options;
  options.code = Code::kMachine;
  options.convergence_barriers = options.nop_before_barriers = true;
  options.sm.registers = 65536;
  EXPECT_GT(each_kernel(options, expect_round_trip), 200u);
}

TEST(KernelImage, TheSameProgramGivesTheSameBytes) {
  each_kernel({},
              [](const Program& program) { EXPECT_EQ(write_image(program), write_image(Program(program))); });
}

// As compilers leave off what cannot be reached behind it.
TEST(KernelImage, CodeMayEndInATrap) {
  expect_round_trip(*kernel("trap;", "")->entry("k"));
  expect_round_trip(*kernel(".reg .pred %p;\n.reg .u32 %r;\nmov.u32 %r, %tid.x;\nsetp.eq.u32 %p, %r, 3;\n"
                            "@%p bra BAD;\nret;\nBAD: trap;",
                            "")
                         ->entry("k"));
}

// What an instruction reads at most: three fragments of four registers, and metadata.
TEST(KernelImage, ThirteenRowsOfASparseProduct) {
  std::string text =
      ".reg .u64 %p; .reg .u32 %t; .reg .b32 %a<4>; .reg .b32 %b<4>; .reg .b32 %c<4>; .reg .b32 %d<4>; .reg "
      ".b32 %e;\nld.param.u64 %p, [p];\n";
  std::string operands[4];
  for (const char name : std::string("abcd"))
    for (unsigned i = 0; i < 4; ++i) {
      const std::string reg = std::string("%") + name + std::to_string(i);
      operands[name - 'a'] += (i == 0 ? "" : ",") + reg;
      if (name != 'd')
        text += "ld.global.b32 " + reg + ", [%p+" + std::to_string(16 * (name - 'a') + 4 * i) + "];\n";
    }
  text += "ld.global.b32 %e, [%p+64];\nmma.sp.sync.aligned.m16n8k32.row.col.f32.f16.f16.f32 {" + operands[3] +
          "}, {" + operands[0] + "}, {" + operands[1] + "}, {" + operands[2] + "}, %e, 0;\n";
  for (unsigned i = 0; i < 4; ++i)
    text += "st.global.b32 [%p+" + std::to_string(4 * i) + "], %d" + std::to_string(i) + ";\n";
  const auto module = kernel(text + "ret;", ".param .u64 p");
  const Program& program = *module->entry("k");
  unsigned most = 0;
  for (const Inst& inst : program.code) most = std::max<unsigned>(most, inst.read_rows);
  EXPECT_EQ(most, 13u);
  expect_round_trip(program);
}

TEST(KernelImage, FunctionsTablesConstantsAndLocalMemory) {
  const auto module = kernel(
      ".reg .u32 %r<4>; .reg .u64 %d<4>; .reg .pred %p;\n.local .b32 scratch[8];\n"
      "ts: .branchtargets A, B;\n"
      "ld.param.u64 %d0, [p];\nld.const.u32 %r0, [table];\nmov.u64 %d1, f;\nmov.u32 %r1, %tid.x;\n"
      "setp.lt.u32 %p, %r1, 1;\nst.local.u32 [scratch], %r1;\n"
      "@%p brx.idx %r1, ts;\n"
      "A: call (%r2), f, (%r0);\nB: st.global.u32 [%d0], %r2;\nret;",
      ".param .u64 p",
      ".const .u32 table[4] = {1, 2, 3, 4};\n"
      ".func (.reg .u32 %out) f(.reg .u32 %in) { add.u32 %out, %in, 0x12345; ret; }");
  const Program& program = *module->entry("k");
  expect_round_trip(program);
  EXPECT_FALSE(program.branch_tables.empty());
  EXPECT_TRUE(program.has_calls);
}

}  // namespace
}  // namespace warpvp::ptx::image
