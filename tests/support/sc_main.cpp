// The main program of every test that uses SystemC. SystemC elaborates one design per process, so each TEST
// builds its own design and CTest runs each TEST in a process of its own (gtest_discover_tests does that).

#include <gtest/gtest.h>

#include <systemc>

#include "interconnect/clock_domain.h"

int sc_main(int argc, char** argv) {
  ::testing::InitGoogleTest(&argc, argv);
  warpvp::configure_time();
  return RUN_ALL_TESTS();
}
