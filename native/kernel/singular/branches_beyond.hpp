// The branches of a singular pose: which ways lead on from it, and a pose beyond on each.
#pragma once

#include "kernel/base/tolerances.hpp"
#include "kernel/singular/nearest.hpp"

namespace kinegen {

constexpr double TURN_IN_PLACE = 1.5707963267948966;  // then the frame can move where it could not
constexpr double FARTHEST_WAY = 2.5;  // a joint moved this far has not come back to where it was
constexpr int32_t LONGEST_WAY = 400;  // poses of a way to a phantom at most
// A start within this share of a phantom's distance is not mirrored: the phantom would hide in the
// mechanism.
constexpr double NEAR_START = 0.25;
constexpr double TRIAL_MOTION = 0.05;  // scaled motion that shows whether singular poses are left
constexpr double TRANSVERSE = 0.01;    // they are if the distance grows by this share of it
constexpr double NAMED_SHARE = 0.4;    // joints with this share of the largest motion are named

struct BranchBeyond {
    int32_t kind, crosses, sign, joint, other, same, goes_on, led;
    int32_t first, count;  // its poses in the store, the singular one left out
};

// A singular pose with the way that led there.
struct Outlook {
    const Probe* p;
    const BranchSigns* signs;
    const Line* way;   // the heading's line, or null
    int32_t kind;      // of the singular pose: KIND_TASK or KIND_GAIN
    double amplitude;  // how far beyond the phantoms are, scaled
    const double *q, *start;
    double* came;   // scaled direction of the motion that led here, or null
    double* store;  // poses of all branches
    int32_t stored, store_room;
    BranchBeyond* branches;
    int32_t count;
};

inline double joint_share(const Model& m, const double* x, int32_t joint) {
    const double* part = x + m.joint_v[joint];
    return sqrt(dot(part, part, JOINT_NV[m.joint_type[joint]]));
}

// The joints with the largest shares in a motion, largest first, into `named`; returns how many.
// Shares that are equal but for rounding keep the joints' order.
inline int32_t main_joints(const Model& m, const double* x, int32_t most, int32_t* named) {
    int32_t count = 0;
    double largest_share = 0;
    while (count < most) {
        double top = 0;
        for (int pass = 0; pass < 2; ++pass)
            for (int32_t j = 0; j < m.joint_count; ++j) {
                bool taken = false;
                for (int32_t i = 0; i < count; ++i) taken = taken || named[i] == j;
                const double share = taken ? 0 : joint_share(m, x, j);
                if (pass == 0) {
                    top = fmax(top, share);
                } else if (share > 0 && share >= (1 - 1e-9) * top) {
                    named[count] = j;
                    break;
                }
            }
        if (count == 0) largest_share = top;
        if (!(top > 0) || top < NAMED_SHARE * largest_share) break;
        ++count;
    }
    return count;
}

// Sign of the largest entry of a joint's part in a motion.
inline int32_t joint_sign(const Model& m, const double* x, int32_t joint) {
    const double* part = x + m.joint_v[joint];
    double value = 0;
    for (int32_t k = 0; k < JOINT_NV[m.joint_type[joint]]; ++k)
        if (fabs(part[k]) > fabs(value)) value = part[k];
    return value > 0 ? 1 : value < 0 ? -1 : 0;
}

inline double joint_part(const Model& m, const double* x, int32_t joint) {
    return largest_part(x + m.joint_v[joint], JOINT_NV[m.joint_type[joint]]);
}

// Names a way on from a branch point, compared with the motion that led there.
inline void name_meeting(const Probe& p, const double* x, const double* came,
                         BranchBeyond& branch) {
    const Model& m = *p.s.m;
    Level level(*p.s.stack);
    int32_t named[3] = {0, 0, 0}, driver = -1;
    const double top = largest_part(came, m.nv);
    for (int32_t j = 0; j < m.joint_count && driver < 0; ++j)
        for (int32_t i = 0; i < p.drive.rows; ++i)
            if (p.drive.variables[i] == m.joint_v[j] && JOINT_NV[m.joint_type[j]] > 0 &&
                joint_part(m, came, j) > 0.05 * top)
                driver = j;
    if (driver < 0) {
        main_joints(m, came, 1, named);
        driver = named[0];
    }
    branch.sign = joint_sign(m, x, driver);
    branch.other = branch.joint = driver;
    const double likeness = dot(x, came, m.nv) / sqrt(dot(x, x, m.nv) * dot(came, came, m.nv));
    branch.goes_on = branch.sign == joint_sign(m, came, driver);
    branch.kind = likeness > 0.99 ? BRANCH_ONWARD : likeness < -0.99 ? BRANCH_BACK : BRANCH_PARTS;
    if (branch.kind != BRANCH_PARTS) return;
    // both motions per unit of the driver's: they differ most in one joint
    const double own = fmax(joint_part(m, x, driver), 1e-9);
    const double theirs = fmax(joint_part(m, came, driver), 1e-9);
    double* change = p.s.stack->reals(m.nv);
    for (int32_t k = 0; k < m.nv; ++k)
        change[k] = x[k] / own * (branch.goes_on ? 1 : -1) - came[k] / theirs;
    const int32_t count = main_joints(m, change, 3, named);
    for (int32_t i = count - 1; i >= 0; --i)
        if (named[i] != driver) branch.joint = named[i];
    branch.same = joint_sign(m, x, branch.joint) == joint_sign(m, came, branch.joint);
}

inline void name_branch(const Outlook& o, const double* x, bool in_place, bool meeting,
                        BranchBeyond& branch) {
    const Model& m = *o.p->s.m;
    int32_t named[2] = {0, 0};
    const int32_t count = main_joints(m, x, 2, named);
    branch.joint = named[0];
    branch.other = count > 1 ? named[1] : -1;
    branch.sign = joint_sign(m, x, named[0]);
    branch.led = o.came != nullptr;
    branch.same = branch.goes_on = 0;
    branch.kind = in_place ? BRANCH_IN_PLACE : BRANCH_BENDS;
    if (!in_place && meeting && o.came != nullptr) name_meeting(*o.p, x, o.came, branch);
}

// The pose between two of a curve where a line is at `home`, by regula falsi; q1 is replaced.
inline void come_home(const Curve& c, const Line& line, const double* q0, double home, double* q1) {
    const Scaled& s = c.p->s;
    Level level(*s.stack);
    double *end = s.stack->reals(s.m->nq), *q = s.stack->reals(s.m->nq);
    copy_all(end, q1, s.m->nq);
    double low = line_along(s, line, q0) - home, high = line_along(s, line, q1) - home;
    double a = 0, b = 1;
    for (int32_t n = 0; n < 20; ++n) {
        const double share = low != high ? a + (b - a) * low / (low - high) : b;
        if (!curve_between(c, q0, end, share, q)) return;
        copy_all(q1, q, s.m->nq);
        const double value = line_along(s, line, q) - home;
        if (fabs(value) < 1e-12) return;
        if (value * low > 0) {
            a = share;
            low = value;
            high /= 2;
        } else {
            b = share;
            high = value;
            low /= 2;
        }
    }
}

// How far and to what a branch is followed.
struct BranchWay {
    Curve curve;
    double amplitude;
    const Line* line;  // its phantom is where this line is back at home, if it comes there; or null
    bool has_home;
    double home;
    bool in_place, meeting;
    const double* named;  // the motion that the branch is named for, null: the one it begins with
};

// Whether the signs at two poses differ.
inline bool signs_differ(const Probe& p, const BranchSigns& signs, const double* a,
                         const double* b) {
    Level level(*p.s.stack);
    double *x = p.s.stack->reals(signs.count), *y = p.s.stack->reals(signs.count);
    sign_values(p, signs, a, x);
    sign_values(p, signs, b, y);
    const auto sign = [](double v) { return fabs(v) < ZERO_ENTRY ? 0 : v > 0 ? 1 : -1; };
    for (int32_t i = 0; i < signs.count; ++i)
        if (sign(x[i]) != sign(y[i])) return true;
    return false;
}

// Follows a direction from the singular pose to the phantom; a way that leads nowhere is left out.
inline void follow_branch(Outlook& o, const BranchWay& w, const double* x) {
    const Probe& p = *o.p;
    const Scaled& s = p.s;
    const Model& m = *s.m;
    if (o.count == BRANCH_LIMIT || o.stored + LONGEST_WAY + 1 > o.store_room) return;
    Level level(*s.stack);
    double *here = s.stack->reals(m.nq), *tangent = s.stack->reals(m.nv),
           *moved = s.stack->reals(m.nv);
    double* poses = o.store + (int64_t)o.stored * m.nq;
    copy_all(here, o.q, m.nq);
    copy_all(tangent, x, m.nv);
    int32_t count = 0, end = -1;  // poses behind the singular one
    double h = LOOK_STEP, before = w.has_home ? line_along(s, *w.line, here) - w.home : 0;
    while (follow_curve(w.curve, LOOK_STEP, h, here, tangent)) {
        double* there = poses + (int64_t)count++ * m.nq;
        copy_all(there, here, m.nq);
        scaled_between(s, o.q, here, moved);
        const double far = largest_part(moved, m.nv);
        if (end < 0 && far >= w.amplitude) {
            end = count;
            if (!w.has_home) break;
        }
        if (w.has_home) {
            const double now = line_along(s, *w.line, here) - w.home;
            if (before * now <= 0 && count > 1) {
                come_home(w.curve, *w.line, there - m.nq, w.home, there);
                end = count;
                break;
            }
            before = now;
        }
        if (far > FARTHEST_WAY || count >= LONGEST_WAY) break;
    }
    if (end >= 0) count = end;
    if (count == 0) return;
    BranchBeyond& branch = o.branches[o.count++];
    branch.first = o.stored;
    branch.count = count;
    o.stored += count;
    // without signs the direction decides: onward, or back where it came from
    bool crosses = o.came == nullptr || dot(x, o.came, m.nv) > 0;
    if (o.signs->count > 0)
        crosses = signs_differ(p, *o.signs, poses + (int64_t)(count - 1) * m.nq, o.start);
    branch.crosses = crosses && !w.in_place;
    name_branch(o, w.named ? w.named : x, w.in_place, w.meeting, branch);
}

// Whether a standing motion leads to singular poses only.
inline bool stays_singular(const Outlook& o, const double* n) {
    const Scaled& s = o.p->s;
    Level level(*s.stack);
    double* there = s.stack->reals(s.m->nq);
    for (int sign = 1; sign >= -1; sign -= 2) {
        scaled_move(s, o.q, n, sign * TRIAL_MOTION, there);
        if (!close_pose(s, nullptr, there)) return false;
        if (distance_of(*o.p, there, o.kind) > TRANSVERSE * TRIAL_MOTION) return false;
    }
    return true;
}

// The two ways of a motion that stands still here, and where it leads nowhere, all four.
inline void branches_at_fold(Outlook& o) {
    const Probe& p = *o.p;
    const Scaled& s = p.s;
    const Model& m = *s.m;
    ScratchStack& stack = *s.stack;
    Level level(stack);
    const bool task = o.kind == KIND_TASK;
    const Coordinates& c = task ? p.watched : p.drive;
    const Weakest w = weakest(p, o.q, c, task ? p.task_rank : p.drive_rank);
    if (w.count == 0) return;
    // the line through here in the direction that is lost, all that can move kept
    double *N = stack.reals((int64_t)m.nv * m.nv), *A = stack.reals((int64_t)c.rows * m.nv);
    const int32_t free = rows_over_free(p, c, o.q, p.loop_rank, N, A);
    const FullSvd f = full_svd(stack, A, c.rows, free);
    int32_t kept = 0;
    while (kept < f.k && f.values[kept] > LOST_VALUE) ++kept;
    Line line;
    draw_line(s, c, o.q, w.lost, f.Ut, kept, line);
    double *n = w.standing, *back = stack.reals(m.nv), *across = stack.reals(m.nv);
    scale_all(n, m.nv, 1 / largest_part(n, m.nv));
    const auto negative = [&](const double* x) {
        for (int32_t k = 0; k < m.nv; ++k) back[k] = -x[k];
        return back;
    };
    BranchWay way = {{&p, &line, false}, o.amplitude, &line, false, 0, false, false, nullptr};
    if (stays_singular(o, n)) {
        // a turn in place, either way, and straight through or back
        way.amplitude = TURN_IN_PLACE;
        way.in_place = true;
        follow_branch(o, way, n);
        follow_branch(o, way, negative(n));
        double* near = stack.reals(m.nq);
        neighbours(s, o.q, CLOSE_REACH, 1, near);
        const Weakness measure = weakness_at(p, near, o.kind);
        if (!weakness_gradient(p, measure, near, across)) return;
        scale_all(across, m.nv, 1 / fmax(largest_part(across, m.nv), 1e-300));
        const double* through = o.came ? o.came : across;
        if (dot(across, through, m.nv) < 0) scale_all(across, m.nv, -1);
        way = {{&p, o.way, false}, o.amplitude, nullptr, false, 0, false, false, across};
        follow_branch(o, way, through);
        double* named = stack.reals(m.nv);
        for (int32_t k = 0; k < m.nv; ++k) named[k] = -across[k];
        way.named = named;
        follow_branch(o, way, negative(through));
        return;
    }
    if (o.way != nullptr) {
        // a heading whose own coordinates stand still in this motion comes back on it
        double *rows = stack.reals((int64_t)o.way->rows.rows * m.nv), still = 0;
        coordinate_rows(s, o.way->rows, o.q, rows);
        for (int32_t i = 0; i < o.way->rows.rows; ++i)
            still = fmax(still, fabs(dot(rows + (int64_t)i * m.nv, n, m.nv)));
        if (still < tolerance::SINGULAR) {
            way.curve.line = way.line = o.way;
            way.home = line_along(s, *o.way, o.start);
            scaled_between(s, o.start, o.q, across);
            way.has_home = largest_part(across, m.nv) >= NEAR_START * o.amplitude;
        }
    }
    follow_branch(o, way, n);
    if (!way.has_home && o.count > 0) {
        // the second phantom has the frame, or the inputs, where the first one has them
        way.home = line_along(s, *way.line, o.store + (int64_t)(o.stored - 1) * m.nq);
        way.has_home = true;
    }
    follow_branch(o, way, negative(n));
}

// What the loops would have to accelerate in the directions that they have lost, for a motion x:
// lostᵀ d(J)/dt x, by central differences along x.
inline void bend(const Scaled& s, const double* q, const double* x, const double* lost,
                 int32_t lost_count, double* out) {
    const int32_t loops = 6 * s.m->loop_count, nv = s.m->nv;
    Level level(*s.stack);
    double *J = s.stack->reals((int64_t)loops * nv), *at = s.stack->reals(s.m->nq);
    double* change = s.stack->reals(loops);
    clear_all(change, loops);
    for (int sign = 1; sign >= -1; sign -= 2) {
        scaled_move(s, q, x, sign * DIFFERENCE_STEP, at);
        scaled_loops(s, at, J);
        for (int32_t i = 0; i < loops; ++i)
            change[i] += sign * dot(J + (int64_t)i * nv, x, nv) / (2 * DIFFERENCE_STEP);
    }
    for (int32_t i = 0; i < lost_count; ++i) out[i] = dot(lost + (int64_t)i * loops, change, loops);
}

// Two free motions at a branch point with more of them: the one that led here, and the one that is
// new at this point, the weakest. False: the loops do not close just before the point.
inline bool motions_at_meeting(const Outlook& o, const double* basis, int32_t free, double* a,
                               double* b) {
    const Scaled& s = o.p->s;
    const int32_t loops = 6 * s.m->loop_count, nv = s.m->nv, rank = nv - free;
    ScratchStack& stack = *s.stack;
    clear_all(a, nv);
    for (int32_t i = 0; i < free; ++i)
        add_scaled(dot(basis + (int64_t)i * nv, o.came, nv), basis + (int64_t)i * nv, a, nv);
    scale_all(a, nv, 1 / sqrt(dot(a, a, nv)));
    double *before = stack.reals(s.m->nq), *J = stack.reals((int64_t)loops * nv);
    scaled_move(s, o.q, o.came, -CLOSE_REACH / largest_part(o.came, nv), before);
    if (!close_pose(s, nullptr, before)) return false;
    scaled_loops(s, before, J);
    const FullSvd g = full_svd(stack, J, loops, nv);
    fresh_part(stack, basis, free, g.Vt + (int64_t)(rank + 1) * nv, free - 1, nv, 1, b);
    add_scaled(-dot(a, b, nv), a, b, nv);
    scale_all(b, nv, 1 / sqrt(dot(b, b, nv)));
    return true;
}

// Angles t at which the loops can follow cos t · a + sin t · b to second order; returns how many.
inline int32_t angles_without_bend(const Outlook& o, const double* a, const double* b,
                                   const double* left, int32_t lost, double* angles) {
    const Scaled& s = o.p->s;
    const int32_t nv = s.m->nv;
    ScratchStack& stack = *s.stack;
    // bend(cos t · a + sin t · b) = c² aa + 2 c s ab + s² bb in each lost direction
    double *aa = stack.reals(lost), *bb = stack.reals(lost), *plus = stack.reals(lost);
    double *minus = stack.reals(lost), *x = stack.reals(nv);
    double* table = stack.reals(3 * (int64_t)lost);
    bend(s, o.q, a, left, lost, aa);
    bend(s, o.q, b, left, lost, bb);
    for (int32_t k = 0; k < nv; ++k) x[k] = a[k] + b[k];
    bend(s, o.q, x, left, lost, plus);
    for (int32_t k = 0; k < nv; ++k) x[k] = a[k] - b[k];
    bend(s, o.q, x, left, lost, minus);
    for (int32_t i = 0; i < lost; ++i) {
        table[3 * i] = aa[i];
        table[3 * i + 1] = (plus[i] - minus[i]) / 2;
        table[3 * i + 2] = bb[i];
    }
    const FullSvd pattern = full_svd(stack, table, lost, 3);
    if (pattern.values[0] < 1e-9) return 0;
    const double *e = pattern.Vt, mean = (e[0] + e[2]) / 2;
    const double half = hypot((e[0] - e[2]) / 2, e[1] / 2);
    const double phase = atan2(e[1] / 2, (e[0] - e[2]) / 2);
    // mean + half cos(2t − phase) = 0
    if (half < fabs(mean) * (1 - 1e-9)) return 0;
    const double turn = acos(fmax(-1, fmin(1, -mean / half)));
    angles[0] = (phase + turn) / 2;
    angles[1] = (phase - turn) / 2;
    return turn == 0 ? 1 : 2;
}

// Directions of every way on from a branch point, rows of nv numbers with the largest part 1; at
// most four. Returns how many.
//
// A motion leaves the point only if the loops can follow to second order too. In the plane of two
// free motions that is a quadratic equation for the direction.
inline int32_t branch_directions(const Outlook& o, double* found) {
    const Scaled& s = o.p->s;
    const int32_t loops = 6 * s.m->loop_count, nv = s.m->nv;
    ScratchStack& stack = *s.stack;
    Level level(stack);
    double* J = stack.reals((int64_t)loops * nv);
    scaled_loops(s, o.q, J);
    const FullSvd f = full_svd(stack, J, loops, nv);
    int32_t rank = 0;
    while (rank < f.k && f.values[rank] > tolerance::BRANCH_RANK * f.values[0]) ++rank;
    const int32_t free = nv - rank, lost = loops - rank;
    const double *basis = f.Vt + (int64_t)rank * nv, *left = f.Ut + (int64_t)rank * loops;
    double *a = stack.reals(nv), *b = stack.reals(nv), angles[2], likeness[2] = {0, 0};
    if (free < 2 || lost < 1) return 0;
    copy_all(a, basis, nv);
    copy_all(b, basis + nv, nv);
    if (free > 2 && (o.came == nullptr || !motions_at_meeting(o, basis, free, a, b))) return 0;
    const int32_t ways = angles_without_bend(o, a, b, left, lost, angles);
    for (int32_t way = 0; way < ways; ++way) {
        double* here = found + 2 * (int64_t)way * nv;
        for (int32_t k = 0; k < nv; ++k)
            here[k] = cos(angles[way]) * a[k] + sin(angles[way]) * b[k];
        scale_all(here, nv, 1 / largest_part(here, nv));
        fix_sign(here, nv);
        if (o.came != nullptr)
            likeness[way] = fabs(dot(here, o.came, nv)) / sqrt(dot(here, here, nv));
        for (int32_t k = 0; k < nv; ++k) here[nv + k] = -here[k];
    }
    // the way that is most like the one that led here comes first
    if (ways == 2 && likeness[1] > likeness[0])
        for (int64_t k = 0; k < 2 * (int64_t)nv; ++k) swap_numbers(found[k], found[2 * nv + k]);
    return 2 * ways;
}

// Every way on from the last pose of `approach` (count poses), those that cross first. `meeting`:
// whether the loops lose rank there.
inline void find_branches(Outlook& o, const double* approach, int32_t count, bool meeting) {
    const Scaled& s = o.p->s;
    const int32_t nv = s.m->nv, nq = s.m->nq;
    ScratchStack& stack = *s.stack;
    Level level(stack);
    o.q = approach + (int64_t)(count - 1) * nq;
    o.start = approach;
    o.stored = o.count = 0;
    // the motion that led here: from the last pose that is far enough away
    double* came = stack.reals(nv);
    o.came = nullptr;
    for (int32_t i = count - 2; i >= 0; --i) {
        scaled_between(s, approach + (int64_t)i * nq, o.q, came);
        if (largest_part(came, nv) > TRIAL_MOTION / 2 || i == 0) {
            const double top = largest_part(came, nv);
            if (top > 1e-9) {
                scale_all(came, nv, 1 / top);
                o.came = came;
            }
            break;
        }
    }
    if (meeting) {
        double* ways = stack.reals(4 * (int64_t)nv);
        const int32_t found = branch_directions(o, ways);
        const BranchWay way = {
            {o.p, nullptr, false}, o.amplitude, nullptr, false, 0, false, true, nullptr};
        for (int32_t i = 0; i < found; ++i) follow_branch(o, way, ways + (int64_t)i * nv);
    }
    if (o.count == 0) branches_at_fold(o);
    // those that cross first, else in their order
    BranchBeyond sorted[BRANCH_LIMIT];
    int32_t place = 0;
    for (int crosses = 1; crosses >= 0; --crosses)
        for (int32_t i = 0; i < o.count; ++i)
            if (o.branches[i].crosses == crosses) sorted[place++] = o.branches[i];
    for (int32_t i = 0; i < o.count; ++i) o.branches[i] = sorted[i];
    o.came = nullptr;
}

// Closed poses put in between from q0 to q1 until no joint moves by more than its bound (nv), into
// out; q0 itself is left out. Returns their number, or -1 when there is no room or a jump.
inline int32_t refine_step(const Probe& p, const double* q0, const double* q1, const double* bounds,
                           double* out, int32_t room) {
    constexpr int32_t DEPTH = 40;
    const Scaled& s = p.s;
    const int32_t nq = s.m->nq, nv = s.m->nv;
    Level level(*s.stack);
    double *ahead = s.stack->reals((DEPTH + 2) * (int64_t)nq), *x = s.stack->reals(nv);
    int32_t depth[DEPTH + 2], waiting = 1, made = 0;
    copy_all(ahead, q1, nq);
    depth[0] = 0;
    const double* last = q0;
    while (waiting > 0) {
        double* q = ahead + (int64_t)(waiting - 1) * nq;
        scaled_between(s, last, q, x);
        bool small = true;
        for (int32_t k = 0; k < nv; ++k) small = small && fabs(x[k] * s.scale[k]) <= bounds[k];
        if (small) {
            --waiting;
            if (largest_part(x, nv) == 0) continue;
            if (made == room) return -1;
            copy_all(out + (int64_t)made * nq, q, nq);
            last = out + (int64_t)made++ * nq;
            continue;
        }
        const int32_t level_here = depth[waiting - 1] + 1;
        if (level_here > DEPTH || waiting > DEPTH) return -1;
        depth[waiting - 1] = level_here;
        scaled_move(s, last, x, 0.5, ahead + (int64_t)waiting * nq);
        if (!close_pose(s, nullptr, ahead + (int64_t)waiting * nq)) return -1;
        depth[waiting++] = level_here;
    }
    return made;
}

}  // namespace kinegen
