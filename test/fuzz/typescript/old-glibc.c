// What @jazzer.js/fuzzer's prebuilt library wants of glibc 2.38 and libstdc++ 13, for machines that have older ones.
#include <stdlib.h>

long __isoc23_strtol(const char *text, char **end, int base) { return strtol(text, end, base); }

unsigned long __isoc23_strtoul(const char *text, char **end, int base) { return strtoul(text, end, base); }

// Makes std::cout ready: std::ios_base::Init's constructor does that in every libstdc++.
extern void _ZNSt8ios_base4InitC1Ev(void *);

void _ZSt21ios_base_library_initv(void) {
  static char init;
  _ZNSt8ios_base4InitC1Ev(&init);
}
