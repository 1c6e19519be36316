#pragma once
// Writes small RISC-V ELF executables, for tests of what reads them.

#include <elf.h>

#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

namespace warpvp {

/// What goes into the file. Sections are loaded where they say, one segment each.
struct ElfFile {
  struct Section {
    std::string name;
    std::uint32_t address = 0;
    std::vector<std::uint8_t> bytes;
    bool code = false;
  };
  struct Symbol {
    std::string name;
    std::uint32_t address = 0;
    std::uint32_t size = 0;
    unsigned char type = STT_FUNC;
  };
  std::uint32_t entry = 0;
  std::vector<Section> sections;
  std::vector<Symbol> symbols;

  std::vector<std::uint8_t> content() const {
    // Layout: header, program headers, section bytes, symbols, names of symbols, names of sections, section
    // headers.
    std::string symbol_names(1, '\0'), section_names(1, '\0');
    std::vector<Elf32_Shdr> headers(1);  // the first one is empty
    std::vector<Elf32_Phdr> segments;
    std::vector<std::uint8_t> file(sizeof(Elf32_Ehdr) + sections.size() * sizeof(Elf32_Phdr));
    const auto name_of = [](std::string& table, const std::string& name) {
      const auto at = static_cast<Elf32_Word>(table.size());
      table += name + '\0';
      return at;
    };
    for (const Section& s : sections) {
      Elf32_Shdr header{};
      header.sh_name = name_of(section_names, s.name);
      header.sh_type = SHT_PROGBITS;
      header.sh_flags = SHF_ALLOC | (s.code ? SHF_EXECINSTR : SHF_WRITE);
      header.sh_addr = s.address;
      header.sh_offset = static_cast<Elf32_Off>(file.size());
      header.sh_size = static_cast<Elf32_Word>(s.bytes.size());
      headers.push_back(header);
      const Elf32_Phdr segment{PT_LOAD,        header.sh_offset, s.address,          s.address,
                               header.sh_size, header.sh_size,   PF_R | PF_W | PF_X, 1};
      segments.push_back(segment);
      file.insert(file.end(), s.bytes.begin(), s.bytes.end());
    }
    std::vector<Elf32_Sym> table(1);
    for (const Symbol& s : symbols) {
      Elf32_Sym symbol{};
      symbol.st_name = name_of(symbol_names, s.name);
      symbol.st_value = s.address;
      symbol.st_size = s.size;
      symbol.st_info = ELF32_ST_INFO(STB_GLOBAL, s.type);
      symbol.st_shndx = SHN_ABS;
      table.push_back(symbol);
    }
    const auto append = [&](const char* name, Elf32_Word type, const void* data, std::size_t bytes,
                            Elf32_Word link, Elf32_Word entry_size) {
      while (file.size() % 4 != 0) file.push_back(0);
      Elf32_Shdr header{};
      header.sh_name = name_of(section_names, name);
      header.sh_type = type;
      header.sh_offset = static_cast<Elf32_Off>(file.size());
      header.sh_size = static_cast<Elf32_Word>(bytes);
      header.sh_link = link;
      header.sh_info = type == SHT_SYMTAB ? 1 : 0;  // of the symbols, only the empty one is local
      header.sh_entsize = entry_size;
      headers.push_back(header);
      const auto* from = static_cast<const std::uint8_t*>(data);
      file.insert(file.end(), from, from + bytes);
    };
    const auto names_index = static_cast<Elf32_Word>(headers.size() + 1);
    append(".symtab", SHT_SYMTAB, table.data(), table.size() * sizeof(Elf32_Sym), names_index,
           sizeof(Elf32_Sym));
    append(".strtab", SHT_STRTAB, symbol_names.data(), symbol_names.size(), 0, 0);
    section_names.reserve(section_names.size() + 16);
    const std::string last = ".shstrtab";
    const std::string all_names = section_names + last + '\0';
    append(last.c_str(), SHT_STRTAB, all_names.data(), all_names.size(), 0, 0);
    while (file.size() % 4 != 0) file.push_back(0);

    Elf32_Ehdr header{};
    std::memcpy(header.e_ident, ELFMAG, SELFMAG);
    header.e_ident[EI_CLASS] = ELFCLASS32;
    header.e_ident[EI_DATA] = ELFDATA2LSB;
    header.e_ident[EI_VERSION] = EV_CURRENT;
    header.e_type = ET_EXEC;
    header.e_machine = EM_RISCV;
    header.e_version = EV_CURRENT;
    header.e_entry = entry;
    header.e_phoff = sizeof(Elf32_Ehdr);
    header.e_shoff = static_cast<Elf32_Off>(file.size());
    header.e_ehsize = sizeof(Elf32_Ehdr);
    header.e_phentsize = sizeof(Elf32_Phdr);
    header.e_phnum = static_cast<Elf32_Half>(segments.size());
    header.e_shentsize = sizeof(Elf32_Shdr);
    header.e_shnum = static_cast<Elf32_Half>(headers.size());
    header.e_shstrndx = static_cast<Elf32_Half>(headers.size() - 1);
    std::memcpy(file.data(), &header, sizeof header);
    if (!segments.empty())
      std::memcpy(file.data() + sizeof header, segments.data(), segments.size() * sizeof(Elf32_Phdr));
    const auto* from = reinterpret_cast<const std::uint8_t*>(headers.data());
    file.insert(file.end(), from, from + headers.size() * sizeof(Elf32_Shdr));
    return file;
  }
};

}  // namespace warpvp
