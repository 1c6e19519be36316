#include "tests/pagoda/session.h"

#include <gtest/gtest.h>

#include "base/data_folder.h"

namespace warpvp::test {

rt::ModuleHandle load_probe(rt::Runtime& device) {
  return device.load_module(data_folder("sw/kernels") / "pagoda/probe.ptx");
}

void run_program(const std::function<void(rt::Runtime&)>& program, const std::string& settings) {
  Simulation simulation = Simulation::from_text("platform: small\n" + settings);
  simulation.attach_program("pagoda", [&](rt::Runtime& device) { program(device); });
  simulation.run();
  EXPECT_EQ(simulation.outcome().code, ExitCode::kOk) << simulation.outcome().message;
}

}  // namespace warpvp::test
