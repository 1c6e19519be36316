// Reading and comparing marks: of files made here, as compilers and tools leave them.
#include "platform/plugins/plugin_mark.h"

#include <elf.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>

#include "base/error.h"
#include "tests/config/folder.h"

namespace warpvp::test {
namespace {

using ::testing::HasSubstr;

TEST(PluginMark, WhatDiffersIsNamedOnceInTheProgramsOrder) {
  EXPECT_EQ(compare_marks("a=1 b=2", "a=1 b=2"), "");
  EXPECT_EQ(compare_marks("b=2 a=1", "a=1 b=2"), "");
  EXPECT_EQ(compare_marks("b=3 a=9", "a=1 b=2"), "a 9, here 1; b 3, here 2");
  EXPECT_EQ(compare_marks("a=1", "a=1 b=2"), "b unknown, here 2");
  EXPECT_EQ(compare_marks("a=1 sanitizer=address", "a=1"), "sanitizer address, here unknown");
  EXPECT_EQ(compare_marks("a=1 plain", "a=1"), "plain , here unknown");
  EXPECT_EQ(compare_marks("", "a=1"), "a unknown, here 1");
}

/// A shared library for this machine with three sections: none, the names, and the mark.
struct Library {
  Elf64_Ehdr header{};
  Elf64_Shdr sections[3]{};
  char names[32] = "\0.names\0.warpvp_abi";
  char mark[24] = "warpvp=1 headers=2\0old";

  Library() {
    std::memcpy(header.e_ident, ELFMAG, SELFMAG);
    header.e_ident[EI_CLASS] = ELFCLASS64;
    header.e_ident[EI_DATA] = ELFDATA2LSB;
    header.e_ident[EI_VERSION] = EV_CURRENT;
    header.e_type = ET_DYN;
    header.e_machine = EM_X86_64;
    header.e_version = EV_CURRENT;
    header.e_ehsize = sizeof header;
    header.e_shentsize = sizeof sections[0];
    header.e_shnum = 3;
    header.e_shoff = offset(sections);
    header.e_shstrndx = 1;
    sections[1].sh_name = 1;
    sections[1].sh_type = SHT_STRTAB;
    sections[1].sh_offset = offset(names);
    sections[1].sh_size = sizeof names;
    sections[2].sh_name = 8;
    sections[2].sh_type = SHT_PROGBITS;
    sections[2].sh_offset = offset(mark);
    sections[2].sh_size = sizeof mark;
  }
  template <class Member>
  std::size_t offset(const Member& member) const {
    return static_cast<std::size_t>(reinterpret_cast<const char*>(&member) -
                                    reinterpret_cast<const char*>(this));
  }
  std::string bytes() const { return {reinterpret_cast<const char*>(this), sizeof *this}; }
};

class PluginFile : public ::testing::Test {
 protected:
  void SetUp() override {
#ifndef __x86_64__
    GTEST_SKIP() << "the library is one for x86-64";
#endif
  }
  /// The mark of a file with these bytes, or why it has none.
  std::string mark_of(const std::string& bytes) const {
    try {
      return read_plugin_mark(folder_.write("plugin.so", bytes), "run.yaml:1:1");
    } catch (const InputError& error) {
      return error.what();
    }
  }
  const Folder folder_;
};

TEST_F(PluginFile, TheMarkEndsAtItsZero) { EXPECT_EQ(mark_of(Library().bytes()), "warpvp=1 headers=2"); }

TEST_F(PluginFile, OnlySharedLibrariesHaveOne) {
  Library file;
  for (const int type : {ET_REL, ET_EXEC, ET_CORE}) {
    file.header.e_type = static_cast<Elf64_Half>(type);
    EXPECT_THAT(mark_of(file.bytes()), HasSubstr("plugin.so is no shared library"));
  }
  EXPECT_THAT(mark_of("!<arch>\nplugin.o/       0           0     0     644     4         `\nabc\n"),
              HasSubstr("plugin.so is no shared library"));
  EXPECT_THAT(mark_of(""), HasSubstr("plugin.so is no shared library"));
}

TEST_F(PluginFile, CutAnywhereItIsRefusedOrHasItsMark) {
  const std::string whole = Library().bytes();
  for (std::size_t bytes = 0; bytes < whole.size(); ++bytes) {
    const std::string said = mark_of(whole.substr(0, bytes));
    EXPECT_THAT(said, ::testing::StartsWith("run.yaml:1:1: plugin ")) << bytes;
    EXPECT_THAT(said, HasSubstr(bytes < sizeof(Elf64_Ehdr) ? "is no shared library" : "is no")) << bytes;
  }
}

TEST_F(PluginFile, ForAnotherMachineItIsRefused) {
  Library machine, order;
  machine.header.e_machine = EM_RISCV;
  order.header.e_ident[EI_DATA] = ELFDATA2MSB;
  EXPECT_THAT(mark_of(machine.bytes()), HasSubstr("is built for another machine"));
  EXPECT_THAT(mark_of(order.bytes()), HasSubstr("is "));
}

// As `objcopy --only-keep-debug` leaves it: the header of the section without its bytes.
TEST_F(PluginFile, WithoutTheBytesOfTheSectionThereIsNoMark) {
  Library file;
  file.sections[2].sh_type = SHT_NOBITS;
  EXPECT_THAT(mark_of(file.bytes()), HasSubstr("is no plugin of warpvp: it has no section .warpvp_abi"));
}

TEST_F(PluginFile, AnEmptySectionOrAnotherNameIsNoMark) {
  Library none, other;
  std::memset(none.mark, 0, sizeof none.mark);
  EXPECT_THAT(mark_of(none.bytes()), HasSubstr("is no plugin of warpvp"));
  other.names[9] = 'W';
  EXPECT_THAT(mark_of(other.bytes()), HasSubstr("is no plugin of warpvp"));
}

}  // namespace
}  // namespace warpvp::test
