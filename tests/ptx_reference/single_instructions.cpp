#include "tests/ptx_reference/single_instructions.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <functional>

#include "tests/ptx_reference/digest.h"
#include "tests/ptx_reference/random.h"

namespace warpvp::reference {
namespace {

constexpr unsigned kWarp = 32;

// ---- Values

/// What the bits of an element mean.
struct Element {
  const char* name;
  unsigned bits;                ///< of one element
  unsigned exponent, fraction;  ///< of floating-point ones; 0: integers
  unsigned place = 0;           ///< bits below it in a word that count for nothing
  char of = 'b';                ///< PTX type of a register: b, f
};
constexpr Element kElements[] = {
    {"f16", 16, 5, 10},
    {"bf16", 16, 8, 7},
    {"tf32", 32, 8, 10, 13},
    {"e4m3", 8, 4, 3},
    {"e5m2", 8, 5, 2},
    {"f32", 32, 8, 23, 0, 'f'},
    {"f64", 64, 11, 52, 0, 'f'},
    {"s4", 4, 0, 0},
    {"u4", 4, 0, 0},
    {"s8", 8, 0, 0},
    {"u8", 8, 0, 0},
    {"b1", 1, 0, 0},
    {"s16", 16, 0, 0},
    {"u16", 16, 0, 0},
    {"b16", 16, 0, 0},
    {"s32", 32, 0, 0},
    {"u32", 32, 0, 0},
    {"b32", 32, 0, 0},
    {"s64", 64, 0, 0},
    {"u64", 64, 0, 0},
    {"b64", 64, 0, 0},
};
const Element* element_named(const std::string& name) {
  const std::string one =
      name.size() > 2 && name.compare(name.size() - 2, 2, "x2") == 0 ? name.substr(0, name.size() - 2) : name;
  for (const Element& e : kElements)
    if (one == e.name) return &e;
  return nullptr;
}
/// Of a register that holds one element, or the two of a packed type.
unsigned register_bits(const std::string& type) {
  const Element& e = *element_named(type);
  return std::max(16u, e.bits * (type.back() == '2' && type.find('x') != std::string::npos ? 2 : 1));
}

/// How the elements of a warp's operands lie: which sums cancel, which terms lose bits to others.
struct Spread {
  bool raw = false;        ///< any bits
  bool special = false;    ///< zeros, infinities, NaNs, subnormal numbers among them
  int window = 0;          ///< exponents lie within +- window
  bool cancels = false;    ///< pairs of products that are nearly each other's opposite
  int sum = 0;             ///< exponents of an accumulator lie within +- sum
  bool subnormal = false;  ///< all of A is, and there is no accumulator
};
/// Of matrices: by warp of the program.
Spread spread_of(unsigned warp) {
  if (warp < 2) return {true};
  if (warp < 4) return {false, true, 1, false, 2};
  if (warp < 6) return {false, false, 3, false, 0, true};
  if (warp < 8) return {false, false, 1, false, 4};
  if (warp < 16) return {false, false, 4, false, 8};
  if (warp < 24) return {false, false, 10, false, 20};
  return {false, false, 6, true, 6};
}

std::uint64_t real_element(Random& random, const Element& e, const Spread& s, int window) {
  const std::uint64_t mask = e.bits == 64 ? ~0ull : (1ull << e.bits) - 1;
  if (s.raw) return random.bits() & mask;
  const unsigned top = (1u << e.exponent) - 1;
  const std::uint64_t sign = random.bits() & 1, below = random.bits() & ((1ull << e.place) - 1);
  const std::uint64_t fraction = random.bits() & ((1ull << e.fraction) - 1);
  const auto with = [&](std::uint64_t exponent, std::uint64_t f) {
    return ((sign << (e.exponent + e.fraction) | exponent << e.fraction | f) << e.place | below) & mask;
  };
  if (s.special && random.one_in(8)) {
    switch (random.below(5)) {
      case 0:
        return with(0, 0);
      case 1:
        return with(top, 0);
      case 2:
        return with(top, fraction);
      case 3:
        return with(0, fraction);
      default:
        return with(top - 1, fraction);
    }
  }
  const int bias = static_cast<int>(top / 2);
  const int exponent = bias + static_cast<int>(random.below(2 * static_cast<unsigned>(window) + 1)) - window;
  return with(static_cast<std::uint64_t>(std::clamp(exponent, 0, static_cast<int>(top) - 1)), fraction);
}

/// Words of elements, those of a word side by side.
void put_elements(Random& random, const std::string& type, const Spread& s, bool is_sum, bool is_first,
                  std::uint8_t* to, std::size_t bytes) {
  const Element& e = *element_named(type);
  if (e.exponent == 0) {
    for (std::size_t i = 0; i < bytes; ++i) to[i] = static_cast<std::uint8_t>(random.bits());
    // Sums near the ends of the range, for saturation.
    if (is_sum && !s.raw)
      for (std::size_t i = 3; i < bytes; i += 4) to[i] = random.one_in(2) ? 0x7f : 0x80;
    return;
  }
  const std::size_t count = bytes * 8 / e.bits, each = e.bits / 8;
  std::uint64_t before = 0;
  for (std::size_t i = 0; i < count; ++i) {
    std::uint64_t v = real_element(random, e, s, is_sum ? s.sum : s.window);
    // The exponent of A's elements is the least, and the sum too small to hide it.
    if (s.subnormal && is_first) v &= ~(((1ull << e.exponent) - 1) << (e.fraction + e.place));
    if (s.subnormal && is_sum) v = 0;
    // Two factors of A that differ in sign and, at times, in the last place, with equal ones of B.
    if (s.cancels && !is_sum && i % 2 == 1) {
      v = before;
      if (is_first) v ^= 1ull << (e.bits - 1);
      if (is_first && random.one_in(4)) v ^= 1ull << e.place;
    }
    before = v;
    std::memcpy(to + i * each, &v, each);
  }
}

/// Of an operand of an instruction that works lane by lane.
std::uint64_t scalar(Random& random, const Element& e) {
  if (e.exponent == 0) return random.integer(static_cast<int>(std::max(e.bits, 16u)));
  const std::uint64_t mask = e.bits == 64 ? ~0ull : (1ull << e.bits) - 1;
  if (e.bits >= 32 && random.one_in(2)) {
    // Near what narrower types can and cannot hold, and halfway between two of them.
    const unsigned shorter = random.of(std::vector<unsigned>{2, 3, 7, 10});
    const unsigned drop = e.fraction - shorter;
    std::uint64_t v = real_element(random, e, {}, random.one_in(2) ? 3 : 30);
    v = v >> drop << drop;
    const std::uint64_t half = 1ull << (drop - 1);
    const std::uint64_t tails[] = {0, half, half - 1, half + 1, 1, (half << 1) - 1};
    return (v | tails[random.below(6)]) & mask;
  }
  const int window = static_cast<int>(random.below(16));
  return real_element(random, e, {random.one_in(3), true, 0, false, 0}, window);
}

// ---- Programs

struct Registers {
  std::string type;    ///< of the elements
  unsigned count = 1;  ///< as a vector in braces, if `vector`
  bool vector = false;
};

/// What a program loads, executes and stores.
struct Plan {
  std::string opcode;
  std::vector<Registers> results, sources;
  std::string behind;  ///< operands behind the sources
  unsigned grid = 1, block = 256;
};

std::string declared(const Registers& r, const std::string& name) {
  const Element& e = *element_named(r.type);
  const unsigned bits = r.vector ? std::max(32u, e.bits) : register_bits(r.type);
  const bool real = r.vector ? e.of == 'f' : e.of == 'f' && bits >= 32;
  return fmt::format(".reg .{}{} {}<{}>;\n", real ? 'f' : 'b', bits, name, r.count);
}
std::string listed(const Registers& r, const std::string& name) {
  std::string text = r.vector ? "{" : "";
  for (unsigned i = 0; i < r.count; ++i) text += fmt::format("{}{}{}", i == 0 ? "" : ",", name, i);
  return text + (r.vector ? "}" : "");
}

std::string head() {
  return fmt::format(
      ".version 8.7\n.target sm_90\n.address_size 64\n"
      ".visible .entry k(.param .u64 in, .param .u64 out, .param .u64 cells)\n{{\n"
      ".reg .b32 %t<4>; .reg .b64 %p<4>;\n"
      "mov.u32 %t0, %ctaid.x; mov.u32 %t1, %ntid.x; mov.u32 %t2, %tid.x; mad.lo.u32 %t3, %t0, %t1, %t2;\n"
      "ld.param.u64 %p0, [in]; mad.wide.u32 %p2, %t3, {}, %p0;\n"
      "ld.param.u64 %p1, [out]; mad.wide.u32 %p3, %t3, {}, %p1;\n",
      GeneratedProgram::kInputBytes, GeneratedProgram::kOutputBytes);
}

/// One without inputs. Operands begin at multiples of eight bytes of a thread's input.
SingleInstruction program_of(const Plan& plan) {
  SingleInstruction one;
  one.name = plan.opcode;
  std::string text = head(), operands, store;
  std::size_t at = 0;
  for (std::size_t s = 0; s < plan.sources.size(); ++s) {
    const Registers& r = plan.sources[s];
    const std::string name = fmt::format("%s{}_", s);
    text += declared(r, name);
    const Element& e = *element_named(r.type);
    const unsigned bits = r.vector ? std::max(32u, e.bits) : register_bits(r.type);
    for (unsigned i = 0; i < r.count; ++i) {
      const bool real = e.of == 'f' && bits >= 32;
      text += fmt::format("ld.global.{}{} {}{}, [%p2+{}];\n", real ? 'f' : 'b', bits, name, i, at);
      at += std::max(4u, bits / 8);
    }
    at = (at + 7) / 8 * 8;
    operands += (operands.empty() ? "" : ", ") + listed(r, name);
  }
  std::string written;
  std::size_t to = 0;
  for (std::size_t d = 0; d < plan.results.size(); ++d) {
    const Registers& r = plan.results[d];
    const std::string name = fmt::format("%d{}_", d);
    written += (d == 0 ? "" : "|");
    if (r.type == "pred") {
      text += fmt::format(".reg .pred {0}<1>; .reg .b32 %w{1};\n", name, d);
      store += fmt::format("selp.b32 %w{0}, 1, 0, {1}0; st.global.b32 [%p3+{2}], %w{0};\n", d, name, to);
      to += 4;
      written += name + "0";
      continue;
    }
    text += declared(r, name);
    const Element& e = *element_named(r.type);
    const unsigned bits = r.vector ? std::max(32u, e.bits) : register_bits(r.type);
    for (unsigned i = 0; i < r.count; ++i) {
      const bool real = e.of == 'f' && bits >= 32;
      store += fmt::format("st.global.{}{} [%p3+{}], {}{};\n", real ? 'f' : 'b', bits, to, name, i);
      to += std::max(4u, bits / 8);
    }
    written += listed(r, name);
  }
  one.result_words = static_cast<unsigned>(to / 4);
  one.program.block = {plan.block, 1, 1};
  one.program.grid = {plan.grid, 1, 1};
  one.program.cells.resize(GeneratedProgram::kCellBytes);
  one.program.root.droppable = false;
  one.program.root.text = text +
                          fmt::format("{} {}{}{}{};\n", plan.opcode, written, operands.empty() ? "" : ", ",
                                      operands, plan.behind) +
                          store + "ret;\n}\n";
  one.program.in.resize(one.program.threads() * GeneratedProgram::kInputBytes);
  return one;
}

Random inputs_of(const std::string& name) { return Random(fnv(kFnv, name.data(), name.size())); }

// ---- Lane by lane

/// `sources`, and `results`, separated by blanks: a type, or D or S, the first and the last type of the
/// opcode. "few": 32-bit integers of which there are few. p: a predicate.
struct ScalarForm {
  const char* opcodes;
  const char* results;
  const char* sources;
  const char* behind = "";
  bool approximate = false;
};
#define RELATIONS "{eq|ne|lt|le|gt|ge|equ|neu|ltu|leu|gtu|geu|num|nan}"
constexpr ScalarForm kScalarForms[] = {
    {"{add|sub|mul}{|.rn}{|.ftz}{|.sat}.{f16|f16x2}", "D", "D D"},
    {"{add|sub|mul}{|.rn}.{bf16|bf16x2}", "D", "D D"},
    {"fma.rn{|.ftz}{|.sat|.relu}.{f16|f16x2}", "D", "D D D"},
    {"fma.rn{|.relu}.{bf16|bf16x2}", "D", "D D D"},
    {"{abs|neg}{|.ftz}.{f16|f16x2}", "D", "D"},
    {"{abs|neg}.{bf16|bf16x2}", "D", "D"},
    {"{min|max}{|.ftz}{|.NaN}{|.xorsign.abs}.{f16|f16x2|f32}", "D", "D D"},
    {"{min|max}{|.NaN}{|.xorsign.abs}.{bf16|bf16x2}", "D", "D D"},
    {"{add|min|max}.{u16x2|s16x2}", "D", "D D"},
    {"{min|max}.relu.{s16x2|s32}", "D", "D D"},
    {"ex2.approx.{f16|f16x2|ftz.bf16|ftz.bf16x2}", "D", "D", "", true},
    {"tanh.approx.{f16|f16x2|bf16|bf16x2}", "D", "D", "", true},
    {"cvt.{rn|rz}{|.relu}{|.satfinite}.{f16|bf16}.f32", "D", "S"},
    {"cvt.{rn|rz}{|.relu}.tf32.f32", "D", "S"},
    {"cvt.{rm|rp}.{f16|bf16}.f32", "D", "S"},
    {"cvt.{rn|rz|rm|rp}.ftz.f16.f32", "D", "S"},
    {"cvt.{rn|rz|rm|rp}{|.sat}.f16.{f64|u8|u16|u32|u64|s8|s16|s32|s64}", "D", "S"},
    {"cvt.{rn|rz|rm|rp}.bf16.{f64|f16|u16|u32|u64|s16|s32|s64}", "D", "S"},
    {"cvt.{rn|rz|rm|rp}.f16.bf16", "D", "S"},
    {"cvt{|.ftz}{|.sat}.f32.f16", "D", "S"},
    {"cvt{|.sat}.f64.f16", "D", "S"},
    {"cvt.{f32|f64}.bf16", "D", "S"},
    {"cvt.{rni|rzi|rmi|rpi}.{u8|u16|u32|u64|s8|s16|s32|s64}.f16", "D", "S"},
    {"cvt.{rni|rzi|rmi|rpi}.{u16|u32|u64|s16|s32|s64}.bf16", "D", "S"},
    {"cvt.{rni|rzi|rmi|rpi}{|.sat}.f16.f16", "D", "S"},
    {"cvt.{rni|rzi|rmi|rpi}.bf16.bf16", "D", "S"},
    {"cvt.{rn|rz}{|.relu}{|.satfinite}.{f16x2|bf16x2}.f32", "D", "S S"},
    {"cvt.rna{|.satfinite}.tf32.f32", "D", "S"},
    {"cvt.rn.satfinite{|.relu}.{e4m3x2|e5m2x2}.f32", "D", "S S"},
    {"cvt.rn.satfinite{|.relu}.{e4m3x2|e5m2x2}.f16x2", "D", "S"},
    {"cvt.rn{|.relu}.f16x2.{e4m3x2|e5m2x2}", "D", "S"},
    {"setp." RELATIONS "{|.ftz}.f16", "p", "D D"},
    {"setp." RELATIONS "{|.ftz}.f16x2", "p p", "D D"},
    {"setp." RELATIONS ".bf16", "p", "D D"},
    {"setp." RELATIONS ".bf16x2", "p p", "D D"},
    {"set." RELATIONS "{|.ftz}.{u16|s32|f16}.f16", "D", "S S"},
    {"set." RELATIONS "{|.ftz}.{u32|f16x2}.f16x2", "D", "S S"},
    {"set." RELATIONS ".{u16|s32|bf16}.bf16", "D", "S S"},
    {"set." RELATIONS ".{u32|bf16x2}.bf16x2", "D", "S S"},
    {"set." RELATIONS "{|.ftz}.f16.f32", "D", "S S"},
    {"set." RELATIONS ".bf16.f32", "D", "S S"},
    {"redux.sync.{add|min|max}.{u32|s32}", "D", "D", ", -1"},
    {"redux.sync.{and|or|xor}.b32", "D", "D", ", -1"},
    {"match.any.sync.b32", "b32", "few", ", -1"},
    {"match.any.sync.b64", "b32", "b64", ", -1"},
    {"match.all.sync.b32", "b32 p", "few", ", -1"},
    {"elect.sync", "b32 p", "", ", -1"},
    {"movmatrix.sync.aligned.m8n8.trans.b16", "b32", "b32"},
};
#undef RELATIONS

std::vector<std::string> words_of(const std::string& text, char between) {
  std::vector<std::string> words(1);
  for (const char c : text) {
    if (c == between)
      words.emplace_back();
    else
      words.back() += c;
  }
  if (words.back().empty()) words.pop_back();
  return words;
}

void add_scalar(std::vector<SingleInstruction>& all, const ScalarForm& form) {
  for (const std::string& opcode : expansions(form.opcodes)) {
    std::vector<std::string> types;
    for (const std::string& part : words_of(opcode, '.'))
      if (element_named(part)) types.push_back(part);
    const auto meant = [&](const std::string& word) -> std::string {
      if (word == "D") return types.front();
      if (word == "S") return types.back();
      return word == "p" ? "pred" : word == "few" ? "u32" : word;
    };
    Plan plan;
    plan.opcode = opcode;
    plan.behind = form.behind;
    const auto results = words_of(form.results, ' '), sources = words_of(form.sources, ' ');
    for (const std::string& word : results) plan.results.push_back({meant(word)});
    for (const std::string& word : sources) plan.sources.push_back({meant(word)});
    SingleInstruction one = program_of(plan);
    one.approximate = form.approximate;
    Random random = inputs_of(opcode);
    for (std::size_t t = 0; t < one.program.threads(); ++t) {
      std::size_t at = t * GeneratedProgram::kInputBytes;
      for (std::size_t s = 0; s < sources.size(); ++s, at += 8) {
        const std::string& type = plan.sources[s].type;
        const Element& e = *element_named(type);
        std::uint64_t v = sources[s] == "few" ? random.below(3) : scalar(random, e);
        if (register_bits(type) > std::max(e.bits, 16u) || (e.bits == 8 && e.exponent != 0))
          v = (v & ((1ull << e.bits) - 1)) | scalar(random, e) << e.bits;
        std::memcpy(one.program.in.data() + at, &v, 8);
      }
    }
    all.push_back(std::move(one));
  }
}

// ---- Matrices

struct Shape {
  unsigned m, n, k;
};
Shape shape_of(const std::string& opcode) {
  Shape s{};
  const std::size_t at = opcode.find(".m");
  std::sscanf(opcode.c_str() + at, ".m%un%uk%u", &s.m, &s.n, &s.k);
  return s;
}

constexpr unsigned kMatrixWarps = 32;

/// The operands of matrices in a thread's, or a warp's, input: where each begins, its type, whether it is A,
/// or the sum.
struct Part {
  std::string type;
  std::size_t bytes;
  bool is_sum, is_first;
};
void put_matrices(SingleInstruction& one, const std::vector<Part>& parts, std::size_t lanes) {
  Random random = inputs_of(one.name);
  for (std::size_t t = 0; t < one.program.threads(); t += lanes) {
    const Spread spread = spread_of(static_cast<unsigned>(t / kWarp));
    std::size_t at = t * GeneratedProgram::kInputBytes;
    for (const Part& part : parts) {
      put_elements(random, part.type, spread, part.is_sum, part.is_first, one.program.in.data() + at,
                   part.bytes);
      at += (part.bytes + 7) / 8 * 8;
    }
  }
}

/// Behind "mma.sync.aligned." and "mma.sp::ordered_metadata.sync.aligned.": D, A, B and C are the last four
/// types.
constexpr const char* kProducts[] = {
    "m16n8k{8|16}.row.col.{f16.f16.f16.f16|f32.f16.f16.f32|f32.bf16.bf16.f32}",
    "m16n8k{4|8}.row.col.f32.tf32.tf32.f32",
    "m16n8k{16|32}.row.col.f32.{e4m3|e5m2}.{e4m3|e5m2}.f32",
    "m16n8k{16|32}.row.col.f16.{e4m3|e5m2}.{e4m3|e5m2}.f16",
    "m8n8k4.{row|col}.{row|col}.{f16.f16.f16.f16|f32.f16.f16.f16|f32.f16.f16.f32}",
    "m8n8k4.row.col.f64.f64.f64.f64",
    "m16n8k{4|8|16}.row.col.f64.f64.f64.f64",
    "m8n8k16.row.col{|.satfinite}.s32.{s8|u8}.{s8|u8}.s32",
    "m16n8k{16|32}.row.col{|.satfinite}.s32.{s8|u8}.{s8|u8}.s32",
    "m8n8k32.row.col{|.satfinite}.s32.{s4|u4}.{s4|u4}.s32",
    "m16n8k{32|64}.row.col{|.satfinite}.s32.{s4|u4}.{s4|u4}.s32",
    "m8n8k128.row.col.s32.b1.b1.s32.{xor|and}.popc",
    "m16n8k{128|256}.row.col.s32.b1.b1.s32.{xor|and}.popc",
};
constexpr const char* kSparseProducts[] = {
    "m16n8k{16|32}.row.col.{f16.f16.f16.f16|f32.f16.f16.f32|f32.bf16.bf16.f32}",
    "m16n8k{8|16}.row.col.f32.tf32.tf32.f32",
    "m16n8k64.row.col.f32.{e4m3|e5m2}.{e4m3|e5m2}.f32",
    "m16n8k{32|64}.row.col{|.satfinite}.s32.{s8|u8}.{s8|u8}.s32",
    "m16n8k{64|128}.row.col{|.satfinite}.s32.{s4|u4}.{s4|u4}.s32",
};

/// How many values the selector of mma.sp has (PTX ISA 9.7.14.6.1).
unsigned selectors(const Shape& s, const std::string& type) {
  const unsigned bits = element_named(type)->bits;
  if (bits == 16) return s.k == 16 ? 4 : 2;
  if (bits == 32) return s.k == 8 ? 4 : 2;
  return s.k * bits == 256 ? 2 : 1;
}

void add_product(std::vector<SingleInstruction>& all, const std::string& suffixes, bool sparse,
                 unsigned selector) {
  const Shape s = shape_of("." + suffixes);
  std::vector<std::string> types;
  for (const std::string& part : words_of(suffixes, '.'))
    if (element_named(part)) types.push_back(part);
  const bool quarters = s.m == 8 && s.k == 4 && types[1] == "f16";
  const auto registers = [&](unsigned elements, const std::string& type) -> Registers {
    const unsigned bits = element_named(type)->bits;
    return {type, elements * bits / std::max(32u, bits) / kWarp, true};
  };
  const unsigned products = quarters ? 4 : 1;
  Plan plan;
  plan.opcode = (sparse ? "mma.sp::ordered_metadata.sync.aligned." : "mma.sync.aligned.") + suffixes;
  plan.grid = kMatrixWarps;
  plan.block = kWarp;
  plan.results = {registers(products * s.m * s.n, types[0])};
  plan.sources = {registers(products * s.m * s.k / (sparse ? 2 : 1), types[1]),
                  registers(products * s.k * s.n, types[2]), registers(products * s.m * s.n, types[3])};
  if (sparse) {
    plan.sources.push_back({"b32"});
    plan.behind = fmt::format(", {}", selector);
  }
  SingleInstruction one = program_of(plan);
  if (sparse) one.name += fmt::format(" {}", selector);
  std::vector<Part> parts;
  for (std::size_t i = 0; i < 3; ++i) {
    const Registers& r = plan.sources[i];
    parts.push_back({r.type, r.count * std::max(32u, element_named(r.type)->bits) / 8, i == 2, i == 0});
  }
  put_matrices(one, parts, 1);
  if (sparse) {
    // Two of each four, in order; of tf32 one of two.
    std::size_t at = 0;
    for (const Part& part : parts) at += (part.bytes + 7) / 8 * 8;
    Random random = inputs_of("metadata of " + one.name);
    const std::vector<unsigned> places = types[1] == "tf32"
                                             ? std::vector<unsigned>{0x4, 0xe}
                                             : std::vector<unsigned>{0x4, 0x8, 0x9, 0xc, 0xd, 0xe};
    for (std::size_t t = 0; t < one.program.threads(); ++t) {
      std::uint32_t word = 0;
      for (unsigned i = 0; i < 8; ++i) word |= random.of(places) << (4 * i);
      std::memcpy(one.program.in.data() + t * GeneratedProgram::kInputBytes + at, &word, 4);
    }
  }
  all.push_back(std::move(one));
}

/// Whole matrices of a warp, through memory. D, A, B, C and the registers that a lane has of each.
struct WholeProduct {
  const char* shape;
  const char* layouts;
  const char* suffixes;  ///< of wmma.mma, behind the shape
  const char *d, *a, *b, *c;
  unsigned of_d, of_a, of_b, of_c;
};
constexpr WholeProduct kWholeProducts[] = {
    {"m16n16k16", "{row|col}.{row|col}", "f32.f32", "f32", "f16", "f16", "f32", 8, 8, 8, 8},
    {"m32n8k16", "row.col", "f32.f32", "f32", "f16", "f16", "f32", 8, 8, 8, 8},
    {"m8n32k16", "row.col", "f32.f32", "f32", "f16", "f16", "f32", 8, 8, 8, 8},
    {"m16n16k16", "row.col", "f16.f16", "f16", "f16", "f16", "f16", 4, 8, 8, 4},
    {"m16n16k16", "row.col", "f16.f32", "f16", "f16", "f16", "f32", 4, 8, 8, 8},
    {"m16n16k16", "row.col", "f32.f16", "f32", "f16", "f16", "f16", 8, 8, 8, 4},
    {"m16n16k16", "row.col", "f32.bf16.bf16.f32", "f32", "bf16", "bf16", "f32", 8, 4, 4, 8},
    {"m16n16k8", "row.col", "f32.tf32.tf32.f32", "f32", "tf32", "tf32", "f32", 8, 4, 4, 8},
    {"m16n16k16", "row.col", "s32.s8.s8.s32", "s32", "s8", "s8", "s32", 8, 2, 2, 8},
    {"m16n16k16", "row.col", "s32.u8.u8.s32.satfinite", "s32", "u8", "u8", "s32", 8, 2, 2, 8},
    {"m8n8k4", "row.col", "rn.f64.f64.f64.f64", "f64", "f64", "f64", "f64", 2, 1, 1, 2},
    {"m8n8k32", "row.col", "s32.s4.s4.s32", "s32", "s4", "s4", "s32", 2, 1, 1, 2},
    {"m8n8k128", "row.col", "s32.b1.b1.s32", "s32", "b1", "b1", "s32", 2, 1, 1, 2},
};

void add_whole(std::vector<SingleInstruction>& all, const WholeProduct& w, const std::string& layouts) {
  constexpr std::size_t kB = 2048, kC = 4096;  // of a warp's input
  const Shape s = shape_of(std::string(".") + w.shape);
  const std::string of_a = layouts.substr(0, 3), of_b = layouts.substr(4);
  const bool bits = std::string(w.a) == "b1";
  SingleInstruction one;
  one.name =
      fmt::format("wmma.mma{}.sync.aligned.{}.{}.{}", bits ? ".xor.popc" : "", layouts, w.shape, w.suffixes);
  std::string text = head();
  text += fmt::format("mul.wide.u32 %p2, %t0, {}; add.u64 %p2, %p2, %p0;\n",
                      kWarp * GeneratedProgram::kInputBytes);
  text += fmt::format("mul.wide.u32 %p3, %t0, {}; add.u64 %p3, %p3, %p1;\n",
                      kWarp * GeneratedProgram::kOutputBytes);
  const Registers d{w.d, w.of_d, true}, a{w.a, w.of_a, true}, b{w.b, w.of_b, true}, c{w.c, w.of_c, true};
  text += declared(d, "%d") + declared(a, "%a") + declared(b, "%b") + declared(c, "%c");
  const auto load = [&](char which, const Registers& r, const std::string& layout, std::size_t at,
                        unsigned stride) {
    return fmt::format("add.u64 %p0, %p2, {};\nwmma.load.{}.sync.aligned.{}.{}.global.{} {}, [%p0], {};\n",
                       at, which, layout, w.shape, r.type, listed(r, fmt::format("%{}", which)), stride);
  };
  text += load('a', a, of_a, 0, of_a == "row" ? s.k : s.m) +
          load('b', b, of_b, kB, of_b == "row" ? s.n : s.k) + load('c', c, "row", kC, s.n);
  text += fmt::format("{} {}, {}, {}, {};\n", one.name, listed(d, "%d"), listed(a, "%a"), listed(b, "%b"),
                      listed(c, "%c"));
  text += fmt::format("wmma.store.d.sync.aligned.row.{}.global.{} [%p3], {}, {};\nret;\n}}\n", w.shape, w.d,
                      listed(d, "%d"), s.n);
  one.result_words = GeneratedProgram::kOutputBytes / 4;
  one.program.block = {kWarp, 1, 1};
  one.program.grid = {kMatrixWarps, 1, 1};
  one.program.cells.resize(GeneratedProgram::kCellBytes);
  one.program.root.droppable = false;
  one.program.root.text = text;
  one.program.in.resize(one.program.threads() * GeneratedProgram::kInputBytes);
  put_matrices(one, {{w.a, kB, false, true}, {w.b, kC - kB, false, false}, {w.c, 2048, true, false}}, kWarp);
  all.push_back(std::move(one));
}

}  // namespace

std::vector<SingleInstruction> single_instructions() {
  std::vector<SingleInstruction> all;
  for (const ScalarForm& form : kScalarForms) add_scalar(all, form);
  for (const char* pattern : kProducts)
    for (const std::string& suffixes : expansions(pattern)) add_product(all, suffixes, false, 0);
  for (const char* pattern : kSparseProducts) {
    for (const std::string& suffixes : expansions(pattern)) {
      std::vector<std::string> types;
      for (const std::string& part : words_of(suffixes, '.'))
        if (element_named(part)) types.push_back(part);
      const unsigned count = selectors(shape_of("." + suffixes), types[1]);
      for (unsigned s = 0; s < count; ++s) add_product(all, suffixes, true, s);
    }
  }
  for (const WholeProduct& w : kWholeProducts)
    for (const std::string& layouts : expansions(w.layouts)) add_whole(all, w, layouts);
  return all;
}

unsigned warps_of(const SingleInstruction& i) { return static_cast<unsigned>(i.program.threads() / kWarp); }

std::uint32_t warp_digest(const SingleInstruction& i, const std::vector<std::uint8_t>& out, unsigned warp) {
  std::uint64_t hash = kFnv;
  for (std::size_t t = warp * kWarp; t < (warp + 1) * kWarp; ++t)
    hash = fnv(hash, out.data() + t * GeneratedProgram::kOutputBytes, i.result_words * 4u);
  return folded(hash);
}

}  // namespace warpvp::reference
