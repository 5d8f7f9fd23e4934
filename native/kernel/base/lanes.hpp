// Several numbers at once: the vectors that the batch kernels calculate with.
//
// One translation unit is compiled per instruction set, and each defines KINEGEN_ISA as the name of
// an inner namespace: two builds of one function then never share a symbol, so the linker cannot
// hand AVX2 code to a processor without it. Nothing in these headers may call an inline function
// from outside that namespace, for the same reason.
#pragma once

#include <math.h>
#include <stdint.h>
#include <string.h>

#ifndef KINEGEN_ISA
#define KINEGEN_ISA plain
#endif

#if defined(__AVX512F__) && defined(__AVX512DQ__)
#define KINEGEN_LANE_BYTES 64
#elif defined(__AVX2__)
#define KINEGEN_LANE_BYTES 32
#else
#define KINEGEN_LANE_BYTES 16
#endif

// Functions of vectors must dissolve into their caller: a call would send all registers to memory.
#if defined(_MSC_VER) && !defined(__clang__)
#define KINEGEN_INLINE __forceinline
#else
#define KINEGEN_INLINE __attribute__((always_inline)) inline
#endif

#if defined(__GNUC__) && !defined(KINEGEN_PLAIN_ARRAYS)
#define KINEGEN_VECTOR_EXTENSION 1
#else
#define KINEGEN_VECTOR_EXTENSION 0
#endif

namespace kinegen {
namespace KINEGEN_ISA {

#if KINEGEN_VECTOR_EXTENSION

typedef double Lanes64 __attribute__((vector_size(KINEGEN_LANE_BYTES)));
typedef float Lanes32 __attribute__((vector_size(KINEGEN_LANE_BYTES)));
typedef uint64_t Bits64 __attribute__((vector_size(KINEGEN_LANE_BYTES)));
typedef uint32_t Bits32 __attribute__((vector_size(KINEGEN_LANE_BYTES)));

// Where x > 0 a, elsewhere b.
template <class V>
KINEGEN_INLINE V select_positive(V x, V a, V b) {
    return x > 0 ? a : b;
}

#else

// The same as plain arrays, for compilers without vector types: simple loops that they unroll.
template <class T, int W>
struct Array {
    T lane[W];
    T& operator[](int i) { return lane[i]; }
    T operator[](int i) const { return lane[i]; }
};
#define KINEGEN_LANEWISE(op)                                                 \
    template <class T, int W>                                                \
    KINEGEN_INLINE Array<T, W> operator op(Array<T, W> a, Array<T, W> b) {   \
        for (int i = 0; i < W; ++i) a.lane[i] = (T)(a.lane[i] op b.lane[i]); \
        return a;                                                            \
    }                                                                        \
    template <class T, int W>                                                \
    KINEGEN_INLINE Array<T, W> operator op(Array<T, W> a, T b) {             \
        for (int i = 0; i < W; ++i) a.lane[i] = (T)(a.lane[i] op b);         \
        return a;                                                            \
    }
KINEGEN_LANEWISE(+)
KINEGEN_LANEWISE(-)
KINEGEN_LANEWISE(*)
KINEGEN_LANEWISE(/)
KINEGEN_LANEWISE(&)
KINEGEN_LANEWISE(|)
KINEGEN_LANEWISE(^)
#undef KINEGEN_LANEWISE
template <class T, int W>
KINEGEN_INLINE Array<T, W> operator<<(Array<T, W> a, int n) {
    for (int i = 0; i < W; ++i) a.lane[i] = (T)(a.lane[i] << n);
    return a;
}
template <class T, int W>
KINEGEN_INLINE Array<T, W> operator>>(Array<T, W> a, int n) {
    for (int i = 0; i < W; ++i) a.lane[i] = (T)(a.lane[i] >> n);
    return a;
}
template <class T, int W>
KINEGEN_INLINE Array<T, W> select_positive(Array<T, W> x, Array<T, W> a, Array<T, W> b) {
    for (int i = 0; i < W; ++i) a.lane[i] = x.lane[i] > 0 ? a.lane[i] : b.lane[i];
    return a;
}
typedef Array<double, KINEGEN_LANE_BYTES / 8> Lanes64;
typedef Array<float, KINEGEN_LANE_BYTES / 4> Lanes32;
typedef Array<uint64_t, KINEGEN_LANE_BYTES / 8> Bits64;
typedef Array<uint32_t, KINEGEN_LANE_BYTES / 4> Bits32;

#endif

// The vector types that belong to a number type.
template <class T>
struct Lane;
template <>
struct Lane<double> {
    typedef Lanes64 V;
    typedef Bits64 B;
    typedef uint64_t Word;
};
template <>
struct Lane<float> {
    typedef Lanes32 V;
    typedef Bits32 B;
    typedef uint32_t Word;
};
template <class T>
constexpr int WIDTH = KINEGEN_LANE_BYTES / (int)sizeof(T);
template <class T>
constexpr int WORD_BITS = 8 * (int)sizeof(T);

KINEGEN_INLINE Bits64 to_bits(Lanes64 x) {
    Bits64 b;
    memcpy(&b, &x, sizeof b);
    return b;
}
KINEGEN_INLINE Bits32 to_bits(Lanes32 x) {
    Bits32 b;
    memcpy(&b, &x, sizeof b);
    return b;
}
KINEGEN_INLINE Lanes64 from_bits(Bits64 b) {
    Lanes64 x;
    memcpy(&x, &b, sizeof x);
    return x;
}
KINEGEN_INLINE Lanes32 from_bits(Bits32 b) {
    Lanes32 x;
    memcpy(&x, &b, sizeof x);
    return x;
}

template <class T>
KINEGEN_INLINE typename Lane<T>::V all(T value) {
    typename Lane<T>::V x;
    for (int i = 0; i < WIDTH<T>; ++i) x[i] = value;
    return x;
}

template <class T>
KINEGEN_INLINE typename Lane<T>::V load(const T* from) {
    typename Lane<T>::V x;
    memcpy(&x, from, sizeof x);
    return x;
}
template <class T>
KINEGEN_INLINE void store(typename Lane<T>::V x, T* to) {
    memcpy(to, &x, sizeof x);
}

// The first `count` lanes only; the others are zero.
template <class T>
KINEGEN_INLINE typename Lane<T>::V load_some(const T* from, int64_t count) {
    typename Lane<T>::V x = all<T>(0);
    if (count > 0) memcpy(&x, from, (size_t)(count < WIDTH<T> ? count : WIDTH<T>)*sizeof(T));
    return x;
}
template <class T>
KINEGEN_INLINE void store_some(typename Lane<T>::V x, T* to, int64_t count) {
    if (count > 0) memcpy(to, &x, (size_t)(count < WIDTH<T> ? count : WIDTH<T>)*sizeof(T));
}

template <class T>
KINEGEN_INLINE typename Lane<T>::V square_root(typename Lane<T>::V x) {
    for (int i = 0; i < WIDTH<T>; ++i) x[i] = (T)::sqrt((double)x[i]);
    return x;
}

}  // namespace KINEGEN_ISA
}  // namespace kinegen
