/* device_graph.h - streams of our own, and graphs of what is enqueued on one. Without CUDA
 * (cuda_none.c) every call fails. Codes are as in device_memory.h. */
#pragma once

#ifdef __cplusplus
extern "C" {
#endif

typedef struct rind_device_graph rind_device_graph;

/* A stream of the current device that does not wait for the default one. */
int rind_device_stream_create(void **stream);
void rind_device_stream_destroy(void *stream);
/* 1 while what is enqueued on the stream goes into a graph. */
int rind_device_stream_captures(void *stream);

/* What the calling thread enqueues on the stream, not the default one, from here on becomes a graph
 * instead of running. */
int rind_device_graph_begin(void *stream);
/* Ends that, and makes the graph ready to run. On errors nothing is captured any more. */
int rind_device_graph_end(void *stream, rind_device_graph **graph);
/* Enqueues all of it. */
int rind_device_graph_run(rind_device_graph *graph, void *stream);
/* May still be running. Accepts NULL. */
void rind_device_graph_destroy(rind_device_graph **graph);

#ifdef __cplusplus
}
#endif
