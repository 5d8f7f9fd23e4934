// The singularity monitor of one model: what is watched, the distances, the singular pose ahead
// and its branches, with all memory that they need.
#pragma once

#include "kernel/singular/branches_beyond.hpp"

namespace kinegen {

constexpr int32_t AIM_INTS = record::AimInts::COUNT;
constexpr int32_t AIM_REALS = record::AimReals::COUNT;
constexpr int32_t HEADING_INTS = record::HeadingInts::COUNT;    // then a mark per variable
constexpr int32_t HEADING_REALS = record::HeadingReals::COUNT;  // then a speed per variable

struct SingularityMonitor {
    Probe probe;
    ScratchStack stack;
    Aim aims[AIM_LIMIT];
    BranchSigns signs;
    bool watching, has_signs;
    int64_t int_base;  // of the stack, behind what is laid out
    double* home;      // the pose from which it watches, nq
    double* path;      // of the last heading
    int32_t path_count;
    double* store;  // poses of the branches found last
    BranchBeyond branches[BRANCH_LIMIT];
    int32_t branch_count;
};

// Numbers of the two blocks of memory of a monitor: to begin with, to be doubled when it asks.
inline int64_t monitor_ints(const Model& m) {
    const int64_t rows = 6LL * m.loop_count + 6LL * AIM_LIMIT, nv = m.nv + 16;
    return 4 * (rows + 16) * nv + 64 * (rows + nv) + 4LL * m.joint_count;
}
inline int64_t monitor_reals(const Model& m) {
    const int64_t rows = 6LL * m.loop_count + 16, nv = m.nv + 16;
    const int64_t poses = LOOK_LIMIT + 3 + BRANCH_LIMIT * (LONGEST_WAY + 1) + 1;
    // measured on all library mechanisms: 3.1 of these products at most
    return poses * m.nq + (int64_t)TRANSFORM_SIZE * m.link_count + 4 * (rows + 2 * nv) * nv;
}

// The largest piece that is taken at once when frames with so many rows are watched.
inline int64_t largest_piece(const Model& m, int32_t watched_rows) {
    const int64_t rows = 6LL * m.loop_count + watched_rows + 6, nv = m.nv + 4;
    const int64_t samples = SIGN_SAMPLES * rows * nv, square = rows > nv ? rows * rows : nv * nv;
    return samples > square ? samples : square;
}

inline void lay_out_monitor(const Model& m, double* reals, int64_t real_count, int32_t* ints,
                            int64_t int_count, SingularityMonitor& c) {
    c.stack = {reals, real_count, 0, 0, ints, int_count, 0, false};
    Scaled& s = c.probe.s;
    s.m = &m;
    s.stack = &c.stack;
    s.scale = c.stack.reals(m.nv);
    s.links = c.stack.reals((int64_t)TRANSFORM_SIZE * m.link_count);
    s.marks = c.stack.ints(m.joint_count);
    for (int32_t j = 0; j < m.joint_count; ++j) s.marks[j] = 0;
    c.home = c.stack.reals(m.nq);
    c.path = c.stack.reals((LOOK_LIMIT + 3) * (int64_t)m.nq);
    c.store = c.stack.reals(BRANCH_LIMIT * (LONGEST_WAY + 1) * (int64_t)m.nq);
    c.probe.passive = c.stack.ints(m.nv);
    c.probe.drive = {nullptr, 0, c.stack.ints(m.nv), 0};
    c.watching = c.has_signs = false;
    c.path_count = c.branch_count = 0;
    c.stack.real_floor = c.stack.real_used;
    c.int_base = c.stack.int_used;
}

// Numbers may have changed since the last call: sizes are read again.
inline void begin_call(SingularityMonitor& c) {
    Scaled& s = c.probe.s;
    c.stack.overflow = false;
    s.size = characteristic_length(*s.m);
    for (int32_t k = 0; k < s.m->nv; ++k) s.scale[k] = is_length(*s.m, k) ? s.size : 1;
}

// Whether aims name sites and kinds that exist.
inline bool aims_exist(const Model& m, const int32_t* ints, int32_t count) {
    if (count > AIM_LIMIT) return false;
    for (int32_t i = 0; i < count; ++i, ints += AIM_INTS) {
        const int32_t site = ints[record::AimInts::SITE], kind = ints[record::AimInts::KIND];
        if (site < 0 || site >= m.site_count() || kind < -1 || kind >= HANDLE_KIND_COUNT)
            return false;
    }
    return true;
}

inline Aim read_aim(int32_t site, int32_t kind, const double* reals) {
    const double *p = reals + record::AimReals::POINT, *a = reals + record::AimReals::AXIS;
    Aim aim = {site, kind, {p[0], p[1], p[2]}, {a[0], a[1], a[2]}};
    const double length = sqrt(dot3(aim.axis, aim.axis));
    for (int i = 0; i < 3; ++i) aim.axis[i] = length > 0 ? aim.axis[i] / length : (i == 2 ? 1 : 0);
    return aim;
}

// Chooses what is watched from now on, at a closed pose q: frames, and the joints that are driven
// (one mark per joint). Kinds of -1 are decided, in place.
inline int32_t monitor_watch(SingularityMonitor& c, const double* q, int32_t* aim_ints,
                             const double* aim_reals, int32_t aim_count, const int32_t* inputs) {
    begin_call(c);
    Probe& p = c.probe;
    const Model& m = *p.s.m;
    if (c.stack.real_size - c.stack.real_floor < largest_piece(m, HANDLE_ROWS * aim_count)) {
        c.stack.overflow = true;
        return MORE_MEMORY;
    }
    copy_all(c.home, q, m.nq);
    for (int32_t i = 0; i < aim_count; ++i) {
        int32_t* row = aim_ints + AIM_INTS * i;
        const int32_t site = row[record::AimInts::SITE];
        int32_t& kind = row[record::AimInts::KIND];
        if (kind < 0) kind = choose_kind(p.s, q, site);
        c.aims[i] = read_aim(site, kind, aim_reals + AIM_REALS * i);
    }
    p.watched = {c.aims, aim_count, nullptr, aim_rows(c.aims, aim_count)};
    int32_t *drive = const_cast<int32_t*>(p.drive.variables), driven = 0;
    p.passive_count = 0;
    for (int32_t j = 0; j < m.joint_count; ++j)
        for (int32_t k = 0; k < JOINT_NV[m.joint_type[j]]; ++k)
            if (inputs[j])
                drive[driven++] = m.joint_v[j] + k;
            else
                p.passive[p.passive_count++] = m.joint_v[j] + k;
    p.drive.rows = driven;
    if (driven == 0) p.passive_count = 0;  // without inputs there is no control to lose
    find_ranks(p, q);
    c.watching = true;
    c.has_signs = false;
    return c.stack.overflow ? MORE_MEMORY : DONE;
}

// Lets a monitor with more memory continue from where another one is.
inline void continue_watch(const SingularityMonitor& from, SingularityMonitor& to) {
    const Model& m = *to.probe.s.m;
    if (!from.watching) return;
    copy_all(to.home, from.home, m.nq);
    for (int32_t i = 0; i < AIM_LIMIT; ++i) to.aims[i] = from.aims[i];
    const Scaled scaled = to.probe.s;
    int32_t *passive = to.probe.passive, *drive = const_cast<int32_t*>(to.probe.drive.variables);
    for (int32_t k = 0; k < from.probe.passive_count; ++k) passive[k] = from.probe.passive[k];
    for (int32_t k = 0; k < from.probe.drive.rows; ++k) drive[k] = from.probe.drive.variables[k];
    to.probe = from.probe;
    to.probe.s = scaled;
    to.probe.passive = passive;
    to.probe.drive.variables = drive;
    to.probe.watched.aims = to.aims;
    to.watching = true;
}

// Finds the structure of the branches' signs, once for what is watched.
inline void need_signs(SingularityMonitor& c) {
    if (c.has_signs) return;
    c.stack.int_used = c.int_base;  // gives back what was found for another watch
    Probe& p = c.probe;
    lay_out_system(c.stack, p, true, c.signs.systems[0]);
    lay_out_system(c.stack, p, false, c.signs.systems[1]);
    find_signs(p, c.home, c.signs);
    c.has_signs = !c.stack.overflow;
}

// Distances of both kinds, and the values of the first (task_rank numbers). Returns the kind.
inline int32_t monitor_measure(SingularityMonitor& c, const double* q, double* distance,
                               double* task_values) {
    begin_call(c);
    distances(c.probe, q, task_values, nullptr, distance);
    return kind_of(distance);
}

// Reads a heading; the line lives as long as the stack's level. ints and reals: see above.
inline int32_t read_heading(SingularityMonitor& c, const double* q, const int32_t* ints,
                            const double* reals, Heading& heading) {
    using at = record::HeadingInts;
    // a frame's heading begins as an aim does
    static_assert(record::HeadingReals::POINT == record::AimReals::POINT &&
                  record::HeadingReals::AXIS == record::AimReals::AXIS);
    bool goes;
    if (ints[at::TYPE] == HEADING_FRAME)
        goes = set_frame_heading(c.probe.s, q, read_aim(ints[at::SITE], ints[at::KIND], reals),
                                 reals + record::HeadingReals::DIRECTION, heading);
    else
        goes = set_joint_heading(c.probe.s, q, ints + HEADING_INTS, reals + HEADING_REALS, heading);
    return goes ? DONE : HEADING_IS_ZERO;
}
inline bool heading_exists(const Model& m, const int32_t* ints, bool may_be_none) {
    using at = record::HeadingInts;
    const int32_t type = ints[at::TYPE], site = ints[at::SITE], kind = ints[at::KIND];
    if (type == HEADING_FRAME)
        return site >= 0 && site < m.site_count() && kind >= -1 && kind < HANDLE_KIND_COUNT;
    return type == HEADING_JOINTS || (may_be_none && type == HEADING_NONE);
}

// How far to look: as far as asked for, else four sizes of the mechanism or one turn.
inline double heading_reach(const SingularityMonitor& c, const Heading& heading, double within) {
    if (within >= 0) return within;
    return heading.is_length ? 4 * c.probe.s.size : 2 * PI;
}

// Looks along a heading for the first singular pose; its poses stay in c.path.
inline int32_t monitor_ahead(SingularityMonitor& c, const double* q, const int32_t* ints,
                             const double* reals, double within, bool limits, double step,
                             double near, Ahead& ahead, bool& is_length) {
    begin_call(c);
    need_signs(c);
    Level level(c.stack);
    Heading heading;
    ahead = Ahead{};
    c.path_count = 0;
    const int32_t status = read_heading(c, q, ints, reals, heading);
    if (status != DONE) return status;
    is_length = heading.is_length;
    const SearchOptions o = {heading_reach(c, heading, within), limits, step, near};
    search_along(c.probe, c.signs, heading, q, o, c.path, ahead);
    c.path_count = ahead.path_count;
    return c.stack.overflow ? MORE_MEMORY : DONE;
}

// Finds the singular pose on a heading, or the nearest one without (type HEADING_NONE), and the
// ways on from it. kind: KIND_TASK or KIND_GAIN when only that one is meant, else -1. The way there
// stays in c.path, the branches in c.branches and their poses in c.store.
inline int32_t monitor_branches_beyond(SingularityMonitor& c, const double* q, const int32_t* ints,
                                       const double* reals, int32_t kind, double amplitude,
                                       int32_t& singular_kind, bool& branch_point) {
    begin_call(c);
    need_signs(c);
    Level level(c.stack);
    Heading heading;
    double distance[2];
    const bool has_heading = ints[record::HeadingInts::TYPE] != HEADING_NONE;
    c.branch_count = 0;
    if (has_heading) {
        const int32_t status = read_heading(c, q, ints, reals, heading);
        if (status != DONE) return status;
        const SearchOptions o = {heading_reach(c, heading, -1), true, LOOK_STEP, 0};
        Ahead ahead{};
        search_along(c.probe, c.signs, heading, q, o, c.path, ahead);
        c.path_count = ahead.path_count;
        if (c.stack.overflow) return MORE_MEMORY;
        if (ahead.end != END_FOUND) return NOTHING_AHEAD;
    } else {
        distances(c.probe, q, nullptr, nullptr, distance);
        const int32_t nearer = distance[KIND_GAIN] < distance[KIND_TASK] ? KIND_GAIN : KIND_TASK;
        c.path_count = nearest_singular(c.probe, q, kind < 0 ? nearer : kind, LOOK_STEP, c.path);
        if (c.stack.overflow) return MORE_MEMORY;
        if (c.path_count == 0) return NONE_NEARBY;
    }
    const double* there = c.path + (int64_t)(c.path_count - 1) * c.probe.s.m->nq;
    distances(c.probe, there, nullptr, nullptr, distance);
    singular_kind = kind_of(distance);
    branch_point = is_branch_point(c.probe, there);
    if (kind >= 0 && singular_kind != kind && singular_kind != KIND_BOTH) return WRONG_KIND;
    const int32_t wanted = kind >= 0                    ? kind
                           : singular_kind == KIND_GAIN ? (int32_t)KIND_GAIN
                                                        : (int32_t)KIND_TASK;
    Outlook o = {&c.probe,
                 &c.signs,
                 has_heading ? &heading.line : nullptr,
                 wanted,
                 amplitude,
                 nullptr,
                 nullptr,
                 nullptr,
                 c.store,
                 0,
                 BRANCH_LIMIT * (LONGEST_WAY + 1),
                 c.branches,
                 0};
    find_branches(o, c.path, c.path_count, branch_point);
    c.branch_count = o.count;
    return c.stack.overflow ? MORE_MEMORY : DONE;
}

// The way to the singular pose (branch -1), or through it to a branch's phantom, with closed poses
// put in between until no joint moves by more than its bound; with null bounds as it was found.
// Returns the number of poses, -1 when there is not room enough. Null `out`: only counts, without
// bounds.
inline int32_t monitor_path(SingularityMonitor& c, int32_t branch, const double* bounds,
                            double* out, int32_t room) {
    const int32_t nq = c.probe.s.m->nq;
    const int32_t beyond = branch < 0 ? 0 : c.branches[branch].count, count = c.path_count + beyond;
    if (out == nullptr || count == 0) return count;
    begin_call(c);
    int32_t made = 0;
    for (int32_t i = 0; i < count; ++i) {
        const double* pose =
            i < c.path_count
                ? c.path + (int64_t)i * nq
                : c.store + (int64_t)(c.branches[branch].first + i - c.path_count) * nq;
        double* at = out + (int64_t)made * nq;
        if (made == room) return -1;
        if (i == 0 || bounds == nullptr) {
            copy_all(at, pose, nq);
            ++made;
            continue;
        }
        const int32_t added = refine_step(c.probe, at - nq, pose, bounds, at, room - made);
        if (added < 0) return -1;
        made += added;
    }
    return made;
}

}  // namespace kinegen
