// Filled by the commits that follow.
#ifndef CINTERLEAVING_H
#define CINTERLEAVING_H
#endif
