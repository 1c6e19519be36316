// The reader of firmware executables: any bytes are read or refused with InputError.

#include <cstdint>
#include <vector>

#include "base/error.h"
#include "modules/command_processor/riscv/elf_image.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using warpvp::riscv::ElfImage;
  try {
    const ElfImage image = ElfImage::parse(std::vector<std::uint8_t>(data, data + size), "fuzz");
    for (const ElfImage::Section& section : image.sections()) image.describe(section.address);
    for (const ElfImage::Symbol& symbol : image.symbols()) image.find(symbol.name);
    image.describe(image.entry());
    image.check_fits(0x8000'0000, 256 * 1024);
  } catch (const warpvp::InputError&) {
  }
  return 0;
}
