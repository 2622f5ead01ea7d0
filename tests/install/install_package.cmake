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
must(${configure} -S ${consumer} -B ${work}/build -DCMAKE_PREFIX_PATH=${moved}
  -DFIRST_FILL=${source}/apps/examples/first_fill.c)
must(${CMAKE_COMMAND} --build ${work}/build)
must(${mpiexec} ${np} 2 ${work}/build/first_fill)
must(${mpiexec} ${np} 2 ${work}/build/consumer)

must_fail("component nonsense is not in this installation, which has: core"
  ${configure} -S ${consumer} -B ${work}/missing -DCMAKE_PREFIX_PATH=${moved}
  -DCOMPONENTS=nonsense)
must_fail("compatible with requested version \"0.0\""
  ${configure} -S ${consumer} -B ${work}/older -DCMAKE_PREFIX_PATH=${moved} -DRIND_WANTED=0.0)
