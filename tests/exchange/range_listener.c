/* range_listener.c - a profiler of a kind: NVTX loads it (NVTX_INJECTION64_PATH), and it notes the
 * ranges as text, "name(" where one begins and ")" where it ends. */
#include <nvtx3/nvToolsExt.h>

#include <stdint.h>
#include <string.h>

#define LISTENER_API __attribute__((visibility("default")))

static char text[1 << 16];
static size_t length;

LISTENER_API const char *listener_text(void);
LISTENER_API int InitializeInjectionNvtx2(NvtxGetExportTableFunc_t table_of);

static void note(const char *what) {
  const size_t more = strlen(what);
  if (length + more >= sizeof text) return;
  memcpy(text + length, what, more + 1);
  length += more;
}

static int begin(const char *name) {
  note(name);
  note("(");
  return 0;
}

static int end(void) {
  note(")");
  return 0;
}

const char *listener_text(void) {
  return text;
}

int InitializeInjectionNvtx2(NvtxGetExportTableFunc_t table_of) {
  const NvtxExportTableCallbacks *callbacks = table_of(NVTX_ETID_CALLBACKS);
  NvtxFunctionTable functions = NULL;
  unsigned int count = 0;
  if (!callbacks || !callbacks->GetModuleFunctionTable(NVTX_CB_MODULE_CORE, &functions, &count) ||
      count <= NVTX_CBID_CORE_RangePop)
    return 0;
  *functions[NVTX_CBID_CORE_RangePushA] = (NvtxFunctionPointer)begin;
  *functions[NVTX_CBID_CORE_RangePop] = (NvtxFunctionPointer)end;
  return 1;
}
