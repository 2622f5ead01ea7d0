/* rind/export.h - symbol visibility and C linkage for the public headers. */
#pragma once

#if defined(__GNUC__)
#define RIND_API __attribute__((visibility("default")))
#define RIND_PRINTF(text, first) __attribute__((format(printf, text, first)))
#else
#define RIND_API
#define RIND_PRINTF(text, first)
#endif

#ifdef __cplusplus
#define RIND_BEGIN_DECLS extern "C" {
#define RIND_END_DECLS }
#else
#define RIND_BEGIN_DECLS
#define RIND_END_DECLS
#endif
