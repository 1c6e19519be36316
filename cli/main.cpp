// The program. SystemC wants to be entered through its own main function, which calls sc_main.

#include <unistd.h>

#include <cstdlib>
#include <iostream>
#include <string>
#include <systemc>
#include <vector>

#include "cli/command_line.h"

int sc_main(int argc, char** argv) {
  char path[4096];
  const ssize_t length = readlink("/proc/self/exe", path, sizeof path);
  const std::string program = length > 0 ? std::string(path, static_cast<std::size_t>(length)) : argv[0];
  const warpvp::Console console{&std::cout, &std::cerr, isatty(STDERR_FILENO) != 0, program};
  const int status = warpvp::run_command_line(std::vector<std::string>(argv + 1, argv + argc), console);
  std::cout.flush();
  return status;
}

int main(int argc, char** argv) {
  setenv("SC_COPYRIGHT_MESSAGE", "DISABLE", 1);  // the banner would stand between a user and every answer
  return sc_core::sc_elab_and_sim(argc, argv);
}
