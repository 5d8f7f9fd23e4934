// Couplings between variables of joints, such as gears, racks and cams: each is one row, which acts
// on the bodies of all its joints.
#pragma once

#include "kernel/impulse/rows.hpp"
#include "kernel/loops/coupling.hpp"

namespace kinegen::impulse {

// The sides of a coupling, one per body: J [component][row], of which the first row is used, and Y.
inline double* coupling_side(const World& w, int32_t c, int32_t side) {
    return w.side + (int64_t)SIDE_SIZE * (w.side_first[c] + side);
}
inline int32_t side_count(const World& w, int32_t c) {
    return w.side_first[c + 1] - w.side_first[c];
}

inline int32_t side_body(const World& w, int32_t c, int32_t side) {
    return w.side_body[w.side_first[c] + side];
}

// Adds what a term of a coupling is to the two bodies of its joint: its variable's own row, times
// the coupling's slope.
inline void add_term(const World& w, int32_t c, int32_t term) {
    const int32_t* at = w.term + (int64_t)TERM_SIZE * term;
    const int32_t j = at[0];
    const BondRow kind = FREED[bond_type(w, j)][at[1]];
    const double *X_M = w.X_M + 12LL * j, slope = coupling_slope(*w.model, w.q, c, term);
    double axis[3];
    row_axis(w, j, kind.axis, w.X_F + 12LL * j, X_M, axis);
    for (int end = 0; end < 2; ++end) {
        const double* centre = w.X + 12LL * (end ? bond_b(w, j) : bond_a(w, j)) + 9;
        const double arm[3] = {X_M[9] - centre[0], X_M[10] - centre[1], X_M[11] - centre[2]};
        double *J = coupling_side(w, c, at[2 + end]), moment[3] = {axis[0], axis[1], axis[2]};
        const double by = end ? slope : -slope;
        if (kind.action == ALONG) cross3(arm, axis, moment);
        for (int i = 0; i < 3; ++i) {
            if (kind.action == ALONG) J[6 * i] += by * axis[i];
            J[6 * (3 + i)] += by * moment[i];
        }
    }
}

// All couplings' rows at the present place, from the present frames and variables.
inline void set_couplings(const World& w) {
    for (int32_t c = 0; c < w.coupling_count; ++c) {
        for (int32_t s = 0; s < side_count(w, c); ++s) clear_all(coupling_side(w, c, s), SIDE_SIZE);
        for (int32_t n = w.model->term_start[c]; n < w.model->term_start[c + 1]; ++n)
            add_term(w, c, n);
        for (int32_t s = 0; s < side_count(w, c); ++s) {
            double *J = coupling_side(w, c, s), *Y = J + 36;
            const int32_t body = side_body(w, c, s);
            const double moment[3] = {J[18], J[24], J[30]};
            for (int i = 0; i < 3; ++i) Y[i] = w.inverse[4LL * body] * J[6 * i];
            rotate(w.turn + 9LL * body, moment, Y + 3);
        }
    }
}

// Change of a coupling's speed by a unit impulse along it, joints let go; light bodies eased.
inline double coupling_response(const World& w, int32_t c, bool eased) {
    double own = 0;
    for (int32_t s = 0; s < side_count(w, c); ++s) {
        const double *J = coupling_side(w, c, s), *ease = w.ease + 2LL * side_body(w, c, s);
        for (int i = 0; i < 6; ++i) own += (eased ? ease[i / 3] : 1) * J[6 * i] * J[36 + i];
    }
    return own;
}

// How far a coupling is open where the variables are q [m, rad].
inline double coupling_gap(const World& w, int32_t c, const double* q) {
    return coupling_residual(*w.model, q, c);
}

inline double coupling_speed(const World& w, int32_t c, const double* V) {
    double sum = 0;
    for (int32_t s = 0; s < side_count(w, c); ++s) {
        const double *J = coupling_side(w, c, s), *Vb = V + 6LL * side_body(w, c, s);
        for (int i = 0; i < 6; ++i) sum += J[6 * i] * Vb[i];
    }
    return sum;
}

inline void push_coupling(const World& w, int32_t c, double p, double* V) {
    for (int32_t s = 0; s < side_count(w, c); ++s)
        add_scaled(p, coupling_side(w, c, s) + 36, V + 6LL * side_body(w, c, s), 6);
}

// All rows at the present place.
inline void build_rows(const World& w) {
    for (int32_t j = 0; j < w.bond_count; ++j)
        bond_frames(w, j, w.X, w.X_F + 12LL * j, w.X_M + 12LL * j);
    set_rows<true>(w);
    set_couplings(w);
}

// A tie is a joint or, behind all joints, a coupling.

inline int32_t held_rows(const World& w, int32_t tie) {
    return tie < w.bond_count ? HELD_ROWS[bond_type(w, tie)] : 1;
}

// Speed of row `row` of a tie.
inline double tie_speed(const World& w, int32_t tie, int32_t row, const double* V) {
    return tie < w.bond_count ? row_speed(w, tie, row, V)
                              : coupling_speed(w, tie - w.bond_count, V);
}

// Adds impulses p along a tie's rows to the velocities.
inline void push_tie(const World& w, int32_t tie, const double* p, double* V) {
    if (tie < w.bond_count) return push_rows(w, tie, p, V);
    push_coupling(w, tie - w.bond_count, p[0], V);
}

// Adds impulses of all ties, six each, to the velocities.
inline void push_ties(const World& w, const double* p, double* V) {
    for (int32_t tie = 0; tie < w.tie_count; ++tie) push_tie(w, tie, p + 6LL * tie, V);
}

}  // namespace kinegen::impulse
