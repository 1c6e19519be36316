# Fails when the checked-in configuration reference is not what the program prints. PROGRAM, PAGE.
execute_process(COMMAND ${PROGRAM} describe --markdown OUTPUT_VARIABLE generated RESULT_VARIABLE status)
if(NOT status EQUAL 0)
  message(FATAL_ERROR "${PROGRAM} describe --markdown ended with ${status}")
endif()
file(READ ${PAGE} checked_in)
if(NOT generated STREQUAL checked_in)
  message(FATAL_ERROR "${PAGE} is out of date; run: ${PROGRAM} describe --markdown > ${PAGE}")
endif()
