// What the accesses to shared memory did, of all kinds together.

const kFamilies = ["shared_load", "shared_store", "shared_atomic", "async_copy"];

/// {requests, bytes, wavefronts, conflicts} of each kind that there is. Constant memory has passes too, but no banks.
export const sharedFamilies = (memory) => kFamilies.map((name) => memory.families[name]).filter((f) => f?.requests > 0);

export const sharedSum = (memory, key) => sharedFamilies(memory).reduce((sum, f) => sum + (f[key] ?? 0), 0);
