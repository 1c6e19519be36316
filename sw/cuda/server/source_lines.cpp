#include "sw/cuda/server/source_lines.h"

#include <cxxabi.h>

#include <cstdlib>
#include <map>
#include <memory>
#include <sstream>

namespace warpvp::cuda {

std::string source_of(const std::string& ptx, std::size_t line) {
  std::istringstream text(ptx);
  std::map<unsigned, std::string> files;
  std::string row, word;
  unsigned file = 0, of_file = 0;
  for (std::size_t number = 1; std::getline(text, row); ++number) {
    std::istringstream words(row);
    if (!(words >> word)) continue;
    // A function begins: what stood before it is not its own.
    if (number <= line && (row.find(".entry") != std::string::npos || row.find(".func") != std::string::npos))
      file = 0;
    unsigned index = 0, source = 0;
    if (word == ".loc" && number <= line && words >> index >> source) {
      file = index;
      of_file = source;
    } else if (word == ".file" && words >> index) {
      const std::size_t begin = row.find('"'), end = row.rfind('"');
      if (begin < end) files[index] = row.substr(begin + 1, end - begin - 1);
    }
  }
  const auto found = files.find(file);
  return file == 0 || found == files.end() ? "" : found->second + ":" + std::to_string(of_file);
}

std::string plain_name(const std::string& mangled) {
  int status = 0;
  const std::unique_ptr<char, decltype(&std::free)> plain(
      abi::__cxa_demangle(mangled.c_str(), nullptr, nullptr, &status), std::free);
  return status == 0 && plain ? plain.get() : mangled;
}

}  // namespace warpvp::cuda
