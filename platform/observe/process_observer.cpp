#include "platform/observe/process_observer.h"

namespace warpvp {

const char* ProcessExecution::what() const {
  return kind == Kind::kAlone ? "alone" : kind == Kind::kFirst ? "first" : "again";
}

}  // namespace warpvp
