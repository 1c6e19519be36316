#include "tests/gpu/board.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>

#include "interconnect/register_map.h"
#include "interconnect/systemc_context.h"
#include "tests/simulation/support.h"

namespace warpvp::test {

namespace ep = regmap::ep;

Board::Board(sc_core::sc_module_name name, std::function<void(Board&)> script, tlm::tlm_target_socket<>* dma,
             const std::string& yaml)
    : sc_module(name), device("gpu", yaml), cpu("cpu", [this, script = std::move(script)](Cpu&) {
        script(*this);
        ended = true;
      }) {
  cpu.socket.bind(bus.from_cpu);
  bus.to_memory.bind(memory.socket);
  bus.to_bar0.bind(device.bar0());
  bus.to_bar2.bind(device.bar2());
  if (dma != nullptr) {
    device.dma().bind(*dma);
    nobody_ = std::make_unique<tlm_utils::simple_initiator_socket<Board>>("nobody");
    nobody_->bind(bus.from_gpu);
  } else {
    device.dma().bind(bus.from_gpu);
  }
  device.gpu.interrupts.bind(lines);
  cpu.interrupts.bind(lines);
}

tlm::tlm_response_status Board::access(tlm::tlm_generic_payload& payload) {
  payload.set_response_status(tlm::TLM_INCOMPLETE_RESPONSE);
  sc_core::sc_time delay;
  cpu.socket->b_transport(payload, delay);
  return payload.get_response_status();
}

void on_a_board(const std::function<void(Board&)>& script) {
  EXPECT_EQ(in_child([&]() -> std::string {
              configure_time();
              Board board("board", script);
              sc_core::sc_start();
              EXPECT_TRUE(board.ended) << "the script still waits";
              EXPECT_EQ(board.device.violations(), "");
              return ::testing::Test::HasFailure() ? "wrong" : "right";
            }),
            "right");
}

tlm::tlm_generic_payload& set(tlm::tlm_generic_payload& payload, tlm::tlm_command command, std::uint64_t at,
                              void* data, unsigned bytes) {
  payload.set_command(command);
  payload.set_address(at);
  payload.set_data_ptr(static_cast<unsigned char*>(data));
  payload.set_data_length(bytes);
  payload.set_streaming_width(bytes);
  return payload;
}

void report_to(Board& board, std::uint64_t mirror, std::uint64_t number) {
  // In the middle of device memory: allocations begin at both ends.
  const std::uint64_t ring = regmap::kMemoryBase + board.device.gpu.memory_bytes() / 2, signal = ring + 4096;
  const std::uint64_t queue = address::kBar0 + regmap::cp::queue(3);
  if (number == 1) {
    board.cpu.store(queue + regmap::cp::kRingBase, ring);
    board.cpu.store(queue + regmap::cp::kRingPackets, std::uint32_t{16});
    board.cpu.store(queue + regmap::cp::kControl, std::uint32_t{1});
  }
  aql::Signal done;
  done.value = 1;
  done.mailbox = Driver::in_host_memory(mirror);
  board.cpu.store(address::kBar2 + (signal - regmap::kMemoryBase), done);
  aql::Barrier packet;
  packet.header = aql::header(aql::PacketType::kBarrierAnd, true);
  packet.completion_signal = signal;
  board.cpu.store(address::kBar2 + (ring - regmap::kMemoryBase) + 64 * (number - 1), packet);
  board.cpu.store(address::kBar0 + regmap::cp::doorbell(3), number);
}

void expect_error(Board& board, std::uint32_t bits, std::uint64_t address, const std::string& text) {
  char said[ep::kErrorTextBytes];
  board.cpu.load(address::kBar0 + ep::kErrorText, said, sizeof said);
  EXPECT_EQ(board.cpu.load<std::uint32_t>(address::kBar0 + ep::kError), bits);
  EXPECT_EQ(board.cpu.load<std::uint64_t>(address::kBar0 + ep::kErrorAddress), address);
  EXPECT_THAT(std::string(said), ::testing::HasSubstr(text));
  board.cpu.store(address::kBar0 + ep::kError, std::uint32_t{0});
  EXPECT_EQ(board.cpu.load<std::uint32_t>(address::kBar0 + ep::kError), 0u);
}

std::vector<unsigned char> axpy_arguments(std::uint64_t x, std::uint64_t y, std::uint32_t count) {
  const float factor = 2;
  std::vector<unsigned char> arguments(24);
  std::memcpy(arguments.data(), &x, sizeof x);
  std::memcpy(arguments.data() + 8, &y, sizeof y);
  std::memcpy(arguments.data() + 16, &factor, sizeof factor);
  std::memcpy(arguments.data() + 20, &count, sizeof count);
  return arguments;
}

}  // namespace warpvp::test
