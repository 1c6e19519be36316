#include "ptx/image/image_reader.h"

#include <fmt/format.h>

#include <cstring>
#include <string>
#include <string_view>

#include "ptx/exec/select.h"
#include "ptx/first_reads.h"
#include "ptx/image/image_bytes.h"
#include "ptx/image/image_checks.h"
#include "ptx/image/inst_flags.h"
#include "ptx/image/modifier_fields.h"

namespace warpvp::ptx::image {
namespace {

constexpr const char* kNames[kSections] = {
    "its resources",     "its parameters", "its constants", "its modifiers",       "its instructions",
    "its branch tables", "its fragments",  "its presets",   "its constant ranges", "its symbols",
    "its texts",         "its lines",      "its strings"};

template <class E>
E enumerated(ByteReader& in, E last) {
  const std::uint8_t value = in.u8();
  if (value > static_cast<std::uint8_t>(last)) in.fail("a value of no meaning");
  return static_cast<E>(value);
}

class Reader {
 public:
  Reader(const std::uint8_t* bytes, std::size_t size) : bytes_(bytes), size_(size) {}

  std::shared_ptr<const Program> read(const MemoryBounds& memory) {
    const std::uint32_t total = image_bytes(bytes_, size_);
    ByteReader header(bytes_ + kChecksumAt, kHeaderBytes - kChecksumAt, "the header of it");
    const std::uint64_t stated = header.u64(), zero = header.u64();
    if (checksum(bytes_, total) != stated) throw ImageError("its checksum is wrong");
    if (zero != 0) throw ImageError("its header is not zero where nothing is meant");
    find_sections(total);
    program_ = std::make_shared<Program>();
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
    check_program(*program_, memory);
    select();
    program_->zero_rows = rows_read_first(*program_);
    return std::move(program_);
  }

 private:
  struct Place {
    std::uint32_t at = 0;
    std::size_t bytes = 0;
  };

  void find_sections(std::uint32_t total) {
    ByteReader table(bytes_ + kHeaderBytes, kSections * kEntryBytes, "the table of its sections");
    std::uint64_t next = kHeaderBytes + kSections * kEntryBytes;
    for (std::uint32_t s = 0; s < kSections; ++s) {
      const std::uint32_t kind = table.u32(), at = table.u32();
      const std::uint64_t bytes = table.u64();
      if (kind != s + 1 || at != next || at > total || bytes > total - at)
        throw ImageError(fmt::format("its section {} is not where it belongs", s + 1));
      places_[s] = {at, static_cast<std::size_t>(bytes)};
      next = (at + bytes + kSectionAlignment - 1) / kSectionAlignment * kSectionAlignment;
      for (std::uint64_t gap = at + bytes; gap < next && gap < total; ++gap)
        if (bytes_[gap] != 0) throw ImageError("it is not zero between its sections");
    }
    if (next != total) throw ImageError("its sections do not fill it");
    const Place& strings = places_[kSections - 1];
    strings_ = {reinterpret_cast<const char*>(bytes_ + strings.at), strings.bytes};
  }

  ByteReader section(Section s) const {
    const std::uint32_t index = static_cast<std::uint32_t>(s) - 1;
    return {bytes_ + places_[index].at, places_[index].bytes, kNames[index]};
  }

  // Many texts may be the same characters; all of them together are bounded like an image.
  std::string string(ByteReader& in) {
    const std::uint32_t at = in.u32(), bytes = in.u32();
    if (at > strings_.size() || bytes > strings_.size() - at) in.fail("a text beyond the strings");
    characters_ += bytes;
    if (characters_ > kMostBytes) in.fail("more text than is allowed");
    return std::string(strings_.substr(at, bytes));
  }
  static constexpr std::size_t kStringBytes = 8;

  void resources() {
    ByteReader in = section(Section::kResources);
    Program& p = *program_;
    p.name = string(in);
    p.file = string(in);
    p.code_address = in.u64();
    for (std::uint32_t* v : {&p.param_bytes, &p.rows, &p.preds, &p.depot_bytes, &p.stack_bytes, &p.frame_rows,
                             &p.registers_per_thread, &p.static_shared_bytes, &p.reserved_shared_bytes,
                             &p.barriers, &p.max_threads, &p.required_block[0], &p.required_block[1],
                             &p.required_block[2], &p.min_ctas_per_sm})
      *v = in.u32();
    for (bool* v : {&p.recursive, &p.has_calls, &p.uses_dynamic_shared, &p.uses_heap}) *v = in.flag();
    in.done();
  }

  void parameters() {
    ByteReader in = section(Section::kParameters);
    program_->params.resize(in.count(2 * kStringBytes + 16));
    for (Param& param : program_->params) {
      param.name = string(in);
      param.type = string(in);
      param.offset = in.u32();
      param.bytes = in.u32();
      param.alignment = in.u32();
      const std::uint32_t pointer = in.u32();
      if (pointer > 1) in.fail("a flag that is neither 0 nor 1");
      param.is_pointer = pointer != 0;
    }
    in.done();
  }

  void constants() {
    ByteReader in = section(Section::kConstants);
    const std::uint32_t rows = in.u32(), entries = in.count(8);
    if (rows > kMostConstantRows) in.fail("more rows than a bank has");
    std::vector<std::uint32_t>& bank = program_->constants;
    bank.reserve(std::size_t{rows} * kWarpSize);
    for (std::uint32_t e = 0; e < entries; ++e) {
      const std::uint32_t wide = in.u32(), low = in.u32(), high = wide ? in.u32() : low;
      const std::size_t row = bank.size() / kWarpSize;
      if (wide > 1 || (wide && (row % 2 != 0 || high == low))) in.fail("an entry of no meaning");
      if (row + 1 + wide > rows) in.fail("more entries than rows");
      for (unsigned lane = 0; lane < kWarpSize * (1 + wide); ++lane) bank.push_back(lane % 2 ? high : low);
    }
    if (bank.size() != std::size_t{rows} * kWarpSize) in.fail("fewer entries than rows");
    in.done();
  }

  void modifiers() {
    ByteReader in = section(Section::kModifiers);
    program_->modifiers.resize(in.count(kModifierBytes));
    for (Modifiers& m : program_->modifiers) {
      std::uint8_t bytes[kModifierBytes];
      visit_modifier_bytes([&](std::size_t at, std::uint8_t greatest) {
        bytes[at] = in.u8();
        if (bytes[at] > greatest) in.fail("a value of no meaning");
      });
      std::memcpy(&m, bytes, sizeof m);
    }
    in.done();
  }

  static Operand operand(ByteReader& in) {
    Operand o;
    o.kind = enumerated(in, OperandKind::kPred);
    o.negated = in.flag();
    o.index = in.u16();
    return o;
  }
  static std::uint8_t most(ByteReader& in, unsigned limit) {
    const std::uint8_t n = in.u8();
    if (n > limit) in.fail("an instruction of more operands than there are places");
    return n;
  }

  void code() {
    ByteReader in = section(Section::kCode);
    constexpr std::size_t kLeast = 16 + 4 + 5 * 4 + 4 + 16 + 4;
    program_->code.resize(in.count(kLeast));
    for (Inst& i : program_->code) instruction(in, i);
    in.done();
  }
  static void instruction(ByteReader& in, Inst& i) {
    i.opcode = enumerated(in, Opcode::xor_);
    i.unit = enumerated(in, static_cast<Unit>(static_cast<unsigned>(Unit::kCount) - 1));
    i.op_class = enumerated(in, static_cast<OpClass>(static_cast<unsigned>(OpClass::kCount) - 1));
    i.effect = enumerated(in, Effect::kYield);
    i.space = enumerated(in, Space::kParam);
    i.flops = in.u8();
    i.access_bytes = in.u8();
    i.vector = in.u8();
    i.cache_op = static_cast<std::uint8_t>(enumerated(in, CacheOp::bulk));
    i.loop_units = in.u8();
    i.dst_count = most(in, kMaxDst);
    i.src_count = most(in, kMaxSrc + static_cast<unsigned>(std::size(i.more_src)));
    i.read_rows = most(in, static_cast<unsigned>(std::size(i.reads)));
    i.written_rows = most(in, static_cast<unsigned>(std::size(i.writes)));
    i.read_preds = most(in, static_cast<unsigned>(std::size(i.pred_reads)));
    i.written_preds = most(in, static_cast<unsigned>(std::size(i.pred_writes)));
    const std::uint16_t flags = in.u16();
    if ((flags & ~kAllFlags) != 0) in.fail("flags of no meaning");
    set_flags(i, flags);
    i.wide = in.u16();
    i.modifiers = in.u32();
    i.target = in.u32();
    i.reconverge = in.u32();
    i.table = in.u32();
    i.frame_rows = in.u16();
    i.frame_preds = in.u16();
    i.frame_param_bytes = in.u32();
    i.offset = static_cast<std::int64_t>(in.u64());
    i.aux = in.u64();
    i.guard = operand(in);
    for (unsigned k = 0; k < i.dst_count; ++k) i.dst[k] = operand(in);
    for (unsigned k = 0; k < i.src_count; ++k) i.source(k) = operand(in);
    for (unsigned k = 0; k < i.read_rows; ++k) i.reads[k] = in.u16();
    for (unsigned k = 0; k < i.written_rows; ++k) i.writes[k] = in.u16();
    for (unsigned k = 0; k < i.read_preds; ++k) i.pred_reads[k] = in.u16();
    for (unsigned k = 0; k < i.written_preds; ++k) i.pred_writes[k] = in.u16();
  }

  void branch_tables() {
    ByteReader in = section(Section::kBranchTables);
    program_->branch_tables.resize(in.count(4));
    for (std::vector<Pc>& table : program_->branch_tables) {
      table.resize(in.count(4));
      for (Pc& target : table) target = in.u32();
    }
    in.done();
  }

  void fragments() {
    ByteReader in = section(Section::kFragments);
    program_->fragments.resize(in.count(2));
    for (std::uint16_t& row : program_->fragments) row = in.u16();
    in.done();
  }

  void presets() {
    ByteReader in = section(Section::kPresets);
    program_->presets.resize(in.count(20));
    for (PresetRow& preset : program_->presets) {
      preset.row = in.u16();
      preset.wide = in.flag();
      preset.sign = in.flag();
      preset.in_memory = in.flag();
      preset.bytes = in.u8();
      const std::uint16_t special = in.u16();
      if (special >= static_cast<unsigned>(SpecialRegister::kCount)) in.fail("a value of no meaning");
      preset.special = static_cast<SpecialRegister>(special);
      preset.offset = in.u32();
      preset.address = in.u64();
    }
    in.done();
  }

  void const_ranges() {
    ByteReader in = section(Section::kConstRanges);
    program_->const_ranges.resize(in.count(16));
    for (auto& [begin, end] : program_->const_ranges) {
      begin = in.u64();
      end = in.u64();
    }
    in.done();
  }

  void symbols() {
    ByteReader in = section(Section::kSymbols);
    program_->function_of.resize(in.count(kStringBytes));
    for (std::string& name : program_->function_of) name = string(in);
    program_->functions.resize(in.count(4));
    for (Pc& start : program_->functions) start = in.u32();
    in.done();
  }

  void texts() {
    ByteReader in = section(Section::kTexts);
    program_->texts.resize(in.count(kStringBytes));
    for (std::string& text : program_->texts) text = string(in);
    in.done();
  }

  void lines() {
    ByteReader in = section(Section::kLines);
    for (Inst& i : program_->code) {
      i.line = in.u32();
      i.ir_index = in.u32();
    }
    in.done();
  }

  void select() {
    for (std::size_t at = 0; at < program_->code.size(); ++at) {
      Inst& i = program_->code[at];
      const std::uint64_t aux = i.aux;
      i.exec = i.is_part ? part_exec() : select_exec(i, program_->modifiers[i.modifiers]);
      if (i.exec == nullptr || i.aux != aux)
        throw ImageError(fmt::format("instruction {} has modifiers that do not fit it", at));
    }
  }

  const std::uint8_t* bytes_;
  std::size_t size_;
  Place places_[kSections];
  std::string_view strings_;
  std::uint64_t characters_ = 0;
  std::shared_ptr<Program> program_;
};

}  // namespace

std::uint32_t image_bytes(const std::uint8_t* bytes, std::size_t size) {
  if (size < kHeaderBytes + kSections * kEntryBytes) throw ImageError("there is no room for its header");
  ByteReader header(bytes, kHeaderBytes, "the header of it");
  if (header.u32() != kMagic) throw ImageError("it does not begin with the magic number");
  if (const std::uint16_t version = header.u16(); version != kVersion)
    throw ImageError(fmt::format("it is of version {}, this device takes version {}", version, kVersion));
  const std::uint16_t header_bytes = header.u16();
  const std::uint32_t total = header.u32(), sections = header.u32();
  if (header_bytes != kHeaderBytes || sections != kSections)
    throw ImageError("its header is of another shape");
  if (total < kHeaderBytes + kSections * kEntryBytes || total > kMostBytes || total > size)
    throw ImageError(fmt::format("its length of {} bytes is beyond its memory", total));
  return total;
}

std::shared_ptr<const Program> read_image(const std::uint8_t* bytes, std::size_t size,
                                          const MemoryBounds& memory) {
  return Reader(bytes, size).read(memory);
}

}  // namespace warpvp::ptx::image
