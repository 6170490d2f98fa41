// Launches that may begin before the one before them in the stream has ended (programmatic stream
// serialization, GPUs from cc 9.0).
#pragma once

/// Waits until the launch before has ended, with all that it wrote. Every thread that touches global memory
/// calls it first. (No effect in ordinary launches.)
__device__ __forceinline__ void wait_for_launch() { asm volatile("griddepcontrol.wait;" ::: "memory"); }
/// The next launch may begin as soon as all blocks have said this or ended. Only after wait_for_launch: a
/// launch that begins then knows of all that came before this one.
__device__ __forceinline__ void let_next_launch() {
  asm volatile("griddepcontrol.launch_dependents;" ::: "memory");
}
