# Common compile options, third-party packages and the helpers every folder uses to declare its targets.

find_program(CCACHE_PROGRAM ccache)
if(CCACHE_PROGRAM)
  set(CMAKE_CXX_COMPILER_LAUNCHER ${CCACHE_PROGRAM})
endif()

# Of binutils, as the default linker is; it links a test program in half the time.
find_program(WARPVP_GOLD ld.gold)

add_library(warpvp_options INTERFACE)
target_include_directories(warpvp_options INTERFACE ${PROJECT_SOURCE_DIR})
# Results must not depend on the vector level: no contraction of a*b+c into fma.
target_compile_options(warpvp_options INTERFACE -Wall -Wextra -Wno-unused-parameter -ffp-contract=off)
if(WARPVP_FUZZ)
  target_compile_options(warpvp_options INTERFACE -fsanitize=fuzzer-no-link)
endif()
if(WARPVP_SANITIZE)
  target_compile_options(warpvp_options INTERFACE -fsanitize=${WARPVP_SANITIZE} -fno-omit-frame-pointer)
  target_link_options(warpvp_options INTERFACE -fsanitize=${WARPVP_SANITIZE})
  if(WARPVP_SANITIZE MATCHES "address")
    # The sanitizer describes each variable by addresses, three millions in the program. Where it may lie anywhere in memory, each start writes
    # all of them anew, which was near half the time of tests that start it.
    target_link_options(warpvp_options INTERFACE "$<$<STREQUAL:$<TARGET_PROPERTY:TYPE>,EXECUTABLE>:-no-pie>")
  endif()
  if(WARPVP_SANITIZE MATCHES "undefined")
    target_compile_options(warpvp_options INTERFACE -fno-sanitize-recover=undefined -fno-sanitize=vptr)
  endif()
endif()

find_package(Threads REQUIRED)
find_package(fmt REQUIRED)

# Looked for anew by every configuration, so that another WARPVP_SYSTEMC_HOME also counts in a build folder that exists.
unset(SYSTEMC_INCLUDE_DIR CACHE)
unset(SYSTEMC_LIBRARY CACHE)
if(WARPVP_SYSTEMC_HOME)
  find_path(SYSTEMC_INCLUDE_DIR systemc PATHS ${WARPVP_SYSTEMC_HOME}/include NO_DEFAULT_PATH)
  find_library(SYSTEMC_LIBRARY systemc
               PATHS ${WARPVP_SYSTEMC_HOME}/lib ${WARPVP_SYSTEMC_HOME}/lib64 ${WARPVP_SYSTEMC_HOME}/lib-linux64
               NO_DEFAULT_PATH)
  if(NOT SYSTEMC_INCLUDE_DIR OR NOT SYSTEMC_LIBRARY)
    message(FATAL_ERROR "WARPVP_SYSTEMC_HOME=${WARPVP_SYSTEMC_HOME} is no install prefix of SystemC: "
                        "include/systemc or lib/libsystemc is not there.")
  endif()
  # SystemC's headers refer to a symbol that only a library of the same version and C++ standard has.
  include(CheckCXXSourceCompiles)
  include(CMakePushCheckState)
  cmake_push_check_state(RESET)
  set(CMAKE_REQUIRED_INCLUDES ${SYSTEMC_INCLUDE_DIR})
  set(CMAKE_REQUIRED_LIBRARIES ${SYSTEMC_LIBRARY} Threads::Threads)
  unset(WARPVP_SYSTEMC_LINKS CACHE)
  check_cxx_source_compiles("#include <systemc>\nint sc_main(int, char**) { return 0; }" WARPVP_SYSTEMC_LINKS)
  cmake_pop_check_state()
  if(NOT WARPVP_SYSTEMC_LINKS)
    message(FATAL_ERROR "${SYSTEMC_LIBRARY} does not link with a program that includes ${SYSTEMC_INCLUDE_DIR}/systemc: "
                        "it must be of the same version and built with -DCMAKE_CXX_STANDARD=${CMAKE_CXX_STANDARD}.")
  endif()
else()
  find_path(SYSTEMC_INCLUDE_DIR systemc REQUIRED)
  find_library(SYSTEMC_LIBRARY systemc REQUIRED)
endif()
add_library(warpvp_systemc INTERFACE)
target_include_directories(warpvp_systemc SYSTEM INTERFACE ${SYSTEMC_INCLUDE_DIR})
if(WARPVP_SANITIZE MATCHES "address|thread")
  # Linked before the SystemC library, whose functions it stands in for.
  add_library(warpvp_fibers SHARED ${CMAKE_CURRENT_LIST_DIR}/sanitizers/systemc_fibers.cpp)
  if(WARPVP_SANITIZE MATCHES "thread")
    target_compile_definitions(warpvp_fibers PRIVATE WARPVP_FIBERS_OF_TSAN=1)
  else()
    target_compile_options(warpvp_fibers PRIVATE -fsanitize=${WARPVP_SANITIZE})
  endif()
  target_link_libraries(warpvp_fibers PRIVATE ${CMAKE_DL_LIBS})
  target_link_options(warpvp_systemc INTERFACE -Wl,--no-as-needed)
  target_link_libraries(warpvp_systemc INTERFACE warpvp_fibers)
endif()
target_link_libraries(warpvp_systemc INTERFACE ${SYSTEMC_LIBRARY} Threads::Threads)
target_compile_definitions(warpvp_systemc INTERFACE SC_DISABLE_API_VERSION_CHECK)

# Headers of others that most files include, compiled once: a first build needs a tenth less. Where ccache is, it does
# better, and it does not store what is compiled with such headers.
set(precompiled OFF)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND NOT CCACHE_PROGRAM)
  set(precompiled ON)
endif()
option(WARPVP_PRECOMPILED_HEADERS "Compile the headers of SystemC, GoogleTest and the standard library once" ${precompiled})
set(standard_headers <algorithm> <deque> <functional> <map> <memory> <optional> <set> <string> <unordered_map> <vector>)
# What a test itself computes takes less time than optimising it; what it tests is optimised as ever.
set(test_options $<$<CONFIG:Release>:-O0>)
set(empty ${PROJECT_BINARY_DIR}/generated/empty.cpp)
file(CONFIGURE OUTPUT ${empty} CONTENT "")

# use_precompiled(NAME LINK... [TEST]): the target's headers, by what it links, and whether it is a test.
function(use_precompiled name)
  cmake_parse_arguments(ARG "TEST" "" "LINK" ${ARGN})
  if(NOT WARPVP_PRECOMPILED_HEADERS)
    return()
  endif()
  set(headers <fmt/format.h> ${standard_headers})
  set(links warpvp_options fmt::fmt)
  set(from warpvp_headers)
  # Their static objects need the library.
  foreach(systemc warpvp_systemc warpvp_interconnect warpvp_everything)
    if(${systemc} IN_LIST ARG_LINK AND NOT from MATCHES "systemc")
      list(APPEND headers <systemc> <tlm>)
      list(APPEND links warpvp_systemc)
      string(APPEND from _systemc)
    endif()
  endforeach()
  if(ARG_TEST)
    list(APPEND headers <gmock/gmock.h> <gtest/gtest.h>)
    list(APPEND links GTest::gtest GTest::gmock)
    string(APPEND from _gtest)
  endif()
  if(NOT TARGET ${from})
    add_library(${from} OBJECT ${empty})
    target_link_libraries(${from} PRIVATE ${links})
    if(ARG_TEST)
      target_compile_options(${from} PRIVATE ${test_options})
    endif()
    target_precompile_headers(${from} PRIVATE ${headers})
  endif()
  target_precompile_headers(${name} REUSE_FROM ${from})
  get_target_property(c_files ${name} SOURCES)
  list(FILTER c_files INCLUDE REGEX "\\.c$")
  set_source_files_properties(${c_files} PROPERTIES SKIP_PRECOMPILE_HEADERS ON)
endfunction()

# warpvp_library(NAME SOURCES... LINK ... [ONCE_A_RUN]): a folder's library. OBJECT libraries, so that a policy file that
# only registers itself is never dropped by the linker. ONCE_A_RUN: it works before and after what is simulated, and is
# optimised less, which takes two thirds of the compiler's time.
function(warpvp_library name)
  cmake_parse_arguments(ARG "ONCE_A_RUN" "" "SOURCES;LINK" ${ARGN})
  add_library(${name} OBJECT ${ARG_SOURCES})
  target_link_libraries(${name} PUBLIC warpvp_options fmt::fmt ${ARG_LINK})
  if(ARG_ONCE_A_RUN)
    target_compile_options(${name} PRIVATE $<$<CONFIG:Release>:-O1>)
  elseif(warpvp_systemc IN_LIST ARG_LINK OR warpvp_interconnect IN_LIST ARG_LINK)
    use_precompiled(${name} LINK ${ARG_LINK})
  endif()
endfunction()

# warpvp_module(NAME SOURCES... LINK ...): the library of a hardware block, which the program takes in. The property
# WARPVP_MODULES has their names, so that a folder in modules/ is all that a new block needs.
function(warpvp_module name)
  warpvp_library(${name} ${ARGN})
  set_property(GLOBAL APPEND PROPERTY WARPVP_MODULES ${name})
endfunction()

# warpvp_test(NAME SOURCES... LINK ... LABEL unit|module|platform|paper [FIXTURE NAME]): one GoogleTest program; a
# fixture is what CTest sets up before it. With BOTH_CODES its tests run twice, the second time ("MachineCode.") with
# kernels lowered to machine code (tests/support/code_mode.h).
# OBJECT libraries are linked by name here, with everything they depend on listed by the caller.
function(warpvp_test name)
  cmake_parse_arguments(ARG "BOTH_CODES" "LABEL;TIMEOUT;FIXTURE" "SOURCES;LINK" ${ARGN})
  add_executable(${name} ${ARG_SOURCES})
  target_link_libraries(${name} PRIVATE warpvp_options fmt::fmt GTest::gtest GTest::gmock ${ARG_LINK})
  target_compile_options(${name} PRIVATE ${test_options})
  use_precompiled(${name} TEST LINK ${ARG_LINK})
  if(WARPVP_GOLD AND NOT WARPVP_SANITIZE)
    target_link_options(${name} PRIVATE -fuse-ld=gold)
  endif()
  if(NOT ARG_TIMEOUT)
    set(ARG_TIMEOUT 120)
  endif()
  if(WARPVP_SANITIZE)  # tests take some ten times as long
    math(EXPR ARG_TIMEOUT "${ARG_TIMEOUT} * 8")
  endif()
  set(fixture "")
  if(ARG_FIXTURE)
    set(fixture FIXTURES_REQUIRED ${ARG_FIXTURE})
  endif()
  # tests_unit, tests_module, ...: the programs of one label.
  if(NOT TARGET tests_${ARG_LABEL})
    add_custom_target(tests_${ARG_LABEL})
  endif()
  add_dependencies(tests_${ARG_LABEL} ${name})
  # Without values of parameters, which are addresses where GoogleTest cannot print them: names are the same in all builds.
  gtest_discover_tests(${name} WORKING_DIRECTORY ${PROJECT_SOURCE_DIR} DISCOVERY_TIMEOUT 60 NO_PRETTY_VALUES
                       PROPERTIES LABELS "${ARG_LABEL}" TIMEOUT ${ARG_TIMEOUT} ${fixture})
  if(ARG_BOTH_CODES)
    gtest_discover_tests(${name} WORKING_DIRECTORY ${PROJECT_SOURCE_DIR} DISCOVERY_TIMEOUT 60 NO_PRETTY_VALUES
                         TEST_PREFIX MachineCode. TEST_LIST ${name}_in_machine_code
                         PROPERTIES LABELS "${ARG_LABEL}" TIMEOUT ${ARG_TIMEOUT} ${fixture}
                                    ENVIRONMENT WARPVP_TEST_CODE=machine)
  endif()
endfunction()
