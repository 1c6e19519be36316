#pragma once
// The platform that the GPU comes into: a CPU, its memory and a bus, none of them warpvp's.

#include <tlm_utils/simple_initiator_socket.h>
#include <tlm_utils/simple_target_socket.h>

#include <cstdint>
#include <cstring>
#include <functional>
#include <stdexcept>
#include <string>
#include <systemc>
#include <utility>
#include <vector>

/// Where things lie in the platform.
namespace address {
inline constexpr std::uint64_t kMemory = 0x8000'0000, kMemoryBytes = 16 << 20;
inline constexpr std::uint64_t kBar0 = 0x10'0000'0000, kBar2 = 0x20'0000'0000;
}  // namespace address

/// Memory that answers after its time has passed.
struct Memory : sc_core::sc_module {
  explicit Memory(sc_core::sc_module_name name) : sc_module(name), bytes(address::kMemoryBytes) {
    socket.register_b_transport(this, &Memory::b_transport);
  }
  tlm_utils::simple_target_socket<Memory> socket{"socket"};
  std::vector<unsigned char> bytes;

 private:
  void b_transport(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay) {
    const std::uint64_t at = payload.get_address(), length = payload.get_data_length();
    if (length > bytes.size() || at > bytes.size() - length)
      return payload.set_response_status(tlm::TLM_ADDRESS_ERROR_RESPONSE);
    wait(delay + sc_core::sc_time(80, sc_core::SC_NS));
    delay = sc_core::SC_ZERO_TIME;
    unsigned char* const here = bytes.data() + at;
    if (payload.is_write()) {
      std::memcpy(here, payload.get_data_ptr(), length);
    } else {
      std::memcpy(payload.get_data_ptr(), here, length);
    }
    payload.set_response_status(tlm::TLM_OK_RESPONSE);
  }
};

/// Takes accesses of the CPU and of the GPU to whom they are meant for.
struct Bus : sc_core::sc_module {
  explicit Bus(sc_core::sc_module_name name) : sc_module(name) {
    from_cpu.register_b_transport(this, &Bus::b_transport);
    from_gpu.register_b_transport(this, &Bus::b_transport);
  }
  tlm_utils::simple_target_socket<Bus> from_cpu{"from_cpu"}, from_gpu{"from_gpu"};
  tlm_utils::simple_initiator_socket<Bus> to_memory{"to_memory"}, to_bar0{"to_bar0"}, to_bar2{"to_bar2"};

 private:
  void b_transport(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay) {
    delay += sc_core::sc_time(5, sc_core::SC_NS);
    const std::uint64_t at = payload.get_address();
    const bool bar2 = at >= address::kBar2, bar0 = !bar2 && at >= address::kBar0;
    const std::uint64_t base = bar2 ? address::kBar2 : bar0 ? address::kBar0 : address::kMemory;
    if (at < base) return payload.set_response_status(tlm::TLM_ADDRESS_ERROR_RESPONSE);
    payload.set_address(at - base);
    (bar2 ? to_bar2 : bar0 ? to_bar0 : to_memory)->b_transport(payload, delay);
    payload.set_address(at);
  }
};

/// A CPU that runs a function instead of instructions, with an interrupt controller that keeps rising edges.
struct Cpu : sc_core::sc_module {
  static constexpr unsigned kInterrupts = 32;

  SC_HAS_PROCESS(Cpu);
  Cpu(sc_core::sc_module_name name, std::function<void(Cpu&)> program)
      : sc_module(name), program_(std::move(program)) {
    SC_THREAD(run);
    set_stack_size(1 << 20);
    SC_METHOD(keep_interrupts);
    for (auto& line : interrupts) sensitive << line.pos();
    dont_initialize();
  }
  tlm_utils::simple_initiator_socket<Cpu> socket{"socket"};
  sc_core::sc_vector<sc_core::sc_in<bool>> interrupts{"interrupts", kInterrupts};

  template <class Value>
  void store(std::uint64_t at, const Value& value) {
    store(at, &value, sizeof value);
  }
  void store(std::uint64_t at, const void* data, std::size_t bytes) {
    access(tlm::TLM_WRITE_COMMAND, at, const_cast<void*>(data), bytes);
  }
  template <class Value>
  Value load(std::uint64_t at) {
    Value value;
    load(at, &value, sizeof value);
    return value;
  }
  void load(std::uint64_t at, void* data, std::size_t bytes) {
    access(tlm::TLM_READ_COMMAND, at, data, bytes);
  }
  /// The interrupts that have come since the last call, a bit each; waits for the first one.
  std::uint32_t wait_for_interrupts() {
    while (pending_ == 0) wait(interrupted_);
    return std::exchange(pending_, 0);
  }
  /// Those that a call would find.
  std::uint32_t pending_interrupts() const { return pending_; }

 private:
  void run() { program_(*this); }
  void keep_interrupts() {
    for (unsigned i = 0; i < kInterrupts; ++i)
      if (interrupts[i]->posedge()) pending_ |= 1u << i;
    interrupted_.notify();
  }
  void access(tlm::tlm_command command, std::uint64_t at, void* data, std::size_t bytes) {
    tlm::tlm_generic_payload payload;
    payload.set_command(command);
    payload.set_address(at);
    payload.set_data_ptr(static_cast<unsigned char*>(data));
    payload.set_data_length(static_cast<unsigned>(bytes));
    payload.set_streaming_width(static_cast<unsigned>(bytes));
    sc_core::sc_time delay;
    socket->b_transport(payload, delay);
    if (delay != sc_core::SC_ZERO_TIME) wait(delay);
    if (!payload.is_response_ok())
      throw std::runtime_error(std::string(name()) + ": access answered " + payload.get_response_string());
  }

  std::function<void(Cpu&)> program_;
  std::uint32_t pending_ = 0;
  sc_core::sc_event interrupted_;
};
