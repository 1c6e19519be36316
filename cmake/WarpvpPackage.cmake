# `cpack -G DEB`: a Debian package of what `cmake --install` installs, below /usr. Its libraries are those that the
# program was linked with, so it is made for the Debian it is built on, with Debian's own SystemC.
if(WARPVP_SYSTEMC_HOME)
  return()
endif()
set(CPACK_PACKAGE_NAME warpvp)
set(CPACK_PACKAGE_VERSION ${PROJECT_VERSION})
set(CPACK_PACKAGE_CONTACT "warpvp maintainers <maintainers@warpvp.invalid>")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "virtual platform of a GPU in SystemC")
set(CPACK_PACKAGE_DESCRIPTION "warpvp simulates a GPU: kernels in PTX run on a platform that YAML files describe, under
schedulers and policies that they name. The package has the program, its platforms, workloads and experiments, and
what plugins and programs that embed it are built against.")
set(CPACK_GENERATOR DEB)
set(CPACK_VERBATIM_VARIABLES ON)
set(CPACK_STRIP_FILES ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_COMPRESSION_TYPE xz)
set(CPACK_DEBIAN_PACKAGE_SECTION electronics)
set(CPACK_DEBIAN_PACKAGE_PRIORITY optional)
# Charts of `warpvp report`; and libraries, which the script adds.
set(CPACK_PRE_BUILD_SCRIPTS ${PROJECT_SOURCE_DIR}/cmake/debian_libraries.cmake)
set(CPACK_DEBIAN_PACKAGE_DEPENDS libjs-chart.js)
# For plugins and programs that embed it.
set(CPACK_DEBIAN_PACKAGE_SUGGESTS
    "cmake, g++, libelf-dev, libfmt-dev, liblz4-dev, libsqlite3-dev, libsystemc-dev, libyaml-cpp-dev, libzstd-dev")
include(CPack)
