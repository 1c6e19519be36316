#include "modules/vfio_user/endpoint_registers.h"

#include <algorithm>
#include <cstring>

namespace warpvp::vfio_user {

namespace ep = regmap::ep;

EndpointRegisters::EndpointRegisters(const ClientPart& part, EndpointActions actions)
    : block_("Endpoint", ep::kBytes,
             "Of a device that is [served](serve.md), at the beginning of BAR 0: each client has its own. "
             "Accesses take no "
             "simulated time.") {
  const auto ro = RegisterAccess::kReadOnly;
  const auto wo = RegisterAccess::kWriteOnly;
  const auto fact = [&](const char* name, std::uint64_t at, unsigned width, std::uint64_t value,
                        const char* doc) {
    block_.add(in_halves({name, at, width, 1, 0, ro, value, doc}));
  };
  fact("IDENTITY", ep::kIdentity, 4, ep::kIdentityValue, "\"WRVP\".");
  fact("VERSION", ep::kVersion, 4, ep::kVersionValue, "Of these registers.");
  block_.add(in_halves({"TIME", ep::kTime, 8, 1, 0, ro, 0, "Simulated time in fs.",
                        [now = actions.now_fs](unsigned) { return now(); }}));
  fact("DMA_BASE", ep::kDmaBase, 8, part.dma_base,
       "Bus address, as packets and registers of the device have them, of the client's DMA address 0.");
  fact("DMA_BYTES", ep::kDmaBytes, 8, part.dma_bytes, "DMA addresses that the device reaches.");
  fact("MEMORY_BASE", ep::kMemoryBase, 8, regmap::kMemoryBase, "Device address of the first byte of BAR 2.");
  fact("MEMORY_BYTES", ep::kMemoryBytes, 8, part.memory_bytes,
       "Device memory in BAR 2; behind it there is none.");
  fact("CONTEXT", ep::kContext, 4, part.context, "Context that is the client's.");
  fact("FIRST_QUEUE", ep::kFirstQueue, 4, part.first_queue, "First queue that is the client's.");
  fact("QUEUES", ep::kQueues, 4, part.queues, "Queues that are the client's.");
  fact("VECTORS", ep::kVectors, 4, part.vectors, "MSI-X vectors. Vector 0 is for errors.");
  fact("FIRST_INTERRUPT", ep::kFirstInterrupt, 4, part.first_interrupt,
       "What the device's registers call vector 0; the others follow.");
  pace_ = block_.add(
      {"PACE", ep::kPace, 4, 1, 0, RegisterAccess::kReadWrite, 0,
       "0: after an access the device works on until it rests, and then comes the client's next access. 1: "
       "simulated time passes only during accesses of clients, WAIT and ADVANCE among them."});
  untimed_ = block_.add(
      {"UNTIMED", ep::kUntimed, 4, 1, 0, RegisterAccess::kReadWrite, 0,
       "1: the client's accesses to device memory and to the memory manager take no simulated time, and "
       "other registers are only read."});
  RegisterSpec error{
      "ERROR",
      ep::kError,
      4,
      1,
      0,
      RegisterAccess::kReadWrite,
      0,
      "What went wrong: bit 0 a device fault has stopped the device for good, 1 a write to BAR 0 or BAR 2 "
      "found "
      "nobody, 2 the device has accessed a DMA address that is not open, 3 a fault has ended the client's "
      "context. Each raises vector 0. Any write clears it."};
  error.write = [this](unsigned, std::uint64_t) {
    block_.set(error_, 0);
    block_.set(error_address_, 0);
    std::fill(std::begin(text_), std::end(text_), 0);
  };
  error_ = block_.add(std::move(error));
  error_address_ = block_.add(in_halves({"ERROR_ADDRESS", ep::kErrorAddress, 8, 1, 0, ro, 0,
                                         "Where the first error of ERROR was; 0: nowhere."}));
  block_.add({"WAIT",
              ep::kWait,
              8,
              1,
              0,
              wo,
              0,
              "The write is answered when the device writes the client's memory or raises one of its "
              "interrupts, at the "
              "latest at this simulated time in fs. All ones: at the latest when the device rests.",
              {},
              [wait = std::move(actions.wait)](unsigned, std::uint64_t latest) { wait(latest); }});
  block_.add({"ADVANCE",
              ep::kAdvance,
              8,
              1,
              0,
              wo,
              0,
              "The write is answered when so many fs have passed.",
              {},
              [advance = std::move(actions.advance)](unsigned, std::uint64_t fs) { advance(fs); }});
  block_.add(in_halves(
      {"BURST",
       ep::kBurst,
       8,
       1,
       0,
       wo,
       0,
       "Bytes << 32 | offset in BAR 0: writes so many bytes of BURST_DATA there as one burst, for records "
       "that a register takes whole. By halves: the upper one first.",
       {},
       [burst = std::move(actions.burst)](unsigned, std::uint64_t value) {
         const auto bytes = static_cast<std::uint32_t>(value >> 32);
         if (bytes != 0 && static_cast<std::uint32_t>(value) != 0)
           burst(static_cast<std::uint32_t>(value), bytes);
       }}));
  block_.add(in_halves(
      {"MEMORY_BURST",
       ep::kMemoryBurst,
       8,
       1,
       0,
       wo,
       0,
       "Bytes << 48 | offset in BAR 2: writes so many bytes of BURST_DATA there as one burst, as a "
       "processor's "
       "write-combining buffer does; with bit 63 in no simulated time. By halves: the upper one first.",
       {},
       [burst = std::move(actions.memory_burst)](unsigned, std::uint64_t value) {
         const auto bytes = static_cast<std::uint32_t>(value >> 48 & 0x7fff);
         if (bytes != 0) burst(value & ((std::uint64_t{1} << 48) - 1), bytes, value >> 63 != 0);
       }}));
  const auto words = [&](const char* name, std::uint64_t at, std::uint8_t* bytes, std::uint64_t size,
                         RegisterAccess access, const char* doc) {
    RegisterSpec spec{name, at, 4, static_cast<unsigned>(size / 4), 4, access, 0, doc};
    spec.read = [bytes](unsigned i) {
      std::uint32_t word = 0;
      std::memcpy(&word, bytes + 4 * std::size_t{i}, sizeof word);
      return std::uint64_t{word};
    };
    if (access == RegisterAccess::kReadWrite)
      spec.write = [bytes](unsigned i, std::uint64_t value) {
        std::memcpy(bytes + 4 * std::size_t{i}, &value, 4);
      };
    block_.add(std::move(spec));
  };
  words("ERROR_TEXT", ep::kErrorText, text_, sizeof text_, ro,
        "The first error of ERROR in words, with zeros behind.");
  words("BURST_DATA", ep::kBurstData, burst_data_, sizeof burst_data_, RegisterAccess::kReadWrite,
        "For BURST and MEMORY_BURST.");
  std::copy_n(part.properties.begin(), std::min(part.properties.size(), sizeof properties_), properties_);
  words("PROPERTIES", ep::kProperties, properties_, sizeof properties_, ro,
        "What software has to know of the device to make code for it and to launch kernels: lines KEY=VALUE, "
        "with "
        "zeros behind (sw/runtime/device_properties.h).");
}

void EndpointRegisters::note(std::uint32_t error, std::uint64_t address, const std::string& text) {
  if (block_.get(error_) == 0) {
    block_.set(error_address_, address);
    std::copy_n(text.begin(), std::min(text.size(), sizeof text_ - 1), text_);
  }
  block_.set(error_, block_.get(error_) | error);
}

void EndpointRegisters::reset() {
  for (const RegisterBlock::Id id : {pace_, untimed_, error_, error_address_}) block_.set(id, 0);
  std::fill(std::begin(text_), std::end(text_), 0);
  std::fill(std::begin(burst_data_), std::end(burst_data_), 0);
}

}  // namespace warpvp::vfio_user
