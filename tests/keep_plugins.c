/* keep_plugins.c - preloaded into tests: plugins stay where they are. Open MPI 4.1.4 now and then
 * (once in some hundred to thousand launches on a busy machine) runs code of a plugin that
 * MPI_Finalize has just unloaded, and dies with SIGSEGV after all is done. */

int dlclose(void *handle);

__attribute__((visibility("default"))) int dlclose(void *handle) {
  (void)handle;
  return 0;
}
