#pragma once
// C++ names behind the mangled ones that compilers write into PTX.

#include <string>
#include <vector>

namespace warpvp::ptx {

/// "void scale<float>(float*, int)" for "_Z5scaleIfEvPT_i"; a name that is not mangled stays as it is.
std::string demangled(const std::string& name);

/// "scale<float>" for that name: what one would write to mean it.
std::string short_name(const std::string& name);

/// Which of `names` are meant by `wanted`: the one of that very name; else those that are demangled "void
/// scale<float>(float*, int)" and wanted as that, as "scale<float>(float*, int)", "scale<float>" or "scale",
/// whatever the blanks. The first of these forms that finds any counts.
std::vector<std::string> names_meant(const std::vector<std::string>& names, const std::string& wanted);

}  // namespace warpvp::ptx
