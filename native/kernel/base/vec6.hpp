// Six numbers as one vector: rows of the small blocks of the impulse engine, kept in registers.
#pragma once

#include <string.h>

namespace kinegen {

#if defined(__GNUC__)
#define KINEGEN_DISSOLVE __attribute__((always_inline)) inline
typedef double Vec2 __attribute__((vector_size(16)));
#else
#define KINEGEN_DISSOLVE inline
struct Vec2 {
    double x[2];
};
inline Vec2 operator+(Vec2 a, Vec2 b) { return {{a.x[0] + b.x[0], a.x[1] + b.x[1]}}; }
inline Vec2 operator-(Vec2 a, Vec2 b) { return {{a.x[0] - b.x[0], a.x[1] - b.x[1]}}; }
inline Vec2 operator*(Vec2 a, Vec2 b) { return {{a.x[0] * b.x[0], a.x[1] * b.x[1]}}; }
#endif

// Before a short loop over an array that shall live in registers.
#if defined(__GNUC__) && !defined(__clang__)
#define KINEGEN_UNROLL _Pragma("GCC unroll 6")
#else
#define KINEGEN_UNROLL
#endif

struct Vec6 {
    Vec2 a, b, c;
};

KINEGEN_DISSOLVE Vec6 load_vec6(const double* x) {
    Vec6 s;
    memcpy(&s.a, x, sizeof s.a);
    memcpy(&s.b, x + 2, sizeof s.b);
    memcpy(&s.c, x + 4, sizeof s.c);
    return s;
}
KINEGEN_DISSOLVE void store_vec6(const Vec6& s, double* x) {
    memcpy(x, &s.a, sizeof s.a);
    memcpy(x + 2, &s.b, sizeof s.b);
    memcpy(x + 4, &s.c, sizeof s.c);
}
KINEGEN_DISSOLVE Vec6 zero_vec6() { return {Vec2{0, 0}, Vec2{0, 0}, Vec2{0, 0}}; }
KINEGEN_DISSOLVE Vec6 sum_vec6(const Vec6& s, const Vec6& t) {
    return {s.a + t.a, s.b + t.b, s.c + t.c};
}
KINEGEN_DISSOLVE Vec6 less_vec6(const Vec6& s, const Vec6& t) {
    return {s.a - t.a, s.b - t.b, s.c - t.c};
}
// s += f x
KINEGEN_DISSOLVE void add_vec6(Vec6& s, double f, const double* x) {
    const Vec6 y = load_vec6(x);
    const Vec2 ff{f, f};
    s.a = s.a + ff * y.a;
    s.b = s.b + ff * y.b;
    s.c = s.c + ff * y.c;
}
// s -= f x
KINEGEN_DISSOLVE void take_vec6(Vec6& s, double f, const double* x) {
    const Vec6 y = load_vec6(x);
    const Vec2 ff{f, f};
    s.a = s.a - ff * y.a;
    s.b = s.b - ff * y.b;
    s.c = s.c - ff * y.c;
}

// Two at a time, from x on.
KINEGEN_DISSOLVE Vec2 load_vec2(const double* x) {
    Vec2 t;
    memcpy(&t, x, sizeof t);
    return t;
}
KINEGEN_DISSOLVE void store_vec2(Vec2 t, double* x) { memcpy(x, &t, sizeof t); }

}  // namespace kinegen
