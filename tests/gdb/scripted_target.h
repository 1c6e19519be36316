#pragma once
// A core in a few lines: every instruction is 4 bytes and does what a table says. Enough of one for a
// debugger to stop, look at and change.

#include <array>
#include <cstring>
#include <map>
#include <string>
#include <vector>

#include "modules/command_processor/gdb/debug_target.h"

namespace warpvp {

class ScriptedTarget : public DebugTarget {
 public:
  static constexpr std::uint32_t kMemory = 0x8000'0000;
  static constexpr std::uint32_t kMemoryBytes = 0x1000;
  static constexpr std::uint32_t kCode = kMemory;
  static constexpr std::uint32_t kLast = kCode + 0x7c;  ///< after it the core goes on at kCode

  struct Effect {
    enum class Kind { kStore, kLoad, kSleep } kind;
    std::uint32_t address = 0;
    unsigned bytes = 4;
  };

  std::array<std::uint32_t, 32> x{};
  std::uint32_t pc = kCode;
  std::map<std::uint16_t, std::uint32_t> csr_values{{0x300, 0x1800}, {0x342, 11}, {0xf14, 0}};
  std::vector<unsigned char> memory = std::vector<unsigned char>(kMemoryBytes);
  std::map<std::uint32_t, Effect> effects;  ///< by pc
  std::uint64_t executed = 0;
  bool sleeping = false;

  /// Executes the instruction at pc; tells `debugger` what it accessed.
  void execute(Debugger& debugger) {
    const auto effect = effects.find(pc);
    pc = pc >= kLast ? kCode : pc + 4;
    ++executed;
    if (effect == effects.end()) return;
    const Effect& e = effect->second;
    if (e.kind == Effect::Kind::kSleep) {
      sleeping = true;
      return;
    }
    if (e.kind == Effect::Kind::kStore) ++memory[e.address - kMemory];
    debugger.accessed(e.address, e.bytes, e.kind == Effect::Kind::kStore);
  }

  std::uint32_t read_register(unsigned index) const override { return x[index]; }
  void write_register(unsigned index, std::uint32_t value) override {
    if (index > 0) x[index] = value;
  }
  std::uint32_t read_pc() const override { return pc; }
  void write_pc(std::uint32_t value) override { pc = value; }
  std::vector<Csr> csrs() const override {
    return {{"mstatus", 0x300}, {"mcause", 0x342}, {"mhartid", 0xf14}};
  }
  std::optional<std::uint32_t> read_csr(std::uint16_t number) const override {
    const auto found = csr_values.find(number);
    if (found == csr_values.end()) return std::nullopt;
    return found->second;
  }
  bool write_csr(std::uint16_t number, std::uint32_t value) override {
    if (number >= 0xc00 || csr_values.count(number) == 0) return false;
    csr_values[number] = value;
    return true;
  }
  std::size_t read_memory(std::uint32_t address, void* data, std::size_t bytes) override {
    bytes = within(address, bytes);
    if (bytes > 0) std::memcpy(data, memory.data() + (address - kMemory), bytes);
    return bytes;
  }
  std::size_t write_memory(std::uint32_t address, const void* data, std::size_t bytes) override {
    bytes = within(address, bytes);
    if (bytes > 0) std::memcpy(memory.data() + (address - kMemory), data, bytes);
    return bytes;
  }
  bool asleep() const override { return sleeping; }

 private:
  static std::size_t within(std::uint32_t address, std::size_t bytes) {
    if (address < kMemory || address - kMemory >= kMemoryBytes) return 0;
    return std::min<std::size_t>(bytes, kMemoryBytes - (address - kMemory));
  }
};

}  // namespace warpvp
