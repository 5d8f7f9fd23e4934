// Headings: straight ways of a frame or of joints, followed through singular poses, and the first
// singular pose on them.
//
// The mechanism is followed along the curve of poses that keep its loops and its line, by its
// tangent. That curve does not end where the frame must turn back: there the mechanism continues
// smoothly into its other branch. Signs that change and dips of the distances are narrowed down.
#pragma once

#include "kernel/singular/branch_signs.hpp"

namespace kinegen {

constexpr double LOOK_STEP = 0.03;      // largest scaled move of any joint between looks
constexpr int32_t LOOK_LIMIT = 2000;    // looks at most: ten turns of a joint
constexpr int32_t PATIENCE = 60;        // looks without headway before the search ends
constexpr double WORTH_A_LOOK = 0.25;   // dips of a distance above this are not looked into
constexpr double HIT_VALUE = 1e-6;      // a look below this has hit the singular pose itself
constexpr double SHORTEST_STEP = 1e-4;  // scaled step below which a curve is lost
constexpr double PROGRESS = 0.05;       // way along a line per motion below which its end is near
constexpr double GOLDEN = 0.6180339887498949;

// A heading from where a mechanism is.
struct Heading {
    Aim aim;  // of a frame's heading
    Coordinates rows;
    Line line;
    bool is_length;   // its unit: metres, else radians
    double length;    // of the direction that was given, in the unit
    double per_step;  // way in the unit per scaled way along the line
};

// All that coordinates can do in poses near q: directions over the rows, one per row of `all` (room
// for 3 nv); returns how many, and the rank of a single pose.
inline int32_t usual_ways(const Scaled& s, const double* q, const Coordinates& c, double* all,
                          int32_t& rank) {
    const Model& m = *s.m;
    Level level(*s.stack);
    double *near = s.stack->reals(3 * (int64_t)m.nq), *N = s.stack->reals((int64_t)m.nv * m.nv);
    double *J = s.stack->reals((int64_t)c.rows * m.nv), *A = s.stack->reals((int64_t)c.rows * m.nv);
    const int32_t count = neighbours(s, q, USUAL_REACH, 3, near);
    int32_t ways = 0;
    rank = 0;
    for (int32_t i = 0; i < count; ++i) {
        const int32_t free = free_basis(s, near + (int64_t)i * m.nq, -1, N);
        coordinate_rows(s, c, near + (int64_t)i * m.nq, J);
        multiply(J, N, c.rows, m.nv, free, A);
        const int32_t here = count_values(*s.stack, A, c.rows, free, tolerance::RANK);
        rank = here > rank ? here : rank;
        for (int32_t k = 0; k < free; ++k, ++ways)
            for (int32_t r = 0; r < c.rows; ++r)
                all[(int64_t)ways * c.rows + r] = A[(int64_t)r * free + k];
    }
    return ways;
}

// Whether a frame's degrees of freedom change from pose to pose, so that it cannot keep its
// rotation.
inline bool is_twisted(const Scaled& s, const double* q, const Coordinates& c) {
    Level level(*s.stack);
    double* all = s.stack->reals(3 * (int64_t)c.rows * s.m->nv);
    int32_t rank;
    const int32_t ways = usual_ways(s, q, c, all, rank);
    return count_values(*s.stack, all, ways, c.rows, tolerance::RANK) > rank;
}

// Leaves of a direction what the coordinates can ever do: nothing leads out of a mechanism's plane.
inline void keep_possible(const Scaled& s, const double* q, const Coordinates& c,
                          double* direction) {
    Level level(*s.stack);
    double* all = s.stack->reals(3 * (int64_t)c.rows * s.m->nv);
    int32_t rank;
    const int32_t ways = usual_ways(s, q, c, all, rank);
    const int32_t k = ways < c.rows ? ways : c.rows, l = ways < c.rows ? c.rows : ways;
    double *G = s.stack->reals((int64_t)k * k), *W = s.stack->reals((int64_t)k * l);
    double *values = s.stack->reals(k), *scratch = s.stack->reals(k);
    svd_factor(all, ways, c.rows, false, G, W, values, scratch);
    double kept[HANDLE_ROWS] = {0, 0, 0, 0, 0, 0};
    for (int32_t i = 0; i < k && values[i] >= tolerance::RANK; ++i) {
        const double* way = (ways <= c.rows ? W : G) + (int64_t)i * c.rows;
        add_scaled(dot(way, direction, c.rows), way, kept, c.rows);
    }
    copy_all(direction, kept, c.rows);
}

// A heading of a frame: `direction` [m, rad] over the rows of the aim's kind. Kind -1: three
// numbers, of which counts what the frame can ever do, and the rotation is kept where it can be.
// False: it goes nowhere. The line lives as long as the stack's level.
inline bool set_frame_heading(const Scaled& s, const double* q, const Aim& aim,
                              const double* direction, Heading& heading) {
    heading.aim = aim;
    int32_t given = 6;
    if (aim.kind < 0) {
        given = 3;
        heading.aim.kind = choose_kind(s, q, aim.site);
        heading.rows = {&heading.aim, 1, nullptr, handle_rows(heading.aim.kind)};
        if (is_twisted(s, q, heading.rows)) heading.aim.kind = HANDLE_POINT;
    }
    const int32_t n = handle_rows(heading.aim.kind);
    heading.rows = {&heading.aim, 1, nullptr, n};
    const int32_t linear_rows = heading.aim.kind == HANDLE_ROTATION ? 0 : 3;
    double scaled[HANDLE_ROWS] = {0, 0, 0, 0, 0, 0}, most = 0;
    for (int32_t i = 0; i < n && i < given; ++i) {
        scaled[i] = direction[i] / (i < linear_rows ? s.size : 1);
        most = fmax(most, fabs(scaled[i]));
    }
    if (aim.kind < 0) keep_possible(s, q, heading.rows, scaled);
    const double size = sqrt(dot(scaled, scaled, n));
    const double linear = s.size * sqrt(dot(scaled, scaled, linear_rows));
    if (!(size > 1e-9 * most)) return false;
    heading.is_length = linear > 0;
    heading.length = heading.is_length ? linear : size;
    heading.per_step = heading.length / size;
    draw_line(s, heading.rows, q, scaled, nullptr, -1, heading.line);
    return true;
}

// A heading of joints: speeds v of the variables that are marked; marked ones at rest hold still.
inline bool set_joint_heading(const Scaled& s, const double* q, const int32_t* marked,
                              const double* v, Heading& heading) {
    const int32_t nv = s.m->nv;
    int32_t *variables = s.stack->ints(nv), n = 0;
    double *scaled = s.stack->reals(nv), size = 0, length = 0;
    heading.is_length = true;
    for (int32_t k = 0; k < nv; ++k) {
        if (!marked[k] && v[k] == 0) continue;
        variables[n] = k;
        scaled[n] = v[k] / s.scale[k];
        size += scaled[n] * scaled[n];
        length += v[k] * v[k];
        if (v[k] != 0 && !is_length(*s.m, k)) heading.is_length = false;
        ++n;
    }
    if (!(size > 0)) return false;
    heading.rows = {nullptr, 0, variables, n};
    heading.length = sqrt(length);
    heading.per_step = heading.length / sqrt(size);
    draw_line(s, heading.rows, q, scaled, nullptr, -1, heading.line);
    return true;
}

inline double heading_distance(const Scaled& s, const Heading& heading, const double* q) {
    return line_along(s, heading.line, q) * heading.per_step;
}

// A curve of poses: those that keep the loops and a line (or null), followed by its tangent.
struct Curve {
    const Probe* p;
    const Line* line;
    bool hurry;  // where joints are to spare, go along the line with the least motion
};

// x = the direction at q most like a given one, its largest part 1; false if there is none.
inline bool curve_tangent(const Curve& c, const double* q, const double* like, double* x) {
    const Scaled& s = c.p->s;
    const int32_t nv = s.m->nv, loops = 6 * s.m->loop_count;
    Level level(*s.stack);
    const int32_t rows = loops + (c.line ? c.line->across_count : 0);
    double *J = s.stack->reals((int64_t)rows * nv), *N = s.stack->reals((int64_t)nv * nv);
    double *parts = s.stack->reals(nv), *ahead = s.stack->reals(nv);
    scaled_loops(s, q, J);
    if (c.line != nullptr) line_jacobian(s, *c.line, q, J + (int64_t)loops * nv);
    const int32_t count = null_basis(*s.stack, J, rows, nv, c.line ? -1 : c.p->loop_rank, N);
    if (c.line != nullptr && c.hurry && count > 1) {
        line_ahead(s, *c.line, q, ahead);
        project(N, nv, count, ahead, parts, x);
        if (sqrt(dot(parts, parts, count)) > PROGRESS) like = ahead;
    }
    project(N, nv, count, like, parts, x);
    const double top = largest_part(x, nv);
    if (!(top > 1e-9)) return false;
    scale_all(x, nv, 1 / top);
    return true;
}

// out = the pose of the curve at a share of the way from q0 to q1; false where there is none.
inline bool curve_between(const Curve& c, const double* q0, const double* q1, double share,
                          double* out) {
    const Scaled& s = c.p->s;
    Level level(*s.stack);
    double* x = s.stack->reals(s.m->nv);
    scaled_between(s, q0, q1, x);
    scaled_move(s, q0, x, share, out);
    return close_pose(s, c.line, out);
}

// Moves q and the tangent one step on, at most `step` (scaled); h is the present step. False where
// the curve is lost.
inline bool follow_curve(const Curve& c, double step, double& h, double* q, double* tangent) {
    const Scaled& s = c.p->s;
    const int32_t nv = s.m->nv;
    Level level(*s.stack);
    double *x = s.stack->reals(nv), *moved = s.stack->reals(nv), *there = s.stack->reals(s.m->nq);
    if (!curve_tangent(c, q, tangent, x)) return false;
    for (;;) {
        scaled_move(s, q, x, h, there);
        bool good = close_pose(s, c.line, there);
        if (good) {
            // a jump to elsewhere shows as a step that is longer than asked for, or goes elsewhere
            scaled_between(s, q, there, moved);
            for (int32_t k = 0; k < nv && good; ++k) good = fabs(moved[k] - h * x[k]) <= 0.3 * h;
        }
        if (good) break;
        h /= 2;
        if (h < SHORTEST_STEP) return false;
    }
    copy_all(q, there, s.m->nq);
    const double top = largest_part(moved, nv);
    for (int32_t k = 0; k < nv; ++k) tangent[k] = moved[k] / top;
    h = fmin(step, 1.5 * h);
    return true;
}

// What is seen at one pose of a heading.
struct Look {
    double* q;
    double distance[2];
    double* signs;
};

// Marks joints that are outside their limits at q; returns how many of them are not marked in
// `known`.
inline int32_t mark_beyond(const Model& m, const double* q, const int32_t* known, int32_t* marked) {
    int32_t count = 0;
    for (int32_t j = 0; j < m.joint_count; ++j) {
        const int32_t type = m.joint_type[j];
        bool outside = has_swing_limit(m, j) && swing_angle(q + m.joint_q[j]) >
                                                    m.upper[m.joint_v[j]] + tolerance::LIMIT_SLACK;
        for (int32_t k = 0; k < JOINT_NV[type] && JOINT_NQ[type] == JOINT_NV[type]; ++k) {
            const double value = q[m.joint_q[j] + k];
            outside = outside || value < m.lower[m.joint_v[j] + k] - tolerance::LIMIT_SLACK ||
                      value > m.upper[m.joint_v[j] + k] + tolerance::LIMIT_SLACK;
        }
        marked[j] = outside;
        count += outside && !(known != nullptr && known[j]);
    }
    return count;
}

// What lies ahead on a heading.
struct Ahead {
    int32_t end;
    double distance;      // way to it, or how far was looked, in the heading's unit
    double distances[2];  // of the pose that was found
    int32_t path_count;
};

// Narrows a change of sign of value number i between two looks down by regula falsi, the standing
// end's value halved (the Illinois variant); the pose's share of the way, or -1.
inline double narrow_sign(const Curve& c, const BranchSigns& signs, const Look& a, const Look& b,
                          int32_t i) {
    ScratchStack& stack = *c.p->s.stack;
    Level level(stack);
    double *q = stack.reals(c.p->s.m->nq), *values = stack.reals(signs.count);
    double low = 0, high = 1, f_low = a.signs[i], f_high = b.signs[i], share = 0;
    for (int32_t n = 0; n < 60; ++n) {
        share = (low * f_high - high * f_low) / (f_high - f_low);
        if (!curve_between(c, a.q, b.q, share, q)) return -1;
        sign_values(*c.p, signs, q, values);
        const double value = values[i];
        if (fabs(value) < 1e-12 || fabs(high - low) < 1e-13) break;
        if (value * f_high < 0) {
            low = high;
            f_low = f_high;
        } else {
            f_low /= 2;
        }
        high = share;
        f_high = value;
    }
    return share;
}

// The pose within three looks where a distance is smallest, by golden section; false if lost.
inline bool narrow_dip(const Curve& c, const Look* looks, int32_t kind, double near, double* q) {
    const auto at = [&](double t, double* out) {
        const int32_t first = t < 1 ? 0 : 1;
        return curve_between(c, looks[first].q, looks[first + 1].q, t - first, out);
    };
    const auto value = [&](double t) {
        double both[2] = {0, 0};
        if (!at(t, q)) return (double)INFINITY;
        distances(*c.p, q, nullptr, nullptr, both);
        return both[kind];
    };
    double low = 0, high = 2 - 1e-12;
    double left = high - GOLDEN * (high - low), right = low + GOLDEN * (high - low);
    double f_left = value(left), f_right = value(right);
    // slopes of a distance are at most about the change of a look per look
    const double slope = 4 * fmax(fabs(looks[0].distance[kind] - looks[1].distance[kind]),
                                  fabs(looks[2].distance[kind] - looks[1].distance[kind]));
    while (high - low > 1e-9) {
        // a dip that can no longer come near enough is not worth more looks
        if (fmin(f_left, f_right) - slope * (high - low) > fmax(near, tolerance::SINGULAR))
            return false;
        if (f_left < f_right) {
            high = right;
            right = left;
            f_right = f_left;
            left = high - GOLDEN * (high - low);
            f_left = value(left);
        } else {
            low = left;
            left = right;
            f_left = f_right;
            right = low + GOLDEN * (high - low);
            f_right = value(right);
        }
    }
    return at((low + high) / 2, q);
}

struct SearchOptions {
    double reach;  // how far to look, in the heading's unit
    bool limits;   // whether to stop at joint limits
    double step;   // largest scaled move between looks
    double near;   // poses that pass a singular one within this distance count; 0: exact ones only
};

// Follows a heading from q until something singular is met. path: LOOK_LIMIT + 3 poses.
inline void search_along(const Probe& p, const BranchSigns& signs, const Heading& heading,
                         const double* q, const SearchOptions& o, double* path, Ahead& ahead) {
    const Model& m = *p.s.m;
    ScratchStack& stack = *p.s.stack;
    Level level(stack);
    const Curve curve = {&p, &heading.line, true};
    Look looks[3];
    for (Look& look : looks) {
        look.q = stack.reals(m.nq);
        look.signs = stack.reals(signs.count);
    }
    double *here = stack.reals(m.nq), *tangent = stack.reals(m.nv), *candidate = stack.reals(m.nq);
    double* shares = stack.reals(signs.count + 1);
    int32_t *outside = stack.ints(m.joint_count), *beyond = stack.ints(m.joint_count);
    const auto take = [&](Look& look) {
        copy_all(look.q, here, m.nq);
        distances(p, here, nullptr, nullptr, look.distance);
        sign_values(p, signs, here, look.signs);
    };
    const auto add = [&](const double* pose) {
        copy_all(path + (int64_t)ahead.path_count++ * m.nq, pose, m.nq);
        ahead.distance = heading_distance(p.s, heading, pose);
    };
    // whether a candidate is singular, or near enough
    const auto accept = [&] {
        double both[2];
        distances(p, candidate, nullptr, nullptr, both);
        if (!(fmin(both[0], both[1]) < fmax(tolerance::SINGULAR, o.near))) return false;
        copy_all(ahead.distances, both, 2);
        add(candidate);
        ahead.end = END_FOUND;
        return true;
    };

    copy_all(here, q, m.nq);
    ahead.path_count = 0;
    add(here);
    int32_t known = 1;
    take(looks[2]);
    mark_beyond(m, q, nullptr, outside);  // joints that are outside already may continue
    ahead.end = END_FOUND;
    for (int kind = 0; kind < 2; ++kind) ahead.distances[kind] = looks[2].distance[kind];
    if (fmin(ahead.distances[0], ahead.distances[1]) < tolerance::SINGULAR) return;

    line_ahead(p.s, heading.line, q, tangent);
    double h = o.step, farthest = 0;
    int32_t last_gain = 0;
    while (follow_curve(curve, o.step, h, here, tangent)) {
        const Look oldest = looks[0];
        looks[0] = looks[1];
        looks[1] = looks[2];
        looks[2] = oldest;
        take(looks[2]);
        ++known;
        // changes of sign, nearest first
        int32_t changes = 0;
        for (int32_t i = 0; i < signs.count; ++i) {
            if (!(looks[1].signs[i] * looks[2].signs[i] < 0)) continue;
            const double share = narrow_sign(curve, signs, looks[1], looks[2], i);
            int32_t place = changes++;
            for (; place > 0 && shares[place - 1] > share; --place)
                shares[place] = shares[place - 1];
            shares[place] = share;
        }
        for (int32_t i = 0; i < changes; ++i)
            if (shares[i] >= 0 &&
                curve_between(curve, looks[1].q, looks[2].q, shares[i], candidate) && accept())
                return;
        // dips of either distance
        for (int kind = 0; kind < 2 && known > 2; ++kind) {
            const double middle = looks[1].distance[kind];
            if (middle < looks[0].distance[kind] && middle <= looks[2].distance[kind] &&
                middle < WORTH_A_LOOK && narrow_dip(curve, looks, kind, o.near, candidate) &&
                accept())
                return;
        }
        add(here);
        if (stack.overflow) return;
        if (fmin(looks[2].distance[0], looks[2].distance[1]) < HIT_VALUE) {
            copy_all(ahead.distances, looks[2].distance, 2);
            ahead.end = END_FOUND;
            return;
        }
        if (ahead.path_count > LOOK_LIMIT || fabs(ahead.distance) >= o.reach) {
            ahead.end = END_REACH;
            return;
        }
        if (ahead.distance > farthest + 1e-6 * o.reach) {
            farthest = ahead.distance;
            last_gain = ahead.path_count;
        } else if (ahead.path_count > last_gain + PATIENCE) {
            ahead.end = END_NO_FURTHER;
            return;
        }
        if (o.limits && mark_beyond(m, here, outside, beyond) > 0) {
            ahead.end = END_LIMIT;
            return;
        }
    }
    ahead.end = END_LOST;
}

}  // namespace kinegen
