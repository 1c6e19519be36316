#pragma once
// A GPU behind the sockets that PCI devices have in libsystemctlm-soc (soc/pci/core/pci-device-base.h, which
// is not part of warpvp): BARs 0 and 2, DMA, an interrupt a vector, and the configuration space. A root port
// of that library, or the bridge to another simulator, binds to it as to its own devices. Nothing here
// includes it by itself: add it to a program that has the library.

#include <systemc.h>  // that library names SystemC without its namespace
#include <tlm_utils/simple_initiator_socket.h>
#include <tlm_utils/simple_target_socket.h>

#include <array>
#include <cstdint>
#include <cstring>

#include "platform/gpu.h"
#include "soc/pci/core/pci-device-base.h"

class GpuPciDevice : public pci_device_base {
 public:
  static constexpr unsigned kBars = 3;

  GpuPciDevice(sc_core::sc_module_name name, const warpvp::GpuSettings& settings)
      : pci_device_base(name, kBars, warpvp::Gpu::kVectors), gpu("gpu", settings) {
    to_bar0_.bind(gpu.bar0);
    to_bar2_.bind(gpu.bar2);
    gpu.dma.bind(from_gpu_);
    from_gpu_.register_b_transport(this, &GpuPciDevice::dma_b_transport);
    for (unsigned vector = 0; vector < warpvp::Gpu::kVectors; ++vector)
      gpu.interrupts[vector].bind(irq[vector]);
    const auto set = [this](unsigned at, std::uint32_t word) {
      std::memcpy(&config_[at], &word, sizeof word);
    };
    set(0x00, 0x7770'1b36);  // device, vendor: those of warpvp serve
    set(0x08, 0x1200'0000);  // class: processing accelerator
    set(0x10, 0);            // BAR 0: 32 bits
    set(0x18, 0xc);          // BAR 2: 64 bits, prefetchable
    sizes_[0] = warpvp::Gpu::kRegisterBytes;
    while (sizes_[1] < gpu.memory_bytes()) sizes_[1] <<= 1;
  }

  warpvp::Gpu gpu;

 private:
  void bar_b_transport(int bar, tlm::tlm_generic_payload& payload, sc_core::sc_time& delay) override {
    if (bar == 1) return payload.set_response_status(tlm::TLM_ADDRESS_ERROR_RESPONSE);  // there is none
    (bar == 0 ? to_bar0_ : to_bar2_)->b_transport(payload, delay);
  }

  void dma_b_transport(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay) {
    dma->b_transport(payload, delay);
  }

  // What can be written: the command register and, above their sizes, the BARs.
  void config_b_transport(tlm::tlm_generic_payload& payload, sc_core::sc_time&) override {
    const std::uint64_t at = payload.get_address(), bytes = payload.get_data_length();
    if (bytes > config_.size() || at > config_.size() - bytes)
      return payload.set_response_status(tlm::TLM_ADDRESS_ERROR_RESPONSE);
    if (payload.is_read()) {
      std::memcpy(payload.get_data_ptr(), &config_[at], bytes);
    } else {
      for (std::uint64_t i = 0; i < bytes; ++i) {
        const std::uint8_t mask = writable(at + i);
        config_[at + i] = (config_[at + i] & ~mask) | (payload.get_data_ptr()[i] & mask);
      }
    }
    payload.set_response_status(tlm::TLM_OK_RESPONSE);
  }
  std::uint8_t writable(std::uint64_t at) const {
    if (at == 0x04) return 0x06;  // memory space, bus master
    if (at >= 0x10 && at < 0x14) return static_cast<std::uint8_t>(~(sizes_[0] - 1) >> 8 * (at - 0x10));
    if (at >= 0x18 && at < 0x20) return static_cast<std::uint8_t>(~(sizes_[1] - 1) >> 8 * (at - 0x18));
    return 0;
  }

  tlm_utils::simple_initiator_socket<GpuPciDevice> to_bar0_{"to_bar0"}, to_bar2_{"to_bar2"};
  tlm_utils::simple_target_socket<GpuPciDevice> from_gpu_{"from_gpu"};
  std::array<std::uint8_t, 256> config_{};
  std::uint64_t sizes_[2] = {0, 1 << 20};
};
