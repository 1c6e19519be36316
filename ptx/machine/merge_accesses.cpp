#include "ptx/machine/merge_accesses.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <tuple>
#include <unordered_map>

#include "ptx/liveness.h"
#include "ptx/machine/alignment.h"
#include "ptx/machine/edit.h"
#include "ptx/machine/facts.h"
#include "ptx/machine/split_loads.h"
#include "ptx/machine/values.h"

namespace warpvp::ptx::machine {
namespace {

using Kind = ir::Operand::Kind;

constexpr unsigned kWidths[] = {16, 8};  // bytes of a merged access, the best first
/// How far apart in the text accesses may lie: what is between waits for the first, or holds its registers
/// longer.
constexpr std::uint32_t kReach = 256;

struct Candidate {
  std::uint32_t at;
  std::int64_t offset;
  unsigned bytes;
};

// What accesses must share. Versions count the writes of a register in the block so far.
using Key = std::tuple<bool, int, int, unsigned, int, int, bool, std::uint32_t, int, bool, std::uint32_t>;

std::size_t address_slot(const ir::Instruction& i) { return i.opcode == Opcode::st ? 0 : 1; }
std::size_t data_slot(const ir::Instruction& i) { return i.opcode == Opcode::st ? 1 : 0; }

bool may_merge(const ir::Instruction& i) {
  if ((i.opcode != Opcode::ld && i.opcode != Opcode::st) || i.is_volatile || i.operands.size() != 2)
    return false;
  const unsigned element = type_bytes(i.modifiers.type);
  if (element < 4 || element * i.vector >= kWidths[0]) return false;
  const ir::Operand& data = i.operands[data_slot(i)];
  // A register wider than the access is extended by its type; elements keep one type, so these stay alone.
  return data.kind == Kind::kVector || data.kind == Kind::kRegister || data.kind == Kind::kInteger ||
         data.kind == Kind::kSingle || data.kind == Kind::kDouble;
}

class Merger {
 public:
  Merger(const ir::Module& m, ir::Function& f)
      : m_(m), f_(f), cfg_(f), values_(f, cfg_), alignments_(m, f), dead_(f.code.size(), false) {}

  void run() {
    for (const Block& block : cfg_.blocks()) merge_block(block);
    remove_instructions(f_, dead_);
  }

 private:
  void merge_block(const Block& block) {
    std::unordered_map<int, std::uint32_t> versions;
    std::map<Key, std::vector<Candidate>> groups;
    std::vector<int> written;
    for (std::uint32_t at = block.begin; at < block.end; ++at) {
      const ir::Instruction& i = f_.code[at];
      if (may_merge(i) && plain_widths(i)) {
        const ir::Operand& a = i.operands[address_slot(i)];
        const bool by_register = a.base == ir::Operand::Base::kRegister;
        const Key key{i.opcode == Opcode::st,
                      static_cast<int>(i.space),
                      static_cast<int>(i.cache),
                      type_bytes(i.modifiers.type),
                      static_cast<int>(a.base),
                      a.index,
                      a.module_scope,
                      by_register ? versions[a.index] : 0,
                      i.guard,
                      i.guard_negated,
                      i.guard >= 0 ? versions[i.guard] : 0};
        groups[key].push_back({at, a.offset, type_bytes(i.modifiers.type) * i.vector});
      }
      registers_written(i, written);
      for (const int r : written) ++versions[r];
    }
    for (auto& [key, group] : groups) merge_group(group);
  }

  // Whether all registers of the data are as wide as its elements.
  bool plain_widths(const ir::Instruction& i) const {
    const auto plain = [&](const ir::Operand& o) {
      return o.kind != Kind::kRegister ||
             type_bytes(f_.registers[static_cast<std::size_t>(o.index)].type) == type_bytes(i.modifiers.type);
    };
    const ir::Operand& data = i.operands[data_slot(i)];
    return data.kind == Kind::kVector ? std::all_of(data.elements.begin(), data.elements.end(), plain)
                                      : plain(data);
  }

  void merge_group(const std::vector<Candidate>& group) {
    for (const unsigned width : kWidths) {
      if (width > kConstantWidth && f_.code[group.front().at].space == Space::kConst) continue;
      for (const Candidate& first : group) {
        if (dead_[first.at] || first.bytes >= width || !is_aligned(first, width)) continue;
        std::vector<Candidate> parts{first};
        std::int64_t next = first.offset + first.bytes;
        while (next < first.offset + static_cast<std::int64_t>(width)) {
          const Candidate* part = find(group, next);
          if (!part || next + part->bytes > first.offset + static_cast<std::int64_t>(width)) break;
          parts.push_back(*part);
          next += part->bytes;
        }
        if (next == first.offset + static_cast<std::int64_t>(width)) merge(parts);
      }
    }
  }

  const Candidate* find(const std::vector<Candidate>& group, std::int64_t offset) const {
    for (const Candidate& c : group) {
      if (c.offset == offset && !dead_[c.at] && !merged_.count(c.at)) return &c;
    }
    return nullptr;
  }

  bool is_aligned(const Candidate& c, unsigned width) const {
    if (merged_.count(c.at)) return false;
    const ir::Instruction& i = f_.code[c.at];
    return alignments_.of(i.operands[address_slot(i)]) >= width;
  }

  // Parts in the order of their addresses, which together fill the width.
  void merge(const std::vector<Candidate>& parts) {
    std::uint32_t first = parts[0].at, last = parts[0].at;
    for (const Candidate& c : parts) {
      first = std::min(first, c.at);
      last = std::max(last, c.at);
    }
    const bool is_store = f_.code[first].opcode == Opcode::st;
    if (last - first > kReach) return;
    for (const Candidate& c : parts) {
      if (!(is_store ? may_sink(c.at, last) : may_rise(c.at, first, parts))) return;
    }
    const std::uint32_t place = is_store ? last : first;
    ir::Instruction wide = f_.code[place];
    ir::Operand data;
    data.kind = Kind::kVector;
    bool one_type = true;
    for (const Candidate& c : parts) {
      const ir::Instruction& i = f_.code[c.at];
      const ir::Operand& d = i.operands[data_slot(i)];
      if (d.kind == Kind::kVector)
        data.elements.insert(data.elements.end(), d.elements.begin(), d.elements.end());
      else
        data.elements.push_back(d);
      one_type &= i.modifiers.type == wide.modifiers.type;
    }
    if (!one_type && !integers_only(parts)) return;
    if (!is_store && has_equal(data.elements)) return;
    if (!one_type) wide.modifiers.type = type_bytes(wide.modifiers.type) == 4 ? Type::b32 : Type::b64;
    wide.operands[data_slot(wide)] = std::move(data);
    wide.operands[address_slot(wide)].offset = parts[0].offset;
    wide.vector = static_cast<std::uint8_t>(wide.operands[data_slot(wide)].elements.size());
    name(wide);
    for (const Candidate& c : parts) dead_[c.at] = true;
    dead_[place] = false;
    merged_[place] = true;
    f_.code[place] = std::move(wide);
  }

  // Constants of floating point are converted by the type of the access: only with one type.
  bool integers_only(const std::vector<Candidate>& parts) const {
    const auto plain = [](const ir::Operand& o) {
      return o.kind == Kind::kRegister || o.kind == Kind::kSink || o.kind == Kind::kInteger;
    };
    return std::all_of(parts.begin(), parts.end(), [&](const Candidate& c) {
      const ir::Instruction& i = f_.code[c.at];
      const ir::Operand& d = i.operands[data_slot(i)];
      return d.kind == Kind::kVector ? std::all_of(d.elements.begin(), d.elements.end(), plain) : plain(d);
    });
  }

  static bool has_equal(const std::vector<ir::Operand>& elements) {
    for (std::size_t a = 0; a < elements.size(); ++a) {
      for (std::size_t b = 0; b < a; ++b) {
        if (elements[a].kind == Kind::kRegister && elements[b].kind == Kind::kRegister &&
            elements[a].index == elements[b].index)
          return true;
      }
    }
    return false;
  }

  // Whether the load at `at` may take effect at `to`, before it. Other loads of the vector do not count: they
  // go too.
  bool may_rise(std::uint32_t at, std::uint32_t to, const std::vector<Candidate>& parts) {
    const MemoryUse use = memory_use(f_, f_.code[at]);
    std::vector<int> results, registers;
    registers_written(f_.code[at], results);
    for (std::uint32_t k = to; k < at; ++k) {
      const ir::Instruction& i = f_.code[k];
      if (dead_[k]) continue;
      const bool part =
          std::any_of(parts.begin(), parts.end(), [&](const Candidate& c) { return c.at == k; });
      if (!part && !passes(i, use, true)) return false;
      registers_read(i, registers);
      if (!part && share(results, registers)) return false;
      registers_written(i, registers);
      if (share(results, registers)) return false;
    }
    // A result that is the base of a later part, or its guard, would be read there.
    for (const Candidate& c : parts) {
      if (c.at <= at) continue;
      registers_read(f_.code[c.at], registers);
      if (share(results, registers)) return false;
    }
    return true;
  }

  bool may_sink(std::uint32_t at, std::uint32_t to) {
    const MemoryUse use = memory_use(f_, f_.code[at]);
    std::vector<int> sources, written;
    registers_read(f_.code[at], sources);
    for (std::uint32_t k = at + 1; k <= to; ++k) {
      if (dead_[k]) continue;
      if (!passes(f_.code[k], use, false)) return false;
      registers_written(f_.code[k], written);
      if (share(sources, written)) return false;
    }
    return true;
  }

  bool passes(const ir::Instruction& i, const MemoryUse& use, bool i_is_first) const {
    switch (order_of(i)) {
      case Order::kPure:
        return true;
      case Order::kMemory: {
        const MemoryUse other = memory_use(f_, i);
        return i_is_first ? !must_stay_in_order(m_, f_, without_base(other, use), use)
                          : !must_stay_in_order(m_, f_, use, without_base(other, use));
      }
      default:
        return false;
    }
  }

  // A base register that is written somewhere in the block may have had another value.
  MemoryUse without_base(MemoryUse other, const MemoryUse& use) const {
    if (other.address && use.address && other.address->base == ir::Operand::Base::kRegister &&
        other.address->index == use.address->index && values_.definition(other.address->index) < 0)
      other.address = nullptr;
    return other;
  }

  static bool share(const std::vector<int>& a, const std::vector<int>& b) {
    return std::any_of(a.begin(), a.end(),
                       [&](int r) { return std::find(b.begin(), b.end(), r) != b.end(); });
  }

  // "ld.shared.v4.f32" for "ld.shared.f32".
  static void name(ir::Instruction& i) {
    for (const char* vector : {".v2", ".v4"}) {
      const std::size_t at = i.mnemonic.find(vector);
      if (at != std::string::npos) i.mnemonic.erase(at, 3);
    }
    i.mnemonic.resize(i.mnemonic.rfind('.'));
    i.mnemonic += fmt::format(".v{}.{}", unsigned{i.vector}, type_name(i.modifiers.type));
  }

  const ir::Module& m_;
  ir::Function& f_;
  const ControlFlowGraph cfg_;
  const Values values_;
  const Alignments alignments_;
  std::vector<bool> dead_;
  std::map<std::uint32_t, bool> merged_;  // places of wide accesses made so far
};

}  // namespace

void merge_accesses(const ir::Module& m, ir::Function& f) { Merger(m, f).run(); }

}  // namespace warpvp::ptx::machine
