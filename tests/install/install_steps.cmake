# install_steps.cmake - what the tests of the installed package share.

# must(command...): runs it; a failure ends the test with what it printed. Output in step_output.
function(must)
  execute_process(COMMAND ${ARGN} RESULT_VARIABLE status OUTPUT_VARIABLE output
    ERROR_VARIABLE output)
  if(NOT status EQUAL 0)
    list(JOIN ARGN " " line)
    message(FATAL_ERROR "${line}\nended with ${status}:\n${output}")
  endif()
  set(step_output "${output}" PARENT_SCOPE)
endfunction()

# must_fail(text command...): the command fails and says text.
function(must_fail text)
  execute_process(COMMAND ${ARGN} RESULT_VARIABLE status OUTPUT_VARIABLE output
    ERROR_VARIABLE output)
  # CMake wraps its messages.
  string(REGEX REPLACE "[ \n]+" " " output "${output}")
  string(FIND "${output}" "${text}" found)
  if(status EQUAL 0 OR found LESS 0)
    list(JOIN ARGN " " line)
    message(FATAL_ERROR "${line}\nended with ${status}, should fail with \"${text}\":\n${output}")
  endif()
endfunction()

set(configure ${CMAKE_COMMAND} -G ${generator} -DCMAKE_BUILD_TYPE=${config} -DCMAKE_C_COMPILER=${cc}
  -DCMAKE_CXX_COMPILER=${cxx} -DCMAKE_C_FLAGS=${flags} -DCMAKE_CXX_FLAGS=${flags})
# Where the installation ends up, for all tests of it.
get_filename_component(moved ${work} DIRECTORY)
string(APPEND moved /moved/there)
