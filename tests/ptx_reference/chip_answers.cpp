#include "tests/ptx_reference/chip_answers.h"

#include <fstream>
#include <regex>
#include <sstream>
#include <stdexcept>

namespace warpvp::reference {

std::string not_for_chips(const std::string& text) {
  // PTX ISA, vote: "not supported on sm_70 or higher starting PTX ISA version 6.4".
  static const std::regex kOldVote("vote\\.(all|any|uni)\\.pred|vote\\.ballot\\.b32");
  if (std::regex_search(text, kOldVote)) return "vote without .sync is not for sm_70 and later";
  // Where lanes of a warp come together again after a branch is the machine's choice since sm_70.
  if (text.find("activemask") != std::string::npos) return "activemask depends on where lanes reconverge";
  return "";
}

std::vector<std::vector<std::string>> read_answers(const std::string& file) {
  std::ifstream in(file);
  if (!in) throw std::runtime_error(file + ": cannot be read");
  std::vector<std::vector<std::string>> lines;
  for (std::string line; std::getline(in, line);) {
    if (line.empty() || line[0] == '#') continue;
    std::vector<std::string> cells;
    std::stringstream rest(line);
    for (std::string cell; std::getline(rest, cell, '\t');) cells.push_back(cell);
    lines.push_back(std::move(cells));
  }
  return lines;
}

}  // namespace warpvp::reference
