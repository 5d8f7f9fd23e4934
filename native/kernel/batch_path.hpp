// The way from a site to the base, prepared for walking it many times.
//
// X_WS = C_n M_n(q) ... C_1 M_1(q) C_0, with constant transforms C and joint motions M, counted from
// the site: what a point at the site goes through on its way to the world. Only data here: the
// kernels of every instruction set share it.
#pragma once

#include <stdint.h>

namespace kinegen {

// How much of a constant transform there is to do.
enum ConstantKind : int32_t {
    CONSTANT_TURN_X = 0,  // a turn about x, then the translation: what modified D-H rows leave
    CONSTANT_GENERAL = 1,
};

template <class T>
struct BatchStep {
    int32_t type;      // of the joint M, never FIXED
    int32_t q;         // its first row of q
    int32_t constant;  // kind of C
    T offset;          // added to the joint's turn about z
    T lead;            // advance per radian of a screw
    T X[12];           // C: rotation row by row, then translation
    T quat[4];         // rotation of C, w x y z
};

template <class T>
struct BatchPath {
    const BatchStep<T>* steps;
    int32_t count;
    T point[3];  // C_0: the site in the last moving frame
    T quat[4];
};

// Points that are worked on together: few enough for all rows to stay in the first cache.
constexpr int64_t BATCH_BLOCK = 256;

}  // namespace kinegen
