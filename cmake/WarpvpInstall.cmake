# `cmake --install`: the program with its data, and what plugins and programs that embed it are built against. Nothing installed names the place
# it lies at, so that the whole may be moved.
#
#   bin/warpvp
#   include/warpvp/          headers under the paths that sources include them by
#   share/warpvp/            configs/, sw/kernels/, sw/firmware/prebuilt/, study/report/page/: as in the source tree
#   lib/cmake/warpvp/        find_package(warpvp)
#   lib/libwarpvp.a          the simulator, for programs that embed it
#   lib/libwarpvp-runtime.so the runtime for programs outside, in any language, with include/warpvp_runtime.h, find_package(warpvp-runtime)
#                            and pkg-config's warpvp-runtime (sw/runtime/c)
#   lib/warpvp/cuda/         stand-ins for CUDA's libraries, for CUDA programs
#   share/warpvp/examples/   plugins, an embedding program, a platform with GPUs, programs in C and a driver of Linux, to be built against what
#                            is installed
#   share/man/man1/          warpvp(1), made of the program's help
#   share/bash-completion/   completion of words by bash
#   share/zsh/               and by zsh: site-functions below /usr/local, vendor-completions below /usr on Debian
include(CMakePackageConfigHelpers)

set(installed_folders base interconnect modules ptx sw)
set(generated ${PROJECT_BINARY_DIR}/generated)
set(installed_headers "")
foreach(folder ${installed_folders})
  file(GLOB_RECURSE headers CONFIGURE_DEPENDS RELATIVE ${PROJECT_SOURCE_DIR} ${PROJECT_SOURCE_DIR}/${folder}/*.h)
  list(APPEND installed_headers ${headers})
endforeach()
list(SORT installed_headers)

# A plugin and a program may be of one mind about classes only if both saw the same headers.
list(TRANSFORM installed_headers PREPEND ${PROJECT_SOURCE_DIR}/ OUTPUT_VARIABLE header_files)
file(CONFIGURE OUTPUT installed_headers.txt CONTENT "@installed_headers@" @ONLY)
add_custom_command(
  OUTPUT ${generated}/base/abi_version.h
  COMMAND ${CMAKE_COMMAND} -DROOT=${PROJECT_SOURCE_DIR} -DLIST=${CMAKE_CURRENT_BINARY_DIR}/installed_headers.txt
          -DVERSION=${PROJECT_VERSION} -DOUTPUT=${generated}/base/abi_version.h
          -P ${PROJECT_SOURCE_DIR}/cmake/write_abi_version.cmake
  DEPENDS ${header_files} ${CMAKE_CURRENT_BINARY_DIR}/installed_headers.txt
          ${PROJECT_SOURCE_DIR}/cmake/write_abi_version.cmake
  COMMENT "Digest of the installed headers" VERBATIM)
add_custom_target(warpvp_abi_version DEPENDS ${generated}/base/abi_version.h)
set(WARPVP_GENERATED_HEADERS ${generated})

# The libraries that the program was linked with, and those of its own (sanitizers/).
set(CMAKE_INSTALL_RPATH_USE_LINK_PATH ON)
set(CMAKE_INSTALL_RPATH $ORIGIN/../lib)
foreach(folder ${installed_folders})
  install(DIRECTORY ${folder} DESTINATION include/warpvp FILES_MATCHING PATTERN "*.h")
endforeach()
install(FILES ${generated}/base/abi_version.h DESTINATION include/warpvp/base)
install(DIRECTORY configs DESTINATION share/warpvp)
install(DIRECTORY sw/kernels DESTINATION share/warpvp/sw)
install(DIRECTORY study/report/page DESTINATION share/warpvp/study/report)
install(DIRECTORY sw/firmware/prebuilt DESTINATION share/warpvp/sw/firmware)
install(DIRECTORY examples/c_client examples/driver examples/embedding examples/foreign_platform examples/plugins DESTINATION share/warpvp/examples PATTERN build EXCLUDE)
install(FILES LICENSE DESTINATION share/doc/warpvp RENAME copyright)
install(FILES cmake/completion/warpvp.bash DESTINATION share/bash-completion/completions RENAME warpvp)
foreach(folder site-functions vendor-completions)
  install(FILES cmake/completion/_warpvp DESTINATION share/zsh/${folder})
endforeach()
# For programs that embed it; no part of what a plugin and a program must agree about.
install(FILES platform/simulation.h platform/gpu.h platform/platform_config.h DESTINATION include/warpvp/platform)

set(package lib/cmake/warpvp)
set(WARPVP_SC_CPLUSPLUS 201703L)  # __cplusplus of CMAKE_CXX_STANDARD
configure_package_config_file(${PROJECT_SOURCE_DIR}/cmake/warpvpConfig.cmake.in warpvpConfig.cmake
                              INSTALL_DESTINATION ${package})
write_basic_package_version_file(warpvpConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/warpvpConfig.cmake ${CMAKE_CURRENT_BINARY_DIR}/warpvpConfigVersion.cmake
              cmake/plugin_mark.cpp DESTINATION ${package})
if(TARGET warpvp_fibers)
  install(TARGETS warpvp_fibers LIBRARY DESTINATION lib)
endif()
