#pragma once
// A Gpu on the platform of examples/foreign_platform, with a script for its CPU: for tests by the sockets.

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "examples/foreign_platform/driver.h"
#include "examples/foreign_platform/platform.h"
#include "tests/gpu/design.h"

namespace warpvp::test {

inline constexpr const char* kBoardGpu = "platform: {extends: small, sms: 2}\n";

struct Board : sc_core::sc_module {
  /// `dma`: where the Gpu's DMA goes in place of the board's memory. `yaml`: the Gpu's settings.
  Board(sc_core::sc_module_name name, std::function<void(Board&)> script,
        tlm::tlm_target_socket<>* dma = nullptr, const std::string& yaml = kBoardGpu);
  /// One access, at once as the payload has it: its response.
  tlm::tlm_response_status access(tlm::tlm_generic_payload& payload);

  Memory memory{"memory"};
  Bus bus{"bus"};
  CheckedGpu device;
  Cpu cpu;
  sc_core::sc_vector<sc_core::sc_signal<bool>> lines{"lines", Cpu::kInterrupts};
  bool ended = false;

 private:
  std::unique_ptr<tlm_utils::simple_initiator_socket<Board>> nobody_;  // in the Gpu's place at the bus
};

/// Runs a script in a process of its own; what it expects of the design is among it.
void on_a_board(const std::function<void(Board&)>& script);

tlm::tlm_generic_payload& set(tlm::tlm_generic_payload& payload, tlm::tlm_command command, std::uint64_t at,
                              void* data, unsigned bytes);

/// Queue 3 runs a barrier packet, its `number`th from 1 on, whose completion is posted to `mirror` in the
/// platform's memory.
void report_to(Board& board, std::uint64_t mirror, std::uint64_t number);

/// What the endpoint's registers of an error have; and clears them.
void expect_error(Board& board, std::uint32_t bits, std::uint64_t address, const std::string& text);

/// Arguments of the example's kernel: `count` floats at `x` and `y`.
std::vector<unsigned char> axpy_arguments(std::uint64_t x, std::uint64_t y, std::uint32_t count);

}  // namespace warpvp::test
