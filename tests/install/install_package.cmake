# install_package.cmake - installs, moves the folder, builds and runs programs that find it there.
include(${CMAKE_CURRENT_LIST_DIR}/install_steps.cmake)
file(REMOVE_RECURSE ${work} ${moved})
must(${CMAKE_COMMAND} --install ${build} --config ${config} --prefix ${work}/first)
get_filename_component(parent ${moved} DIRECTORY)
file(MAKE_DIRECTORY ${parent})
file(RENAME ${work}/first ${moved})

# No file may remember where it was built or first installed.
file(GLOB_RECURSE texts ${moved}/*.cmake ${moved}/*.pc ${moved}/*.h)
foreach(file IN LISTS texts)
  file(READ ${file} text)
  foreach(place ${work}/first ${build}/ ${source}/)
    string(FIND "${text}" "${place}" found)
    if(found GREATER_EQUAL 0)
      message(FATAL_ERROR "${file} names ${place}")
    endif()
  endforeach()
endforeach()

set(consumer ${CMAKE_CURRENT_LIST_DIR}/consumer)
must(${configure} -S ${consumer} -B ${work}/build -DCMAKE_PREFIX_PATH=${moved})
must(${CMAKE_COMMAND} --build ${work}/build)
must(${mpiexec} ${np} 2 ${work}/build/consumer)

# The guide's project, as it stands there, prints what the guide says.
file(READ ${source}/docs/guide.md guide)
string(FIND "${guide}" "cmake_minimum_required" begin)
string(SUBSTRING "${guide}" ${begin} -1 project)
string(FIND "${project}" "```" end)
string(SUBSTRING "${project}" 0 ${end} project)
file(WRITE ${work}/guide/CMakeLists.txt "${project}")
file(COPY ${source}/apps/examples/first_fill.c DESTINATION ${work}/guide)
must(${configure} -S ${work}/guide -B ${work}/guide/build -DCMAKE_PREFIX_PATH=${moved})
must(${CMAKE_COMMAND} --build ${work}/guide/build)
must(${mpiexec} ${np} 2 ${work}/guide/build/first_fill)
string(FIND "${guide}" "    ${step_output}" found)
if(found LESS 0)
  message(FATAL_ERROR "first_fill prints what docs/guide.md does not: ${step_output}")
endif()

must_fail("component nonsense is not in this installation, which has: core"
  ${configure} -S ${consumer} -B ${work}/missing -DCMAKE_PREFIX_PATH=${moved}
  -DCOMPONENTS=nonsense)
must_fail("compatible with requested version \"0.0\""
  ${configure} -S ${consumer} -B ${work}/older -DCMAKE_PREFIX_PATH=${moved} -DRIND_WANTED=0.0)
