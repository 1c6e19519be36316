#include "ptx/image/image_writer.h"

#include <fmt/format.h>

#include <cstring>
#include <map>
#include <string>

#include "base/error.h"
#include "ptx/image/image_bytes.h"
#include "ptx/image/inst_flags.h"
#include "ptx/image/modifier_fields.h"

namespace warpvp::ptx::image {
namespace {

class ImageWriter {
 public:
  explicit ImageWriter(const Program& program) : p_(program) {}

  std::vector<std::uint8_t> write() {
    check();
    resources();
    parameters();
    constants();
    modifiers();
    code();
    branch_tables();
    fragments();
    presets();
    const_ranges();
    symbols();
    texts();
    lines();
    section(Section::kStrings).bytes() = {strings_.begin(), strings_.end()};
    return assemble();
  }

 private:
  ByteWriter& section(Section s) { return sections_[static_cast<std::uint32_t>(s) - 1]; }

  [[noreturn]] void fail(const std::string& what) const {
    throw InputError(fmt::format("{}: kernel '{}' {}", p_.file, p_.name, what));
  }
  void check() const {
    if (p_.depot_bytes > kMostDepotBytes)
      fail(fmt::format("needs {} bytes of local memory per thread; at most {} are supported", p_.depot_bytes,
                       kMostDepotBytes));
  }

  void string(ByteWriter& out, const std::string& text) {
    const auto [at, is_new] = places_.emplace(text, strings_.size());
    if (is_new) strings_ += text;
    out.u32(at->second);
    out.u32(text.size());
  }

  void resources() {
    ByteWriter& out = section(Section::kResources);
    string(out, p_.name);
    string(out, p_.file);
    out.u64(p_.code_address);
    for (const std::uint32_t v : {p_.param_bytes, p_.rows, p_.preds, p_.depot_bytes, p_.stack_bytes,
                                  p_.frame_rows, p_.registers_per_thread, p_.static_shared_bytes,
                                  p_.reserved_shared_bytes, p_.barriers, p_.max_threads, p_.required_block[0],
                                  p_.required_block[1], p_.required_block[2], p_.min_ctas_per_sm})
      out.u32(v);
    for (const bool v : {p_.recursive, p_.has_calls, p_.uses_dynamic_shared, p_.uses_heap}) out.u8(v);
  }

  void parameters() {
    ByteWriter& out = section(Section::kParameters);
    out.u32(p_.params.size());
    for (const Param& param : p_.params) {
      string(out, param.name);
      string(out, param.type);
      out.u32(param.offset);
      out.u32(param.bytes);
      out.u32(param.alignment);
      out.u32(param.is_pointer);
    }
  }

  // Rows are broadcasts: of a pair of rows each lane has the same 64 bits, of others the same 32. A pair is
  // what an operand or the loader takes as one.
  void constants() {
    ByteWriter& out = section(Section::kConstants);
    const std::size_t rows = p_.constants.size() / kWarpSize;
    std::vector<std::pair<std::size_t, bool>> entries;
    for (std::size_t row = 0; row < rows;) {
      const std::uint32_t* words = p_.constants.data() + row * kWarpSize;
      const auto repeats = [&](unsigned period, unsigned count) {
        for (unsigned i = period; i < count; ++i)
          if (words[i] != words[i - period]) return false;
        return true;
      };
      const bool narrow = repeats(1, kWarpSize);
      if (!narrow && !(row % 2 == 0 && row + 1 < rows && repeats(2, 2 * kWarpSize)))
        fail("has a constant that differs from lane to lane");
      entries.emplace_back(row, !narrow);
      row += narrow ? 1 : 2;
    }
    out.u32(rows);
    out.u32(entries.size());
    for (const auto& [row, wide] : entries) {
      const std::uint32_t* words = p_.constants.data() + row * kWarpSize;
      out.u32(wide);
      out.u32(words[0]);
      if (wide) out.u32(words[1]);
    }
  }

  void modifiers() {
    ByteWriter& out = section(Section::kModifiers);
    out.u32(p_.modifiers.size());
    for (const Modifiers& m : p_.modifiers) {
      std::uint8_t bytes[sizeof m];
      std::memcpy(bytes, &m, sizeof m);
      for (const std::uint8_t b : bytes) out.u8(b);
    }
  }

  static void operand(ByteWriter& out, const Operand& o) {
    out.u8(static_cast<unsigned>(o.kind));
    out.u8(o.negated);
    out.u16(o.index);
  }

  void code() {
    ByteWriter& out = section(Section::kCode);
    out.u32(p_.code.size());
    for (const Inst& i : p_.code) instruction(out, i);
  }
  static void instruction(ByteWriter& out, const Inst& i) {
    for (const unsigned v :
         {static_cast<unsigned>(i.opcode), static_cast<unsigned>(i.unit), static_cast<unsigned>(i.op_class),
          static_cast<unsigned>(i.effect), static_cast<unsigned>(i.space), unsigned{i.flops},
          unsigned{i.access_bytes}, unsigned{i.vector}, unsigned{i.cache_op}, unsigned{i.loop_units},
          unsigned{i.dst_count}, unsigned{i.src_count}, unsigned{i.read_rows}, unsigned{i.written_rows},
          unsigned{i.read_preds}, unsigned{i.written_preds}})
      out.u8(v);
    out.u16(flags_of(i));
    out.u16(i.wide);
    out.u32(i.modifiers);
    out.u32(i.target);
    out.u32(i.reconverge);
    out.u32(i.table);
    out.u16(i.frame_rows);
    out.u16(i.frame_preds);
    out.u32(i.frame_param_bytes);
    out.u64(static_cast<std::uint64_t>(i.offset));
    out.u64(i.aux);
    operand(out, i.guard);
    for (unsigned k = 0; k < i.dst_count; ++k) operand(out, i.dst[k]);
    for (unsigned k = 0; k < i.src_count; ++k) operand(out, i.source(k));
    for (unsigned k = 0; k < i.read_rows; ++k) out.u16(i.reads[k]);
    for (unsigned k = 0; k < i.written_rows; ++k) out.u16(i.writes[k]);
    for (unsigned k = 0; k < i.read_preds; ++k) out.u16(i.pred_reads[k]);
    for (unsigned k = 0; k < i.written_preds; ++k) out.u16(i.pred_writes[k]);
  }

  void branch_tables() {
    ByteWriter& out = section(Section::kBranchTables);
    out.u32(p_.branch_tables.size());
    for (const std::vector<Pc>& table : p_.branch_tables) {
      out.u32(table.size());
      for (const Pc target : table) out.u32(target);
    }
  }

  void fragments() {
    ByteWriter& out = section(Section::kFragments);
    out.u32(p_.fragments.size());
    for (const std::uint16_t row : p_.fragments) out.u16(row);
  }

  void presets() {
    ByteWriter& out = section(Section::kPresets);
    out.u32(p_.presets.size());
    for (const PresetRow& preset : p_.presets) {
      out.u16(preset.row);
      out.u8(preset.wide);
      out.u8(preset.sign);
      out.u8(preset.in_memory);
      out.u8(preset.bytes);
      out.u16(static_cast<unsigned>(preset.special));
      out.u32(preset.offset);
      out.u64(preset.address);
    }
  }

  void const_ranges() {
    ByteWriter& out = section(Section::kConstRanges);
    out.u32(p_.const_ranges.size());
    for (const auto& [begin, end] : p_.const_ranges) {
      out.u64(begin);
      out.u64(end);
    }
  }

  void symbols() {
    ByteWriter& out = section(Section::kSymbols);
    out.u32(p_.function_of.size());
    for (const std::string& name : p_.function_of) string(out, name);
    out.u32(p_.functions.size());
    for (const Pc start : p_.functions) out.u32(start);
  }

  void texts() {
    ByteWriter& out = section(Section::kTexts);
    out.u32(p_.texts.size());
    for (const std::string& text : p_.texts) string(out, text);
  }

  void lines() {
    ByteWriter& out = section(Section::kLines);
    for (const Inst& i : p_.code) {
      out.u32(i.line);
      out.u32(i.ir_index);
    }
  }

  std::vector<std::uint8_t> assemble() {
    std::size_t at = kHeaderBytes + kSections * kEntryBytes;
    ByteWriter out;
    out.u32(kMagic);
    out.u16(kVersion);
    out.u16(kHeaderBytes);
    out.u32(0);  // the length, below
    out.u32(kSections);
    out.u64(0);  // the checksum
    out.u64(0);
    for (std::uint32_t s = 0; s < kSections; ++s) {
      out.u32(s + 1);
      out.u32(at);
      out.u64(sections_[s].size());
      at = (at + sections_[s].size() + kSectionAlignment - 1) / kSectionAlignment * kSectionAlignment;
    }
    if (at > kMostBytes)
      fail(fmt::format("has an image of {} bytes; at most {} are supported", at, kMostBytes));
    std::vector<std::uint8_t>& bytes = out.bytes();
    for (ByteWriter& s : sections_) {
      bytes.insert(bytes.end(), s.bytes().begin(), s.bytes().end());
      out.align(kSectionAlignment);
    }
    patch(bytes, kTotalAt, bytes.size(), 4);
    patch(bytes, kChecksumAt, checksum(bytes.data(), bytes.size()), 8);
    return std::move(bytes);
  }
  static void patch(std::vector<std::uint8_t>& bytes, std::size_t at, std::uint64_t v, unsigned count) {
    for (unsigned i = 0; i < count; ++i) bytes[at + i] = static_cast<std::uint8_t>(v >> (8 * i));
  }

  const Program& p_;
  ByteWriter sections_[kSections];
  std::string strings_;
  std::map<std::string, std::size_t> places_;
};

}  // namespace

std::uint64_t checksum(const std::uint8_t* bytes, std::size_t size) {
  std::uint64_t hash = 0xcbf2'9ce4'8422'2325;
  for (std::size_t at = 0; at < size; at += 8) {
    std::uint64_t word = 0;
    if (at != kChecksumAt)
      for (std::size_t i = 0; i < 8 && at + i < size; ++i) word |= std::uint64_t{bytes[at + i]} << (8 * i);
    hash = (hash ^ word) * 0x0000'0100'0000'01b3;
    hash ^= hash >> 32;  // so that high bytes reach low bits too
  }
  return hash;
}

std::vector<std::uint8_t> write_image(const Program& program) { return ImageWriter(program).write(); }

}  // namespace warpvp::ptx::image
