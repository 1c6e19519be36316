#pragma once
// A RISC-V core with a scripted bus, for tests. Several may live in one simulation, so that one test can
// compare cores that differ in one thing.

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <tlm_utils/simple_target_socket.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <functional>
#include <memory>
#include <string>
#include <systemc>
#include <vector>

#include "modules/command_processor/riscv_core/riscv_core.h"
#include "tests/riscv/assembler.h"
#include "tests/support/elf_file.h"

namespace warpvp::riscv::test {

/// What a core does on the bus is kept, with the time and the core's whole state. Everything from kDevice on,
/// for kDeviceBytes, answers; the rest of the bus refuses.
class ScriptedBus : public sc_core::sc_module {
 public:
  static constexpr std::uint32_t kDevice = 0x0010'0000, kDeviceBytes = 0x10'0000;
  struct Access {
    std::uint64_t time_fs = 0;
    std::uint32_t pc = 0;
    std::array<std::uint32_t, 32> registers{};
    bool write = false;
    std::uint32_t offset = 0, value = 0;
    unsigned bytes = 0;
    std::vector<std::uint32_t> words;
    bool operator==(const Access& o) const {
      return time_fs == o.time_fs && pc == o.pc && registers == o.registers && write == o.write &&
             offset == o.offset && value == o.value && bytes == o.bytes;
    }
  };

  explicit ScriptedBus(sc_core::sc_module_name name) : sc_module(name), socket("socket") {
    socket.register_b_transport(this, &ScriptedBus::b_transport);
    socket.register_transport_dbg(this, &ScriptedBus::transport_dbg);
  }
  tlm_utils::simple_target_socket<ScriptedBus> socket;
  const RiscvCore* core = nullptr;
  std::vector<Access> log;
  /// Value of a read, by offset; zero without it.
  std::function<std::uint32_t(std::uint32_t offset)> read;
  std::function<void(std::uint32_t offset, std::uint32_t value)> written;
  /// What the next access takes, in fs.
  std::function<std::uint64_t()> delay;

 private:
  void b_transport(tlm::tlm_generic_payload& payload, sc_core::sc_time& time) {
    Access access;
    access.time_fs = sc_core::sc_time_stamp().value();
    access.pc = core->read_pc();
    for (unsigned i = 0; i < 32; ++i) access.registers[i] = core->read_register(i);
    access.write = payload.is_write();
    access.offset = static_cast<std::uint32_t>(payload.get_address()) - kDevice;
    access.bytes = payload.get_data_length();
    if (access.offset >= kDeviceBytes) {
      payload.set_response_status(tlm::TLM_ADDRESS_ERROR_RESPONSE);
      return;
    }
    if (delay) time += sc_core::sc_time::from_value(delay());
    if (!access.write) {
      for (unsigned at = 0; at < access.bytes; at += 4) {  // a burst has several words
        const std::uint32_t value = read ? read(access.offset + at) : 0;
        std::memcpy(payload.get_data_ptr() + at, &value, std::min(access.bytes - at, 4u));
      }
    }
    std::memcpy(&access.value, payload.get_data_ptr(), std::min(access.bytes, 4u));
    for (unsigned at = 0; at + 4 <= access.bytes; at += 4) {
      std::uint32_t word = 0;
      std::memcpy(&word, payload.get_data_ptr() + at, 4);
      access.words.push_back(word);
    }
    log.push_back(access);
    if (access.write && written) written(access.offset, access.value);
    payload.set_response_status(tlm::TLM_OK_RESPONSE);
  }
  unsigned transport_dbg(tlm::tlm_generic_payload& payload) {
    if (payload.get_address() - kDevice >= kDeviceBytes) return 0;
    if (payload.is_read()) std::memset(payload.get_data_ptr(), 0x5a, payload.get_data_length());
    return payload.get_data_length();
  }
};

inline ElfImage image_of(const Assembler& program) {
  ElfFile file;
  file.entry = Assembler::kBase;
  file.sections = {{".text", Assembler::kBase, program.bytes(), true}};
  file.symbols = {
      {"program", Assembler::kBase, static_cast<std::uint32_t>(program.bytes().size()), STT_FUNC}};
  return ElfImage::parse(file.content(), "test.elf");
}

/// A core that executes a program of assembler text.
struct CoreRig {
  explicit CoreRig(const std::string& text, RiscvCoreConfig config = {}, CoreSurroundings surroundings = {})
      : program(text) {
    const std::string name = "core" + std::to_string(counter()++);
    surroundings.faults = &faults;
    core = std::make_unique<RiscvCore>(name.c_str(), config, std::move(surroundings), image_of(program));
    bus = std::make_unique<ScriptedBus>((name + "_bus").c_str());
    bus->core = core.get();
    core->bus.socket.bind(bus->socket);
  }
  static unsigned& counter() {
    static unsigned made = 0;
    return made;
  }
  /// Times, in ns, at which the device was accessed.
  std::vector<double> times() const {
    std::vector<double> out;
    for (const ScriptedBus::Access& a : bus->log) out.push_back(static_cast<double>(a.time_fs) / 1e6);
    return out;
  }
  std::vector<std::uint32_t> values() const {
    std::vector<std::uint32_t> out;
    for (const ScriptedBus::Access& a : bus->log) out.push_back(a.value);
    return out;
  }

  Assembler program;
  FaultSink faults;
  std::unique_ptr<RiscvCore> core;
  std::unique_ptr<ScriptedBus> bus;
};

/// Does things at times.
class Script : public sc_core::sc_module {
 public:
  explicit Script(sc_core::sc_module_name name) : sc_module(name) {
    SC_HAS_PROCESS(Script);
    SC_THREAD(run);
  }
  /// In the order of times.
  void at_fs(std::uint64_t time, std::function<void()> act) { acts_.push_back({time, std::move(act)}); }
  void at_ns(double time, std::function<void()> act) {
    at_fs(static_cast<std::uint64_t>(time * 1e6), std::move(act));
  }

 private:
  void run() {
    for (const auto& [time, act] : acts_) {
      if (time > sc_core::sc_time_stamp().value())
        wait(sc_core::sc_time::from_value(time - sc_core::sc_time_stamp().value()));
      act();
    }
  }
  std::vector<std::pair<std::uint64_t, std::function<void()>>> acts_;
};

inline void run_us(double us) { sc_core::sc_start(sc_core::sc_time(us, sc_core::SC_US)); }

}  // namespace warpvp::riscv::test
