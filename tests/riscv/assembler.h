#pragma once
// A small assembler for tests, after the core's own table of instructions: one instruction a line, as the
// disassembler writes them, with labels ("name:" alone on a line), "#" comments, and the pseudo-instructions
// "li rd,value", "la rd,label", "j label", "nop" and ".word value". Instructions of 4 bytes only.

#include <fmt/format.h>

#include <cctype>
#include <cstdint>
#include <map>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

#include "modules/command_processor/riscv/csr.h"
#include "modules/command_processor/riscv/instruction.h"

namespace warpvp::riscv::test {

class Assembler {
 public:
  static constexpr std::uint32_t kBase = 0x8000'0000;

  explicit Assembler(const std::string& text) {
    split(text);
    for (const Line& line : lines_) words_.push_back(encode(line));
  }
  const std::vector<std::uint32_t>& words() const { return words_; }
  std::uint32_t label(const std::string& name) const {
    const auto at = labels_.find(name);
    if (at == labels_.end()) throw std::logic_error("no label " + name);
    return at->second;
  }
  std::vector<std::uint8_t> bytes() const {
    std::vector<std::uint8_t> out;
    for (const std::uint32_t word : words_)
      for (unsigned i = 0; i < 4; ++i) out.push_back(static_cast<std::uint8_t>(word >> (8 * i)));
    return out;
  }

 private:
  struct Line {
    std::uint32_t pc;
    std::string name;
    std::vector<std::string> operands;
  };

  void split(const std::string& text) {
    std::istringstream in(text);
    std::uint32_t pc = kBase;
    for (std::string line; std::getline(in, line);) {
      line = line.substr(0, line.find('#'));
      for (char& c : line)
        if (c == ',' || c == '(' || c == ')' || c == ';') c = ' ';
      std::istringstream words(line);
      Line l{pc, {}, {}};
      if (!(words >> l.name)) continue;
      if (l.name.back() == ':') {
        labels_[l.name.substr(0, l.name.size() - 1)] = pc;
        continue;
      }
      for (std::string operand; words >> operand;) l.operands.push_back(operand);
      if (l.name == "li" || l.name == "la") {  // two instructions always, so that labels stay put
        lines_.push_back({pc, "%" + l.name + ".upper", l.operands});
        lines_.push_back({pc += 4, "%" + l.name + ".lower", l.operands});
      } else {
        lines_.push_back(l);
      }
      pc += 4;
    }
  }

  static unsigned reg(const std::string& name) {
    for (unsigned i = 0; i < 32; ++i)
      if (name == register_name(i)) return i;
    throw std::logic_error("no register " + name);
  }
  std::uint32_t value(const std::string& text) const {
    const auto at = labels_.find(text);
    if (at != labels_.end()) return at->second;
    return static_cast<std::uint32_t>(std::stoll(text, nullptr, 0));
  }
  // Targets as the disassembler writes them: hexadecimal without a prefix; or a label.
  std::uint32_t target(const std::string& text) const {
    const auto at = labels_.find(text);
    return at != labels_.end() ? at->second : static_cast<std::uint32_t>(std::stoul(text, nullptr, 16));
  }
  static std::uint32_t csr(const std::string& text) {
    if (std::isdigit(static_cast<unsigned char>(text[0])))
      return static_cast<std::uint32_t>(std::stoul(text, nullptr, 0));
    for (std::uint16_t n = 0; n < 4096; ++n)
      if (csr_name(n) == text) return n;
    throw std::logic_error("no CSR " + text);
  }

  std::uint32_t encode(const Line& l) const {
    const auto& o = l.operands;
    if (l.name == ".word" || l.name == ".4byte") return value(o.at(0));
    if (l.name == "nop") return 0x13;
    if (l.name == "j") return encode({l.pc, "jal", {"zero", o.at(0)}});
    if (l.name[0] == '%') {
      const std::uint32_t v = value(o.at(1)), upper = (v + 0x800) >> 12;
      if (l.name.find("upper") != std::string::npos) return upper << 12 | reg(o[0]) << 7 | 0x37;
      return encode(
          {l.pc, "addi", {o[0], o[0], std::to_string(static_cast<std::int32_t>(v - (upper << 12)))}});
    }
    // In an atomic's name, the ordering is a suffix.
    std::string name = l.name;
    std::uint32_t order = 0;
    for (const auto& [suffix, bits] : {std::pair<std::string, unsigned>{".aqrl", 3}, {".aq", 2}, {".rl", 1}})
      if (order == 0 && name.size() > suffix.size() && name.substr(name.size() - suffix.size()) == suffix) {
        name.resize(name.size() - suffix.size());
        order = bits;
      }
    for (const Encoding& e : encodings()) {
      if (name != e.name) continue;
      const auto field = [](std::uint32_t v, unsigned high, unsigned low) {
        return v >> low & ((2u << (high - low)) - 1);
      };
      const auto rd = [&] { return reg(o.at(0)) << 7; };
      switch (e.format) {
        case Format::kR:
          return e.match | rd() | reg(o.at(1)) << 15 | reg(o.at(2)) << 20;
        case Format::kI:
          return e.match | rd() | reg(o.at(1)) << 15 | value(o.at(2)) << 20;
        case Format::kShift:
          return e.match | rd() | reg(o.at(1)) << 15 | (value(o.at(2)) & 31) << 20;
        case Format::kLoad:
        case Format::kJumpRegister:
          return e.match | rd() | reg(o.at(2)) << 15 | value(o.at(1)) << 20;
        case Format::kStore: {
          const std::uint32_t v = value(o.at(1));
          return e.match | reg(o.at(0)) << 20 | reg(o.at(2)) << 15 | field(v, 11, 5) << 25 |
                 field(v, 4, 0) << 7;
        }
        case Format::kBranch: {
          const std::uint32_t v = target(o.at(2)) - l.pc;
          return e.match | reg(o.at(0)) << 15 | reg(o.at(1)) << 20 | field(v, 12, 12) << 31 |
                 field(v, 10, 5) << 25 | field(v, 4, 1) << 8 | field(v, 11, 11) << 7;
        }
        case Format::kUpper:
          return e.match | rd() | value(o.at(1)) << 12;
        case Format::kJump: {
          const std::uint32_t v = target(o.at(1)) - l.pc;
          return e.match | rd() | field(v, 20, 20) << 31 | field(v, 10, 1) << 21 | field(v, 11, 11) << 20 |
                 field(v, 19, 12) << 12;
        }
        case Format::kCsr:
          return e.match | rd() | csr(o.at(1)) << 20 | reg(o.at(2)) << 15;
        case Format::kCsrImmediate:
          return e.match | rd() | csr(o.at(1)) << 20 | value(o.at(2)) << 15;
        case Format::kFence: {
          const auto set = [](const std::string& text) {
            unsigned bits = 0;
            for (unsigned i = 0; i < 4; ++i)
              if (text != "unknown" && text.find("iorw"[i]) != std::string::npos) bits |= 8u >> i;
            return bits;
          };
          return e.match | (o.empty() ? 0xff : set(o.at(0)) << 4 | set(o.at(1))) << 20;
        }
        case Format::kAtomic:
          return e.match | order << 25 | rd() | reg(o.at(1)) << 20 | reg(o.at(2)) << 15;
        case Format::kLoadReserved:
          return e.match | order << 25 | rd() | reg(o.at(1)) << 15;
        case Format::kNone:
          return e.match;
        default:
          throw std::logic_error("not an instruction of 4 bytes: " + l.name);
      }
    }
    throw std::logic_error("no instruction " + l.name);
  }

  std::vector<Line> lines_;
  std::map<std::string, std::uint32_t> labels_;
  std::vector<std::uint32_t> words_;
};

}  // namespace warpvp::riscv::test
