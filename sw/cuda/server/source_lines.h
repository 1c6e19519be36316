#pragma once
// Lines of a CUDA program's source, of which PTX compiled with -lineinfo tells (PTX ISA, ".loc" and ".file").

#include <cstddef>
#include <string>

namespace warpvp::cuda {

/// "add.cu:12", what line `line` (from 1) of the PTX was made of; empty where it does not say.
std::string source_of(const std::string& ptx, std::size_t line);

/// The name of a kernel as C++ has it, k(int*); the name itself where it is none of C++.
std::string plain_name(const std::string& mangled);

}  // namespace warpvp::cuda
