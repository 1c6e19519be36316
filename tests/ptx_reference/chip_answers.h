#pragma once
// What a real GPU answered to the programs of this folder: tables in data/, written by tools/on-chip.

#include <cstdint>
#include <string>
#include <vector>

#include "tests/ptx_reference/form_programs.h"

namespace warpvp::reference {

/// Why a program is not one for the chip, whose assembler refuses instructions of older targets or whose
/// answer PTX leaves open; empty: it is.
std::string not_for_chips(const std::string& text);

/// A table: lines of cells with tabs between them, comments after '#' at the start of a line. Throws
/// std::runtime_error for a file that is not there.
std::vector<std::vector<std::string>> read_answers(const std::string& file);

}  // namespace warpvp::reference
