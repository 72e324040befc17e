#include <CShims.h>

#if INTERLEAVING
_Thread_local const cws_scheduler *cws_current_scheduler;
#else
// A translation unit may not be empty.
typedef int cws_scheduling;
#endif
