#pragma once
// Placed programs of PTX texts, and their comparison field by field.

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <memory>
#include <sstream>
#include <string>
#include <vector>

#include "ptx/image/image_reader.h"
#include "ptx/image/image_writer.h"
#include "ptx/module.h"

namespace warpvp::ptx::image {

/// Where placed programs and their variables lie.
inline constexpr MemoryBounds kMemory{0x1'0000'0000ull, 1ull << 32};

/// The module of `text`, with variables at made-up addresses.
inline std::unique_ptr<Module> placed(const std::string& text, const std::string& file,
                                      const CodeOptions& options = {}) {
  auto module = Module::parse(text, file, options);
  std::uint64_t next = kMemory.base + 0x10000;
  module->place(
      [&](const GlobalVariable& v) {
        next = (next + v.alignment + 255) / 256 * 256;
        const std::uint64_t at = next;
        next += v.bytes;
        return at;
      },
      [](std::uint64_t, const std::vector<std::uint8_t>&) {});
  for (const std::string& name : module->entries())
    module->entry(name)->code_address = kMemory.base + 0x4000'0000;
  return module;
}

/// A module of kernels `k` with this body and these parameters.
inline std::unique_ptr<Module> kernel(const std::string& body, const std::string& parameters = "",
                                      const std::string& before = "") {
  return placed(".version 8.0\n.target sm_80\n.address_size 64\n" + before + "\n.visible .entry k(" +
                    parameters + ")\n{\n" + body + "\n}\n",
                "k.ptx");
}

/// All PTX files of the tree.
inline std::vector<std::filesystem::path> all_ptx_files() {
  std::vector<std::filesystem::path> files;
  for (const char* folder : {"sw", "tests", "configs", "examples", "bench"}) {
    const std::filesystem::path root = std::filesystem::path(WARPVP_SOURCE) / folder;
    if (!std::filesystem::exists(root)) continue;
    for (const auto& file : std::filesystem::recursive_directory_iterator(root))
      if (file.path().extension() == ".ptx") files.push_back(file.path());
  }
  std::sort(files.begin(), files.end());
  return files;
}

inline std::string text_of(const std::filesystem::path& path) {
  std::ifstream in(path);
  std::stringstream text;
  text << in.rdbuf();
  return text.str();
}

inline std::shared_ptr<const Program> read(const std::vector<std::uint8_t>& bytes) {
  return read_image(bytes.data(), bytes.size(), kMemory);
}

/// Why `bytes` are no image; "" if they are one.
inline std::string refusal(const std::vector<std::uint8_t>& bytes) {
  try {
    read(bytes);
  } catch (const ImageError& e) {
    return e.what();
  }
  return "";
}

/// Puts the checksum right.
inline void sign(std::vector<std::uint8_t>& bytes) {
  const std::uint64_t sum = checksum(bytes.data(), bytes.size());
  for (unsigned i = 0; i < 8; ++i) bytes[kChecksumAt + i] = static_cast<std::uint8_t>(sum >> (8 * i));
}

}  // namespace warpvp::ptx::image
