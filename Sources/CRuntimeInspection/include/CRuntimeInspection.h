// What Swift's runtime can tell of itself, and Swift cannot ask: reference counts, the classes of a program, who holds
// an object. All of it is the runtime's private affair, and so behind a probe: see `RuntimeCapability`.

#ifndef CRUNTIMEINSPECTION_H
#define CRUNTIMEINSPECTION_H

#include <CMetadataSections.h>
#include <CRetainPaths.h>
#include <stddef.h>

/// How many strong references to an object there are, the caller's included.
size_t cri_strong_count(const void *object);

#endif
