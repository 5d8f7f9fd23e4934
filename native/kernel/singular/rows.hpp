// What is watched while a mechanism moves: points and rotations of frames, or variables of joints;
// and straight lines in such coordinates, which a motion keeps to.
#pragma once

#include "kernel/loops/loops.hpp"
#include "kernel/base/manifold.hpp"
#include "kernel/base/scratch_stack.hpp"
#include "kernel/solver/state.hpp"
#include "kernel/linalg/singular_values.hpp"
#include "kernel/linalg/svd.hpp"

namespace kinegen {

// A model with what scales its motions and where its kernels compute.
struct Scaled {
    const Model* m;
    double size;     // [m]
    double* scale;   // change of each v for a step of 1: 1 rad, or the size
    double* links;   // transforms of all links
    int32_t* marks;  // one per joint, all zero
    ScratchStack* stack;
};

// Whether a variable is a length, not an angle.
inline bool is_length(const Model& m, int32_t variable) {
    for (int32_t j = 0; j < m.joint_count; ++j) {
        const int32_t type = m.joint_type[j], k = variable - m.joint_v[j];
        if (k < 0 || k >= JOINT_NV[type]) continue;
        return JOINT_LENGTH[type][k];
    }
    return false;
}

// x = N Nᵀ v for orthonormal columns N (n × count); parts: count numbers.
inline void project(const double* N, int32_t n, int32_t count, const double* v, double* parts,
                    double* x) {
    for (int32_t j = 0; j < count; ++j) parts[j] = 0;
    for (int32_t i = 0; i < n; ++i) add_scaled(v[i], N + (int64_t)i * count, parts, count);
    for (int32_t i = 0; i < n; ++i) x[i] = dot(N + (int64_t)i * count, parts, count);
}

// C (m × p) = A (m × n) B (n × p)
inline void multiply(const double* A, const double* B, int32_t m, int32_t n, int32_t p, double* C) {
    clear_all(C, (int64_t)m * p);
    for (int32_t i = 0; i < m; ++i)
        for (int32_t j = 0; j < n; ++j)
            if (A[(int64_t)i * n + j] != 0)
                add_scaled(A[(int64_t)i * n + j], B + (int64_t)j * p, C + (int64_t)i * p, p);
}

// One frame and what of it is watched; kinds are those of handles.
struct Aim {
    int32_t site, kind;
    double point[3];  // given in the frame [m]
    double axis[3];   // for directions, given in the frame, unit
};

// Coordinates: either frames (aims) or variables.
struct Coordinates {
    const Aim* aims;
    int32_t aim_count;
    const int32_t* variables;  // indices of v; null for frames
    int32_t rows;
};

inline int32_t aim_rows(const Aim* aims, int32_t count) {
    int32_t rows = 0;
    for (int32_t i = 0; i < count; ++i) rows += handle_rows(aims[i].kind);
    return rows;
}

// Two unit vectors across a unit vector: the first from the axis that it has least of.
inline void two_across(const double* a, double* across) {
    int axis = 0;
    for (int i = 1; i < 3; ++i)
        if (fabs(a[i]) < fabs(a[axis])) axis = i;
    for (int i = 0; i < 3; ++i) across[i] = (i == axis ? 1 : 0) - a[axis] * a[i];
    const double length = sqrt(dot3(across, across));
    for (int i = 0; i < 3; ++i) across[i] /= length;
    cross3(a, across, across + 3);
}

// Scaled rows of one aim at q, whose links' transforms are in s.links. X0: where the aim's frame is
// at the anchor, for directions and for the derivative of rotation vectors (`turned`), or null.
inline void one_aim_rows(const Scaled& s, const double* q, const Aim& aim, const double* X0,
                         double* J) {
    const Model& m = *s.m;
    Level level(*s.stack);
    double* full = s.stack->reals(6 * (int64_t)m.nv);
    double X[TRANSFORM_SIZE], p_W[3];
    site_transform(m, s.links, aim.site, X);
    rotate(X, aim.point, p_W);
    for (int i = 0; i < 3; ++i) p_W[i] += X[9 + i];
    clear_all(full, 6 * (int64_t)m.nv);
    for (int32_t joint = m.link_joint[m.site_link(aim.site)]; joint >= 0;
         joint = m.link_joint[m.joint_parent[joint]])
        add_joint_columns(m, q, joint, s.links + TRANSFORM_SIZE * (int64_t)m.joint_child[joint],
                          p_W, 1, full);
    for (int32_t i = 0; i < 6; ++i)
        for (int32_t k = 0; k < m.nv; ++k)
            full[(int64_t)i * m.nv + k] *= s.scale[k] / (i < 3 ? s.size : 1);
    const double* angular = full + 3 * (int64_t)m.nv;
    if (aim.kind != HANDLE_ROTATION) {
        copy_all(J, full, 3 * (int64_t)m.nv);
        J += 3 * (int64_t)m.nv;
    }
    if (aim.kind == HANDLE_DIRECTION) {
        // a tilt across · (w × axis) is w · (axis × across)
        double axis[3], anchor[3], across[6], tilt[3];
        rotate(X, aim.axis, axis);
        rotate(X0 ? X0 : X, aim.axis, anchor);
        two_across(anchor, across);
        for (int i = 0; i < 2; ++i) {
            cross3(axis, across + 3 * i, tilt);
            for (int32_t k = 0; k < m.nv; ++k)
                J[(int64_t)i * m.nv + k] = tilt[0] * angular[k] + tilt[1] * angular[m.nv + k] +
                                           tilt[2] * angular[2 * (int64_t)m.nv + k];
        }
    } else if (aim.kind != HANDLE_POINT) {
        copy_all(J, angular, 3 * (int64_t)m.nv);
    }
}

// Scaled rows at q, rows × nv.
inline void coordinate_rows(const Scaled& s, const Coordinates& c, const double* q, double* J) {
    const int64_t nv = s.m->nv;
    if (c.variables != nullptr) {
        clear_all(J, c.rows * nv);
        for (int32_t i = 0; i < c.rows; ++i) J[i * nv + c.variables[i]] = 1;
        return;
    }
    forward_links(*s.m, q, s.links);
    for (int32_t a = 0; a < c.aim_count; ++a) {
        one_aim_rows(s, q, c.aims[a], nullptr, J);
        J += handle_rows(c.aims[a].kind) * nv;
    }
}

// Scaled way from an anchor to q: of points, of rotation vectors [rad], of variables; with `J`,
// also its derivative. anchors: TRANSFORM_SIZE numbers per aim, where the frames are at q0.
inline void coordinate_offset(const Scaled& s, const Coordinates& c, const double* q0,
                              const double* anchors, const double* q, double* values, double* J) {
    const int64_t nv = s.m->nv;
    if (c.variables != nullptr) {
        Level level(*s.stack);
        double* x = s.stack->reals(nv);
        difference(*s.m, q0, q, x);
        for (int32_t i = 0; i < c.rows; ++i)
            values[i] = x[c.variables[i]] / s.scale[c.variables[i]];
        if (J != nullptr) coordinate_rows(s, c, q, J);
        return;
    }
    forward_links(*s.m, q, s.links);
    for (int32_t a = 0; a < c.aim_count; ++a, anchors += TRANSFORM_SIZE) {
        const Aim& aim = c.aims[a];
        const int32_t rows = handle_rows(aim.kind);
        double X[TRANSFORM_SIZE], here[3], there[3], turn[3] = {0, 0, 0}, *value = values;
        site_transform(*s.m, s.links, aim.site, X);
        rotate(anchors, aim.point, here);
        rotate(X, aim.point, there);
        if (aim.kind != HANDLE_ROTATION)
            for (int i = 0; i < 3; ++i)
                *value++ = (there[i] + X[9 + i] - here[i] - anchors[9 + i]) / s.size;
        if (aim.kind == HANDLE_DIRECTION) {
            double axis[3], anchor[3], across[6];
            rotate(X, aim.axis, axis);
            rotate(anchors, aim.axis, anchor);
            two_across(anchor, across);
            for (int i = 0; i < 2; ++i) *value++ = dot3(across + 3 * i, axis);
        } else if (aim.kind != HANDLE_POINT) {
            double R[9];  // X · X0ᵀ: the turn in world axes
            for (int i = 0; i < 3; ++i)
                for (int k = 0; k < 3; ++k) R[3 * i + k] = dot3(X + 3 * i, anchors + 3 * k);
            matrix_log(R, turn);
            for (int i = 0; i < 3; ++i) *value++ = turn[i];
        }
        values += rows;
        if (J == nullptr) continue;
        one_aim_rows(s, q, aim, anchors, J);
        if (aim.kind == HANDLE_POSE || aim.kind == HANDLE_ROTATION) {
            double* angular = J + (rows - 3) * nv;
            for (int64_t k = 0; k < nv; ++k) {
                const double w[3] = {angular[k], angular[nv + k], angular[2 * nv + k]};
                double change[3];
                left_jacobian_inverse(turn, w, change);
                for (int i = 0; i < 3; ++i) angular[i * nv + k] = change[i];
            }
        }
        J += rows * nv;
    }
}

// The condition that coordinates stay on a straight line through where they are at q0.
struct Line {
    Coordinates rows;
    double* q0;         // nq
    double* anchors;    // TRANSFORM_SIZE per aim
    double* direction;  // unit, over the rows
    double* across;     // across_count × rows: orthonormal directions that must not change
    int32_t across_count;
};

// Draws a line into memory that lives as long as the stack's level. Without `across` (count < 0)
// all other directions are kept.
inline void draw_line(const Scaled& s, const Coordinates& rows, const double* q0,
                      const double* direction, const double* across, int32_t across_count,
                      Line& line) {
    const int32_t n = rows.rows;
    line.rows = rows;
    line.q0 = s.stack->reals(s.m->nq);
    line.anchors = s.stack->reals(TRANSFORM_SIZE * (int64_t)rows.aim_count);
    double* frame = s.stack->reals((int64_t)n * n);
    copy_all(line.q0, q0, s.m->nq);
    forward_links(*s.m, q0, s.links);
    for (int32_t a = 0; a < rows.aim_count; ++a)
        site_transform(*s.m, s.links, rows.aims[a].site, line.anchors + TRANSFORM_SIZE * a);
    const double length = sqrt(dot(direction, direction, n));
    for (int32_t i = 0; i < n; ++i) frame[i] = direction[i] / length;
    line.direction = frame;
    if (across_count >= 0) {
        line.across = s.stack->reals((int64_t)across_count * n);
        copy_all(line.across, across, (int64_t)across_count * n);
        line.across_count = across_count;
        return;
    }
    for (int32_t r = 1; r < n; ++r) complete_row(frame, r, n);
    line.across = frame + n;
    line.across_count = n - 1;
}

// How far q is off the line, scaled.
inline void line_error(const Scaled& s, const Line& line, const double* q, double* error) {
    Level level(*s.stack);
    const int32_t n = line.rows.rows;
    double* values = s.stack->reals(n);
    coordinate_offset(s, line.rows, line.q0, line.anchors, q, values, nullptr);
    for (int32_t i = 0; i < line.across_count; ++i)
        error[i] = dot(line.across + (int64_t)i * n, values, n);
}

// Its derivative by scaled steps, across_count × nv.
inline void line_jacobian(const Scaled& s, const Line& line, const double* q, double* J) {
    Level level(*s.stack);
    const int32_t n = line.rows.rows;
    double *values = s.stack->reals(n), *rows = s.stack->reals((int64_t)n * s.m->nv);
    coordinate_offset(s, line.rows, line.q0, line.anchors, q, values, rows);
    multiply(line.across, rows, line.across_count, n, s.m->nv, J);
}

// Way along the line per scaled step of each variable.
inline void line_ahead(const Scaled& s, const Line& line, const double* q, double* ahead) {
    Level level(*s.stack);
    const int32_t n = line.rows.rows;
    double *values = s.stack->reals(n), *rows = s.stack->reals((int64_t)n * s.m->nv);
    coordinate_offset(s, line.rows, line.q0, line.anchors, q, values, rows);
    multiply(line.direction, rows, 1, n, s.m->nv, ahead);
}

// How far along the line q is, scaled.
inline double line_along(const Scaled& s, const Line& line, const double* q) {
    Level level(*s.stack);
    double* values = s.stack->reals(line.rows.rows);
    coordinate_offset(s, line.rows, line.q0, line.anchors, q, values, nullptr);
    return dot(line.direction, values, line.rows.rows);
}

}  // namespace kinegen
