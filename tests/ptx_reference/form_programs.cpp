#include "tests/ptx_reference/form_programs.h"

#include <fmt/format.h>

#include <cstring>
#include <set>
#include <sstream>

#include "tests/ptx_reference/digest.h"
#include "tests/ptx_reference/registers.h"

namespace warpvp::reference {
namespace {

constexpr unsigned kThreads = 256;

Piece fixed(std::string text) { return {std::move(text), "", {}, false}; }

/// The registers that the instruction writes: what stands first, without selectors, and what is behind a '|'.
std::vector<std::string> destinations(const std::string& instruction) {
  const std::size_t begin = instruction.find(' ') + 1;
  std::string first = instruction.substr(begin, instruction.find(',') - begin);
  std::vector<std::string> all;
  if (const std::size_t bar = first.find('|'); bar != std::string::npos) {
    all.push_back(first.substr(bar + 1));
    first.resize(bar);
  }
  all.insert(all.begin(), first.substr(0, first.find('.')));
  return all;
}

/// Stores a register in eight bytes at [%a1+offset], a predicate in four.
std::string store(const std::string& name, std::size_t offset) {
  switch (name[1]) {
    case 'p':
      return fmt::format("selp.u32 %k0, 1, 0, {}; st.global.u32 [%a1+{}], %k0;\n", name, offset);
    case 'h':
      return fmt::format("st.global.b16 [%a1+{}], {};\n", offset, name);
    case 'r':
    case 'f':
      return fmt::format("st.global.b32 [%a1+{}], {};\n", offset, name);
    default:
      return fmt::format("st.global.b64 [%a1+{}], {};\n", offset, name);
  }
}

/// Gives a register its input again.
std::string restore(const std::string& name) {
  if (name[1] == 'p') return first_predicate(static_cast<unsigned>(std::stoi(name.substr(2))));
  std::string s;
  for_each_input([&](const InputRegister& r) {
    if (r.name == name) s = load_of(r, "%a0");
  });
  return s;
}

/// A program without its instructions.
FormProgram empty_program(unsigned threads) {
  FormProgram p;
  p.program.block = {threads, 1, 1};
  p.program.cells.resize(GeneratedProgram::kCellBytes);
  p.program.root.droppable = false;
  p.program.root.text = fmt::format(
      ".version 8.5\n.target sm_90\n.address_size 64\n"
      ".visible .entry k(.param .u64 in, .param .u64 out, .param .u64 cells)\n{{\n{}"
      ".reg .b32 %k<2>; .reg .b64 %a<2>;\n"
      "mov.u32 %k0, %tid.x; ld.param.u64 %a0, [in]; mad.wide.u32 %a0, %k0, {}, %a0;\n"
      "ld.param.u64 %a1, [out]; mad.wide.u32 %a1, %k0, {}, %a1;\n{}",
      Pools::declarations(), GeneratedProgram::kInputBytes, GeneratedProgram::kOutputBytes,
      load_all_registers("%a0"));
  p.program.root.behind = "ret;\n}\n";
  return p;
}

void add(FormProgram& p, const std::string& name, const std::string& opcode, const std::string& instruction) {
  std::size_t offset = p.opcodes.size() * FormProgram::kSlotBytes;
  std::string text = instruction + "\n";
  const std::vector<std::string> written = destinations(instruction);
  for (const std::string& name : written) {
    text += store(name, offset);
    offset += 8;
  }
  for (const std::string& name : written) text += restore(name);
  Piece piece = fixed(text);
  piece.droppable = true;
  p.program.root.inside.push_back(std::move(piece));
  p.names.push_back(name);
  p.opcodes.push_back(opcode);
  p.instructions.push_back(instruction);
}

/// What a register holds in a thread's input.
std::uint64_t input_of(const GeneratedProgram& program, unsigned thread, const std::string& name) {
  std::uint64_t value = 0;
  for_each_input([&](const InputRegister& r) {
    if (r.name == name)
      std::memcpy(&value, program.in.data() + thread * GeneratedProgram::kInputBytes + r.offset, r.bytes);
  });
  return value;
}

/// Values at which functions turn; the encodings of f32.
const std::vector<std::uint32_t>& special_points() {
  static const std::vector<std::uint32_t> kPoints = {
      0x00000000, 0x80000000, 0x7f800000, 0xff800000, 0x7fffffff, 0x7f800001, 0xffc12345, 0x00000001,
      0x80000001, 0x007fffff, 0x807fffff, 0x00800000, 0x80800000, 0x7f7fffff, 0xff7fffff, 0x3f800000,
      0xbf800000, 0x3f000000, 0x40000000, 0x40400000, 0x3f7fffff, 0x3f800001, 0x3fc90fdb, 0x40490fdb,
      0x40c90fdb, 0xc2fc0000, 0x42fe0000, 0x43000000, 0xc3160000, 0x7e800000, 0x7e800001, 0x7f000001};
  return kPoints;
}

}  // namespace

std::vector<FormProgram> form_programs() {
  Random inputs(1);
  GeneratedProgram with_inputs;
  with_inputs.block = {kThreads, 1, 1};
  put_inputs(inputs, with_inputs);
  std::vector<FormProgram> all;
  const auto append = [&](const std::string& name, const std::string& opcode, const std::string& text) {
    if (all.empty() || all.back().opcodes.size() == FormProgram::kSlots) {
      all.push_back(empty_program(kThreads));
      all.back().program.seed = all.size() - 1;
      all.back().program.in = with_inputs.in;
    }
    add(all.back(), name, opcode, text);
  };
  std::set<std::string> taken;
  for (const Form& form : forms()) {
    for (const std::string& opcode : expansions(form.opcode)) {
      const std::string name = taken.insert(opcode).second ? opcode : opcode + " " + form.operands;
      // A seed of its own: other forms that come or go change nothing for this one.
      Random random(fnv(kFnv, opcode.data(), opcode.size()) + std::strlen(form.operands));
      for (unsigned draw = 0; draw < kDraws; ++draw)
        append(name, opcode, instruction(random, opcode, form.operands));
    }
  }
  return all;
}

bool left_open(const FormProgram& form, std::size_t slot, unsigned thread) {
  const std::string &opcode = form.opcodes[slot], name = opcode.substr(0, opcode.find('.'));
  const bool is_fns = name == "fns";
  const bool is_double = opcode.size() > 4 && opcode.compare(opcode.size() - 4, 4, ".f64") == 0 &&
                         (name == "add" || name == "sub" || name == "mul" || name == "fma" || name == "mad" ||
                          name == "div" || name == "min" || name == "max");
  const bool is_copy = opcode == "cvt.f32.f32" || opcode == "cvt.f64.f64";
  if (!is_fns && !is_double && !is_copy) return false;
  unsigned nans = 0;
  std::uint64_t last = 0;
  std::stringstream operands(form.instructions[slot].substr(form.instructions[slot].find(',') + 1));
  for (std::string text; std::getline(operands, text, ',');) {
    text.erase(0, text.find_first_not_of(' '));
    text.erase(text.find_last_not_of(" ;") + 1);
    last = text[0] == '%' ? input_of(form.program, thread, text)
                          : std::stoull(text.substr(0, 2) == "0d" ? text.substr(2) : text, nullptr,
                                        text.substr(0, 2) == "0d" ? 16 : 0);
    nans += opcode == "cvt.f32.f32" ? (last & 0x7fffffffu) > 0x7f800000u
                                    : (last & 0x7fffffffffffffffull) > 0x7ff0000000000000ull;
  }
  return is_fns ? last == 0x80000000 : nans > (is_copy ? 0 : 1);
}

std::uint32_t opcode_digest(const FormProgram& form, const std::vector<std::uint8_t>& out, std::size_t slot) {
  std::uint64_t hash = kFnv;
  for (std::size_t at = slot; at < slot + kDraws; ++at)
    for (unsigned t = 0; t < form.program.threads(); ++t)
      if (!left_open(form, at, t))
        hash = fnv(hash, out.data() + t * GeneratedProgram::kOutputBytes + at * FormProgram::kSlotBytes,
                   FormProgram::kSlotBytes);
  return folded(hash);
}

std::uint32_t outcome_digest(const Outcome& outcome) {
  return folded(
      fnv(fnv(kFnv, outcome.out.data(), outcome.out.size()), outcome.cells.data(), outcome.cells.size()));
}

std::uint32_t program_digest(const GeneratedProgram& p) {
  const std::string text = p.text();
  std::uint64_t hash = fnv(kFnv, text.data(), text.size());
  hash = fnv(hash, p.in.data(), p.in.size());
  hash = fnv(hash, p.cells.data(), p.cells.size());
  hash = fnv(hash, p.block.data(), sizeof p.block);
  return folded(fnv(hash, p.grid.data(), sizeof p.grid));
}

const std::vector<ApproximateForm>& approximate_forms() {
  static const std::vector<ApproximateForm> kForms = {{"rcp.approx.f32"},
                                                      {"rcp.approx.ftz.f32"},
                                                      {"sqrt.approx.f32"},
                                                      {"sqrt.approx.ftz.f32"},
                                                      {"rsqrt.approx.f32"},
                                                      {"rsqrt.approx.ftz.f32"},
                                                      {"sin.approx.f32"},
                                                      {"sin.approx.ftz.f32"},
                                                      {"cos.approx.f32"},
                                                      {"cos.approx.ftz.f32"},
                                                      {"lg2.approx.f32"},
                                                      {"lg2.approx.ftz.f32"},
                                                      {"ex2.approx.f32"},
                                                      {"ex2.approx.ftz.f32"},
                                                      {"tanh.approx.f32"},
                                                      {"div.approx.f32", 2},
                                                      {"div.approx.ftz.f32", 2},
                                                      {"div.full.f32", 2},
                                                      {"div.full.ftz.f32", 2},
                                                      {"rcp.approx.ftz.f64", 1, 64},
                                                      {"rsqrt.approx.ftz.f64", 1, 64},
                                                      {"rsqrt.approx.f64", 1, 64}};
  return kForms;
}

FormProgram approximate_program() {
  FormProgram p = empty_program(kApproximatePoints);
  Random random(2);
  put_inputs(random, p.program);
  unsigned first = 0, double_first = 0, second = 0;
  for_each_input([&](const InputRegister& r) {
    if (r.name == "%f0") first = r.offset;
    if (r.name == "%f1") second = r.offset;
    if (r.name == "%g0") double_first = r.offset;
  });
  const std::vector<std::uint32_t>& points = special_points();
  for (unsigned t = 0; t < kApproximatePoints; ++t) {
    std::uint8_t* const in = p.program.in.data() + t * GeneratedProgram::kInputBytes;
    // Behind the special values: ordinary numbers, most of both signs near one, the rest of any size.
    std::uint32_t x = static_cast<std::uint32_t>(random.bits());
    if (t >= points.size()) {
      const std::uint32_t exponent = t % 4 == 0 ? 1 + (x >> 8) % 254 : 119 + (x >> 8) % 16;
      x = (x & 0x80000000) | exponent << 23 | (static_cast<std::uint32_t>(random.bits()) & 0x7fffff);
      if (t % 2 == 0) x &= 0x7fffffff;
    } else {
      x = points[t];
      const std::uint32_t y = points[(t * 7 + 3) % points.size()];
      std::memcpy(in + second, &y, 4);
    }
    std::memcpy(in + first, &x, 4);
    if (t >= 16) {  // the first ones keep the special values of put_inputs
      float f = 0;
      std::memcpy(&f, &x, 4);
      const double d = f;
      std::memcpy(in + double_first, &d, 8);
    }
  }
  for (const ApproximateForm& f : approximate_forms())
    add(p, f.opcode, f.opcode,
        f.bits == 64      ? fmt::format("{} %g2, %g0;", f.opcode)
        : f.operands == 2 ? fmt::format("{} %f2, %f0, %f1;", f.opcode)
                          : fmt::format("{} %f2, %f0;", f.opcode));
  return p;
}

std::uint64_t approximate_operand(const GeneratedProgram& program, unsigned thread, unsigned number,
                                  int bits) {
  return input_of(program, thread, fmt::format("%{}{}", bits == 64 ? 'g' : 'f', number));
}

}  // namespace warpvp::reference
