#include "ptx/video.h"

namespace warpvp::ptx {
namespace {

// In the notation of opcode_table.cpp. The types of d, a and b come in this order; vset has none for d.
#define TYPES "dtype=u32|s32 atype=u32|s32 btype=u32|s32 "
#define SECOND " second=add|min|max"
#define COMPARED "atype=u32|s32 btype=u32|s32 cmp=eq|ne|lt|le|gt|ge"

void scalar_forms(std::vector<OpcodeForm>& forms) {
  for (const char* name : {"vadd", "vsub", "vabsdiff", "vmin", "vmax"}) {
    forms.push_back({Opcode::video, name, TYPES "sat?", "dV sV sV sU?"});
    forms.push_back({Opcode::video, name, TYPES "sat?" SECOND, "dV sV sV sU"});
  }
  for (const char* name : {"vshl", "vshr"}) {
    forms.push_back(
        {Opcode::video, name, "dtype=u32|s32 atype=u32|s32 btype=u32 sat? shift=clamp|wrap", "dV sV sV sU?"});
    forms.push_back({Opcode::video, name,
                     "dtype=u32|s32 atype=u32|s32 btype=u32 sat? shift=clamp|wrap" SECOND, "dV sV sV sU"});
  }
  forms.push_back({Opcode::video, "vmad", TYPES "po? sat? scale=shr7|shr15?", "dV sV sV sV"});
  forms.push_back({Opcode::video, "vset", COMPARED, "dV sV sV sU?"});
  forms.push_back({Opcode::video, "vset", COMPARED SECOND, "dV sV sV sU"});
}

void simd_forms(std::vector<OpcodeForm>& forms) {
  for (const char* name : {"vadd2", "vsub2", "vavrg2", "vabsdiff2", "vmin2", "vmax2", "vadd4", "vsub4",
                           "vavrg4", "vabsdiff4", "vmin4", "vmax4"}) {
    forms.push_back({Opcode::video, name, TYPES "sat?", "dV sV sV sU"});
    forms.push_back({Opcode::video, name, TYPES "second=add", "dV sV sV sU"});
  }
  for (const char* name : {"vset2", "vset4"}) {
    forms.push_back({Opcode::video, name, COMPARED, "dV sV sV sU"});
    forms.push_back({Opcode::video, name, COMPARED " second=add", "dV sV sV sU"});
  }
}

#undef TYPES
#undef SECOND
#undef COMPARED

// The digits of "b3210": all below `limit`, as many as `count`; empty if they are not.
std::string digits(std::string_view text, char letter, std::size_t count, char limit) {
  if (text.size() != count + 1 || text[0] != letter) return "";
  for (const char c : text.substr(1)) {
    if (c < '0' || c >= limit) return "";
  }
  return std::string(text.substr(1));
}

std::optional<std::uint16_t> word_selector(std::string_view text) {
  if (text.empty()) return 0;
  if (const std::string b = digits(text, 'b', 1, '4'); !b.empty())
    return static_cast<std::uint16_t>(1 + b[0] - '0');
  if (const std::string h = digits(text, 'h', 1, '2'); !h.empty())
    return static_cast<std::uint16_t>(5 + h[0] - '0');
  return std::nullopt;
}

}  // namespace

const std::vector<OpcodeForm>& video_forms() {
  static const std::vector<OpcodeForm> forms = [] {
    std::vector<OpcodeForm> all;
    scalar_forms(all);
    simd_forms(all);
    return all;
  }();
  return forms;
}

void name_video(std::string_view mnemonic, VideoModifiers& m) {
  mnemonic.remove_prefix(1);
  m.lanes = 1;
  if (mnemonic.back() == '2' || mnemonic.back() == '4') {
    m.lanes = static_cast<std::uint8_t>(mnemonic.back() - '0');
    mnemonic.remove_suffix(1);
  }
  struct Named {
    const char* name;
    VideoOp op;
  };
  static constexpr Named kOps[] = {
      {"add", VideoOp::add}, {"sub", VideoOp::sub}, {"absdiff", VideoOp::absdiff}, {"avrg", VideoOp::avrg},
      {"min", VideoOp::min}, {"max", VideoOp::max}, {"shl", VideoOp::shl},         {"shr", VideoOp::shr},
      {"mad", VideoOp::mad}, {"set", VideoOp::set}};
  for (const Named& n : kOps) {
    if (mnemonic == n.name) m.op = n.op;
  }
}

void apply_video(const std::string& role, const std::string& name, Modifiers& m) {
  VideoModifiers& v = m.video;
  if (role == "dtype")
    v.signed_d = name[0] == 's';
  else if (role == "atype")
    v.signed_a = name[0] == 's';
  else if (role == "btype")
    v.signed_b = name[0] == 's';
  else if (role == "second")
    v.second = name == "add" ? AtomOp::add : name == "min" ? AtomOp::min : AtomOp::max;
  else if (role == "scale")
    v.scale = name == "shr7" ? 7 : 15;
  else if (role == "po")
    v.plus_one = true;
}

std::optional<std::uint16_t> destination_selector(unsigned lanes, std::string_view text) {
  if (lanes == 1) return word_selector(text);
  if (text.empty()) return static_cast<std::uint16_t>((1u << lanes) - 1);
  // A mask names elements from the highest to the lowest.
  const char letter = lanes == 2 ? 'h' : 'b';
  const std::string named = digits(text, letter, text.size() - 1, static_cast<char>('0' + lanes));
  unsigned mask = 0;
  for (std::size_t i = 0; i < named.size(); ++i) {
    if (i > 0 && named[i] >= named[i - 1]) return std::nullopt;
    mask |= 1u << (named[i] - '0');
  }
  if (mask == 0) return std::nullopt;
  return static_cast<std::uint16_t>(mask);
}

std::optional<std::uint16_t> source_selector(unsigned lanes, unsigned operand, std::string_view text) {
  if (lanes == 1) return word_selector(text);
  std::uint16_t code = 0;
  if (text.empty()) {
    for (unsigned i = 0; i < lanes; ++i)
      code = static_cast<std::uint16_t>(code | (operand * lanes + i) << (4 * i));
    return code;
  }
  const std::string named = digits(text, lanes == 2 ? 'h' : 'b', lanes, static_cast<char>('0' + 2 * lanes));
  if (named.empty()) return std::nullopt;
  for (const char c : named) code = static_cast<std::uint16_t>(code << 4 | (c - '0'));
  return code;
}

}  // namespace warpvp::ptx
