# Run by CPack before it makes the Debian package: adds what packages the program's libraries are of. CPack's own way to it
# (CPACK_DEBIAN_PACKAGE_SHLIBDEPS) starts two programs for each of more than a thousand installed files.
set(root ${CPACK_TEMPORARY_DIRECTORY}/usr)
file(GLOB libraries ${root}/lib/*.so)
# dpkg-shlibdeps wants to stand beside a control file, and finds $ORIGIN below a folder that has a DEBIAN.
file(WRITE ${CPACK_TEMPORARY_DIRECTORY}/debian/control "")
file(MAKE_DIRECTORY ${CPACK_TEMPORARY_DIRECTORY}/DEBIAN)
execute_process(COMMAND dpkg-shlibdeps --ignore-missing-info -O ${root}/bin/warpvp ${libraries}
                WORKING_DIRECTORY ${CPACK_TEMPORARY_DIRECTORY}
                OUTPUT_VARIABLE found ERROR_VARIABLE error RESULT_VARIABLE status OUTPUT_STRIP_TRAILING_WHITESPACE)
file(REMOVE_RECURSE ${CPACK_TEMPORARY_DIRECTORY}/debian ${CPACK_TEMPORARY_DIRECTORY}/DEBIAN)
if(NOT status EQUAL 0 OR NOT found MATCHES "Depends=(.+)$")
  message(FATAL_ERROR "dpkg-shlibdeps: ${status}\n${found}${error}")
endif()
set(CPACK_DEBIAN_PACKAGE_DEPENDS "${CMAKE_MATCH_1}, ${CPACK_DEBIAN_PACKAGE_DEPENDS}")
