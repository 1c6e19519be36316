#pragma once
// A driver as a CPU of the platform would run it: registers, packets, a doorbell, an interrupt. It knows the
// register map (docs/register-map.md) and the layouts of packets and kernel images, and nothing else of the
// GPU's.

#include <cstdint>
#include <string>
#include <vector>

#include "interconnect/aql.h"
#include "platform.h"

class Driver {
 public:
  explicit Driver(Cpu& cpu);

  /// Device memory, as high as possible and the driver's for what no program may reach.
  std::uint64_t allocate(std::uint64_t bytes);
  std::uint64_t allocate_for_driver(std::uint64_t bytes);

  /// Brings a kernel of a PTX file into device memory; returns its kernel object.
  std::uint64_t load(const std::string& ptx, const std::string& kernel);

  // Packets run one after the other.
  /// The device loads PTX text that lies in its memory, as the record there says (aql::LoadRecord).
  void load_text(std::uint64_t record, std::uint64_t text, std::uint64_t bytes);
  void copy(std::uint64_t destination, std::uint64_t source, std::uint64_t bytes);
  void launch(std::uint64_t kernel, std::uint32_t ctas, std::uint16_t threads,
              const std::vector<unsigned char>& arguments);
  /// Waits for the interrupt that says that all packets are done. Throws std::runtime_error with what the
  /// device says of a fault, or of a queue that has stopped.
  void finish();

  /// An address of the platform's memory as packets name it.
  static std::uint64_t in_host_memory(std::uint64_t at);

 private:
  void write(std::uint64_t device_address, const void* data, std::size_t bytes);
  void put(void* packet);
  void throw_error();
  std::uint64_t allocate(std::uint32_t operation, std::uint32_t owner, std::uint64_t bytes);

  Cpu& cpu_;
  std::uint64_t ring_, signal_, written_ = 0;
};
