// Jacobians of any site and their time derivatives; rows linear first, then angular.
#pragma once

#include "kernel/base/forward.hpp"

namespace kinegen {

// What one unit of each of a joint's velocities does to its moving frame M, in world axes.
struct JointAxes {
    double linear[6][3];   // velocity of M's origin
    double angular[6][3];  // angular velocity of M
    bool in_parent[6];     // whether the axes are fixed in the parent (else in M)
};

inline void joint_axes(int32_t type, double pitch, const double* q, const double* X_WM,
                       JointAxes& a) {
    for (int k = 0; k < JOINT_NV[type]; ++k) {
        for (int i = 0; i < 3; ++i) a.linear[k][i] = a.angular[k][i] = 0;
        a.in_parent[k] = false;
    }
    switch (type) {
        case REVOLUTE:
            column(X_WM, 2, a.angular[0]);
            break;
        case PRISMATIC:
            column(X_WM, 2, a.linear[0]);
            break;
        case SCREW:
            column(X_WM, 2, a.angular[0]);
            for (int i = 0; i < 3; ++i) a.linear[0][i] = pitch / (2 * PI) * a.angular[0][i];
            break;
        case CYLINDRICAL:
            column(X_WM, 2, a.angular[0]);
            column(X_WM, 2, a.linear[1]);
            break;
        case UNIVERSAL: {
            // z of F, seen from M, is Rx(-q1) z
            const double c = cos(q[1]), s = sin(q[1]);
            for (int i = 0; i < 3; ++i) a.angular[0][i] = s * X_WM[3 * i + 1] + c * X_WM[3 * i + 2];
            a.in_parent[0] = true;
            column(X_WM, 0, a.angular[1]);
            break;
        }
        case SPHERICAL:
            for (int k = 0; k < 3; ++k) column(X_WM, k, a.angular[k]);
            break;
        case PLANAR: {
            // x and y of F, seen from M, are Rz(-q2) x and Rz(-q2) y
            const double c = cos(q[2]), s = sin(q[2]);
            for (int i = 0; i < 3; ++i) {
                a.linear[0][i] = c * X_WM[3 * i] - s * X_WM[3 * i + 1];
                a.linear[1][i] = s * X_WM[3 * i] + c * X_WM[3 * i + 1];
            }
            a.in_parent[0] = a.in_parent[1] = true;
            column(X_WM, 2, a.angular[2]);
            break;
        }
        case FREE:
            for (int k = 0; k < 3; ++k) {
                column(X_WM, k, a.linear[k]);
                column(X_WM, k, a.angular[3 + k]);
            }
            break;
        default:
            break;
    }
}

// Adds sign × the columns of one joint at a point; J is 6 × nv, row by row.
inline void add_joint_columns(const Model& m, const double* q, int32_t joint, const double* X_WM,
                              const double* p_W, double sign, double* J) {
    JointAxes a;
    const int32_t type = m.joint_type[joint];
    joint_axes(type, m.pitch[joint], q + m.joint_q[joint], X_WM, a);
    const double r[3] = {p_W[0] - X_WM[9], p_W[1] - X_WM[10], p_W[2] - X_WM[11]};
    for (int k = 0; k < JOINT_NV[type]; ++k) {
        add_cross3(a.angular[k], r, a.linear[k]);
        double* at = J + m.joint_v[joint] + k;
        for (int i = 0; i < 3; ++i) {
            at[(int64_t)i * m.nv] += sign * a.linear[k][i];
            at[(int64_t)(3 + i) * m.nv] += sign * a.angular[k][i];
        }
    }
}

// Turns the rows of a Jacobian from world axes into the axes of R: both halves times Rᵀ.
inline void express(const double* R, int32_t nv, double* J) {
    for (int half = 0; half < 2; ++half) {
        double* rows = J + 3 * (int64_t)half * nv;
        for (int32_t k = 0; k < nv; ++k) {
            double a[3] = {rows[k], rows[nv + k], rows[2 * (int64_t)nv + k]};
            rotate_back(R, a, a);
            for (int i = 0; i < 3; ++i) rows[(int64_t)i * nv + k] = a[i];
        }
    }
}

// World transforms of all links on the way to the site, or of all links if axes need them.
inline void forward_for(const Model& m, const double* q, int32_t site, int32_t axes, int32_t* path,
                        double* Xs_WL) {
    if (axes < 0 || axes == site)
        forward_path(m, q, m.site_link(site), path, Xs_WL);
    else
        forward_links(m, q, Xs_WL);
}

// Jacobian of the point p_S (fixed on the site's link, given in the site's frame), 6 × nv.
// axes: the site whose axes the rows are expressed in, -1 for the world's.
// X_WS receives the site's transform. Scratch: Xs_WL (links × 12), path (links).
inline void site_jacobian(const Model& m, const double* q, int32_t site, const double* p_S,
                          int32_t axes, double* Xs_WL, int32_t* path, double* X_WS, double* J) {
    forward_for(m, q, site, axes, path, Xs_WL);
    site_transform(m, Xs_WL, site, X_WS);
    double p_W[3];
    rotate(X_WS, p_S, p_W);
    for (int i = 0; i < 3; ++i) p_W[i] += X_WS[9 + i];

    memset(J, 0, sizeof(double) * 6 * (size_t)m.nv);
    for (int32_t joint = m.link_joint[m.site_link(site)]; joint >= 0;
         joint = m.link_joint[m.joint_parent[joint]])
        add_joint_columns(m, q, joint, Xs_WL + TRANSFORM_SIZE * m.joint_child[joint], p_W, 1, J);

    if (axes >= 0) {
        double X_WE[TRANSFORM_SIZE];
        site_transform(m, Xs_WL, axes, X_WE);
        express(X_WE, m.nv, J);
    }
}

// Twists of all links in world axes at their origins, linear first: six numbers per link.
inline void link_twists(const Model& m, const double* q, const double* v, const double* Xs_WL,
                        double* twists) {
    for (int i = 0; i < 6; ++i) twists[i] = 0;
    for (int32_t n = 0; n < m.tree_count; ++n) {
        const int32_t joint = m.tree_order[n], type = m.joint_type[joint];
        const double* X_WP = Xs_WL + TRANSFORM_SIZE * m.joint_parent[joint];
        const double* X_WM = Xs_WL + TRANSFORM_SIZE * m.joint_child[joint];
        const double* V_WP = twists + 6 * m.joint_parent[joint];
        double* V_WM = twists + 6 * m.joint_child[joint];
        const double r[3] = {X_WM[9] - X_WP[9], X_WM[10] - X_WP[10], X_WM[11] - X_WP[11]};
        memcpy(V_WM, V_WP, 6 * sizeof(double));
        add_cross3(V_WP + 3, r, V_WM);
        JointAxes a;
        joint_axes(type, m.pitch[joint], q + m.joint_q[joint], X_WM, a);
        for (int k = 0; k < JOINT_NV[type]; ++k) {
            const double speed = v[m.joint_v[joint] + k];
            for (int i = 0; i < 3; ++i) {
                V_WM[i] += speed * a.linear[k][i];
                V_WM[3 + i] += speed * a.angular[k][i];
            }
        }
    }
}

// Time derivative of site_jacobian along v. Scratch: Xs_WL, twists (links × 6), and J (6 × nv)
// which receives the Jacobian itself.
inline void site_jacobian_dot(const Model& m, const double* q, const double* v, int32_t site,
                              const double* p_S, int32_t axes, double* Xs_WL, double* twists,
                              double* J, double* J_dot) {
    forward_links(m, q, Xs_WL);
    link_twists(m, q, v, Xs_WL, twists);
    double X_WS[TRANSFORM_SIZE], p_W[3];
    site_transform(m, Xs_WL, site, X_WS);
    rotate(X_WS, p_S, p_W);
    for (int i = 0; i < 3; ++i) p_W[i] += X_WS[9 + i];

    // velocity of the point
    const int32_t link = m.site_link(site);
    const double* X_WL = Xs_WL + TRANSFORM_SIZE * link;
    const double* V_WL = twists + 6 * link;
    const double r_L[3] = {p_W[0] - X_WL[9], p_W[1] - X_WL[10], p_W[2] - X_WL[11]};
    double p_dot[3] = {V_WL[0], V_WL[1], V_WL[2]};
    add_cross3(V_WL + 3, r_L, p_dot);

    memset(J, 0, sizeof(double) * 6 * (size_t)m.nv);
    memset(J_dot, 0, sizeof(double) * 6 * (size_t)m.nv);
    for (int32_t joint = m.link_joint[link]; joint >= 0;
         joint = m.link_joint[m.joint_parent[joint]]) {
        const double* X_WM = Xs_WL + TRANSFORM_SIZE * m.joint_child[joint];
        const double* V_WM = twists + 6 * m.joint_child[joint];
        const double* V_WP = twists + 6 * m.joint_parent[joint];
        const int32_t type = m.joint_type[joint];
        add_joint_columns(m, q, joint, X_WM, p_W, 1, J);
        JointAxes a;
        joint_axes(type, m.pitch[joint], q + m.joint_q[joint], X_WM, a);
        const double r[3] = {p_W[0] - X_WM[9], p_W[1] - X_WM[10], p_W[2] - X_WM[11]};
        const double r_dot[3] = {p_dot[0] - V_WM[0], p_dot[1] - V_WM[1], p_dot[2] - V_WM[2]};
        for (int k = 0; k < JOINT_NV[type]; ++k) {
            const double* w = (a.in_parent[k] ? V_WP : V_WM) + 3;
            double angular_dot[3], linear_dot[3];
            cross3(w, a.angular[k], angular_dot);
            cross3(w, a.linear[k], linear_dot);
            add_cross3(angular_dot, r, linear_dot);
            add_cross3(a.angular[k], r_dot, linear_dot);
            double* at = J_dot + m.joint_v[joint] + k;
            for (int i = 0; i < 3; ++i) {
                at[(int64_t)i * m.nv] = linear_dot[i];
                at[(int64_t)(3 + i) * m.nv] = angular_dot[i];
            }
        }
    }

    if (axes >= 0) {
        // d(Rᵀ J) = Rᵀ (J_dot − w × J), column by column in both halves
        double X_WE[TRANSFORM_SIZE];
        site_transform(m, Xs_WL, axes, X_WE);
        const double* w = twists + 6 * m.site_link(axes) + 3;
        for (int half = 0; half < 2; ++half)
            for (int32_t k = 0; k < m.nv; ++k) {
                const int64_t row = 3 * (int64_t)half * m.nv + k;
                const double a[3] = {J[row], J[row + m.nv], J[row + 2 * (int64_t)m.nv]};
                double wa[3];
                cross3(w, a, wa);
                for (int i = 0; i < 3; ++i) J_dot[row + (int64_t)i * m.nv] -= wa[i];
            }
        express(X_WE, m.nv, J);
        express(X_WE, m.nv, J_dot);
    }
}

}  // namespace kinegen
