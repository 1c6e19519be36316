// Disassembly is PTX again: it parses to the same form and lowers to the same program.

#include <cstring>

#include "ptx/disassemble.h"
#include "ptx/matrix.h"
#include "ptx/opcode_table.h"
#include "support.h"

namespace warpvp::ptx {
namespace {

bool same(const Operand& a, const Operand& b) {
  return a.kind == b.kind && a.negated == b.negated && a.index == b.index;
}

void expect_same_program(const Program& a, const Program& b) {
  ASSERT_EQ(a.code.size(), b.code.size());
  EXPECT_EQ(a.texts, b.texts);
  EXPECT_EQ(a.constants, b.constants);
  EXPECT_EQ(a.branch_tables, b.branch_tables);
  EXPECT_EQ(a.rows, b.rows);
  EXPECT_EQ(a.preds, b.preds);
  EXPECT_EQ(a.depot_bytes, b.depot_bytes);
  EXPECT_EQ(a.static_shared_bytes, b.static_shared_bytes);
  EXPECT_EQ(a.param_bytes, b.param_bytes);
  EXPECT_EQ(a.max_threads, b.max_threads);
  EXPECT_EQ(a.min_ctas_per_sm, b.min_ctas_per_sm);
  for (std::size_t i = 0; i < a.code.size(); ++i) {
    const Inst &x = a.code[i], &y = b.code[i];
    EXPECT_TRUE(x.exec == y.exec && x.opcode == y.opcode && same(x.guard, y.guard) && x.space == y.space &&
                x.offset == y.offset && x.target == y.target && x.reconverge == y.reconverge &&
                x.aux == y.aux && x.wide == y.wide && x.depot == y.depot && x.vector == y.vector &&
                x.access_bytes == y.access_bytes)
        << a.locate(static_cast<Pc>(i));
    for (unsigned k = 0; k < kMaxDst; ++k)
      EXPECT_TRUE(same(x.dst[k], y.dst[k])) << a.locate(static_cast<Pc>(i));
    for (unsigned k = 0; k < kMaxSrc; ++k)
      EXPECT_TRUE(same(x.src[k], y.src[k])) << a.locate(static_cast<Pc>(i));
  }
}

void expect_round_trip(const std::string& text, const std::string& name) {
  SCOPED_TRACE(name);
  const std::string once = disassemble(parse_module(text, name));
  const std::string twice = disassemble(parse_module(once, name + " (disassembled)"));
  EXPECT_EQ(once, twice);
  const auto a = Module::parse(text, name), b = Module::parse(once, name + " (disassembled)");
  ASSERT_EQ(a->entries(), b->entries());
  for (const std::string& entry : a->entries()) expect_same_program(*a->entry(entry), *b->entry(entry));
  ASSERT_EQ(a->globals().size(), b->globals().size());
  for (std::size_t i = 0; i < a->globals().size(); ++i) {
    const GlobalVariable &x = a->globals()[i], &y = b->globals()[i];
    EXPECT_EQ(x.name, y.name);
    EXPECT_EQ(x.bytes, y.bytes);
    EXPECT_EQ(x.initial, y.initial);
    EXPECT_EQ(x.alignment, y.alignment);
    EXPECT_EQ(x.relocations.size(), y.relocations.size());
  }
}

TEST(RoundTrip, EveryCheckedInFile) {
  const auto files = ptx_files();
  ASSERT_FALSE(files.empty());
  for (const auto& path : files) expect_round_trip(read_file(path), path.string());
}

TEST(RoundTrip, ShadowedNamesBecomeDistinct) {
  expect_round_trip(kernel(".reg .u32 %a; mov.u32 %a, 1;\n"
                           "{ .reg .u32 %a; .reg .u32 %a_2; mov.u32 %a, 2; mov.u32 %a_2, %a;\n"
                           "  L: bra M; M: bra L; }\n"
                           "L: add.u32 %a, %a, 1; bra L;"),
                    "shadow");
}

TEST(RoundTrip, Initialisers) {
  expect_round_trip(
      kHeader +
          ".func f() { ret; }\n"
          ".global .u32 x = 7;\n.const .f32 c[2][3] = {{1.0, -2.5, 0f7FC00000}, {3.0}};\n"
          ".global .u64 p[4] = {x, generic(x)+4, f, 0xffffffffffffffff};\n.global .b8 s[] = {72, 105, 0};\n"
          ".global .f64 d = 0d3FF0000000000000;\n.global .v4 .f32 v[2] = {{1.0, 2.0, 3.0, 4.0}};\n"
          ".global .s16 neg[3] = {-1, -2, (3 << 4) | 1};\n",
      "values");
}

// One instruction for every form of the opcode table, with operands made from the form: all of them parse,
// read back, and execution knows them.
class Maker {
 public:
  std::string fragment(const OpcodeForm& form, const std::string& mnemonic, std::size_t operand) {
    const std::string suffixes = mnemonic.substr(mnemonic.find('.') + 1);
    std::vector<std::string_view> names;
    for (std::size_t begin = 0; begin <= suffixes.size();) {
      const std::size_t end = std::min(suffixes.find('.', begin), suffixes.size());
      names.push_back(std::string_view(suffixes).substr(begin, end - begin));
      begin = end + 1;
    }
    OpcodeMatch match;
    OpcodeMismatch mismatch;
    EXPECT_TRUE(match_opcode(form.mnemonic, names, match, mismatch)) << mnemonic;
    ir::Instruction i;
    i.opcode = form.opcode;
    i.form = match.form;
    i.modifiers = match.modifiers;
    const Fragment f = fragment_of(i, operand);
    const std::string name = f.type == Type::f64 ? "%fd1" : f.type == Type::f32 ? "%f1" : "%r1";
    std::string list = name;
    for (unsigned k = 1; k < f.registers; ++k) list += ", " + name;
    return "{" + list + "}";
  }
  std::string operand(const OperandSpec& spec, Type type, Type source, const OpcodeForm& form) {
    const auto reg = [&](Type t) {
      if (t == Type::pred) return std::string("%p1");
      const bool floating = t == Type::f32 || t == Type::f64;
      switch (type_bytes(t)) {
        case 8:
          return std::string(floating ? "%fd1" : "%rd1");
        case 2:
          return std::string("%h1");
        default:
          return std::string(floating ? "%f1" : "%r1");
      }
    };
    switch (spec.what) {
      case OperandClass::kType:
      case OperandClass::kWideType:
      case OperandClass::kMove:
      case OperandClass::kAddressOf:
        return type == Type::b8 || type == Type::u8 || type == Type::s8 ? "%h1" : reg(type);
      case OperandClass::kSource:
      case OperandClass::kWideSource:
        return type_bytes(source) == 1 ? "%h1" : reg(source);
      case OperandClass::kWide:
        return type_bytes(type) == 2 ? "%r1" : "%rd1";
      case OperandClass::kPredicate:
        return "%p1";
      case OperandClass::kWord:
        return "%r1";
      case OperandClass::kLong:
        return "%rd1";
      case OperandClass::kImmediate:
        if (form.opcode == Opcode::mma) return "0";
        return form.opcode == Opcode::cp_async || form.opcode == Opcode::alloca_ ? "16" : "5";
      case OperandClass::kMemory:
        return "[%rd1]";
      case OperandClass::kSingle:
        return "%f1";
      case OperandClass::kPolicy:
        return "%rd1";
      case OperandClass::kVideo:
        return "%r1";
      case OperandClass::kFragment:  // fragment()
      case OperandClass::kCoordinates:
      case OperandClass::kLevel:
      case OperandClass::kGradient:
        break;  // texture_test.cpp
    }
    return "";
  }
};

std::vector<std::string> words(const std::string& text, char separator) {
  std::vector<std::string> out;
  std::stringstream in(text);
  for (std::string w; std::getline(in, w, separator);) {
    if (!w.empty()) out.push_back(w);
  }
  return out;
}

TEST(RoundTrip, EveryFormOfTheOpcodeTable) {
  // Everything but control flow and textures, which other tests cover. Each alternative of each suffix is
  // used once.
  int forms = 0, written = 0;
  std::string refused;
  for (const OpcodeForm& form : opcode_forms()) {
    const bool has_coordinates = std::string(form.suffixes).find("geom=") != std::string::npos;
    if (std::string(form.operands) == "label" || has_coordinates) continue;
    ++forms;
    const std::vector<std::string> tokens = words(form.suffixes, ' ');
    std::size_t variants = 1;
    for (const std::string& t : tokens)
      variants = std::max(variants, words(t.substr(t.find('=') + 1), '|').size());
    for (std::size_t variant = 0; variant < 2 * variants; ++variant) {
      std::string mnemonic = form.mnemonic;
      Type type = Type::kNone, source = Type::kNone;
      unsigned vector = 1;
      for (std::string t : tokens) {
        const bool optional = t.back() == '?';
        if (optional) t.pop_back();
        if (optional && variant >= variants) continue;  // second half: without what may be left out
        const std::size_t equals = t.find('=');
        const std::vector<std::string> names =
            words(equals == std::string::npos ? t : t.substr(equals + 1), '|');
        const std::string name = names[variant % names.size()];
        mnemonic += "." + name;
        const std::string role = t.substr(0, equals);
        if (role == "type") type = type_of(name);
        if (role == "stype") source = type_of(name);
        if (role == "vec") vector = static_cast<unsigned>(name[1] - '0');
      }
      if (vector * type_bytes(type) > 16) continue;
      // Parameters are named, not pointed to, in a kernel that has one only.
      if (mnemonic.find(".param") != std::string::npos &&
          (form.opcode == Opcode::ld || form.opcode == Opcode::st))
        continue;
      // Cache hints, and atomics on vectors, are for global memory.
      const bool hinted = mnemonic.find("cache_hint") != std::string::npos;
      const bool on_vector = vector > 1 && (form.opcode == Opcode::atom || form.opcode == Opcode::red);
      if ((hinted || on_vector) && form.opcode != Opcode::cp_async &&
          (mnemonic.find(".shared") != std::string::npos || mnemonic.find(".const.") != std::string::npos ||
           mnemonic.find(".local") != std::string::npos)) {
        continue;
      }
      std::string operands;
      Maker maker;
      const std::vector<OperandSpec>& specs = operand_specs(form);
      for (const OperandSpec& spec : specs) {
        if (spec.what == OperandClass::kPolicy && !hinted) continue;
        std::string o = spec.what == OperandClass::kFragment
                            ? maker.fragment(form, mnemonic, static_cast<std::size_t>(&spec - specs.data()))
                            : maker.operand(spec, type, source, form);
        if ((spec.vector || form.opcode == Opcode::mov) && vector > 1) {
          std::string list = o;
          for (unsigned k = 1; k < vector; ++k) list += ", " + (spec.destination ? std::string("_") : o);
          o = "{" + list + "}";
        }
        if (spec.pair) o += "|%p2";
        operands += (operands.empty() ? " " : ", ") + o;
      }
      const std::string text = kernel(
          ".reg .b32 %r1; .reg .u64 %rd1; .reg .f32 %f1; .reg .f64 %fd1; .reg .pred %p1; .reg .pred %p2; "
          ".reg .b16 %h1;\n" +
          mnemonic + operands + ";\nret;");
      try {
        const std::string once = disassemble(parse(text));
        EXPECT_EQ(once, disassemble(parse(once))) << mnemonic;
        EXPECT_NE(once.find(mnemonic), std::string::npos) << mnemonic;
        ++written;
      } catch (const InputError& e) {
        ADD_FAILURE() << mnemonic << operands << ": " << e.what();
        continue;
      }
      const std::string lowered = error_of(text);
      if (!lowered.empty()) refused += mnemonic + operands + "\n    " + lowered + "\n";
    }
  }
  EXPECT_GT(forms, 150);
  EXPECT_GT(written, 700);
  EXPECT_EQ(refused, "");
}

}  // namespace
}  // namespace warpvp::ptx
