#pragma once
// A firmware executable: what an ELF32 RISC-V file says about memory, entry point and symbols. Read with
// libelf.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace warpvp::riscv {

class ElfImage {
 public:
  /// Bytes to be put at `address`, and zeros after them up to `memory_bytes`.
  struct Segment {
    std::uint32_t address = 0;
    std::uint32_t memory_bytes = 0;
    std::vector<std::uint8_t> bytes;
  };
  struct Symbol {
    std::string name;
    std::uint32_t address = 0;
    std::uint32_t size = 0;  ///< 0: not known, as for labels of assembler code
    bool code = false;       ///< a function or a label in code
  };
  /// A section that takes up memory.
  struct Section {
    std::string name;
    std::uint32_t address = 0;
    std::uint32_t size = 0;
    bool code = false;
  };

  /// Reads a file. Throws InputError, with what to do about it, when it cannot be read, is not a linked
  /// 32-bit little-endian RISC-V executable without floating point, or is damaged.
  static ElfImage load(const std::string& path);
  /// The same for a file's content; `name` stands for it in messages.
  static ElfImage parse(const std::vector<std::uint8_t>& content, const std::string& name);

  /// Throws InputError unless all segments, and the entry point in one of them, lie in a memory of `bytes` at
  /// `base`.
  void check_fits(std::uint32_t base, std::uint32_t bytes) const;

  /// Takes a symbol as the entry point. Throws InputError if there is none of that name.
  void enter_at(const std::string& symbol);

  const std::string& name() const { return name_; }
  std::uint32_t entry() const { return entry_; }
  const std::vector<Segment>& segments() const { return segments_; }
  const std::vector<Section>& sections() const { return sections_; }
  /// By address; of several at one address the one that messages should use comes first.
  const std::vector<Symbol>& symbols() const { return symbols_; }

  /// The function or label of code that `address` belongs to; nullptr: none.
  const Symbol* function_at(std::uint32_t address) const;
  /// "main", "main+0x1c"; empty if no function contains the address.
  std::string describe(std::uint32_t address) const;
  /// Address of a symbol by its name.
  std::optional<std::uint32_t> find(const std::string& symbol) const;

 private:
  std::string name_;
  std::uint32_t entry_ = 0;
  std::vector<Segment> segments_;
  std::vector<Section> sections_;
  std::vector<Symbol> symbols_;
  std::vector<std::uint32_t> functions_;  // those symbols that function_at may name, by address
};

}  // namespace warpvp::riscv
