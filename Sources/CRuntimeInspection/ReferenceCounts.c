#include <CRuntimeInspection.h>

extern size_t swift_retainCount(const void *object);

size_t cri_strong_count(const void *object) { return swift_retainCount(object); }
