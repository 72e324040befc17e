#include <CLeakTesting.h>

__attribute__((constructor)) static void install(void) { leak_testing_install(); }
