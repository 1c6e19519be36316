#include "modules/command_processor/riscv/elf_image.h"

#include <fmt/format.h>
#include <gelf.h>
#include <libelf.h>

#include <algorithm>
#include <cstring>
#include <limits>
#include <memory>
#include <tuple>
#include <utility>

#include "base/error.h"
#include "base/input_file.h"

namespace warpvp::riscv {

namespace {

constexpr const char* kRemedy =
    "firmware is linked by riscv64-unknown-elf-gcc -march=rv32imac_zicsr_zifencei -mabi=ilp32";
// Of e_flags: which floating-point registers carry arguments (0: none).
constexpr std::uint32_t kFloatAbi = 0x6;
// More than any local memory holds. Damaged headers could ask for the whole file many times over.
constexpr std::size_t kMostBytes = std::size_t{256} << 20;

struct ElfDeleter {
  void operator()(Elf* elf) const { elf_end(elf); }
};
using ElfPointer = std::unique_ptr<Elf, ElfDeleter>;

[[noreturn]] void refuse(const std::string& name, const std::string& what) {
  throw InputError(fmt::format("{}: {}; {}", name, what, kRemedy));
}

void check_header(const GElf_Ehdr& header, const char* ident, const std::string& name) {
  if (ident[EI_CLASS] != ELFCLASS32) refuse(name, "a 64-bit ELF file where a 32-bit one is needed");
  if (ident[EI_DATA] != ELFDATA2LSB)
    refuse(name, "a big-endian ELF file where a little-endian one is needed");
  if (header.e_machine != EM_RISCV)
    refuse(name, fmt::format("an ELF file for another machine (e_machine {}, RISC-V is {})", header.e_machine,
                             static_cast<int>(EM_RISCV)));
  if (header.e_type != ET_EXEC)
    refuse(name, fmt::format("an ELF file that is not a linked executable (e_type {}, an executable has {})",
                             header.e_type, static_cast<int>(ET_EXEC)));
  if ((header.e_flags & kFloatAbi) != 0)
    refuse(name, "built for floating-point registers, which the core does not have");
}

// Two contents for one place: which of them would count depends on who loads.
void check_apart(const std::vector<ElfImage::Segment>& segments, const std::string& name) {
  std::vector<const ElfImage::Segment*> sorted;
  for (const ElfImage::Segment& s : segments) sorted.push_back(&s);
  std::sort(sorted.begin(), sorted.end(),
            [](const ElfImage::Segment* a, const ElfImage::Segment* b) { return a->address < b->address; });
  for (std::size_t i = 1; i < sorted.size(); ++i) {
    const ElfImage::Segment &low = *sorted[i - 1], &high = *sorted[i];
    if (high.address - low.address < low.memory_bytes)
      refuse(name, fmt::format("segments overlap: {} bytes at {:#x} and {} bytes at {:#x}", low.memory_bytes,
                               low.address, high.memory_bytes, high.address));
  }
}

std::vector<ElfImage::Segment> read_segments(Elf* elf, const std::vector<std::uint8_t>& content,
                                             const std::string& name) {
  std::size_t count = 0;
  if (elf_getphdrnum(elf, &count) != 0)
    refuse(name, fmt::format("damaged ELF file: no program headers ({})", elf_errmsg(-1)));
  std::vector<ElfImage::Segment> segments;
  std::size_t total = 0;
  for (std::size_t i = 0; i < count; ++i) {
    GElf_Phdr header;
    if (gelf_getphdr(elf, static_cast<int>(i), &header) == nullptr)
      refuse(name, fmt::format("damaged ELF file: program header {} ({})", i, elf_errmsg(-1)));
    if (header.p_type != PT_LOAD || header.p_memsz == 0) continue;
    if (header.p_filesz > header.p_memsz || header.p_offset > content.size() ||
        header.p_filesz > content.size() - header.p_offset)
      refuse(name, fmt::format("damaged ELF file: segment {} reaches beyond the end of the file", i));
    if (header.p_memsz - 1 > 0xffff'ffffull - header.p_paddr)
      refuse(name, fmt::format("damaged ELF file: segment {} reaches beyond 32-bit addresses", i));
    total += header.p_filesz;
    if (total > kMostBytes) refuse(name, fmt::format("more than {} MiB to load", kMostBytes >> 20));
    ElfImage::Segment segment;
    segment.address = static_cast<std::uint32_t>(header.p_paddr);
    segment.memory_bytes = static_cast<std::uint32_t>(header.p_memsz);
    const auto first = content.begin() + static_cast<std::ptrdiff_t>(header.p_offset);
    segment.bytes.assign(first, first + static_cast<std::ptrdiff_t>(header.p_filesz));
    segments.push_back(std::move(segment));
  }
  if (segments.empty()) refuse(name, "an ELF file with nothing to load");
  check_apart(segments, name);
  return segments;
}

// Mapping symbols and local labels of the compiler say nothing to a reader.
bool is_noise(const std::string& name) { return name.empty() || name[0] == '$' || name.rfind(".L", 0) == 0; }

// Symbols only explain; a symbol table that cannot be read is left out.
void read_symbols(Elf* elf, Elf_Scn* section, const GElf_Shdr& header,
                  std::vector<std::pair<int, ElfImage::Symbol>>& out) {
  Elf_Data* data = elf_getdata(section, nullptr);
  if (data == nullptr || header.sh_entsize == 0) return;
  const std::size_t count =
      std::min<std::size_t>(data->d_size / header.sh_entsize, std::numeric_limits<int>::max());
  for (std::size_t i = 0; i < count; ++i) {
    GElf_Sym symbol;
    if (gelf_getsym(data, static_cast<int>(i), &symbol) == nullptr) break;
    const int type = GELF_ST_TYPE(symbol.st_info);
    if ((type != STT_FUNC && type != STT_OBJECT && type != STT_NOTYPE) || symbol.st_shndx == SHN_UNDEF)
      continue;
    const char* text = elf_strptr(elf, header.sh_link, symbol.st_name);
    if (text == nullptr) continue;
    ElfImage::Symbol s;
    s.name = text;
    if (is_noise(s.name)) continue;
    s.address = static_cast<std::uint32_t>(symbol.st_value);
    s.size = static_cast<std::uint32_t>(symbol.st_size);
    s.code = type == STT_FUNC;
    if (type == STT_NOTYPE && symbol.st_shndx < SHN_LORESERVE) {
      Elf_Scn* home = elf_getscn(elf, symbol.st_shndx);
      GElf_Shdr home_header;
      s.code = home != nullptr && gelf_getshdr(home, &home_header) != nullptr &&
               (home_header.sh_flags & SHF_EXECINSTR) != 0;
    }
    // Messages prefer functions to labels, and what other files know to what only one knows.
    const int rank = (type == STT_FUNC ? 0 : 2) + (GELF_ST_BIND(symbol.st_info) == STB_LOCAL ? 1 : 0);
    out.emplace_back(rank, std::move(s));
  }
}

}  // namespace

ElfImage ElfImage::load(const std::string& path) {
  const std::string content =
      read_input_file(path, input_limit::kFirmware, "", "give the path of a firmware ELF file");
  return parse({content.begin(), content.end()}, path);
}

ElfImage ElfImage::parse(const std::vector<std::uint8_t>& content, const std::string& name) {
  elf_version(EV_CURRENT);
  // libelf wants memory that it may write to, and may read whole headers wherever it is told that there is
  // one.
  std::vector<std::uint8_t> copy = content;
  const bool looks_like_elf = copy.size() >= EI_NIDENT && std::memcmp(copy.data(), ELFMAG, SELFMAG) == 0;
  if (!looks_like_elf) refuse(name, "not an ELF file");
  const ElfPointer elf(elf_memory(reinterpret_cast<char*>(copy.data()), copy.size()));
  if (!elf || elf_kind(elf.get()) != ELF_K_ELF) refuse(name, "not an ELF file");
  const char* ident = elf_getident(elf.get(), nullptr);
  GElf_Ehdr header;
  if (ident == nullptr || gelf_getehdr(elf.get(), &header) == nullptr)
    refuse(name, fmt::format("damaged ELF file: no header ({})", elf_errmsg(-1)));
  check_header(header, ident, name);

  ElfImage image;
  image.name_ = name;
  image.entry_ = static_cast<std::uint32_t>(header.e_entry);
  image.segments_ = read_segments(elf.get(), content, name);

  std::size_t names = 0;
  const bool has_names = elf_getshdrstrndx(elf.get(), &names) == 0;
  std::vector<std::pair<int, Symbol>> symbols;
  for (Elf_Scn* scn = elf_nextscn(elf.get(), nullptr); scn != nullptr; scn = elf_nextscn(elf.get(), scn)) {
    GElf_Shdr section;
    if (gelf_getshdr(scn, &section) == nullptr) continue;
    if (section.sh_type == SHT_SYMTAB) read_symbols(elf.get(), scn, section, symbols);
    if ((section.sh_flags & SHF_ALLOC) == 0 || section.sh_size == 0) continue;
    const char* text = has_names ? elf_strptr(elf.get(), names, section.sh_name) : nullptr;
    image.sections_.push_back({text == nullptr ? "" : text, static_cast<std::uint32_t>(section.sh_addr),
                               static_cast<std::uint32_t>(section.sh_size),
                               (section.sh_flags & SHF_EXECINSTR) != 0});
  }
  std::sort(symbols.begin(), symbols.end(), [](const auto& a, const auto& b) {
    return std::tie(a.second.address, a.first, a.second.name) <
           std::tie(b.second.address, b.first, b.second.name);
  });
  for (auto& [rank, symbol] : symbols) {
    const auto index = static_cast<std::uint32_t>(image.symbols_.size());
    // The first of an address speaks for it.
    if (symbol.code &&
        (image.functions_.empty() || image.symbols_[image.functions_.back()].address != symbol.address))
      image.functions_.push_back(index);
    image.symbols_.push_back(std::move(symbol));
  }
  return image;
}

void ElfImage::check_fits(std::uint32_t base, std::uint32_t bytes) const {
  bool entry_inside = false;
  for (const Segment& s : segments_) {
    const std::uint32_t offset = s.address - base;
    if (offset >= bytes || s.memory_bytes > bytes - offset)
      throw InputError(fmt::format(
          "{}: segment of {} bytes at {:#x} lies outside local memory, which is {:#x} to {:#x}; link with "
          "sw/firmware's linker script, or raise core.local_kib",
          name_, s.memory_bytes, s.address, base, std::uint64_t{base} + bytes - 1));
    entry_inside = entry_inside || entry_ - s.address < s.bytes.size();
  }
  if (!entry_inside || entry_ % 2 != 0)
    throw InputError(
        fmt::format("{}: entry point {:#x} is in no segment that the file fills; name the start symbol with "
                    "ENTRY() in the linker script and keep its section",
                    name_, entry_));
}

const ElfImage::Symbol* ElfImage::function_at(std::uint32_t address) const {
  const auto after =
      std::upper_bound(functions_.begin(), functions_.end(), address,
                       [this](std::uint32_t a, std::uint32_t i) { return a < symbols_[i].address; });
  if (after == functions_.begin()) return nullptr;
  const Symbol& s = symbols_[*std::prev(after)];
  if (s.size != 0) return address - s.address < s.size ? &s : nullptr;
  // A label covers what follows it within its section.
  for (const Section& section : sections_)
    if (s.address - section.address < section.size)
      return address - section.address < section.size ? &s : nullptr;
  return nullptr;
}

std::string ElfImage::describe(std::uint32_t address) const {
  const Symbol* s = function_at(address);
  if (s == nullptr) return {};
  return address == s->address ? s->name : fmt::format("{}+{:#x}", s->name, address - s->address);
}

void ElfImage::enter_at(const std::string& symbol) {
  const std::optional<std::uint32_t> address = find(symbol);
  if (!address)
    throw InputError(fmt::format("{}: no {} in it, where a core beside hardware that starts packets begins "
                                 "(command_processor.type: assisted); sw/firmware/build.sh makes programs that have it",
                                 name_, symbol));
  entry_ = *address;
}

std::optional<std::uint32_t> ElfImage::find(const std::string& symbol) const {
  for (const Symbol& s : symbols_)
    if (s.name == symbol) return s.address;
  return std::nullopt;
}

}  // namespace warpvp::riscv
