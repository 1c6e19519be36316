#include <concepts>
static_assert(std::same_as<int, int>);
