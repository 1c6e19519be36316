#include <array>
#include <optional>

#include "modules/command_processor/riscv/instruction.h"

namespace warpvp::riscv {

namespace {

constexpr std::uint32_t bits(std::uint32_t value, unsigned high, unsigned low) {
  return value >> low & ((1u << (high - low + 1)) - 1);
}
constexpr std::int32_t sign_extend(std::uint32_t value, unsigned width) {
  return static_cast<std::int32_t>(value << (32 - width)) >> (32 - width);
}

constexpr std::int32_t immediate_i(std::uint32_t v) { return sign_extend(v >> 20, 12); }
constexpr std::int32_t immediate_s(std::uint32_t v) {
  return sign_extend(bits(v, 31, 25) << 5 | bits(v, 11, 7), 12);
}
constexpr std::int32_t immediate_b(std::uint32_t v) {
  return sign_extend(bits(v, 31, 31) << 12 | bits(v, 7, 7) << 11 | bits(v, 30, 25) << 5 | bits(v, 11, 8) << 1,
                     13);
}
constexpr std::int32_t immediate_j(std::uint32_t v) {
  return sign_extend(
      bits(v, 31, 31) << 20 | bits(v, 19, 12) << 12 | bits(v, 20, 20) << 11 | bits(v, 30, 21) << 1, 21);
}
constexpr std::int32_t immediate_ci(std::uint32_t v) {
  return sign_extend(bits(v, 12, 12) << 5 | bits(v, 6, 2), 6);
}
constexpr std::uint32_t offset_cl(std::uint32_t v) {
  return bits(v, 5, 5) << 6 | bits(v, 12, 10) << 3 | bits(v, 6, 6) << 2;
}
constexpr std::int32_t offset_cj(std::uint32_t v) {
  return sign_extend(bits(v, 12, 12) << 11 | bits(v, 8, 8) << 10 | bits(v, 10, 9) << 8 | bits(v, 6, 6) << 7 |
                         bits(v, 7, 7) << 6 | bits(v, 2, 2) << 5 | bits(v, 11, 11) << 4 | bits(v, 5, 3) << 1,
                     12);
}
constexpr std::int32_t offset_cb(std::uint32_t v) {
  return sign_extend(bits(v, 12, 12) << 8 | bits(v, 6, 5) << 6 | bits(v, 2, 2) << 5 | bits(v, 11, 10) << 3 |
                         bits(v, 4, 3) << 1,
                     9);
}

// Fills in the operands; false when a field has a value that this instruction may not have.
bool take_operands(Instruction& i, Format format, std::uint32_t v) {
  const auto rd = static_cast<std::uint8_t>(bits(v, 11, 7)), rs1 = static_cast<std::uint8_t>(bits(v, 19, 15)),
             rs2 = static_cast<std::uint8_t>(bits(v, 24, 20));
  const auto c_rs2 = static_cast<std::uint8_t>(bits(v, 6, 2)),
             short_low = static_cast<std::uint8_t>(8 + bits(v, 4, 2)),
             short_high = static_cast<std::uint8_t>(8 + bits(v, 9, 7));
  const auto set = [&](unsigned d, unsigned s1, unsigned s2, std::int32_t immediate) {
    i.rd = static_cast<std::uint8_t>(d);
    i.rs1 = static_cast<std::uint8_t>(s1);
    i.rs2 = static_cast<std::uint8_t>(s2);
    i.immediate = immediate;
    return true;
  };
  switch (format) {
    case Format::kR:
    case Format::kAtomic:
      return set(rd, rs1, rs2, 0);
    case Format::kI:
    case Format::kLoad:
    case Format::kJumpRegister:
      return set(rd, rs1, 0, immediate_i(v));
    case Format::kShift:
      return set(rd, rs1, 0, rs2);
    case Format::kStore:
      return set(0, rs1, rs2, immediate_s(v));
    case Format::kBranch:
      return set(0, rs1, rs2, immediate_b(v));
    case Format::kUpper:
      return set(rd, 0, 0, static_cast<std::int32_t>(v & 0xfffff000u));
    case Format::kJump:
      return set(rd, 0, 0, immediate_j(v));
    case Format::kCsr:
    case Format::kCsrImmediate:  // rs1 is the value
      return set(rd, rs1, 0, static_cast<std::int32_t>(v >> 20));
    case Format::kFence:
      return set(0, 0, 0, static_cast<std::int32_t>(bits(v, 27, 20)));
    case Format::kNone:
    case Format::kCNone:
    case Format::kCNop:
      return set(0, 0, 0, 0);
    case Format::kLoadReserved:
      return set(rd, rs1, 0, 0);
    case Format::kCAddi4spn: {
      const std::uint32_t n =
          bits(v, 10, 7) << 6 | bits(v, 12, 11) << 4 | bits(v, 5, 5) << 3 | bits(v, 6, 6) << 2;
      return set(short_low, 2, 0, static_cast<std::int32_t>(n)) && n != 0;
    }
    case Format::kCLoad:
      return set(short_low, short_high, 0, static_cast<std::int32_t>(offset_cl(v)));
    case Format::kCStore:
      return set(0, short_high, short_low, static_cast<std::int32_t>(offset_cl(v)));
    case Format::kCImmediate:
      return set(rd, rd, 0, immediate_ci(v));
    case Format::kCLoadImmediate:
      return set(rd, 0, 0, immediate_ci(v));
    case Format::kCAddi16sp: {
      const std::int32_t n = sign_extend(bits(v, 12, 12) << 9 | bits(v, 4, 3) << 7 | bits(v, 5, 5) << 6 |
                                             bits(v, 2, 2) << 5 | bits(v, 6, 6) << 4,
                                         10);
      return set(2, 2, 0, n) && n != 0;
    }
    case Format::kCLui: {
      const std::int32_t n = immediate_ci(v);
      return set(rd, 0, 0, static_cast<std::int32_t>(static_cast<std::uint32_t>(n) << 12)) && n != 0;
    }
    case Format::kCShiftShort:
      return set(short_high, short_high, 0, static_cast<std::int32_t>(bits(v, 6, 2)));
    case Format::kCAndi:
      return set(short_high, short_high, 0, immediate_ci(v));
    case Format::kCShort:
      return set(short_high, short_high, short_low, 0);
    case Format::kCJump:
      return set(0, 0, 0, offset_cj(v));
    case Format::kCJumpAndLink:
      return set(1, 0, 0, offset_cj(v));
    case Format::kCBranch:
      return set(0, short_high, 0, offset_cb(v));
    case Format::kCShift:
      return set(rd, rd, 0, static_cast<std::int32_t>(bits(v, 6, 2)));
    case Format::kCLoadSp: {
      const std::uint32_t n = bits(v, 3, 2) << 6 | bits(v, 12, 12) << 5 | bits(v, 6, 4) << 2;
      return set(rd, 2, 0, static_cast<std::int32_t>(n)) && rd != 0;
    }
    case Format::kCStoreSp: {
      const std::uint32_t n = bits(v, 8, 7) << 6 | bits(v, 12, 9) << 2;
      return set(0, 2, c_rs2, static_cast<std::int32_t>(n));
    }
    case Format::kCJumpRegister:
      return set(0, rd, 0, 0) && rd != 0;
    case Format::kCJumpAndLinkRegister:
      return set(1, rd, 0, 0) && rd != 0;
    case Format::kCMove:
      return set(rd, 0, c_rs2, 0) && c_rs2 != 0;
    case Format::kCAdd:
      return set(rd, rd, c_rs2, 0) && c_rs2 != 0;
  }
  return false;
}

// The entries that can match, by the fields that all encodings fix: for 32-bit instructions opcode and funct3
// (opcodes without funct3 are listed under all eight), for compressed ones quadrant and funct3.
class Index {
 public:
  Index() {
    const auto& table = encodings();
    for (std::uint16_t e = 0; e < table.size(); ++e)
      for (unsigned key = 0; key < buckets_.size(); ++key)
        if (matches(table[e], key)) buckets_[key].push_back(e);
  }
  const std::vector<std::uint16_t>& candidates(std::uint32_t v) const { return buckets_[key_of(v)]; }

 private:
  static constexpr unsigned kCompressed = 32 * 8;
  static unsigned key_of(std::uint32_t v) {
    return is_compressed(v) ? kCompressed + (bits(v, 1, 0) << 3 | bits(v, 15, 13))
                            : bits(v, 6, 2) << 3 | bits(v, 14, 12);
  }
  static bool matches(const Encoding& e, unsigned key) {
    if ((key >= kCompressed) != is_compressed(e.match)) return false;
    const unsigned k = key % kCompressed;
    const std::uint32_t fixed =
        key >= kCompressed ? (k >> 3) | (k & 7) << 13 : 3u | (k >> 3) << 2 | (k & 7) << 12;
    const std::uint32_t known = key >= kCompressed ? 0xe003u : 0x707fu;
    return ((fixed ^ e.match) & e.mask & known) == 0;
  }
  std::array<std::vector<std::uint16_t>, kCompressed + 24> buckets_;
};

}  // namespace

Instruction decode(std::uint32_t v) {
  static const Index index;
  Instruction result;
  result.length = is_compressed(v) ? 2 : 4;
  if (result.length == 2) v &= 0xffff;
  result.raw = v;
  for (const std::uint16_t e : index.candidates(v)) {
    const Encoding& encoding = encodings()[e];
    if ((v & encoding.mask) != encoding.match) continue;
    Instruction i = result;
    if (!take_operands(i, encoding.format, v)) continue;
    i.op = encoding.op;
    i.encoding = e;
    return i;
  }
  return result;
}

}  // namespace warpvp::riscv
