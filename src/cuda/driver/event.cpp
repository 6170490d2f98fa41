// CUDA Driver API: Event Management.
#include "cuda/driver/call.h"
#include "cuda/runtime/calls.h"

using namespace ww::cuda;
using namespace ww::cuda::calls;

WW_FORWARD(cuEventCreate, cudaEventCreateWithFlags, (Event * *event, u32 flags), (event, flags))
WW_FORWARD_ANYWHERE(cuEventDestroy_v2, cudaEventDestroy, (Event * event), (event))
WW_FORWARD(cuEventRecord, cudaEventRecord, (Event * event, Stream* stream), (event, stream))
WW_FORWARD(cuEventRecordWithFlags, cudaEventRecordWithFlags, (Event * event, Stream* stream, u32 flags),
           (event, stream, flags))
WW_FORWARD(cuEventSynchronize, cudaEventSynchronize, (Event * event), (event))
WW_FORWARD_ANYWHERE(cuEventQuery, cudaEventQuery, (Event * event), (event))
WW_FORWARD_ANYWHERE(cuEventElapsedTime, cudaEventElapsedTime, (float* ms, Event* begin, Event* end),
                    (ms, begin, end))
WW_FORWARD_ANYWHERE(cuEventElapsedTime_v2, cudaEventElapsedTime_v2, (float* ms, Event* begin, Event* end),
                    (ms, begin, end))
