# install_pkgconfig.cmake - compiles against the moved installation by pkg-config alone.
include(${CMAKE_CURRENT_LIST_DIR}/install_steps.cmake)
file(REMOVE_RECURSE ${work})
file(MAKE_DIRECTORY ${work})
set(ENV{PKG_CONFIG_PATH} ${moved}/${libdir}/pkgconfig)
must(${pkg_config} --validate rind rind-p4est rind-io)
if(static)
  set(static_option --static)
endif()
must(${pkg_config} --cflags --libs ${static_option} rind-p4est rind-io)
separate_arguments(options UNIX_COMMAND "${step_output}")
must(${CMAKE_COMMAND} -E env OMPI_CC=${cc} MPICH_CC=${cc} ${mpicc} ${flags}
  ${source}/apps/examples/first_fill.c -o ${work}/first_fill ${options} -lm
  -Wl,-rpath,${moved}/${libdir})
must(${mpiexec} ${np} 2 ${work}/first_fill)
