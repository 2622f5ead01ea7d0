# Installs the libraries, the public headers and the CMake package.
include(CMakePackageConfigHelpers)
install(TARGETS ${rind_targets} EXPORT rind-targets RUNTIME LIBRARY ARCHIVE)
install(DIRECTORY include/rind TYPE INCLUDE FILES_MATCHING PATTERN "*.h")
set(rind_package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/Rind)
install(EXPORT rind-targets NAMESPACE Rind:: DESTINATION ${rind_package_dir})
configure_package_config_file(src/cmake/RindConfig.cmake.in RindConfig.cmake
  INSTALL_DESTINATION ${rind_package_dir})
write_basic_package_version_file(RindConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/RindConfig.cmake ${PROJECT_BINARY_DIR}/RindConfigVersion.cmake
  src/cmake/FindP4EST.cmake DESTINATION ${rind_package_dir})
