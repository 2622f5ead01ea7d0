/* device_graph.cu - streams and graphs through the CUDA runtime. */
#include <device_graph.h>

#include <cuda_runtime.h>

/* The handle is the executable graph. */
static cudaGraphExec_t executable(rind_device_graph *graph) {
  return (cudaGraphExec_t)(void *)graph;
}

extern "C" int rind_device_stream_create(void **stream) {
  cudaStream_t made = nullptr;
  const cudaError_t error = cudaStreamCreateWithFlags(&made, cudaStreamNonBlocking);
  if (error == cudaSuccess) *stream = made;
  return (int)error;
}

extern "C" void rind_device_stream_destroy(void *stream) {
  if (stream) cudaStreamDestroy((cudaStream_t)stream);
}

extern "C" int rind_device_stream_captures(void *stream) {
  cudaStreamCaptureStatus status = cudaStreamCaptureStatusNone;
  if (!stream) return 0;
  if (cudaStreamIsCapturing((cudaStream_t)stream, &status) != cudaSuccess) {
    cudaGetLastError();
    return 0;
  }
  return status == cudaStreamCaptureStatusActive;
}

extern "C" int rind_device_graph_begin(void *stream) {
  return (int)cudaStreamBeginCapture((cudaStream_t)stream, cudaStreamCaptureModeThreadLocal);
}

extern "C" int rind_device_graph_end(void *stream, rind_device_graph **graph) {
  cudaGraph_t captured = nullptr;
  cudaGraphExec_t made = nullptr;
  cudaError_t error = cudaStreamEndCapture((cudaStream_t)stream, &captured);
  if (error == cudaSuccess) error = cudaGraphInstantiate(&made, captured, 0);
  if (captured) cudaGraphDestroy(captured);
  if (error == cudaSuccess)
    *graph = (rind_device_graph *)(void *)made;
  else
    cudaGetLastError();
  return (int)error;
}

extern "C" int rind_device_graph_run(rind_device_graph *graph, void *stream) {
  return (int)cudaGraphLaunch(executable(graph), (cudaStream_t)stream);
}

extern "C" void rind_device_graph_destroy(rind_device_graph **graph) {
  if (!*graph) return;
  cudaGraphExecDestroy(executable(*graph));
  *graph = nullptr;
}
