#include "tests/simulation/support.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fstream>

namespace warpvp::test {

std::string in_child(const std::function<std::string()>& work) {
  int ends[2];
  EXPECT_EQ(pipe(ends), 0);
  const pid_t child = fork();
  if (child == 0) {
    close(ends[0]);
    int status = 0;
    try {
      const std::string text = work();
      for (std::size_t at = 0; at < text.size();) {
        const ssize_t n = write(ends[1], text.data() + at, text.size() - at);
        if (n <= 0) break;
        at += static_cast<std::size_t>(n);
      }
    } catch (const std::exception& error) {
      std::fprintf(stderr, "in the child: %s\n", error.what());
      status = 1;
    }
    _exit(status);
  }
  close(ends[1]);
  std::string text;
  char buffer[65536];
  for (ssize_t n; (n = read(ends[0], buffer, sizeof buffer)) > 0;)
    text.append(buffer, static_cast<std::size_t>(n));
  close(ends[0]);
  int status = 0;
  waitpid(child, &status, 0);
  EXPECT_EQ(status, 0);
  return text;
}

std::string difference(const std::string& result, const std::string& reference) {
  nlohmann::json one = nlohmann::json::parse(result), other = nlohmann::json::parse(reference);
  for (const char* key : {"host", "provenance"}) {
    one.erase(key);
    other.erase(key);
  }
  return nlohmann::json::diff(other, one).dump();
}

std::string run_at_once(Simulation& simulation) {
  EXPECT_EQ(simulation.run(), Halt::kEnded);
  simulation.end();
  return simulation.result();
}

std::string waiting_kernel(const std::string& folder) {
  const std::string file = folder + "/wait.ptx";
  std::ofstream(file)
      << ".version 7.5\n.target sm_70\n.address_size 64\n"
         ".visible .entry wait(.param .u64 flag, .param .u64 out)\n{\n"
         "  .reg .pred %p<2>;\n  .reg .b32 %r<2>;\n  .reg .b64 %rd<3>;\n"
         "  ld.param.u64 %rd1, [flag];\n  ld.param.u64 %rd2, [out];\n"
         "L:\n  ld.volatile.global.u32 %r1, [%rd1];\n  setp.eq.u32 %p1, %r1, 0;\n  @%p1 bra L;\n"
         "  st.global.u32 [%rd2], %r1;\n  ret;\n}\n";
  return file;
}

}  // namespace warpvp::test
