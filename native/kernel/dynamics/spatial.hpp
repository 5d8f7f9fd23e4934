// Small vectors, rotations and inertias for dynamics, on numbers V: one double, or lanes of them.
//
// The tree algorithms are written once for both. Everything is expressed in the link's own frame M
// (its joint's moving frame), where the axis of a hinge is z. Accelerations are those of points
// (not spatial ones): then no linear velocity is ever needed.
#pragma once

#include "kernel/base/arena.hpp"
#include "kernel/base/model.hpp"
#include "kernel/base/sincos.hpp"

// Small functions dissolve into their callers, which is worth half the time; the page's module,
// where size counts, defines KINEGEN_SMALL first.
#ifdef KINEGEN_SMALL
#define KINEGEN_SPATIAL inline
#else
#define KINEGEN_SPATIAL KINEGEN_INLINE
#endif

namespace kinegen {
namespace KINEGEN_ISA {

// A number in all lanes.
template <class V>
KINEGEN_SPATIAL V broadcast(double x) {
    if constexpr (sizeof(V) == sizeof(double))
        return x;
    else
        return all<double>(x);
}

KINEGEN_SPATIAL void sine_cosine(double x, double& s, double& c) {
    s = ::sin(x);
    c = ::cos(x);
}
KINEGEN_SPATIAL void sine_cosine(Lanes64 x, Lanes64& s, Lanes64& c) {
    bool wide = false;
    for (int i = 0; i < WIDTH<double>; ++i)
        wide = wide || !(x[i] <= SinCos<double>::LIMIT && x[i] >= -SinCos<double>::LIMIT);
    wide ? sincos_wide<double>(x, s, c) : sincos<double>(x, s, c);
}

// Whether every lane of x is above every lane of y.
KINEGEN_SPATIAL bool all_above(double x, double y) { return x > y; }
KINEGEN_SPATIAL bool all_above(Lanes64 x, Lanes64 y) {
    bool above = true;
    for (int i = 0; i < WIDTH<double>; ++i) above = above && x[i] > y[i];
    return above;
}

template <class V>
KINEGEN_SPATIAL void set_zero(V* a, int count) {
    for (int i = 0; i < count; ++i) a[i] = broadcast<V>(0);
}

template <class V>
KINEGEN_SPATIAL V dot(const V* a, const V* b) {
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

// out = a × b
template <class V>
KINEGEN_SPATIAL void cross(const V* a, const V* b, V* out) {
    const V x = a[1] * b[2] - a[2] * b[1], y = a[2] * b[0] - a[0] * b[2];
    out[2] = a[0] * b[1] - a[1] * b[0];
    out[0] = x;
    out[1] = y;
}

// out += a × b
template <class V>
KINEGEN_SPATIAL void add_cross(const V* a, const V* b, V* out) {
    out[0] = out[0] + (a[1] * b[2] - a[2] * b[1]);
    out[1] = out[1] + (a[2] * b[0] - a[0] * b[2]);
    out[2] = out[2] + (a[0] * b[1] - a[1] * b[0]);
}

// out = R a
template <class V>
KINEGEN_SPATIAL void turn_out(const V* R, const V* a, V* out) {
    const V x = R[0] * a[0] + R[1] * a[1] + R[2] * a[2];
    const V y = R[3] * a[0] + R[4] * a[1] + R[5] * a[2];
    out[2] = R[6] * a[0] + R[7] * a[1] + R[8] * a[2];
    out[0] = x;
    out[1] = y;
}

// out = Rᵀ a
template <class V>
KINEGEN_SPATIAL void turn_in(const V* R, const V* a, V* out) {
    const V x = R[0] * a[0] + R[3] * a[1] + R[6] * a[2];
    const V y = R[1] * a[0] + R[4] * a[1] + R[7] * a[2];
    out[2] = R[2] * a[0] + R[5] * a[1] + R[8] * a[2];
    out[0] = x;
    out[1] = y;
}

// out = A B, 3 × 3
template <class V>
KINEGEN_SPATIAL void multiply(const V* A, const V* B, V* out) {
    for (int i = 0; i < 3; ++i)
        for (int k = 0; k < 3; ++k)
            out[3 * i + k] = A[3 * i] * B[k] + A[3 * i + 1] * B[3 + k] + A[3 * i + 2] * B[6 + k];
}

// Symmetric matrices are six numbers, in the order of a link's inertia in the model.
enum Symmetric { XX = 0, YY = 1, ZZ = 2, XY = 3, XZ = 4, YZ = 5 };

// out = S a
template <class V>
KINEGEN_SPATIAL void multiply_symmetric(const V* S, const V* a, V* out) {
    const V x = S[XX] * a[0] + S[XY] * a[1] + S[XZ] * a[2];
    const V y = S[XY] * a[0] + S[YY] * a[1] + S[YZ] * a[2];
    out[2] = S[XZ] * a[0] + S[YZ] * a[1] + S[ZZ] * a[2];
    out[0] = x;
    out[1] = y;
}

// out = R S Rᵀ
template <class V>
KINEGEN_SPATIAL void turn_symmetric(const V* R, const V* S, V* out) {
    V T[9];
    for (int i = 0; i < 3; ++i) multiply_symmetric(S, R + 3 * i, T + 3 * i);  // rows of R S
    out[XX] = dot(T, R);
    out[XY] = dot(T, R + 3);
    out[XZ] = dot(T, R + 6);
    out[YY] = dot(T + 3, R + 3);
    out[YZ] = dot(T + 3, R + 6);
    out[ZZ] = dot(T + 6, R + 6);
}

// out = R H Rᵀ
template <class V>
KINEGEN_SPATIAL void turn_matrix(const V* R, const V* H, V* out) {
    V T[9];
    multiply(R, H, T);
    for (int i = 0; i < 3; ++i)
        for (int k = 0; k < 3; ++k) out[3 * i + k] = dot(T + 3 * i, R + 3 * k);
}

// Mass, first moment (m c) and inertia about the link's origin, of one link.
template <class V>
struct RigidBody {
    V mass, moment[3], inertia[6];
};

template <class V>
KINEGEN_SPATIAL void rigid_body(const Model& m, int32_t link, RigidBody<V>& b) {
    const double* n = m.inertia + (int64_t)INERTIA_SIZE * link;
    const double mass = n[0], x = n[1], y = n[2], z = n[3];
    b.mass = broadcast<V>(mass);
    b.moment[0] = broadcast<V>(mass * x);
    b.moment[1] = broadcast<V>(mass * y);
    b.moment[2] = broadcast<V>(mass * z);
    b.inertia[XX] = broadcast<V>(n[4] + mass * (y * y + z * z));
    b.inertia[YY] = broadcast<V>(n[5] + mass * (x * x + z * z));
    b.inertia[ZZ] = broadcast<V>(n[6] + mass * (x * x + y * y));
    b.inertia[XY] = broadcast<V>(n[7] - mass * x * y);
    b.inertia[XZ] = broadcast<V>(n[8] - mass * x * z);
    b.inertia[YZ] = broadcast<V>(n[9] - mass * y * z);
}

// Rotor inertia as the joint's variable feels it.
KINEGEN_SPATIAL double reflected_inertia(const Model& m, int32_t v) {
    return m.rotor[v] * m.gear[v] * m.gear[v];
}

}  // namespace KINEGEN_ISA
}  // namespace kinegen
