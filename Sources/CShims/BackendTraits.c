// Rejects a build with two backend traits, whose result would depend on the order of an #if chain.
// The check is in C, where the compiler reports it once; Swift would report it for every file of a
// module.

#if defined(BARRIER_QUEUE_BACKEND) + defined(MUTEX_BACKEND) + defined(READ_WRITE_LOCK_BACKEND) + \
        defined(ACTOR_BACKEND) + defined(ADAPTIVE_LOCK_BACKEND) + defined(STRIPED_LOCK_BACKEND) + \
        defined(BUCKET_LOCK_BACKEND) + defined(LOCK_FREE_BACKEND) > 1
#error two backend traits are enabled; only a root application sets one, libraries name a concrete \
type such as MutexWeakArray; in the manifest of the application write: .package(url: \
"https://github.com/weak-collections/weak-collections", from: "0.1.0", traits: ["MutexBackend"])
#endif

// ISO C forbids an empty translation unit.
typedef int cws_backend_traits;
