#pragma once
// A small machine with one host program that uses Pagoda.

#include <functional>
#include <string>

#include "platform/simulation.h"
#include "sw/pagoda/pagoda_runtime.h"

namespace warpvp::test {

/// The shipped module of probe tasks.
rt::ModuleHandle load_probe(rt::Runtime& device);

/// Runs `program` on `small`, with `settings` besides (YAML of the run file); what it threw comes out.
void run_program(const std::function<void(rt::Runtime&)>& program, const std::string& settings = "");

/// The bytes of an argument structure.
template <class T>
std::vector<std::uint8_t> bytes_of(const T& value) {
  const auto* p = reinterpret_cast<const std::uint8_t*>(&value);
  return {p, p + sizeof value};
}

}  // namespace warpvp::test
