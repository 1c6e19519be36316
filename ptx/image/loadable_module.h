#pragma once
// A module of kernels as a driver sees it: what must be placed in device memory, what kernels need, and their
// images. The driver (sw/runtime) knows code through this face alone; ptx_loader.h implements it for PTX.

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace warpvp::ptx {

/// A variable of a module, in device memory.
struct ModuleVariable {
  std::string name;
  std::uint64_t bytes = 0;
  std::uint32_t alignment = 1;
  bool is_texture = false;  ///< a .texref: zeros until the driver binds memory to it (texture.h)
  bool has_value = false;   ///< not all zeros from the start
  bool managed = false;     ///< .attribute(.managed): the CPU has it under the same address
};

struct KernelParameter {
  std::string name;
  std::string type;                     ///< ".u64", ".f32", ".b8[24]"
  std::uint32_t offset = 0, bytes = 0;  ///< in the argument block
};

/// What a driver has to know to launch a kernel.
struct KernelFacts {
  std::string name;  ///< as its module has it
  std::string file;  ///< its module, as the user named it
  std::vector<KernelParameter> parameters;
  std::uint32_t parameter_bytes = 0;  ///< of the argument block
  std::uint32_t registers_per_thread = 0, static_shared_bytes = 0, barriers = 0;
  std::uint32_t local_bytes_per_thread = 0;
  std::uint32_t max_threads = 0;                ///< of a CTA; 0: no limit of its own
  std::uint32_t required_block[3] = {0, 0, 0};  ///< the only shape of CTAs allowed; zeros: none
  std::uint64_t code_bytes = 0;                 ///< of the instructions as they are fetched
  bool uses_heap = false;
};

class LoadableModule {
 public:
  virtual ~LoadableModule() = default;

  /// To be placed, in this order.
  virtual const std::vector<ModuleVariable>& variables() const = 0;
  /// The variable of that name, mangled or as C++ writes it. InputError, naming the file, if there is none,
  /// if the name means several, or if the variable was refused.
  virtual const ModuleVariable& variable(const std::string& name) const = 0;
  /// Tells where each variable lies; `write` is handed contents, with the addresses in them: of all that have
  /// a value at least. Once, before any kernel's image is made.
  virtual void place(
      const std::function<std::uint64_t(const ModuleVariable&)>& address_of,
      const std::function<void(std::uint64_t address, const std::vector<std::uint8_t>& bytes)>& write) = 0;

  /// The kernel of that name, mangled or as C++ writes it; an empty name is the only one there is. InputError
  /// if there is none or it was refused.
  virtual KernelFacts kernel(const std::string& name) const = 0;
  /// Its image (kernel_image.h), given a name as KernelFacts has it, for code that is fetched from
  /// `code_address` on.
  virtual std::vector<std::uint8_t> image(const std::string& name, std::uint64_t code_address) = 0;
};

class ModuleLoader {
 public:
  virtual ~ModuleLoader() = default;
  /// InputError with "file:line:column: ..." for what is no module.
  virtual std::unique_ptr<LoadableModule> load(const std::string& path) const = 0;
  /// The same from a text; `name` stands for the file in messages.
  virtual std::unique_ptr<LoadableModule> parse(const std::string& name, const std::string& text) const = 0;
};

}  // namespace warpvp::ptx
