// For programs into which nvcc has linked the CUDA runtime (-cudart static, its default): preloaded, it looks
// into the program's symbol table for the functions of the API, before any of them has been called, and puts
// a jump to the same function of our library over the beginning of each. NVIDIA's runtime is never entered.
//
// A program without symbols (strip) cannot be served so; it is told what to do.

#include <dlfcn.h>
#include <elf.h>
#include <fcntl.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdint>

#include "sw/cuda/protocol.h"

namespace {

/// The program's file, mapped to be read. Sections are looked for in what the file says of itself, and
/// nothing outside of it is read.
class ProgramFile {
 public:
  ProgramFile() {
    const int file = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
    struct stat status;
    if (file < 0) return;
    if (fstat(file, &status) == 0 && status.st_size >= static_cast<off_t>(sizeof(Elf64_Ehdr))) {
      bytes_ = static_cast<std::size_t>(status.st_size);
      void* const map = mmap(nullptr, bytes_, PROT_READ, MAP_PRIVATE, file, 0);
      if (map != MAP_FAILED) data_ = static_cast<const char*>(map);
    }
    close(file);
    const auto* const header = at<Elf64_Ehdr>(0);
    if (header == nullptr || memcmp(header->e_ident, ELFMAG, SELFMAG) != 0 ||
        header->e_ident[EI_CLASS] != ELFCLASS64)
      return;
    count_ = header->e_shnum;
    sections_ = at<Elf64_Shdr>(header->e_shoff, count_);
    if (sections_ == nullptr || header->e_shstrndx >= count_) return;
    names_ = &sections_[header->e_shstrndx];
  }
  ~ProgramFile() {
    if (data_ != nullptr) munmap(const_cast<char*>(data_), bytes_);
  }
  ProgramFile(const ProgramFile&) = delete;

  const Elf64_Shdr* section(const char* name) const {
    for (unsigned i = 0; names_ != nullptr && i < count_; ++i)
      if (strcmp(text(*names_, sections_[i].sh_name), name) == 0) return &sections_[i];
    return nullptr;
  }
  /// Calls `f(name, symbol)` for each symbol of the table.
  template <class F>
  void for_each_symbol(F&& f) const {
    const Elf64_Shdr *table = section(".symtab"), *strings = section(".strtab");
    if (table == nullptr || strings == nullptr) return;
    const std::size_t symbols = table->sh_size / sizeof(Elf64_Sym);
    const auto* const all = at<Elf64_Sym>(table->sh_offset, symbols);
    for (std::size_t i = 0; all != nullptr && i < symbols; ++i) f(text(*strings, all[i].st_name), all[i]);
  }

 private:
  template <class T>
  const T* at(std::uint64_t offset, std::size_t count = 1) const {
    if (data_ == nullptr || offset > bytes_ || count > (bytes_ - offset) / sizeof(T)) return nullptr;
    return reinterpret_cast<const T*>(data_ + offset);
  }
  /// "" where it does not end within the section.
  const char* text(const Elf64_Shdr& strings, std::size_t offset) const {
    const char* const all = at<char>(strings.sh_offset, strings.sh_size);
    if (all == nullptr || offset >= strings.sh_size) return "";
    return memchr(all + offset, 0, strings.sh_size - offset) != nullptr ? all + offset : "";
  }

  const char* data_ = nullptr;
  std::size_t bytes_ = 0, count_ = 0;
  const Elf64_Shdr *sections_ = nullptr, *names_ = nullptr;
};

/// By how much the program lies elsewhere than its file says.
std::uintptr_t load_offset() {
  std::uintptr_t offset = 0;
  dl_iterate_phdr(
      [](dl_phdr_info* info, std::size_t, void* to) {
        *static_cast<std::uintptr_t*>(to) = info->dlpi_addr;
        return 1;  // the program is the first
      },
      &offset);
  return offset;
}

bool begins_with(const char* text, const char* with) { return strncmp(text, with, strlen(with)) == 0; }

/// A function of the API that the program has itself, not from a library.
bool is_own(const char* name, const Elf64_Sym& symbol) {
  return symbol.st_shndx != SHN_UNDEF && ELF64_ST_TYPE(symbol.st_info) == STT_FUNC &&
         (begins_with(name, "cuda") || begins_with(name, "__cuda"));
}

void put_jump(void* from, void* to) {
#if defined(__x86_64__)
  // movabs $to, %rax; jmp *%rax. Functions begin at multiples of 16 bytes, so that even the shortest has
  // room.
  unsigned char code[] = {0x48, 0xb8, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xe0};
  memcpy(code + 2, &to, sizeof to);
#else
#error "jumps of this machine are not known"
#endif
  const auto page = static_cast<std::uintptr_t>(sysconf(_SC_PAGESIZE));
  const std::uintptr_t begin = reinterpret_cast<std::uintptr_t>(from) / page * page;
  const std::uintptr_t end = reinterpret_cast<std::uintptr_t>(from) + sizeof code;
  void* const pages = reinterpret_cast<void*>(begin);
  if (mprotect(pages, end - begin, PROT_READ | PROT_WRITE | PROT_EXEC) != 0) {
    perror("warpvp: the program's code cannot be changed; link it with -cudart shared");
    _exit(2);
  }
  memcpy(from, code, sizeof code);
  mprotect(pages, end - begin, PROT_READ | PROT_EXEC);
}

__attribute__((constructor)) void take_over_static_runtime() {
  if (getenv(warpvp::cuda::kSocketVariable) == nullptr) return;
  const ProgramFile program;
  if (program.section(".nv_fatbin") == nullptr) return;  // no CUDA program
  // CUDA 12 alone has the _v2, and handles of kernels came with it.
  bool launches = false, of_12 = false, has_handles = false, imports = false;
  program.for_each_symbol([&](const char* name, const Elf64_Sym& symbol) {
    if (!is_own(name, symbol)) {
      imports = imports || begins_with(name, "__cudaRegisterFatBinary");
      return;
    }
    launches = launches || strcmp(name, "cudaLaunchKernel") == 0;
    of_12 = of_12 || strcmp(name, "cudaGetDeviceProperties_v2") == 0;
    has_handles = has_handles || strcmp(name, "__cudaGetKernel") == 0;
  });
  if (!launches) {
    // Its runtime is a library, ours; or it is in the program, and nobody can tell where.
    if (!imports && program.section(".symtab") == nullptr && dlsym(RTLD_DEFAULT, "cudaMalloc") == nullptr) {
      fprintf(stderr,
              "warpvp: the CUDA runtime is linked into the program, which has no symbols any more; do not "
              "strip it, or "
              "link it with -cudart shared\n");
      _exit(2);
    }
    return;
  }
  const char* const library = of_12         ? "libcudart.so.12"
                              : has_handles ? "libcudart.so.13"
                                            : "libcudart.so.11.0";
  void* const ours = dlopen(library, RTLD_NOW | RTLD_LOCAL);
  if (ours == nullptr) {
    fprintf(stderr, "warpvp: %s\n", dlerror());
    _exit(2);
  }
  const std::uintptr_t offset = load_offset();
  program.for_each_symbol([&](const char* name, const Elf64_Sym& symbol) {
    if (!is_own(name, symbol)) return;
    void* const to = dlsym(ours, name);
    if (to != nullptr) put_jump(reinterpret_cast<void*>(offset + symbol.st_value), to);
  });
}

}  // namespace
