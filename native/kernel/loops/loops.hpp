// Loop closure: how far each cut joint is from where it must land, and how that changes.
#pragma once

#include "kernel/base/jacobian.hpp"
#include "kernel/loops/coupling.hpp"

namespace kinegen {

// phi of one loop: M's origin seen from K [m], then the rotation vector of R_KM [rad].
inline void loop_error(const double* X_WM, const double* X_WK, double* phi) {
    const double d[3] = {X_WM[9] - X_WK[9], X_WM[10] - X_WK[10], X_WM[11] - X_WK[11]};
    rotate_back(X_WK, d, phi);
    double R_KM[9];
    for (int i = 0; i < 3; ++i)
        for (int k = 0; k < 3; ++k)
            R_KM[3 * i + k] =
                X_WK[i] * X_WM[k] + X_WK[3 + i] * X_WM[3 + k] + X_WK[6 + i] * X_WM[6 + k];
    matrix_log(R_KM, phi + 3);
}

// phi of one loop or coupling at q, from the links' transforms.
inline void loop_phi(const Model& m, const double* q, const double* Xs_WL, int32_t loop,
                     double* phi) {
    if (m.is_coupling(loop)) {
        const int32_t coupling = loop - m.cut_count();
        for (int i = 0; i < 6; ++i) phi[i] = 0;
        phi[m.coupling_row(coupling)] = coupling_residual(m, q, coupling);
        return;
    }
    double X_WM[TRANSFORM_SIZE], X_WK[TRANSFORM_SIZE];
    loop_transforms(m, q, Xs_WL, loop, X_WM, X_WK);
    loop_error(X_WM, X_WK, phi);
}

// phi of all loops, six numbers each.
inline void loop_residual(const Model& m, const double* q, double* Xs_WL, double* phi) {
    forward_links(m, q, Xs_WL);
    for (int32_t loop = 0; loop < m.loop_count; ++loop) loop_phi(m, q, Xs_WL, loop, phi + 6 * loop);
}

// Jacobian rows of one loop, 6 × nv: the exact derivative of phi, closed or not.
// marks: one int per joint, all zero on entry and exit.
inline void loop_rows(const Model& m, const double* q, const double* Xs_WL, int32_t loop,
                      int32_t* marks, double* J) {
    memset(J, 0, sizeof(double) * 6 * (size_t)m.nv);
    if (m.is_coupling(loop)) {
        const int32_t coupling = loop - m.cut_count();
        double* row = J + (int64_t)m.coupling_row(coupling) * m.nv;
        for (int32_t i = m.term_start[coupling]; i < m.term_start[coupling + 1]; ++i)
            row[m.term_v[i]] += coupling_slope(m, q, coupling, i);
        return;
    }
    double X_WM[TRANSFORM_SIZE], X_WK[TRANSFORM_SIZE], phi[6];
    loop_transforms(m, q, Xs_WL, loop, X_WM, X_WK);
    loop_error(X_WM, X_WK, phi);
    const int32_t cut = m.loop_joint[loop];
    const double* p_W = X_WM + 9;

    // joints that carry both ends do not change the loop: they are marked twice and left out
    const int32_t ends[2] = {m.joint_parent[cut], m.joint_child[cut]};
    for (int end = 0; end < 2; ++end)
        for (int32_t joint = m.link_joint[ends[end]]; joint >= 0;
             joint = m.link_joint[m.joint_parent[joint]])
            marks[joint] += 1;
    for (int end = 0; end < 2; ++end)
        for (int32_t joint = m.link_joint[ends[end]]; joint >= 0;
             joint = m.link_joint[m.joint_parent[joint]]) {
            if (marks[joint] == 1)
                add_joint_columns(m, q, joint, Xs_WL + TRANSFORM_SIZE * m.joint_child[joint], p_W,
                                  end == 0 ? 1 : -1, J);
            marks[joint] = 0;
        }
    add_joint_columns(m, q, cut, X_WM, p_W, 1, J);

    // linear rows in K's axes; angular rows through the derivative of the logarithm
    const int64_t nv = m.nv;
    for (int32_t k = 0; k < m.nv; ++k) {
        double v[3] = {J[k], J[nv + k], J[2 * nv + k]};
        double w[3] = {J[3 * nv + k], J[4 * nv + k], J[5 * nv + k]};
        rotate_back(X_WK, v, v);
        rotate_back(X_WM, w, w);
        double w_log[3];
        right_jacobian_inverse(phi + 3, w, w_log);
        for (int i = 0; i < 3; ++i) {
            J[i * nv + k] = v[i];
            J[(3 + i) * nv + k] = w_log[i];
        }
    }
}

inline void loop_jacobian(const Model& m, const double* q, double* Xs_WL, int32_t* marks,
                          double* J) {
    forward_links(m, q, Xs_WL);
    for (int32_t loop = 0; loop < m.loop_count; ++loop)
        loop_rows(m, q, Xs_WL, loop, marks, J + 6 * (int64_t)loop * m.nv);
}

// What a task asks of a site: its rows in the augmented Jacobian.
inline int32_t task_row_count(int32_t kind) { return kind == TASK_POSE ? 6 : 3; }

// CINEGEN's augmented Jacobian: the tasks' rows (world axes), then the loops' rows.
// tasks: (site, kind) pairs. scratch: 6 × nv numbers, marks: one int per joint, zero.
inline void augmented_jacobian(const Model& m, const double* q, const int32_t* tasks,
                               int32_t task_count, double* Xs_WL, int32_t* marks, double* scratch,
                               double* J) {
    forward_links(m, q, Xs_WL);
    const int64_t nv = m.nv;
    for (int32_t t = 0; t < task_count; ++t) {
        const int32_t site = tasks[2 * t], kind = tasks[2 * t + 1];
        double X_WS[TRANSFORM_SIZE];
        site_transform(m, Xs_WL, site, X_WS);
        memset(scratch, 0, sizeof(double) * 6 * (size_t)nv);
        for (int32_t joint = m.link_joint[m.site_link(site)]; joint >= 0;
             joint = m.link_joint[m.joint_parent[joint]])
            add_joint_columns(m, q, joint, Xs_WL + TRANSFORM_SIZE * m.joint_child[joint], X_WS + 9,
                              1, scratch);
        const int32_t rows = task_row_count(kind);
        memcpy(J, scratch + (kind == TASK_ROTATION ? 3 * nv : 0),
               sizeof(double) * (size_t)(rows * nv));
        J += rows * nv;
    }
    for (int32_t loop = 0; loop < m.loop_count; ++loop)
        loop_rows(m, q, Xs_WL, loop, marks, J + 6 * (int64_t)loop * nv);
}

}  // namespace kinegen
