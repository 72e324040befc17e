#include <CInterleaving.h>

typedef int cil_placeholder;
