// A SystemC platform of one's own with a GPU for each platform file that is named: CPU, memory and bus are
// this program's, and so is sc_main().
//   foreign_platform KERNEL.ptx [PLATFORM ...]

#include <algorithm>
#include <cstdio>
#include <exception>
#include <memory>
#include <string>
#include <vector>

#include "driver.h"
#include "platform.h"
#include "platform/gpu.h"

namespace {

constexpr std::uint32_t kCount = 20000, kBlock = 128, kBytes = kCount * sizeof(float);

template <class Value>
void append(std::vector<unsigned char>& bytes, const Value& value) {
  bytes.resize((bytes.size() + sizeof value - 1) / sizeof value * sizeof value);
  const auto* const begin = reinterpret_cast<const unsigned char*>(&value);
  bytes.insert(bytes.end(), begin, begin + sizeof value);
}

/// What the CPU does: y = 2 x + y on the GPU, from and to its own memory, compared with the same in C++.
bool axpy(Cpu& cpu, const std::string& ptx) {
  const float factor = 2;
  std::vector<float> x(kCount), y(kCount, 1), result(kCount);
  for (std::uint32_t i = 0; i < kCount; ++i) x[i] = static_cast<float>(i);
  const std::uint64_t host_x = address::kMemory, host_y = address::kMemory + kBytes;
  cpu.store(host_x, x.data(), kBytes);
  cpu.store(host_y, y.data(), kBytes);

  Driver driver(cpu);
  const std::uint64_t kernel = driver.load(ptx, "axpy");
  const std::uint64_t device_x = driver.allocate(kBytes), device_y = driver.allocate(kBytes);
  std::vector<unsigned char> arguments;
  append(arguments, device_x);
  append(arguments, device_y);
  append(arguments, factor);
  append(arguments, kCount);
  driver.copy(device_x, Driver::in_host_memory(host_x), kBytes);
  driver.copy(device_y, Driver::in_host_memory(host_y), kBytes);
  driver.launch(kernel, (kCount + kBlock - 1) / kBlock, kBlock, arguments);
  driver.copy(Driver::in_host_memory(host_y), device_y, kBytes);
  driver.finish();

  cpu.load(host_y, result.data(), kBytes);
  for (std::uint32_t i = 0; i < kCount; ++i)
    if (result[i] != factor * x[i] + y[i]) return false;
  return true;
}

/// One CPU with its memory and its GPU.
struct Node : sc_core::sc_module {
  Node(sc_core::sc_module_name name, const std::string& platform, const std::string& ptx)
      : sc_module(name),
        gpu("gpu", warpvp::GpuSettings::from_text("platform: " + platform + "\n")),
        cpu("cpu", [this, ptx](Cpu& c) {
          try {
            verified = axpy(c, ptx);
          } catch (const std::exception& error) {
            problem = error.what();
          }
          ended = true;
        }) {
    cpu.socket.bind(bus.from_cpu);
    bus.to_memory.bind(memory.socket);
    bus.to_bar0.bind(gpu.bar0);
    bus.to_bar2.bind(gpu.bar2);
    gpu.dma.bind(bus.from_gpu);
    gpu.interrupts.bind(lines);
    cpu.interrupts.bind(lines);
  }
  Memory memory{"memory"};
  Bus bus{"bus"};
  warpvp::Gpu gpu;
  Cpu cpu;
  sc_core::sc_vector<sc_core::sc_signal<bool>> lines{"lines", Cpu::kInterrupts};
  bool ended = false, verified = false;
  std::string problem;
};

int simulate(const std::string& ptx, const std::vector<std::string>& platforms) {
  std::vector<std::unique_ptr<Node>> nodes;
  for (const std::string& platform : platforms)
    nodes.push_back(std::make_unique<Node>(("node_" + std::to_string(nodes.size())).c_str(), platform, ptx));
  sc_core::sc_start();  // until nothing is left to happen
  int status = 0;
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    Node& node = *nodes[i];
    warpvp::Outcome outcome;
    outcome.verified = node.verified;
    if (!node.verified) outcome.code = warpvp::ExitCode::kResultDiffers;
    if (node.gpu.fault() != nullptr) outcome.code = warpvp::ExitCode::kDeviceFault;
    outcome.message = node.ended ? node.problem : "the CPU still waits";
    node.gpu.end(outcome);
    std::printf("%s: %s, %.0f kernel cycles\n", platforms[i].c_str(), node.verified ? "verified" : "wrong",
                node.gpu.statistic("simulation.kernel_cycles"));
    if (!outcome.message.empty())
      std::fprintf(stderr, "%s: %s\n", platforms[i].c_str(), outcome.message.c_str());
    status = std::max(status, static_cast<int>(outcome.code));
  }
  return status;
}

}  // namespace

int sc_main(int argc, char* argv[]) {
  if (argc < 2) {
    std::fputs("usage: foreign_platform KERNEL.ptx [PLATFORM ...]\n", stderr);
    return 2;
  }
  try {
    // What a Gpu asks of its design; before anything makes an sc_time.
    sc_core::sc_set_time_resolution(1, sc_core::SC_FS);
    std::vector<std::string> platforms(argv + 2, argv + argc);
    if (platforms.empty()) platforms = {"small"};
    return simulate(argv[1], platforms);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "foreign_platform: %s\n", error.what());
    return static_cast<int>(warpvp::exit_code_of(error));
  }
}
