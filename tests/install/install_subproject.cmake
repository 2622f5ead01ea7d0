# install_subproject.cmake - the sources as a part of another project, by FetchContent.
include(${CMAKE_CURRENT_LIST_DIR}/install_steps.cmake)
file(REMOVE_RECURSE ${work})
must(${configure} -S ${CMAKE_CURRENT_LIST_DIR}/consumer -B ${work} -DRIND_SOURCE=${source}
  -DRIND_CUDA=OFF -DRIND_IO=OFF -DRIND_P4EST=OFF -DCOMPONENTS=core)
must(${CMAKE_COMMAND} --build ${work} --parallel 2)
must(${mpiexec} ${np} 1 ${work}/core_only)
# Neither programs nor tests of Rind come along.
file(GLOB_RECURSE stray ${work}/rind-bench ${work}/rind-advect ${work}/test_layout)
if(stray)
  message(FATAL_ERROR "built without being asked: ${stray}")
endif()
