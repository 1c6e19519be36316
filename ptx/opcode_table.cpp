#include "ptx/opcode_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <unordered_map>

#include "ptx/bulk.h"
#include "ptx/cluster.h"
#include "ptx/common_forms.h"
#include "ptx/half_forms.h"
#include "ptx/matrix.h"
#include "ptx/mbarrier.h"
#include "ptx/video.h"
#include "ptx/wmma.h"

namespace warpvp::ptx {
namespace {

// Instructions PTX has and this platform has not; anything else is unknown.
const char* const kUnsupported[] = {
    "clusterlaunchcontrol", "multimem", "setmaxnreg", "sured", "tcgen05", "tensormap", "wgmma"};

const std::vector<OpcodeForm>& all_forms() {
  static const std::vector<OpcodeForm> forms = [] {
    std::vector<OpcodeForm> all = common_forms();
    all.insert(all.end(), half_forms().begin(), half_forms().end());
    all.insert(all.end(), matrix_forms().begin(), matrix_forms().end());
    all.insert(all.end(), mbarrier_forms().begin(), mbarrier_forms().end());
    all.insert(all.end(), wmma_forms().begin(), wmma_forms().end());
    all.insert(all.end(), bulk_forms().begin(), bulk_forms().end());
    all.insert(all.end(), cluster_forms().begin(), cluster_forms().end());
    all.insert(all.end(), video_forms().begin(), video_forms().end());
    return all;
  }();
  return forms;
}

// One token of a form's suffix grammar.
struct SuffixRule {
  std::string role;
  std::vector<std::string> names;
  bool optional = false;
};

std::vector<std::string> split(const std::string& text, char separator) {
  std::vector<std::string> parts;
  std::size_t begin = 0;
  while (begin <= text.size()) {
    const std::size_t end = std::min(text.find(separator, begin), text.size());
    if (end > begin) parts.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return parts;
}

struct CompiledForm {
  const OpcodeForm* form;
  std::vector<SuffixRule> rules;
  std::vector<OperandSpec> operands;
};

OperandSpec compile_operand(std::string text) {
  OperandSpec spec;
  if (text.back() == '?') {
    spec.optional = true;
    text.pop_back();
  }
  if (text.size() > 2 && text.substr(text.size() - 2) == "|P") {
    spec.pair = true;
    text.resize(text.size() - 2);
  }
  spec.destination = text[0] == 'd';
  switch (text.back()) {
    case 'T':
      spec.what = OperandClass::kType;
      break;
    case 'S':
      spec.what = OperandClass::kSource;
      break;
    case 'W':
      spec.what = OperandClass::kWide;
      break;
    case 'P':
      spec.what = OperandClass::kPredicate;
      break;
    case 'U':
      spec.what = OperandClass::kWord;
      break;
    case 'L':
      spec.what = OperandClass::kLong;
      break;
    case 'R':
      spec.what = OperandClass::kWideType;
      break;
    case 'Z':
      spec.what = OperandClass::kWideSource;
      break;
    case 'M':
      spec.what = OperandClass::kMove;
      break;
    case 'A':
      spec.what = OperandClass::kAddressOf;
      break;
    case 'n':
      spec.what = OperandClass::kImmediate;
      break;
    case 'F':
      spec.what = OperandClass::kSingle;
      break;
    case 'H':
      spec.what = OperandClass::kPolicy;
      break;
    case 'V':
      spec.what = OperandClass::kVideo;
      break;
    case 'x':
      spec.what = OperandClass::kFragment;
      break;
    case 'm':
      spec.what = OperandClass::kMemory;
      break;
    case 'c':
      spec.what = OperandClass::kCoordinates;
      break;
    case 'l':
      spec.what = OperandClass::kLevel;
      break;
    case 'g':
      spec.what = OperandClass::kGradient;
      break;
    default:
      spec.what = OperandClass::kWideType;
      spec.vector = true;
  }
  return spec;
}

class Table {
 public:
  Table() {
    for (const OpcodeForm& form : all_forms()) {
      CompiledForm c{&form, {}, {}};
      for (std::string token : split(form.suffixes, ' ')) {
        SuffixRule rule;
        if (token.back() == '?') {
          rule.optional = true;
          token.pop_back();
        }
        const std::size_t equals = token.find('=');
        rule.role = equals == std::string::npos ? token : token.substr(0, equals);
        rule.names = split(equals == std::string::npos ? token : token.substr(equals + 1), '|');
        c.rules.push_back(std::move(rule));
      }
      if (std::string(form.operands) != "label") {
        for (const std::string& operand : split(form.operands, ' '))
          c.operands.push_back(compile_operand(operand));
      }
      by_mnemonic_[form.mnemonic].push_back(forms_.size());
      forms_.push_back(std::move(c));
    }
  }

  const std::vector<std::size_t>* find(std::string_view mnemonic) const {
    const auto it = by_mnemonic_.find(std::string(mnemonic));
    return it == by_mnemonic_.end() ? nullptr : &it->second;
  }
  const CompiledForm& operator[](std::size_t i) const { return forms_[i]; }

 private:
  std::vector<CompiledForm> forms_;
  std::unordered_map<std::string, std::vector<std::size_t>> by_mnemonic_;
};

const Table& table() {
  static const Table instance;
  return instance;
}

template <typename E>
struct Named {
  const char* name;
  E value;
};
template <typename E, std::size_t N>
E lookup(const Named<E> (&names)[N], const std::string& name) {
  for (const Named<E>& n : names) {
    if (name == n.name) return n.value;
  }
  return E{};
}

#define SAME(E, x) \
  { #x, E::x }
const Named<Rounding> kRoundings[] = {SAME(Rounding, rn),   SAME(Rounding, rz),  SAME(Rounding, rm),
                                      SAME(Rounding, rp),   SAME(Rounding, rni), SAME(Rounding, rzi),
                                      SAME(Rounding, rmi),  SAME(Rounding, rpi), SAME(Rounding, approx),
                                      SAME(Rounding, full), SAME(Rounding, rna)};
const Named<Compare> kCompares[] = {
    SAME(Compare, eq),  SAME(Compare, ne),  SAME(Compare, lt),  SAME(Compare, le),  SAME(Compare, gt),
    SAME(Compare, ge),  SAME(Compare, lo),  SAME(Compare, ls),  SAME(Compare, hi),  SAME(Compare, hs),
    SAME(Compare, equ), SAME(Compare, neu), SAME(Compare, ltu), SAME(Compare, leu), SAME(Compare, gtu),
    SAME(Compare, geu), SAME(Compare, num), SAME(Compare, nan)};
const Named<BoolOp> kBoolOps[] = {{"and", BoolOp::and_}, {"or", BoolOp::or_}, {"xor", BoolOp::xor_}};
const Named<MulMode> kMulModes[] = {SAME(MulMode, lo), SAME(MulMode, hi), SAME(MulMode, wide)};
const Named<ShiftMode> kShiftModes[] = {SAME(ShiftMode, clamp), SAME(ShiftMode, wrap)};
const Named<Direction> kDirections[] = {{"l", Direction::left}, {"r", Direction::right}};
const Named<ShuffleMode> kShuffleModes[] = {SAME(ShuffleMode, up), SAME(ShuffleMode, down),
                                            SAME(ShuffleMode, bfly), SAME(ShuffleMode, idx)};
const Named<VoteMode> kVoteModes[] = {SAME(VoteMode, all), SAME(VoteMode, any), SAME(VoteMode, uni),
                                      SAME(VoteMode, ballot)};
const Named<AtomOp> kAtomOps[] = {
    {"and", AtomOp::and_}, {"or", AtomOp::or_}, {"xor", AtomOp::xor_}, SAME(AtomOp, cas), SAME(AtomOp, exch),
    SAME(AtomOp, add),     SAME(AtomOp, inc),   SAME(AtomOp, dec),     SAME(AtomOp, min), SAME(AtomOp, max)};
const Named<PrmtMode> kPrmtModes[] = {SAME(PrmtMode, f4e), SAME(PrmtMode, b4e), SAME(PrmtMode, rc8),
                                      SAME(PrmtMode, ecl), SAME(PrmtMode, ecr), SAME(PrmtMode, rc16)};
const Named<TestpMode> kTestpModes[] = {SAME(TestpMode, finite), SAME(TestpMode, infinite),
                                        SAME(TestpMode, number), SAME(TestpMode, notanumber),
                                        SAME(TestpMode, normal), SAME(TestpMode, subnormal)};
const Named<BarOp> kBarOps[] = {SAME(BarOp, sync), SAME(BarOp, arrive)};
const Named<BarOp> kBarReductions[] = {
    {"popc", BarOp::red_popc}, {"and", BarOp::red_and}, {"or", BarOp::red_or}};
const Named<AsyncOp> kAsyncOps[] = {SAME(AsyncOp, commit_group), SAME(AsyncOp, wait_group),
                                    SAME(AsyncOp, wait_all)};
const Named<CacheOp> kCacheOps[] = {SAME(CacheOp, ca), SAME(CacheOp, cg), SAME(CacheOp, cs),
                                    SAME(CacheOp, lu), SAME(CacheOp, cv), SAME(CacheOp, wb),
                                    SAME(CacheOp, wt), SAME(CacheOp, nc)};
const Named<Space> kSpaces[] = {{"global", Space::kGlobal},
                                {"const", Space::kConst},
                                {"shared", Space::kShared},
                                {"shared::cta", Space::kShared},
                                {"shared::cluster", Space::kShared},
                                {"local", Space::kLocal},
                                {"param", Space::kParam},
                                {"param::entry", Space::kParam},
                                {"param::func", Space::kParam}};
const Named<std::uint8_t> kPriorities[] = {
    {"L2::evict_last", 1}, {"L2::evict_normal", 2}, {"L2::evict_first", 3}, {"L2::evict_unchanged", 4}};
const Named<Geometry> kGeometries[] = {{"1d", Geometry::d1},   {"2d", Geometry::d2},   {"3d", Geometry::d3},
                                       {"a1d", Geometry::a1d}, {"a2d", Geometry::a2d}, SAME(Geometry, cube),
                                       SAME(Geometry, acube)};
const Named<SurfaceClamp> kSurfaceClamps[] = {SAME(SurfaceClamp, trap), SAME(SurfaceClamp, clamp),
                                              SAME(SurfaceClamp, zero)};
const Named<ImageQuery> kImageQueries[] = {
    SAME(ImageQuery, width),         SAME(ImageQuery, height),
    SAME(ImageQuery, depth),         SAME(ImageQuery, channel_data_type),
    SAME(ImageQuery, channel_order), SAME(ImageQuery, normalized_coords),
    SAME(ImageQuery, array_size),    SAME(ImageQuery, num_mipmap_levels),
    SAME(ImageQuery, num_samples),   SAME(ImageQuery, force_unnormalized_coords),
    SAME(ImageQuery, filter_mode),   SAME(ImageQuery, addr_mode_0),
    SAME(ImageQuery, addr_mode_1),   SAME(ImageQuery, addr_mode_2),
    SAME(ImageQuery, memory_layout), SAME(ImageQuery, texref),
    SAME(ImageQuery, samplerref),    SAME(ImageQuery, surfref)};
#undef SAME

void apply(const std::string& role, const std::string& name, OpcodeMatch& match) {
  Modifiers& m = match.modifiers;
  if (role == "type")
    m.type = type_of(name);
  else if (role == "stype")
    m.src_type = type_of(name);
  else if (role == "rnd")
    m.rounding = lookup(kRoundings, name);
  else if (role == "ftz")
    m.ftz = true;
  else if (role == "sat")
    m.sat = true;
  else if (role == "cc")
    m.cc = true;
  else if (role == "cmp")
    m.compare = lookup(kCompares, name);
  else if (role == "bool")
    m.bool_op = lookup(kBoolOps, name);
  else if (role == "mul")
    m.mul = lookup(kMulModes, name);
  else if (role == "shift")
    m.shift = lookup(kShiftModes, name);
  else if (role == "dir")
    m.direction = lookup(kDirections, name);
  else if (role == "shfl")
    m.shuffle = lookup(kShuffleModes, name);
  else if (role == "vote")
    m.vote = lookup(kVoteModes, name);
  else if (role == "sync")
    m.sync = true;
  else if (role == "match")
    m.match_all = name == "all";
  else if (role == "atom")
    m.atom = lookup(kAtomOps, name);
  else if (role == "prmt")
    m.prmt = lookup(kPrmtModes, name);
  else if (role == "testp")
    m.testp = lookup(kTestpModes, name);
  else if (role == "bar")
    m.bar = lookup(kBarOps, name);
  else if (role == "bar_red")
    m.bar = lookup(kBarReductions, name);
  else if (role == "bar_warp")
    m.bar = BarOp::warp_sync;
  else if (role == "async")
    m.async = name == "async" ? AsyncOp::copy : lookup(kAsyncOps, name);
  else if (role == "xorsign")
    m.xor_sign_abs = true;
  else if (role == "NaN")
    m.nan = true;
  else if (role == "shiftamt")
    m.shiftamt = true;
  else if (role == "to")
    m.to_space = true;
  else if (role == "relu")
    m.relu = true;
  else if (role == "satfinite")
    m.satfinite = true;
  else if (role == "policy")
    m.cache_policy = true;
  else if (role == "packto") {
    m.pack_signed = name[0] == 's';
    m.pack_bits = static_cast<std::uint8_t>(name == "u16" || name == "s16" ? 16 : name[1] - '0');
  } else if (role == "primary")
    m.priority[0] = lookup(kPriorities, name);
  else if (role == "secondary")
    m.priority[1] = lookup(kPriorities, name);
  else if (role == "range")
    m.policy_range = true;
  else if (role == "cvt")
    m.policy_convert = true;
  else if (role == "space")
    match.space = lookup(kSpaces, name);
  else if (role == "cache")
    match.cache = lookup(kCacheOps, name);
  else if (role == "order")
    match.is_volatile = true;
  else if (role == "geom")
    m.geometry = lookup(kGeometries, name);
  else if (role == "sclamp")
    m.surface_clamp = lookup(kSurfaceClamps, name);
  else if (role == "query")
    m.query = lookup(kImageQueries, name);
  else if (role == "gather")
    m.gather = static_cast<std::uint8_t>(std::string("rgba").find(name));
  else if (role == "vec")
    match.vector = static_cast<unsigned>(name[1] - '0');
  else if (role == "uni")
    match.uniform = true;
  else if (!apply_matrix(role, name, m) && !apply_bulk(role, m))
    apply_video(role, name, m);
  // cta, red, warp, aligned, weak, idx, global, L1, L2, abs, mask, sem, scope, hint, proxy, restrict and
  // others: nothing depends on them.
}

bool is_refused_type(std::string_view name) {
  static const char* const kTypes[] = {"f16",    "f16x2",  "bf16",   "bf16x2", "b128",   "u128",    "s128",
                                       "f32x2",  "u8x4",   "s8x4",   "b1",     "b4",     "u4",      "s4",
                                       "e2m1x2", "e2m3x2", "e3m2x2", "e4m3x4", "e5m2x4", "ue8m0x2", "s2f6x2"};
  return std::find(std::begin(kTypes), std::end(kTypes), name) != std::end(kTypes);
}

struct NamedType {
  const char* name;
  Type type;
  unsigned bytes;
};
// In the order of Type.
const NamedType kTypes[] = {
    {"none", Type::kNone, 0},    {"b8", Type::b8, 1},         {"b16", Type::b16, 2},
    {"b32", Type::b32, 4},       {"b64", Type::b64, 8},       {"b128", Type::b128, 16},
    {"u8", Type::u8, 1},         {"u16", Type::u16, 2},       {"u32", Type::u32, 4},
    {"u64", Type::u64, 8},       {"s8", Type::s8, 1},         {"s16", Type::s16, 2},
    {"s32", Type::s32, 4},       {"s64", Type::s64, 8},       {"f16", Type::f16, 2},
    {"f16x2", Type::f16x2, 4},   {"bf16", Type::bf16, 2},     {"bf16x2", Type::bf16x2, 4},
    {"f32", Type::f32, 4},       {"f64", Type::f64, 8},       {"pred", Type::pred, 0},
    {"u16x2", Type::u16x2, 4},   {"s16x2", Type::s16x2, 4},   {"tf32", Type::tf32, 4},
    {"e4m3x2", Type::e4m3x2, 2}, {"e5m2x2", Type::e5m2x2, 2}, {"u4", Type::u4, 0},
    {"s4", Type::s4, 0},         {"b1", Type::b1, 0}};

}  // namespace

namespace {

// Suffixes that are part of the instruction's name: they stand where the table has them.
bool has_fixed_place(const std::string& role) {
  static const char* const kRoles[] = {"row", "col",   "ma",   "mb",    "mc",        "mul", "dir",
                                       "to",  "async", "warp", "red",   "idx",       "cta", "pack",
                                       "uni", "proxy", "cvt",  "range", "fractional"};
  return std::find(std::begin(kRoles), std::end(kRoles), role) != std::end(kRoles);
}

// Matches one form with its suffixes in the table's order. Returns how many were understood; `expected`
// receives what could have stood behind them.
std::size_t match_in_order(const CompiledForm& c, const std::vector<std::string_view>& suffixes,
                           OpcodeMatch& attempt, bool& complete, std::vector<std::string>& expected) {
  std::size_t at = 0;
  complete = true;
  for (const SuffixRule& rule : c.rules) {
    const auto hit = at < suffixes.size() ? std::find(rule.names.begin(), rule.names.end(), suffixes[at])
                                          : rule.names.end();
    if (hit != rule.names.end()) {
      apply(rule.role, *hit, attempt);
      ++at;
      expected.clear();
      continue;
    }
    expected.insert(expected.end(), rule.names.begin(), rule.names.end());
    if (!rule.optional) {
      complete = false;
      break;
    }
  }
  complete &= at == suffixes.size();
  return at;
}

// Matches one form in any order, as the vendor's assembler does and compilers count on (`max.s32.relu`,
// `vote.ballot.sync.b32`, `atom.add.global.u32`). Suffixes that share names, such as two types, keep theirs.
bool match_in_any_order(const CompiledForm& c, const std::vector<std::string_view>& suffixes,
                        OpcodeMatch& attempt) {
  std::vector<bool> used(suffixes.size(), false);
  std::size_t count = 0;
  for (std::size_t r = 0; r < c.rules.size(); ++r) {
    const SuffixRule& rule = c.rules[r];
    const bool fixed = has_fixed_place(rule.role);
    bool found = false;
    for (std::size_t i = 0; i < suffixes.size() && !found; ++i) {
      if (used[i] || (fixed && i != r)) continue;
      const auto hit = std::find(rule.names.begin(), rule.names.end(), suffixes[i]);
      if (hit == rule.names.end()) continue;
      apply(rule.role, *hit, attempt);
      used[i] = found = true;
      ++count;
    }
    if (!found && !rule.optional) return false;
  }
  return count == suffixes.size();
}

}  // namespace

bool match_opcode(std::string_view mnemonic, const std::vector<std::string_view>& suffixes,
                  OpcodeMatch& match, OpcodeMismatch& mismatch) {
  const std::vector<std::size_t>* candidates = table().find(mnemonic);
  if (!candidates) {
    mismatch.at = -1;
    const bool known =
        std::find(std::begin(kUnsupported), std::end(kUnsupported), mnemonic) != std::end(kUnsupported);
    mismatch.message = known ? fmt::format("instruction '{}' is not supported", mnemonic)
                             : fmt::format("unknown instruction '{}'", mnemonic);
    return false;
  }
  const auto accept = [&](const CompiledForm& c, OpcodeMatch& attempt) {
    attempt.form = c.form;
    if (c.form->opcode == Opcode::cp_async && attempt.modifiers.async == AsyncOp::kNone)
      attempt.modifiers.async = AsyncOp::copy;
    Modifiers& m = attempt.modifiers;
    if (c.form->opcode == Opcode::mad && m.type == Type::f32 && m.rounding == Rounding::kNone) {
      // Of PTX for sm_1x. Later chips have it as a fused multiply-add (PTX ISA, mad).
      m.rounding = Rounding::rn;
      m.ftz = true;
    }
    if (c.form->opcode == Opcode::video) name_video(mnemonic, attempt.modifiers.video);
    match = attempt;
    return true;
  };
  int furthest = -1;
  std::vector<std::string> expected;
  for (const std::size_t index : *candidates) {
    OpcodeMatch attempt;
    bool complete = false;
    std::vector<std::string> here;
    const int at = static_cast<int>(match_in_order(table()[index], suffixes, attempt, complete, here));
    if (complete) return accept(table()[index], attempt);
    if (at > furthest) {
      furthest = at;
      expected.clear();
    }
    if (at == furthest) {
      for (const std::string& name : here) {
        if (std::find(expected.begin(), expected.end(), name) == expected.end()) expected.push_back(name);
      }
    }
  }
  for (const std::size_t index : *candidates) {
    OpcodeMatch attempt;
    if (match_in_any_order(table()[index], suffixes, attempt)) return accept(table()[index], attempt);
  }
  std::string full(mnemonic);
  for (const std::string_view s : suffixes) full += fmt::format(".{}", s);
  std::string allowed;
  for (const std::string& name : expected) allowed += fmt::format("{}.{}", allowed.empty() ? "" : " ", name);
  if (allowed.empty()) allowed = "nothing more";
  mismatch.at = furthest;
  for (std::size_t i = static_cast<std::size_t>(furthest); i < suffixes.size(); ++i) {
    // Half precision is known, if not to every instruction: what stands before it may be wrong.
    const bool known = is_half(type_of(suffixes[i])) && static_cast<int>(i) != furthest;
    if (is_refused_type(suffixes[i]) && !known) {
      mismatch.at = static_cast<int>(i);
      mismatch.message = fmt::format("instruction '{}' is not supported: type '.{}'", full, suffixes[i]);
      return false;
    }
  }
  if (static_cast<std::size_t>(furthest) < suffixes.size()) {
    mismatch.message = fmt::format("instruction '{}': '.{}' is not supported here; allowed: {}", full,
                                   suffixes[static_cast<std::size_t>(furthest)], allowed);
  } else {
    mismatch.message = fmt::format("instruction '{}' is incomplete; may be followed by: {}", full, allowed);
  }
  return false;
}

bool written_operands(const OpcodeForm& form, const Modifiers& m, std::size_t count,
                      std::vector<const OperandSpec*>& written) {
  const std::vector<OperandSpec>& specs = operand_specs(form);
  const auto needed = [&](const OperandSpec& s) {
    return s.what == OperandClass::kPolicy ? m.cache_policy : !s.optional;
  };
  written.clear();
  std::size_t required = 0;
  for (const OperandSpec& s : specs) required += needed(s) ? 1 : 0;
  if (count < required) return false;
  std::size_t surplus = count - required;
  for (const OperandSpec& s : specs) {
    const bool may_take = s.optional && s.what != OperandClass::kPolicy && surplus > 0;
    if (may_take) --surplus;
    written.push_back(needed(s) || may_take ? &s : nullptr);
  }
  return surplus == 0;
}

const std::vector<OperandSpec>& operand_specs(const OpcodeForm& form) {
  return table()[static_cast<std::size_t>(&form - all_forms().data())].operands;
}

bool is_mnemonic(std::string_view name) { return table().find(name) != nullptr; }

const std::vector<OpcodeForm>& opcode_forms() { return all_forms(); }

Type type_of(std::string_view suffix) {
  for (const NamedType& t : kTypes) {
    if (t.type != Type::kNone && suffix == t.name) return t.type;
  }
  return Type::kNone;
}
const char* type_name(Type t) { return kTypes[static_cast<std::size_t>(t)].name; }
unsigned type_bytes(Type t) { return kTypes[static_cast<std::size_t>(t)].bytes; }
bool is_float(Type t) { return (t >= Type::f16 && t <= Type::f64) || (t >= Type::tf32 && t <= Type::e5m2x2); }
bool is_half(Type t) { return t >= Type::f16 && t <= Type::bf16x2; }
bool is_signed(Type t) { return t >= Type::s8 && t <= Type::s64; }
bool is_packed(Type t) { return t == Type::u16x2 || t == Type::s16x2; }

}  // namespace warpvp::ptx
