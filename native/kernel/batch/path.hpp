// What the batch kernels work from: the way from a site to the base, and how variables are drawn.
//
// X_WS = C_n M_n(q) ... C_1 M_1(q) C_0, with constant transforms C and joint motions M, counted
// from the site: what a point at the site goes through on its way to the world. Only data here: the
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

enum DrawKind : int32_t {
    DRAW_HELD = 0,   // one row, always `lower`
    DRAW_RANGE = 1,  // one row between lower and lower + range
    DRAW_QUAT = 2,   // four rows, a quaternion drawn evenly from all rotations
};
constexpr int32_t DRAW_DIMENSIONS[3] = {0, 1, 3};

// How the rows of q from one variable on are filled.
struct BatchDraw {
    int32_t kind;
    int32_t q;
    double lower, range;
    uint64_t phase[3], step[3];  // per dimension
};

// How a coupled variable follows from others: base + the sum of weight times source.
struct BatchFollow {
    int32_t target;
    int32_t count;
    const int32_t* sources;
    const double* weights;
    double base;
};

// Points that are worked on together: few enough for all rows to stay in the first cache.
constexpr int64_t BATCH_BLOCK = 256;

}  // namespace kinegen
