#include "ptx/mbarrier.h"

#include <string>

namespace warpvp::ptx {
namespace mbarrier {
namespace {

using Kind = ir::Operand::Kind;

// In the notation of common_forms.cpp. Clusters have one CTA, so that their scope is that of the CTA.
#define WHERE "space=shared|shared::cta|shared::cluster? type=b64"
#define ARRIVES "sem=release|relaxed? scope=cta|cluster? " WHERE
#define WAITS "sem=acquire|relaxed? scope=cta|cluster? " WHERE
#define FORM(suffixes, operands) \
  { Opcode::mbarrier, "mbarrier", suffixes, operands }

const OpcodeForm kForms[] = {
    FORM("init " WHERE, "m sU"),
    FORM("inval " WHERE, "m"),
    FORM("expect_tx sem=relaxed? scope=cta|cluster? " WHERE, "m sU"),
    FORM("complete_tx sem=relaxed? scope=cta|cluster? " WHERE, "m sU"),
    FORM("arrive " ARRIVES, "dT m sU?"),
    FORM("arrive expect_tx " ARRIVES, "dT m sU"),
    FORM("arrive noComplete " ARRIVES, "dT m sU"),
    FORM("arrive_drop " ARRIVES, "dT m sU?"),
    FORM("arrive_drop expect_tx " ARRIVES, "dT m sU"),
    FORM("arrive_drop noComplete " ARRIVES, "dT m sU"),
    FORM("test_wait " WAITS, "dP m sT"),
    FORM("test_wait parity " WAITS, "dP m sU"),
    FORM("try_wait " WAITS, "dP m sT sU?"),
    FORM("try_wait parity " WAITS, "dP m sU sU?"),
    FORM("pending_count type=b64", "dU sT"),
    {Opcode::mbarrier, "cp", "async mbarrier arrive noinc? " WHERE, "m"},
};
#undef FORM
#undef WAITS
#undef ARRIVES
#undef WHERE

ir::Operand reg(int index) {
  ir::Operand o;
  o.kind = Kind::kRegister;
  o.index = index;
  return o;
}
ir::Operand integer(std::uint64_t value) {
  ir::Operand o;
  o.kind = Kind::kInteger;
  o.bits = value;
  return o;
}

/// One instruction.
class Expansion {
 public:
  Expansion(const ir::Instruction& i, const Replacement& to) : i_(i), to_(to), suffixes_(i.form->suffixes) {}

  void run() {
    if (is("async")) return copies_arrive();
    if (is("init")) return init();
    if (is("inval")) return;
    if (is("pending_count")) return pending_count();
    if (is("test_wait") || is("try_wait")) return wait();
    // Nobody arrives: bytes only.
    if (is("expect_tx")) return change(nullptr, i_.operands[0], bytes(i_.operands[1], false));
    if (is("complete_tx")) return change(nullptr, i_.operands[0], bytes(i_.operands[1], true));
    arrive();
  }

 private:
  /// Whether the form's text begins with that word.
  bool is(const std::string& word) const {
    return suffixes_.compare(0, word.size(), word) == 0 && suffixes_[word.size()] == ' ';
  }
  bool has(const char* word) const { return suffixes_.find(word) != std::string::npos; }

  int wide(const char* mnemonic, const std::vector<std::string_view>& suffixes,
           std::vector<ir::Operand> sources, bool guarded = false) {
    const int d = to_.new_register(Type::u64);
    sources.insert(sources.begin(), reg(d));
    to_.add(mnemonic, suffixes, std::move(sources), true, guarded);
    return d;
  }
  ir::Operand extended(const ir::Operand& word) {
    if (word.kind == Kind::kInteger) return integer(word.bits & 0xffffffffu);
    return reg(wide("cvt", {"u64", "u32"}, {word}));
  }
  std::vector<std::string_view> in_space(const std::vector<std::string_view>& suffixes) const {
    std::vector<std::string_view> all(suffixes);
    if (i_.space == Space::kShared) all.insert(all.end() - 1, "shared");
    return all;
  }

  /// `count` in each of the fields of arrivals that are bits of `fields`.
  ir::Operand counts(const ir::Operand& count, std::uint64_t fields) {
    const ir::Operand value = extended(count);
    if (value.kind == Kind::kInteger) return integer((value.bits & kCounts) * fields);
    const int low = wide("and", {"b64"}, {value, integer(kCounts)});
    return reg(wide("mul", {"lo", "u64"}, {reg(low), integer(fields)}));
  }
  /// Bytes that are waited for no longer, or that are waited for too.
  ir::Operand bytes(const ir::Operand& count, bool are_there) {
    const ir::Operand value = extended(count);
    const std::uint64_t unit = are_there ? 1 : kBytes;
    if (value.kind == Kind::kInteger) return integer((value.bits * unit & kBytes) << kBytesAt);
    const int low = wide("mul", {"lo", "u64"}, {value, integer(unit)});
    const int field = wide("and", {"b64"}, {reg(low), integer(kBytes)});
    return reg(wide("shl", {"b64"}, {reg(field), integer(kBytesAt)}));
  }

  void change(const ir::Operand* state, const ir::Operand& address, const ir::Operand& by) {
    const bool yields = state != nullptr && state->kind == Kind::kRegister;
    const ir::Operand before = yields ? *state : reg(to_.new_register(Type::u64));
    std::vector<std::string_view> suffixes = in_space({"b64"});
    suffixes.insert(suffixes.end() - 1, "exch");
    ir::Instruction& atom = to_.add("atom", suffixes, {before, address, by}, true, true);
    atom.modifiers.atom = AtomOp::mbarrier;
    atom.mnemonic = i_.mnemonic;
  }

  void init() {
    to_.add("st", in_space({"b64"}),
            {i_.operands[0], counts(i_.operands[1], 1 | std::uint64_t{1} << kCountBits)}, false, true);
  }

  void arrive() {
    const bool copies = has(" expect_tx"), leaves = is("arrive_drop");
    const bool counted = i_.operands.size() > 2 && !copies;
    const std::uint64_t fields = leaves ? 1 | std::uint64_t{1} << kCountBits : 1;
    ir::Operand by = counts(counted ? i_.operands[2] : integer(1), fields);
    if (copies) {
      // The phase waits for the bytes from this arrival on: both at once.
      const ir::Operand expected = bytes(i_.operands[2], false);
      by = by.kind == Kind::kInteger && expected.kind == Kind::kInteger
               ? integer(by.bits | expected.bits)
               : reg(wide("or", {"b64"},
                          {by.kind == Kind::kRegister ? by : expected,
                           by.kind == Kind::kRegister ? expected : by}));
    }
    change(&i_.operands[0], i_.operands[1], by);
  }

  void wait() {
    const int word = wide("ld", in_space({"volatile", "b64"}), {i_.operands[1]}, true);
    if (has(" parity")) {
      // The phase of that parity is over where the current one has the other.
      const int phase = to_.new_register(Type::u32), asked = to_.new_register(Type::u32);
      const int shifted = wide("shr", {"u64"}, {reg(word), integer(kPhaseAt)});
      to_.add("cvt", {"u32", "u64"}, {reg(phase), reg(shifted)}, true, false);
      to_.add("and", {"b32"}, {reg(asked), i_.operands[2], integer(1)}, true, false);
      to_.add("setp", {"ne", "u32"}, {i_.operands[0], reg(phase), reg(asked)}, true, true);
      return;
    }
    const int differs = wide("xor", {"b64"}, {reg(word), i_.operands[2]});
    to_.add("setp", {"lt", "s64"}, {i_.operands[0], reg(differs), integer(0)}, true, true);
  }

  void pending_count() {
    const int pending = wide("and", {"b64"}, {i_.operands[1], integer(kCounts)});
    to_.add("cvt", {"u32", "u64"}, {i_.operands[0], reg(pending)}, true, true);
  }

  /// The thread waits for its copies itself, and arrives then, where PTX lets it go on and the copies arrive.
  /// Without .noinc that arrival is one more than the phase needs, so that none is left.
  void copies_arrive() {
    to_.add("cp", {"async", "wait_all"}, {}, false, true);
    if (i_.mnemonic.find(".noinc") != std::string::npos) change(nullptr, i_.operands[0], integer(1));
  }

  const ir::Instruction& i_;
  const Replacement& to_;
  const std::string suffixes_;
};

}  // namespace
}  // namespace mbarrier

const std::vector<OpcodeForm>& mbarrier_forms() {
  static const std::vector<OpcodeForm> forms(std::begin(mbarrier::kForms), std::end(mbarrier::kForms));
  return forms;
}

void expand_mbarrier(const ir::Instruction& i, const Replacement& to) { mbarrier::Expansion(i, to).run(); }

}  // namespace warpvp::ptx
