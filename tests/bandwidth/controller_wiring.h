#pragma once
// What benches of bandwidth controllers have in common: the SM, the notices of a work distributor, and the
// register bus between controller and scripted device.

#include <gtest/gtest.h>
#include <tlm_utils/simple_initiator_socket.h>

#include "base/sm_resources.h"
#include "interconnect/register_bus.h"
#include "interconnect/register_map.h"
#include "modules/bandwidth/bandwidth_controller.h"

namespace warpvp::test {

/// Room for 16 CTAs of a warp each.
inline SmResources small_sm() {
  SmResources r;
  r.ctas = r.warps = 16;
  r.threads = 512;
  return r;
}

/// Writes a notice to the register that the controller has named as the watcher's.
template <class Socket>
void notify(Socket& bus, std::uint64_t watcher, regmap::wd::KernelNotice notice) {
  ASSERT_NE(watcher, 0u) << "nobody watches";
  tlm::tlm_generic_payload payload;
  payload.set_command(tlm::TLM_WRITE_COMMAND);
  payload.set_address(watcher);
  payload.set_data_ptr(reinterpret_cast<unsigned char*>(&notice));
  payload.set_data_length(sizeof notice);
  payload.set_streaming_width(sizeof notice);
  payload.set_response_status(tlm::TLM_INCOMPLETE_RESPONSE);
  sc_core::sc_time delay = sc_core::SC_ZERO_TIME;
  bus->b_transport(payload, delay);
  EXPECT_TRUE(payload.is_response_ok());
}

/// `device` has sockets distributor, sms and bus, and kSms SMs.
template <class Device>
void wire(RegisterBus& bus, Device& device, BandwidthController& controller) {
  device.bus.bind(bus.add_initiator("device"));
  controller.bus_socket().bind(bus.add_initiator("controller"));
  bus.add_target("distributor", regmap::wd::kBase, regmap::wd::kBytes, true).bind(device.distributor);
  bus.add_target("sms", regmap::sm::kBase, Device::kSms * regmap::sm::kStride, true).bind(device.sms);
  bus.add_target("controller", regmap::bandwidth::kBase, regmap::bandwidth::kBytes)
      .bind(controller.registers_socket());
}

}  // namespace warpvp::test
