#pragma once
// Which of the policies that are compiled into the program a `native` core runs.

#include <string>

namespace warpvp {

/// `command_processor.firmware` as it is, if it is one of the policies that NativeCore has. Throws InputError
/// otherwise.
std::string native_policy(const std::string& firmware);

}  // namespace warpvp
