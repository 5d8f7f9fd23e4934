// Forward kinematics: where every link and frame is.
#pragma once

#include "kernel/base/transform.hpp"

namespace kinegen {

// X_WM of a tree joint's link from its parent link's transform.
inline void forward_joint(const Model& m, const double* q, int32_t joint, double* Xs_WL) {
    double* X_WM = Xs_WL + TRANSFORM_SIZE * m.joint_child[joint];
    compose(Xs_WL + TRANSFORM_SIZE * m.joint_parent[joint], m.joint_transform(joint), X_WM);
    move_joint(m.joint_type[joint], m.pitch[joint], q + m.joint_q[joint], X_WM);
}

// Transforms of all links, base first: Xs_WL has TRANSFORM_SIZE numbers per link.
inline void forward_links(const Model& m, const double* q, double* Xs_WL) {
    identity(Xs_WL);
    for (int32_t i = 0; i < m.tree_count; ++i) forward_joint(m, q, m.tree_order[i], Xs_WL);
}

// The same for the links between the base and one link only; `path` holds a joint per link.
inline void forward_path(const Model& m, const double* q, int32_t link, int32_t* path,
                         double* Xs_WL) {
    int32_t length = 0;
    for (int32_t joint = m.link_joint[link]; joint >= 0;
         joint = m.link_joint[m.joint_parent[joint]])
        path[length++] = joint;
    identity(Xs_WL);
    while (length > 0) forward_joint(m, q, path[--length], Xs_WL);
}

// Transform of a site (a link or a named frame) from the links' transforms.
inline void site_transform(const Model& m, const double* Xs_WL, int32_t site, double* X_WS) {
    if (site < m.link_count) {
        memcpy(X_WS, Xs_WL + TRANSFORM_SIZE * site, TRANSFORM_SIZE * sizeof(double));
    } else {
        const int32_t frame = site - m.link_count;
        compose(Xs_WL + TRANSFORM_SIZE * m.frame_link[frame], m.frame_transform(frame), X_WS);
    }
}

// Poses of all sites, links first: seven numbers each.
inline void forward_poses(const Model& m, const double* q, double* Xs_WL, double* poses) {
    forward_links(m, q, Xs_WL);
    double X_WS[TRANSFORM_SIZE];
    for (int32_t site = 0; site < m.site_count(); ++site) {
        site_transform(m, Xs_WL, site, X_WS);
        to_pose(X_WS, poses + 7 * site);
    }
}

// Moving frame M of a cut joint, and the frame K on the other link where it must land.
inline void loop_transforms(const Model& m, const double* q, const double* Xs_WL, int32_t loop,
                            double* X_WM, double* X_WK) {
    const int32_t joint = m.loop_joint[loop];
    compose(Xs_WL + TRANSFORM_SIZE * m.joint_parent[joint], m.joint_transform(joint), X_WM);
    move_joint(m.joint_type[joint], m.pitch[joint], q + m.joint_q[joint], X_WM);
    compose(Xs_WL + TRANSFORM_SIZE * m.joint_child[joint], m.loop_transform(loop), X_WK);
}

}  // namespace kinegen
