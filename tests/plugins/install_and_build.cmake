# Installs BUILD, moves what was installed to PLACE/moved, and builds the examples that came with it (plugins in
# PLACE/examples, an embedding program in PLACE/embedding, a platform with GPUs in PLACE/foreign_platform, programs in C in PLACE/c_client) and the plugins of BROKEN (PLACE/broken) and newer (PLACE/newer) against it.
function(run)
  execute_process(COMMAND ${ARGN} RESULT_VARIABLE status OUTPUT_VARIABLE output ERROR_VARIABLE output)
  if(NOT status EQUAL 0)
    message(FATAL_ERROR "${ARGN}: ${status}\n${output}")
  endif()
endfunction()

file(REMOVE_RECURSE ${PLACE})
run(${CMAKE_COMMAND} --install ${BUILD} --prefix ${PLACE}/installed)
file(RENAME ${PLACE}/installed ${PLACE}/moved)
file(COPY ${PLACE}/moved/share/warpvp/examples/plugins/ DESTINATION ${PLACE}/examples)
file(COPY ${PLACE}/moved/share/warpvp/examples/embedding/ DESTINATION ${PLACE}/embedding)
file(COPY ${PLACE}/moved/share/warpvp/examples/foreign_platform/ DESTINATION ${PLACE}/foreign_platform)
file(COPY ${PLACE}/moved/share/warpvp/examples/c_client/ DESTINATION ${PLACE}/c_client)
# A platform that the source tree does not have.
file(WRITE ${PLACE}/moved/share/warpvp/configs/platforms/only_here.yaml "extends: small\nsms: 3\n")
file(COPY ${BROKEN}/ DESTINATION ${PLACE}/broken)
file(COPY ${BROKEN}/../newer/ DESTINATION ${PLACE}/newer)
foreach(tree examples broken newer embedding foreign_platform c_client)
  run(${CMAKE_COMMAND} -S ${PLACE}/${tree} -B ${PLACE}/${tree}/build -G ${GENERATOR} -DCMAKE_CXX_COMPILER=${COMPILER}
      -DCMAKE_CXX_FLAGS=${FLAGS} -DCMAKE_BUILD_TYPE=${TYPE} -DCMAKE_CXX_COMPILER_LAUNCHER=${LAUNCHER}
      -DCMAKE_PREFIX_PATH=${PLACE}/moved)
  run(${CMAKE_COMMAND} --build ${PLACE}/${tree}/build)
endforeach()
