# Configures a copy of SOURCE with a new folder in modules/, and looks whether the program is linked with it. Tests and
# benchmarks are left out, their folders and the libraries that they need too.
file(REMOVE_RECURSE ${COPY})
foreach(part base cmake configs docs examples interconnect modules platform predict ptx study cli sw CMakeLists.txt)
  file(COPY ${SOURCE}/${part} DESTINATION ${COPY})
endforeach()
file(WRITE ${COPY}/modules/new_block/CMakeLists.txt "warpvp_module(warpvp_new_block SOURCES new_block.cpp)\n")
file(WRITE ${COPY}/modules/new_block/new_block.cpp "")
execute_process(
  COMMAND ${CMAKE_COMMAND} -S ${COPY} -B ${COPY}/build -G Ninja -DCMAKE_CXX_COMPILER=${COMPILER}
          -DCMAKE_BUILD_TYPE=${TYPE} -DWARPVP_SYSTEMC_HOME=${SYSTEMC} -DWARPVP_TESTS=OFF -DWARPVP_BENCH=OFF
          -DWARPVP_UNITY=OFF
          -DCMAKE_DISABLE_FIND_PACKAGE_GTest=ON -DCMAKE_DISABLE_FIND_PACKAGE_benchmark=ON
  RESULT_VARIABLE status OUTPUT_VARIABLE output ERROR_VARIABLE output)
if(NOT status EQUAL 0)
  message(FATAL_ERROR "configuring: ${output}")
endif()
find_program(NINJA NAMES ninja ninja-build REQUIRED)
execute_process(COMMAND ${NINJA} -C ${COPY}/build -t inputs warpvp OUTPUT_VARIABLE inputs RESULT_VARIABLE status)
file(REMOVE_RECURSE ${COPY})
if(NOT status EQUAL 0 OR NOT inputs MATCHES "modules/new_block/CMakeFiles/warpvp_new_block.dir/new_block.cpp.o")
  message(FATAL_ERROR "the program is not linked with the new block:\n${inputs}")
endif()
