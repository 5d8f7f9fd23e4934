// Six numbers at once: rows of the small blocks of the impulse engine, kept in registers.
#pragma once

#include <string.h>

namespace kinegen {

#if defined(__GNUC__)
#define KINEGEN_DISSOLVE __attribute__((always_inline)) inline
typedef double Two __attribute__((vector_size(16)));
#else
#define KINEGEN_DISSOLVE inline
struct Two {
    double x[2];
};
inline Two operator+(Two a, Two b) { return {{a.x[0] + b.x[0], a.x[1] + b.x[1]}}; }
inline Two operator-(Two a, Two b) { return {{a.x[0] - b.x[0], a.x[1] - b.x[1]}}; }
inline Two operator*(Two a, Two b) { return {{a.x[0] * b.x[0], a.x[1] * b.x[1]}}; }
#endif

// Before a short loop over an array that shall live in registers.
#if defined(__GNUC__) && !defined(__clang__)
#define KINEGEN_UNROLL _Pragma("GCC unroll 6")
#else
#define KINEGEN_UNROLL
#endif

struct Six {
    Two a, b, c;
};

KINEGEN_DISSOLVE Six load_six(const double* x) {
    Six s;
    memcpy(&s.a, x, sizeof s.a);
    memcpy(&s.b, x + 2, sizeof s.b);
    memcpy(&s.c, x + 4, sizeof s.c);
    return s;
}
KINEGEN_DISSOLVE void store_six(const Six& s, double* x) {
    memcpy(x, &s.a, sizeof s.a);
    memcpy(x + 2, &s.b, sizeof s.b);
    memcpy(x + 4, &s.c, sizeof s.c);
}
KINEGEN_DISSOLVE Six no_six() { return {Two{0, 0}, Two{0, 0}, Two{0, 0}}; }
KINEGEN_DISSOLVE Six sum_six(const Six& s, const Six& t) {
    return {s.a + t.a, s.b + t.b, s.c + t.c};
}
KINEGEN_DISSOLVE Six less_six(const Six& s, const Six& t) {
    return {s.a - t.a, s.b - t.b, s.c - t.c};
}
// s += f x
KINEGEN_DISSOLVE void add_six(Six& s, double f, const double* x) {
    const Six y = load_six(x);
    const Two ff{f, f};
    s.a = s.a + ff * y.a;
    s.b = s.b + ff * y.b;
    s.c = s.c + ff * y.c;
}
// s -= f x
KINEGEN_DISSOLVE void take_six(Six& s, double f, const double* x) {
    const Six y = load_six(x);
    const Two ff{f, f};
    s.a = s.a - ff * y.a;
    s.b = s.b - ff * y.b;
    s.c = s.c - ff * y.c;
}

// Two at a time, from x on.
KINEGEN_DISSOLVE Two load_two(const double* x) {
    Two t;
    memcpy(&t, x, sizeof t);
    return t;
}
KINEGEN_DISSOLVE void store_two(Two t, double* x) { memcpy(x, &t, sizeof t); }

}  // namespace kinegen
