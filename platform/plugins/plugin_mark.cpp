#include "platform/plugins/plugin_mark.h"

#include <fmt/format.h>
#include <gelf.h>
#include <libelf.h>

#include <algorithm>
#include <fstream>
#include <memory>
#include <sstream>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/input_file.h"
#include "base/plugin.h"

namespace warpvp {

namespace {

// Far above any plugin with its debug information.
constexpr std::uint64_t kMostBytes = 1024 * input_limit::kMiB;

struct ElfDeleter {
  void operator()(Elf* elf) const { elf_end(elf); }
};
using ElfPointer = std::unique_ptr<Elf, ElfDeleter>;

/// Class, byte order and machine of an ELF file, which stand at fixed places of its header.
std::string target_of(const std::string& content) {
  return content.substr(EI_CLASS, 2) + content.substr(18, 2);
}

/// The same of this program.
std::string own_target() {
  std::string begin(20, '\0');
  std::ifstream("/proc/self/exe", std::ios::binary).read(begin.data(), 20);
  return target_of(begin);
}

/// The bytes of a section; empty if there is none.
std::string section(Elf* elf, const std::string& name) {
  std::size_t names = 0;
  if (elf_getshdrstrndx(elf, &names) != 0) return "";
  for (Elf_Scn* at = elf_nextscn(elf, nullptr); at; at = elf_nextscn(elf, at)) {
    GElf_Shdr header;
    if (!gelf_getshdr(at, &header)) continue;
    const char* const found = elf_strptr(elf, names, header.sh_name);
    if (!found || name != found) continue;
    const Elf_Data* const data = elf_rawdata(at, nullptr);
    if (data && data->d_buf)  // a section without bytes has none
      return {static_cast<const char*>(data->d_buf), data->d_size};
  }
  return "";
}

std::vector<std::pair<std::string, std::string>> words_of(const std::string& mark) {
  std::vector<std::pair<std::string, std::string>> words;
  std::istringstream in(mark);
  for (std::string word; in >> word;) {
    const std::size_t equals = std::min(word.find('='), word.size());
    words.emplace_back(word.substr(0, equals), word.substr(std::min(equals + 1, word.size())));
  }
  return words;
}

}  // namespace

std::string read_plugin_mark(const std::filesystem::path& file, const std::string& place) {
  const auto refuse = [&](const std::string& what) {
    throw InputError(fmt::format("{}plugin {} {}", place.empty() ? "" : place + ": ", file.string(), what));
  };
  std::string content = read_input_file(file, kMostBytes, place);
  elf_version(EV_CURRENT);
  const ElfPointer elf(content.empty() ? nullptr : elf_memory(content.data(), content.size()));
  GElf_Ehdr header;
  if (!elf || !gelf_getehdr(elf.get(), &header))  // of an archive there is no header
    refuse("is no shared library");
  if (target_of(content) != own_target()) refuse("is built for another machine");
  if (header.e_type != ET_DYN) refuse("is no shared library");
  std::string mark = section(elf.get(), WARPVP_ABI_SECTION);
  mark = mark.substr(0, mark.find('\0'));
  if (mark.empty())
    refuse("is no plugin of warpvp: it has no section " WARPVP_ABI_SECTION
           "; build it with warpvp_add_plugin of find_package(warpvp)");
  return mark;
}

std::string compare_marks(const std::string& plugin, const std::string& program) {
  const auto theirs = words_of(plugin), ours = words_of(program);
  const auto value_in = [](const auto& words, const std::string& name) {
    for (const auto& word : words)
      if (word.first == name) return word.second;
    return std::string("unknown");
  };
  std::string out;
  const auto add = [&](const std::string& name) {
    const std::string its = value_in(theirs, name), mine = value_in(ours, name);
    if (its != mine) out += fmt::format("{}{} {}, here {}", out.empty() ? "" : "; ", name, its, mine);
  };
  for (const auto& word : ours) add(word.first);
  for (const auto& word : theirs)
    if (value_in(ours, word.first) == "unknown") add(word.first);
  return out;
}

std::string program_mark() { return WARPVP_ABI; }

}  // namespace warpvp
