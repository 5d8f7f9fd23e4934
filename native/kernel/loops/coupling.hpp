// Couplings: relations between joint variables, such as gears, racks and cams.
//
// A coupling is the last kind of loop. Of its six rows one is used: the first where its residual is
// a length, the fourth where it is an angle; the others are zero. Its residual is
//     sum of ratio · q over its terms, less its offset, less a cam's profile at its last term.
#pragma once

#include "kernel/base/profile.hpp"
#include "kernel/linalg/linalg.hpp"

namespace kinegen {

inline double coupling_residual(const Model& m, const double* q, int32_t coupling) {
    const int32_t end = m.term_start[coupling + 1];
    double phi = -m.offset[coupling];
    for (int32_t i = m.term_start[coupling]; i < end; ++i) phi += m.ratio[i] * q[m.term_q[i]];
    if (is_cam(m, coupling)) phi -= cam_profile(m, coupling, q[m.term_q[end - 1]]).f;
    return phi;
}

// Its derivative by the variable of one term.
inline double coupling_slope(const Model& m, const double* q, int32_t coupling, int32_t term) {
    const bool cam = is_cam(m, coupling) && term == m.term_start[coupling + 1] - 1;
    return m.ratio[term] - (cam ? cam_profile(m, coupling, q[m.term_q[term]]).d : 0);
}

// The part of its acceleration that v alone causes.
inline double coupling_bias(const Model& m, const double* q, const double* v, int32_t coupling) {
    if (!is_cam(m, coupling)) return 0;
    const int32_t last = m.term_start[coupling + 1] - 1;
    const double speed = v[m.term_v[last]];
    return -cam_profile(m, coupling, q[m.term_q[last]]).dd * speed * speed;
}

}  // namespace kinegen
