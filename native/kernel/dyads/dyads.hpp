// Planar linkages in closed form, in lanes: the triangle method of RobotDesigner for many inputs.
//
// Its algorithm 1 (a point from a link, an angle and a distance) is DYAD_TURN; its algorithm 2 (a
// point from its distances to two others) is DYAD_JOIN, with the vector FI of its eight-bar as the
// platform whose turn is known. What cannot be built is NaN, and so is all that follows.
#pragma once

#include "kernel/batch/batch.hpp"
#include "kernel/dyads/program.hpp"

namespace kinegen {
namespace KINEGEN_ISA {

// Circles that miss each other by no more than this share count as touching: rounding alone.
constexpr double DYAD_TOUCH = 1e-13;

struct DyadPose {
    Lanes64 c, s, x, y;
};

// One vector of columns, `some` of them valid.
template <bool WIDE>
inline void dyad_group(const DyadProgram& program, const double* inputs, int64_t stride,
                       double* out, int64_t out_stride, int64_t some) {
    typedef Lanes64 V;
    const V zero = all<double>(0), one = all<double>(1), none = all<double>(NAN);
    DyadPose links[DYAD_MOST_LINKS];
    links[0] = {one, zero, zero, zero};
    for (int32_t i = 1; i < program.link_count; ++i) links[i] = {one, zero, none, none};
    V missing = zero;  // NaN as soon as a construction fails
    const int32_t* op = program.ints;
    const double* r = program.reals;
    for (int32_t i = 0; i < program.count; ++i, op += DYAD_INTS, r += DYAD_REALS) {
        DyadPose& m = links[op[1]];
        switch (op[0]) {
            case DYAD_TURN: {
                const DyadPose a = links[op[2]];
                const V angle = load_some<double>(inputs + op[6] * stride, some) * r[8];
                V s, c;
                WIDE ? sincos_wide<double>(angle, s, c) : sincos<double>(angle, s, c);
                // the hinge's own frame, then the turn, then the link's frame behind it
                const V c1 = a.c * r[0] - a.s * r[1], s1 = a.s * r[0] + a.c * r[1];
                const V x1 = a.x + (a.c * r[2] - a.s * r[3]), y1 = a.y + (a.s * r[2] + a.c * r[3]);
                const V c2 = c1 * c - s1 * s, s2 = s1 * c + c1 * s;
                m.c = c2 * r[4] - s2 * r[5];
                m.s = s2 * r[4] + c2 * r[5];
                m.x = x1 + (c2 * r[6] - s2 * r[7]);
                m.y = y1 + (s2 * r[6] + c2 * r[7]);
                break;
            }
            case DYAD_TILT: {
                const V angle = load_some<double>(inputs + op[6] * stride, some) + r[0];
                WIDE ? sincos_wide<double>(angle, m.s, m.c) : sincos<double>(angle, m.s, m.c);
                break;
            }
            case DYAD_PLACE: {
                const V x = load_some<double>(inputs + op[6] * stride, some);
                const V y = load_some<double>(inputs + (op[6] + 1) * stride, some);
                m.x = x - (m.c * r[0] - m.s * r[1]);
                m.y = y - (m.s * r[0] + m.c * r[1]);
                break;
            }
            default: {
                DyadPose& n = links[op[3]];
                const DyadPose a = links[op[2]], b = links[op[4]];
                const V ax = a.x + (a.c * r[0] - a.s * r[1]), ay = a.y + (a.s * r[0] + a.c * r[1]);
                const V bx = b.x + (b.c * r[2] - b.s * r[3]), by = b.y + (b.s * r[2] + b.c * r[3]);
                V fx = ax, fy = ay;
                if (op[5] >= 0) {
                    // the platform's side moves the first circle: both bars then end in one point
                    const DyadPose& p = links[op[5]];
                    fx = fx + (p.c * r[14] - p.s * r[15]);
                    fy = fy + (p.s * r[14] + p.c * r[15]);
                }
                const V dx = bx - fx, dy = by - fy;
                const V inverse = one / (dx * dx + dy * dy);
                const V along = (inverse * (r[12] - r[13]) + 1.0) * 0.5;
                const V square = inverse * r[12] - along * along;
                const V touch = select_positive(square + DYAD_TOUCH, zero, none);
                const V height =
                    square_root<double>(select_positive(square, square, touch)) * (double)op[6];
                const V jx = fx + (along * dx - height * dy), jy = fy + (along * dy + height * dx);
                // each bar's turn is its way in the world by its way in the link
                const V mx = jx - fx, my = jy - fy, nx = jx - bx, ny = jy - by;
                m.c = mx * r[4] - my * r[5];
                m.s = my * r[4] + mx * r[5];
                n.c = nx * r[8] - ny * r[9];
                n.s = ny * r[8] + nx * r[9];
                m.x = ax - (m.c * r[6] - m.s * r[7]);
                m.y = ay - (m.s * r[6] + m.c * r[7]);
                n.x = bx - (n.c * r[10] - n.s * r[11]);
                n.y = by - (n.s * r[10] + n.c * r[11]);
                if (op[5] >= 0) {
                    DyadPose& p = links[op[5]];
                    p.x = jx - (p.c * r[16] - p.s * r[17]);
                    p.y = jy - (p.s * r[16] + p.c * r[17]);
                }
                missing = missing + (jx + jy) * 0.0;
                break;
            }
        }
    }
    for (int32_t i = 0; i < program.site_count; ++i) {
        const DyadPose& l = links[program.site_links[i]];
        const double px = program.site_points[2 * i], py = program.site_points[2 * i + 1];
        store_some<double>(l.x + (l.c * px - l.s * py) + missing, out + 2 * i * out_stride, some);
        store_some<double>(l.y + (l.s * px + l.c * py) + missing, out + (2 * i + 1) * out_stride,
                           some);
    }
}

// Points of a linkage (two rows per site) for `count` columns of inputs.
inline void run_dyads(const DyadProgram& program, const double* inputs, int64_t stride, double* out,
                      int64_t out_stride, int64_t count) {
    constexpr int64_t W = WIDTH<double>;
    for (int64_t first = 0; first < count; first += BATCH_BLOCK) {
        const int64_t end = count - first < BATCH_BLOCK ? count : first + BATCH_BLOCK;
        Lanes64 sums = all<double>(0);
        for (int32_t k = 0; k < program.input_count; ++k)
            sums = sums + sum_squares<double>(inputs + k * stride + first, end - first);
        const bool wide = sums_beyond<double>(sums);
        const auto group = wide ? dyad_group<true> : dyad_group<false>;
        for (int64_t i = first; i < end; i += W)
            group(program, inputs + i, stride, out + i, out_stride, end - i);
    }
}

}  // namespace KINEGEN_ISA
}  // namespace kinegen
