// Mobility: how many ways a mechanism can move in a pose, which, and how many of them last.
#pragma once

#include "kernel/base/tolerances.hpp"
#include "kernel/loops/finite_mobility.hpp"
#include "kernel/linalg/ldlt.hpp"
#include "kernel/loops/groups.hpp"

namespace kinegen {

struct MobilityReport {
    int32_t instantaneous;  // degrees of freedom to first order: nv − rank of the loop rows
    int32_t finite;         // those that survive a small finite motion
    int32_t gruebler;       // joint degrees of freedom − 6 per loop
    int32_t redundant;      // loop rows that others imply
    int32_t idle;           // degrees of freedom that move no point, no axis, no frame and no motor
    int32_t closed;         // 1 where all loops could be closed
    int32_t group_count;
    int32_t value_count;  // singular values
    double rank_gap;      // last singular value that counts by the first that does not
    double gap[2];        // widest loop gap [m], [rad]
};
constexpr int32_t MOBILITY_REPORT_SIZE = 11;

inline void write_report(const MobilityReport& r, double* out) {
    const double numbers[MOBILITY_REPORT_SIZE] = {(double)r.instantaneous,
                                                  (double)r.finite,
                                                  (double)r.gruebler,
                                                  (double)r.redundant,
                                                  (double)r.idle,
                                                  (double)r.closed,
                                                  (double)r.group_count,
                                                  (double)r.value_count,
                                                  r.rank_gap,
                                                  r.gap[0],
                                                  r.gap[1]};
    copy_all(out, numbers, MOBILITY_REPORT_SIZE);
}

// Per group: size [m], scaled gap, degrees of freedom, those that last, singular values, rank gap.
constexpr int32_t GROUP_REPORT_SIZE = 6;

struct MobilityMemory {
    LoopGroups groups;
    Trials trials;
    double* group_reports;  // loop_count × GROUP_REPORT_SIZE
    double *seen, *jacobian, *effects;
    int32_t* order;
};

// Sizes of all scratch but the groups', which must have been found; memory must be zero.
inline void lay_out_mobility(const Model& m, Arena<double>& reals, Arena<int32_t>& ints,
                             MobilityMemory& s) {
    lay_out_trials(m, s.groups.largest_loops, s.groups.largest_variables, reals, ints, s.trials);
    s.group_reports = reals.take((int64_t)GROUP_REPORT_SIZE * m.loop_count);
    // effects are only looked for where there are loops
    const int64_t n = m.loop_count > 0 ? m.nv : 0;
    s.seen = reals.take(n * n);
    s.effects = reals.take(6 * n);
    s.jacobian = reals.take(6 * n);
    s.order = ints.take(n);
}

// Makes the system that of one group at the given size, without the locked variables (null: none).
inline void take_group(const Model& m, const LoopGroups& g, int32_t group, double size,
                       const int32_t* locked, LoopSystem& s) {
    s.size = size;
    s.loop_count = s.n = 0;
    variable_scales(m, size, s.scale);
    for (int32_t loop = 0; loop < m.loop_count; ++loop)
        if (g.loop_group[loop] == group) s.loops[s.loop_count++] = loop;
    for (int32_t j = 0; j < m.joint_count; ++j)
        for (int32_t k = 0; g.joint_group[j] == group && k < JOINT_NV[m.joint_type[j]]; ++k)
            if (locked == nullptr || !locked[m.joint_v[j] + k])
                s.variables[s.n++] = m.joint_v[j] + k;
}

// Free motions of the system as rows of nv numbers, orthonormal: `steps` are count scaled steps.
inline void write_motions(const LoopSystem& s, const double* steps, int32_t count, double* rows) {
    const int32_t nv = s.model->nv;
    clear_all(rows, (int64_t)count * nv);
    for (int32_t i = 0; i < count; ++i) {
        for (int32_t k = 0; k < s.n; ++k)
            rows[(int64_t)i * nv + s.variables[k]] =
                s.scale[s.variables[k]] * steps[(int64_t)i * s.n + k];
        orthonormalize_row(rows, i, nv);
    }
}

// One row for each variable that no loop and no lock holds; returns how many.
inline int32_t write_outside(const Model& m, const LoopGroups& g, const int32_t* locked,
                             double* rows) {
    int32_t count = 0;
    for (int32_t j = 0; j < m.joint_count; ++j)
        for (int32_t k = 0; g.joint_group[j] < 0 && k < JOINT_NV[m.joint_type[j]]; ++k) {
            const int32_t v = m.joint_v[j] + k;
            if (locked != nullptr && locked[v]) continue;
            if (rows != nullptr) {
                clear_all(rows + (int64_t)count * m.nv, m.nv);
                rows[(int64_t)count * m.nv + v] = 1;
            }
            ++count;
        }
    return count;
}

// All free motions at q (closed) as rows of nv numbers, orthonormal: of joints outside the loops,
// then of each group. rows: room for nv of them, or null to count only. Returns how many.
inline int32_t free_motions(const Model& m, MobilityMemory& s, const double* q,
                            const int32_t* locked, double tolerance, double* rows) {
    LoopSystem& system = s.trials.system;
    int32_t count = write_outside(m, s.groups, locked, rows);
    for (int32_t group = 0; group < s.groups.count; ++group) {
        forward_links(m, q, system.links);
        const double size = mechanism_size(m, system.links, s.groups, group);
        take_group(m, s.groups, group, size, locked, system);
        system_jacobian(system, q, system.J);
        const int32_t rank =
            find_spectrum(system.spectrum, system.J, system.rows(), system.n, tolerance);
        if (rank < 0) return rank;
        if (rows != nullptr)
            write_motions(system, system.spectrum.directions + (int64_t)rank * system.n,
                          system.n - rank, rows + (int64_t)count * m.nv);
        count += system.n - rank;
    }
    return count;
}

// How many of the motions (rows of nv numbers) can be seen: they move a joint, a landing or a
// frame, tilt an axis, turn a frame or a loose end, or move a motor (motors: 1 per v, null for
// none).
inline int32_t seen_motions(const Model& m, MobilityMemory& s, const double* q,
                            const double* motions, int32_t count, const int32_t* motors) {
    if (count == 0 || m.loop_count == 0) return count;
    double* links = s.trials.system.links;
    forward_links(m, q, links);
    const double size = mechanism_size(m, links, s.groups, -1);
    clear_all(s.seen, (int64_t)count * count);
    // squares of effects: 6 rows × count at a time
    auto add = [&](const double* rows, int32_t row_count) {
        for (int32_t row = 0; row < row_count; ++row)
            for (int32_t i = 0; i < count; ++i)
                add_scaled(rows[(int64_t)row * count + i], rows + (int64_t)row * count,
                           s.seen + (int64_t)i * count, i + 1);
    };
    auto twists_at = [&](int32_t link, const double* p_W) {
        clear_all(s.jacobian, 6LL * m.nv);
        for (int32_t j = m.link_joint[link]; j >= 0; j = m.link_joint[m.joint_parent[j]])
            add_joint_columns(m, q, j, links + TRANSFORM_SIZE * m.joint_child[j], p_W, 1,
                              s.jacobian);
        for (int row = 0; row < 6; ++row)
            for (int32_t i = 0; i < count; ++i)
                s.effects[(int64_t)row * count + i] =
                    dot(s.jacobian + (int64_t)row * m.nv, motions + (int64_t)i * m.nv, m.nv) /
                    (row < 3 ? size : 1);
    };
    for (int32_t p = 0; p < m.placement_count; ++p) {
        double X_WP[TRANSFORM_SIZE];
        const int32_t link = placed_link(m, p);
        compose(links + TRANSFORM_SIZE * link, m.transforms + TRANSFORM_SIZE * (int64_t)p, X_WP);
        twists_at(link, X_WP + 9);
        add(s.effects, 3);
        if (p >= m.joint_count + m.loop_count) continue;
        // a universal joint lands on its second axis, x
        const int32_t type = m.joint_type[p < m.joint_count ? p : m.loop_joint[p - m.joint_count]];
        if (JOINT_QUATERNION[type] || type == FIXED) continue;
        double axis[3];
        column(X_WP, type == UNIVERSAL && p >= m.joint_count ? 0 : 2, axis);
        for (int32_t i = 0; i < count; ++i) {
            const double w[3] = {s.effects[3LL * count + i], s.effects[4LL * count + i],
                                 s.effects[5LL * count + i]};
            double tilt[3];
            cross3(w, axis, tilt);
            for (int k = 0; k < 3; ++k) s.effects[(int64_t)k * count + i] = tilt[k];
        }
        add(s.effects, 3);
    }
    // links that carry a frame or nothing
    for (int32_t link = 0; link < m.link_count; ++link) {
        bool carries = false, has_frame = false;
        for (int32_t p = 0; p < m.placement_count; ++p) {
            const bool frame = p >= m.joint_count + m.loop_count;
            (frame ? has_frame : carries) |= placed_link(m, p) == link;
        }
        if (carries && !has_frame) continue;
        twists_at(link, links + TRANSFORM_SIZE * link + 9);
        add(s.effects, 6);
    }
    for (int32_t v = 0; v < m.nv && motors != nullptr; ++v) {
        if (!motors[v]) continue;
        for (int32_t i = 0; i < count; ++i) s.effects[i] = motions[(int64_t)i * m.nv + v];
        add(s.effects, 1);
    }
    // rank of the squares; nothing below their own rounding counts
    double top = 0;
    for (int32_t i = 0; i < count; ++i) top = fmax(top, s.seen[(int64_t)i * count + i]);
    if (!(top > 0)) return 0;
    const double least =
        fmax(tolerance::UNSEEN * tolerance::UNSEEN / top, 16 * DBL_EPSILON * count);
    int32_t failed = 0;
    return ldlt_factor(s.seen, count, least, s.order, failed);
}

// Largest first.
inline void sort_falling(double* values, int32_t count) {
    for (int32_t i = 1; i < count; ++i) {
        const double value = values[i];
        int32_t at = i;
        for (; at > 0 && values[at - 1] < value; --at) values[at] = values[at - 1];
        values[at] = value;
    }
}

// The degrees of freedom of a mechanism at q, which is moved in place to where its loops are
// closed. Limits are not asked. locked, motors: one int per v, or null. values: room for 6 per
// loop; directions: room for nv × nv numbers, one motion per row. Returns OK or NOT_FINITE.
inline int32_t find_mobility(const Model& m, MobilityMemory& s, double* q, const int32_t* locked,
                             const int32_t* motors, double tolerance, double* values,
                             double* directions, MobilityReport& r) {
    const LoopGroups& g = s.groups;
    LoopSystem& system = s.trials.system;
    if (largest(q, m.nq) < 0) return NOT_FINITE;
    r = {};
    r.group_count = g.count;
    r.closed = 1;
    r.rank_gap = INFINITY;
    // close all groups, each measured by its own size
    for (int32_t group = 0; group < g.count; ++group) {
        forward_links(m, q, system.links);
        double* report = s.group_reports + (int64_t)GROUP_REPORT_SIZE * group;
        report[0] = mechanism_size(m, system.links, g, group);
        take_group(m, g, group, report[0], locked, system);
        report[1] = system_assemble(system, q);
    }
    // degrees of freedom of each, and those that last
    int32_t count = write_outside(m, g, locked, directions), lost = 0;
    for (int32_t group = 0; group < g.count; ++group) {
        double* report = s.group_reports + (int64_t)GROUP_REPORT_SIZE * group;
        take_group(m, g, group, report[0], locked, system);
        system_jacobian(system, q, system.J);
        const int32_t rows = system.rows(), n = system.n;
        const int32_t rank = find_spectrum(system.spectrum, system.J, rows, n, tolerance);
        if (rank < 0) return rank;
        const int32_t dof = n - rank, value_count = rows < n ? rows : n;
        copy_all(values + r.value_count, system.spectrum.values, value_count);
        r.value_count += value_count;
        r.rank_gap = fmin(r.rank_gap, system.spectrum.gap);
        copy_all(s.trials.basis, system.spectrum.directions + (int64_t)rank * n, (int64_t)dof * n);
        write_motions(system, s.trials.basis, dof, directions + (int64_t)count * m.nv);
        count += dof;
        const bool closed = report[1] <= tolerance::SHUT;
        r.closed = r.closed && closed;
        report[2] = dof;
        report[4] = value_count;
        report[5] = system.spectrum.gap;
        report[3] = closed ? finite_mobility(s.trials, q, dof, tolerance) : 0;
        lost += dof - (int32_t)report[3];
    }
    sort_falling(values, r.value_count);
    r.instantaneous = count;
    r.finite = count - lost;
    r.gruebler = m.nv - 6 * m.cut_count() - m.coupling_count;
    for (int32_t v = 0; v < m.nv && locked != nullptr; ++v) r.gruebler -= locked[v] != 0;
    r.redundant = count - r.gruebler;
    r.idle = count - seen_motions(m, s, q, directions, count, motors);
    // widest gaps of single loops, in metres and radians
    forward_links(m, q, system.links);
    double phi[6];
    for (int32_t loop = 0; loop < m.loop_count; ++loop) {
        loop_phi(m, q, system.links, loop, phi);
        for (int half = 0; half < 2; ++half)
            r.gap[half] = fmax(r.gap[half], norm_of(phi + 3 * half, 3));
    }
    return OK;
}

}  // namespace kinegen
