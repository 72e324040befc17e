#include <CShims.h>
#include <signal.h>

bool cws_can_catch_signal(int number) {
  sigset_t set;
  sigemptyset(&set);
  // The C library refuses what it keeps for itself.
  return number > 0 && number < NSIG && sigaddset(&set, number) == 0 && number != SIGKILL &&
         number != SIGSTOP;
}

#if defined(__APPLE__)
void cws_ignore_signal(int number) { signal(number, SIG_IGN); }
#endif
