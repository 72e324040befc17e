#include <CShims.h>
#include <stdio.h>

void cws_print_error(const char *line) { fprintf(stderr, "%s\n", line); }
