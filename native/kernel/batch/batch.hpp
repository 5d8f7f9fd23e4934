// Batch forward kinematics in lanes: a site's position or pose for many configurations.
//
// A point is carried from the site to the base, joint by joint: no matrix products. Configurations
// stand in columns (structure of arrays), so that consecutive lanes are consecutive configurations.
#pragma once

#include "kernel/batch/path.hpp"
#include "kernel/base/model.hpp"
#include "kernel/base/sincos.hpp"

namespace kinegen {
namespace KINEGEN_ISA {

// G vectors of configurations side by side, on their way from the site to the base.
template <class T, int G, bool POSE, bool WIDE>
struct Walk {
    typedef typename Lane<T>::V V;
    V x[G], y[G], z[G];
    V qw[G], qx[G], qy[G], qz[G];  // only when POSE

    // Turns everything about z by an angle; poses need half of it and get the whole for free.
    KINEGEN_INLINE void turn_z(int g, V angle) {
        V s, c;
        if (POSE) {
            V sh, ch;
            WIDE ? sincos_wide<T>(angle * (T)0.5, sh, ch) : sincos<T>(angle * (T)0.5, sh, ch);
            s = (sh + sh) * ch;
            c = all<T>(1) - (sh + sh) * sh;
            const V w = qw[g], a = qx[g], b = qy[g], k = qz[g];
            qw[g] = ch * w - sh * k;
            qx[g] = ch * a - sh * b;
            qy[g] = ch * b + sh * a;
            qz[g] = ch * k + sh * w;
        } else {
            WIDE ? sincos_wide<T>(angle, s, c) : sincos<T>(angle, s, c);
        }
        const V x0 = x[g], y0 = y[g];
        x[g] = c * x0 - s * y0;
        y[g] = c * y0 + s * x0;
    }

    KINEGEN_INLINE void turn_x(int g, V angle) {
        V s, c;
        if (POSE) {
            V sh, ch;
            WIDE ? sincos_wide<T>(angle * (T)0.5, sh, ch) : sincos<T>(angle * (T)0.5, sh, ch);
            s = (sh + sh) * ch;
            c = all<T>(1) - (sh + sh) * sh;
            const V w = qw[g], a = qx[g], b = qy[g], k = qz[g];
            qw[g] = ch * w - sh * a;
            qx[g] = ch * a + sh * w;
            qy[g] = ch * b - sh * k;
            qz[g] = ch * k + sh * b;
        } else {
            WIDE ? sincos_wide<T>(angle, s, c) : sincos<T>(angle, s, c);
        }
        const V y0 = y[g], z0 = z[g];
        y[g] = c * y0 - s * z0;
        z[g] = c * z0 + s * y0;
    }

    // Turns everything by a quaternion of any length; the zero quaternion turns nothing.
    KINEGEN_INLINE void turn_quat(int g, V w, V a, V b, V k) {
        const V n = w * w + a * a + b * b + k * k;
        const V one = all<T>(1), zero = all<T>(0);
        const V scale = select_positive(n, (one + one) / n, zero);
        // p + s (w (v × p) + v × (v × p))
        const V tx = b * z[g] - k * y[g], ty = k * x[g] - a * z[g], tz = a * y[g] - b * x[g];
        x[g] = x[g] + scale * (w * tx + (b * tz - k * ty));
        y[g] = y[g] + scale * (w * ty + (k * tx - a * tz));
        z[g] = z[g] + scale * (w * tz + (a * ty - b * tx));
        if (POSE) {
            const V unit = select_positive(n, one / square_root<T>(n), zero);
            multiply_quat(g, select_positive(n, w * unit, one), a * unit, b * unit, k * unit);
        }
    }

    KINEGEN_INLINE void multiply_quat(int g, V w, V a, V b, V k) {
        const V w0 = qw[g], a0 = qx[g], b0 = qy[g], k0 = qz[g];
        qw[g] = w * w0 - a * a0 - b * b0 - k * k0;
        qx[g] = w * a0 + a * w0 + b * k0 - k * b0;
        qy[g] = w * b0 - a * k0 + b * w0 + k * a0;
        qz[g] = w * k0 + a * b0 - b * a0 + k * w0;
    }

    // The constant transform on the base side of a joint.
    KINEGEN_INLINE void apply_constant(const BatchStep<T>& step) {
        const T* X = step.X;
        if (step.constant == CONSTANT_TURN_X) {
            for (int g = 0; g < G; ++g) {
                const V y0 = y[g], z0 = z[g];
                x[g] = x[g] + X[9];
                y[g] = y0 * X[4] + (z0 * X[5] + X[10]);
                z[g] = y0 * X[7] + (z0 * X[8] + X[11]);
            }
        } else {
            for (int g = 0; g < G; ++g) {
                const V x0 = x[g], y0 = y[g], z0 = z[g];
                x[g] = x0 * X[0] + (y0 * X[1] + (z0 * X[2] + X[9]));
                y[g] = x0 * X[3] + (y0 * X[4] + (z0 * X[5] + X[10]));
                z[g] = x0 * X[6] + (y0 * X[7] + (z0 * X[8] + X[11]));
            }
        }
        if (POSE)
            for (int g = 0; g < G; ++g)
                multiply_quat(g, all(step.quat[0]), all(step.quat[1]), all(step.quat[2]),
                              all(step.quat[3]));
    }
};

// One group of up to G vectors: q and out point at its first column, `count` columns are valid.
template <class T, int G, bool POSE, bool WIDE, bool SOME>
inline void walk_group(const BatchPath<T>& path, const T* q, int64_t q_stride, T* out,
                       int64_t out_stride, int64_t count) {
    typedef typename Lane<T>::V V;
    constexpr int W = WIDTH<T>;
    Walk<T, G, POSE, WIDE> at;
    for (int g = 0; g < G; ++g) {
        at.x[g] = all(path.point[0]);
        at.y[g] = all(path.point[1]);
        at.z[g] = all(path.point[2]);
        if (POSE) {
            at.qw[g] = all(path.quat[0]);
            at.qx[g] = all(path.quat[1]);
            at.qy[g] = all(path.quat[2]);
            at.qz[g] = all(path.quat[3]);
        }
    }
    for (int32_t i = 0; i < path.count; ++i) {
        const BatchStep<T>& step = path.steps[i];
        const T* row = q + step.q * q_stride;
        auto variable = [row, q_stride, count](int k, int g) -> V {
            const T* from = row + k * q_stride + g * W;
            return SOME ? load_some<T>(from, count - g * W) : load<T>(from);
        };
        switch (step.type) {
            case REVOLUTE:
                for (int g = 0; g < G; ++g) at.turn_z(g, variable(0, g) + step.offset);
                break;
            case PRISMATIC:
                for (int g = 0; g < G; ++g) at.z[g] = at.z[g] + variable(0, g);
                break;
            case SCREW:
                for (int g = 0; g < G; ++g) {
                    const V angle = variable(0, g);
                    at.z[g] = at.z[g] + angle * step.lead;
                    at.turn_z(g, angle + step.offset);
                }
                break;
            case CYLINDRICAL:
                for (int g = 0; g < G; ++g) {
                    at.z[g] = at.z[g] + variable(1, g);
                    at.turn_z(g, variable(0, g) + step.offset);
                }
                break;
            case UNIVERSAL:
                for (int g = 0; g < G; ++g) {
                    at.turn_x(g, variable(1, g));
                    at.turn_z(g, variable(0, g) + step.offset);
                }
                break;
            case PLANAR:
                for (int g = 0; g < G; ++g) {
                    at.turn_z(g, variable(2, g));
                    at.x[g] = at.x[g] + variable(0, g);
                    at.y[g] = at.y[g] + variable(1, g);
                }
                break;
            case SPHERICAL:
            case FREE:
                for (int g = 0; g < G; ++g) {
                    at.turn_quat(g, variable(0, g), variable(1, g), variable(2, g), variable(3, g));
                    if (step.type == FREE) {
                        at.x[g] = at.x[g] + variable(4, g);
                        at.y[g] = at.y[g] + variable(5, g);
                        at.z[g] = at.z[g] + variable(6, g);
                    }
                }
                break;
            default:
                break;
        }
        at.apply_constant(step);
    }
    for (int g = 0; g < G; ++g) {
        V* rows[7] = {&at.x[g], &at.y[g], &at.z[g]};
        if (POSE) {
            // of the two quaternions of a rotation, the one with w >= 0
            const auto sign = to_bits(at.qw[g]) & to_bits(all<T>((T)-0.0));
            V* quat[4] = {&at.qw[g], &at.qx[g], &at.qy[g], &at.qz[g]};
            for (int k = 0; k < 4; ++k) *quat[k] = from_bits(to_bits(*quat[k]) ^ sign);
            for (int k = 0; k < 3; ++k) rows[4 + k] = rows[k];
            for (int k = 0; k < 4; ++k) rows[k] = quat[k];
        }
        for (int k = 0; k < (POSE ? 7 : 3); ++k) {
            T* to = out + k * out_stride + g * W;
            SOME ? store_some<T>(*rows[k], to, count - g * W) : store<T>(*rows[k], to);
        }
    }
}

template <class T, bool POSE, bool WIDE>
inline void walk_columns(const BatchPath<T>& path, const T* q, int64_t q_stride, T* out,
                         int64_t out_stride, int64_t count) {
    constexpr int G = 2;  // two vectors together: each constant is read once for both
    constexpr int64_t W = WIDTH<T>;
    int64_t i = 0;
    if (!WIDE)
        for (; i + G * W <= count; i += G * W)
            walk_group<T, G, POSE, WIDE, false>(path, q + i, q_stride, out + i, out_stride, G * W);
    for (; i < count; i += W)
        walk_group<T, 1, POSE, WIDE, true>(path, q + i, q_stride, out + i, out_stride, count - i);
}

// Sum of squares of the numbers, by lanes: the cheapest sign that one of them is large.
template <class T>
KINEGEN_INLINE typename Lane<T>::V sum_squares(const T* q, int64_t count) {
    typedef typename Lane<T>::V V;
    constexpr int W = WIDTH<T>;
    V even = all<T>(0), odd = all<T>(0);
    int64_t i = 0;
    for (; i + 2 * W <= count; i += 2 * W) {
        const V a = load<T>(q + i), b = load<T>(q + i + W);
        even = a * a + even;
        odd = b * b + odd;
    }
    for (; i < count; i += W) {
        const V a = load_some<T>(q + i, count - i);
        even = a * a + even;
    }
    return even + odd;
}

// Whether such sums show that a number may be too large for sincos, or NaN.
template <class T>
inline bool sums_beyond(typename Lane<T>::V sums) {
    bool beyond = false;
    for (int i = 0; i < WIDTH<T>; ++i)
        beyond = beyond || !(sums[i] <= SinCos<T>::LIMIT * SinCos<T>::LIMIT);
    return beyond;
}
template <class T>
inline bool any_beyond(const T* q, int64_t count) {
    return sums_beyond<T>(sum_squares<T>(q, count));
}

// Positions (3 rows of out) or poses (7 rows: w x y z, x y z) of one site for `count` columns of q.
template <class T, bool POSE>
inline void walk_path(const BatchPath<T>& path, const T* q, int64_t q_stride, T* out,
                      int64_t out_stride, int64_t count) {
    for (int64_t first = 0; first < count; first += BATCH_BLOCK) {
        const int64_t n = count - first < BATCH_BLOCK ? count - first : BATCH_BLOCK;
        typename Lane<T>::V sums = all<T>(0);
        for (int32_t i = 0; i < path.count; ++i)
            for (int32_t k = 0; k < JOINT_NQ[path.steps[i].type]; ++k)
                sums = sums + sum_squares<T>(q + (path.steps[i].q + k) * q_stride + first, n);
        const bool wide = sums_beyond<T>(sums);
        (wide ? walk_columns<T, POSE, true> : walk_columns<T, POSE, false>)(path, q + first,
                                                                            q_stride, out + first,
                                                                            out_stride, n);
    }
}

// A piece of a row of a grid: p(u) = a + b cos u + c sin u + d u, from a table of u, cos u, sin u.
template <class T>
inline void fill_grid_row(const double* coefficients, const T* table, int64_t table_stride,
                          int64_t count, T* out, int64_t out_stride) {
    typedef typename Lane<T>::V V;
    constexpr int W = WIDTH<T>;
    T a[12];
    for (int i = 0; i < 12; ++i) a[i] = (T)coefficients[i];
    const T *u = table, *c = table + table_stride, *s = table + 2 * table_stride;
    if (count < W) {
        for (int64_t i = 0; i < count; ++i)
            for (int k = 0; k < 3; ++k)
                out[k * out_stride + i] =
                    u[i] * a[9 + k] + (c[i] * a[3 + k] + (s[i] * a[6 + k] + a[k]));
        return;
    }
    for (int64_t i = 0; i < count; i += W) {
        if (i > count - W) i = count - W;  // the last vector overlaps the one before it
        const V u_ = load<T>(u + i), c_ = load<T>(c + i), s_ = load<T>(s + i);
        for (int k = 0; k < 3; ++k)
            store<T>(u_ * a[9 + k] + (c_ * a[3 + k] + (s_ * a[6 + k] + a[k])),
                     out + k * out_stride + i);
    }
}

}  // namespace KINEGEN_ISA
}  // namespace kinegen
