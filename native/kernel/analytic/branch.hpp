// One branch of the closed-form inverse: waist, hand, elbow, wrist, in this order.
//
// Canonical frame A: z along the waist axis, -y along the parallel axes when the waist is at zero.
// C is the point the first three joints carry to its place: where the wrist's axes meet, or a point
// of link 4. The arm's plane is that of x and z, turned by the waist; angles in it go from x to z.
#pragma once

#include "kernel/analytic/arm.hpp"

namespace kinegen::analytic {

// The joints' canonical angles.
struct Posture {
    double waist, upper, bend, psi;  // psi: turn of link 4 in the arm's plane
    double euler[3];
    int32_t flags;
};

// The bar from the fourth axis to C, and C's offset from the arm's plane.
struct Hand {
    double side, length, angle;
};

// What all steps of a branch share.
struct Branch {
    const Arm& arm;
    const Hand& hand;
    const double* R_AO;  // the target's rotation in A, led through to the last axis
    const double* seed;  // canonical angles: waist, upper, psi, first of the wrist
    bool back, down, flip;
    bool follows;  // whether the hand's angle follows from R_AO; if not, it is `psi`
    double psi;
    bool gives_way;  // whether the hand turns further to bring the position within reach
};

// The rotation left to the wrist: M = inlet · Ry(pitch) Rz(-waist) R_AO.
inline void wrist_rotation(const Branch& b, double waist, double pitch, double* M) {
    const double cw = cos(waist), sw = sin(waist), cp = cos(pitch), sp = sin(pitch);
    double turned[9];
    for (int k = 0; k < 3; ++k) {
        const double x = cw * b.R_AO[k] + sw * b.R_AO[3 + k], z = b.R_AO[6 + k];
        turned[k] = cp * x + sp * z;
        turned[3 + k] = cw * b.R_AO[3 + k] - sw * b.R_AO[k];
        turned[6 + k] = cp * z - sp * x;
    }
    for (int i = 0; i < 3; ++i) {
        const double* row = b.arm.inlet + 3 * i;
        for (int k = 0; k < 3; ++k)
            M[3 * i + k] = row[0] * turned[k] + row[1] * turned[3 + k] + row[2] * turned[6 + k];
    }
}

// Angles of M = Rz(a) Rx(twist 1) Rz(b) Rx(twist 2) Rz(c); with two axes M = Rz(a) Rx(twist 1)
// Rz(c), with one Rz(c). A rotation that they cannot give: the last axis' direction first, then the
// best turn about it. `seed` stands for `a` where the first and the last axis line up, or always if
// it is `held`.
inline void wrist_angles(const Branch& b, const double* M, double seed, bool held,
                         Posture& posture) {
    const Arm& arm = b.arm;
    const double c1 = arm.twist[0], s1 = arm.twist[1], c2 = arm.twist[2], s2 = arm.twist[3];
    double Q[6] = {1, 0, 0, 1, 0, 0};  // first two columns of all that stands before Rz(c)
    if (arm.axes > 1) {
        // middle angle from the tilt of the last axis against the first
        const double level = M[2] * M[2] + M[5] * M[5];
        double cb = 1, sb = 0, v0 = 0, v1 = -s1, line = sqrt(level);
        if (arm.axes == 3) {
            cb = (c1 * c2 - M[8]) / (s1 * s2);
            const double t = c1 * s2 * cb + s1 * c2, square = level - t * t;
            sb = square > 0 ? sqrt(square) / s2 : 0;
            const double length = sqrt(cb * cb + sb * sb);
            cb /= length;
            sb /= b.flip ? -length : length;
            posture.euler[1] = atan2(sb, cb);
            if (fabs(sb) < WRIST_FREE) posture.flags |= MERGED_FLIP;
            // the last axis as it stands before the first turn
            v0 = s2 * sb;
            v1 = -(c1 * s2 * cb + s1 * c2);
            line = sqrt(v0 * v0 + v1 * v1);
        }
        // first angle from the direction of the last axis
        if (line < SINGULAR_SINE) posture.flags |= SINGULAR_WRIST;
        if (line < WRIST_FREE) posture.flags |= FREE_WRIST;
        const bool free = held || line < WRIST_FREE;
        const double a = free ? seed : atan2(M[5] * v0 - M[2] * v1, M[2] * v0 + M[5] * v1);
        posture.euler[0] = a;
        const double ca = cos(a), sa = sin(a);
        const double first[9] = {ca, -sa * c1, sa * s1, sa, ca * c1, -ca * s1, 0, s1, c1};
        for (int i = 0; i < 3; ++i) {
            const double* row = first + 3 * i;
            Q[2 * i] = cb * row[0] + sb * row[1];
            const double across = cb * row[1] - sb * row[0];
            Q[2 * i + 1] = arm.axes == 3 ? c2 * across + s2 * row[2] : across;
        }
    }
    // last angle: the best turn that remains
    double sine = 0, cosine = 0;
    for (int i = 0; i < 3; ++i) {
        cosine += Q[2 * i] * M[3 * i] + Q[2 * i + 1] * M[3 * i + 1];
        sine += Q[2 * i + 1] * M[3 * i] - Q[2 * i] * M[3 * i + 1];
    }
    const bool undecided = sine * sine + cosine * cosine < WRIST_FREE * WRIST_FREE;
    posture.euler[arm.axes - 1] = undecided ? (arm.axes == 1 ? seed : 0) : atan2(sine, cosine);
}

// Turns the waist until C has the arm's side offset and gives C's distance x along the arm; false
// when C is nearer to the waist axis than the offset.
inline bool turn_waist(const Branch& b, const double* centre, Posture& posture, double& x) {
    const double side = b.hand.side, size = b.arm.size;
    const double rho = sqrt(centre[0] * centre[0] + centre[1] * centre[1]);
    const double square = (rho - fabs(side)) * (rho + fabs(side));
    x = square > 0 ? sqrt(square) : 0;
    if (x < SINGULAR_SINE * size) posture.flags |= SINGULAR_SHOULDER;
    if (fabs(side) > TINY * size) {
        if (x < MERGE * size) {
            x = 0;
            posture.flags |= MERGED_SIDE;
        }
    } else if (rho < TINY * size) {
        // on the axis any turn will do
        posture.waist = b.back ? b.seed[0] + PI : b.seed[0];
        return true;
    }
    if (b.back) x = -x;
    posture.waist = atan2(centre[1] * x - centre[0] * side, centre[0] * x + centre[1] * side);
    return fabs(side) - rho <= REACH * size;
}

// By how much a distance from the shoulder is too long (positive) or too short (negative).
inline double excess(const Arm& arm, double D) {
    const double longest = arm.shape[UPPER] + arm.shape[FORE];
    const double shortest = fabs(arm.shape[UPPER] - arm.shape[FORE]);
    return D > longest ? D - longest : (D < shortest ? D - shortest : 0);
}

// Bends the two bars until their end is at (X, Z) from the shoulder, or stretches or folds them
// towards it. Bend 0 is the stretched arm.
inline void bend_elbow(const Branch& b, double X, double Z, Posture& posture) {
    const double upper = b.arm.shape[UPPER], fore = b.arm.shape[FORE];
    const double D = sqrt(X * X + Z * Z), longest = upper + fore, shortest = fabs(upper - fore);
    // 2 · upper · fore · (1 ∓ cos bend), in a form that does not cancel at the ends
    double open = (longest - D) * (longest + D), shut = (D - shortest) * (D + shortest);
    if (open < 0) open = 0;
    if (shut < 0) shut = 0;
    const double cosine = (shut - open) / (shut + open);
    double sine = 2 * sqrt(shut * open) / (shut + open);
    if (sine < SINGULAR_SINE) posture.flags |= SINGULAR_ELBOW;
    if (sine < MERGE) {
        sine = 0;
        posture.flags |= MERGED_ELBOW;
    } else if (b.down == b.back) {
        sine = -sine;
    }
    posture.bend = atan2(sine, cosine);
    const double along = upper + fore * cosine, across = fore * sine;
    posture.upper =
        D < TINY * b.arm.size ? b.seed[1] : atan2(Z * along - X * across, X * along + Z * across);
}

// C from the shoulder in the plane of the arm, and across it, for any turn of the waist.
inline void in_plane(const Arm& arm, const double* centre, double waist, double& X, double& y,
                     double& Z) {
    const double c = cos(waist), s = sin(waist);
    X = c * centre[0] + s * centre[1] - arm.shape[WAIST];
    y = c * centre[1] - s * centre[0];
    Z = centre[2];
}

// The angle nearest to psi for which the fourth axis is within reach of the elbow, else the one
// that brings it nearest, when the hand may turn freely about C at (X, Z) from the shoulder.
inline double free_hand(const Branch& b, double X, double Z, double psi) {
    const double v = sqrt(X * X + Z * Z), length = b.hand.length, product = 2 * v * length;
    if (product < TINY * b.arm.size * b.arm.size) return psi;
    const double middle = atan2(Z, X);
    double turn = psi + b.hand.angle - middle;
    turn -= 2 * PI * rint(turn / (2 * PI));
    const double squares = v * v + length * length, D = sqrt(squares - product * cos(turn));
    const double wanted = D - excess(b.arm, D);
    if (wanted == D) return psi;
    const double cosine = (squares - wanted * wanted) / product;
    const double angle = cosine > 1 ? 0 : (cosine < -1 ? PI : acos(cosine));
    return middle - b.hand.angle + (turn < 0 ? -angle : angle);
}

// Turns the hand as the orientation asks, for the waist's turn in `posture`.
inline void turn_hand(const Branch& b, const double* centre, Posture& posture) {
    if (!b.follows) {
        posture.psi = b.psi;
        return;
    }
    double M[9];
    wrist_rotation(b, posture.waist, 0, M);
    wrist_angles(b, M, b.seed[2], false, posture);
    posture.psi = posture.euler[0];
    if (b.gives_way || ((posture.flags & FREE_WRIST) && b.arm.axes == 3)) {
        double X, y, Z;
        in_plane(b.arm, centre, posture.waist, X, y, Z);
        posture.psi = free_hand(b, X, Z, posture.psi);
        if (b.arm.axes > 1) wrist_angles(b, M, posture.psi, true, posture);
    }
}

// How fast psi must change with the waist so that a wrist of three axes keeps its orientation:
// w · (h5 × h6) / (h4 · h5 × h6), where w is the turn about -z of A.
inline double hand_rate(const Branch& b, const Posture& posture) {
    const Arm& arm = b.arm;
    if (!b.follows || arm.axes < 3) return 0;
    const double c1 = arm.twist[0], s1 = arm.twist[1], c2 = arm.twist[2], s2 = arm.twist[3];
    const double ca = cos(posture.psi), sa = sin(posture.psi);
    const double cb = cos(posture.euler[1]), sb = sin(posture.euler[1]);
    const double u = s2 * sb, v = -(c1 * s2 * cb + s1 * c2), w = c1 * c2 - s1 * s2 * cb;
    const double h5[3] = {sa * s1, -ca * s1, c1};
    const double h6[3] = {ca * u - sa * v, sa * u + ca * v, w};
    double normal[3];
    cross3(h5, h6, normal);
    const double turn[3] = {-arm.inlet[2], -arm.inlet[5], -arm.inlet[8]};
    return fabs(normal[2]) < SINGULAR_SINE ? 0 : dot3(turn, normal) / normal[2];
}

// Half the derivative, by the waist's turn, of the squared distance between C and the nearest place
// to which the arm can carry it with that turn, the orientation held.
inline double slope(const Branch& b, const double* centre, double waist) {
    Posture posture{};
    double X, y, Z;
    posture.waist = waist;
    in_plane(b.arm, centre, waist, X, y, Z);
    const double x = X + b.arm.shape[WAIST];
    double hand_x = 0, hand_z = 0, rate = 0;
    if (b.arm.family == PARALLEL) {
        turn_hand(b, centre, posture);
        rate = hand_rate(b, posture);
        hand_x = b.hand.length * cos(posture.psi + b.hand.angle);
        hand_z = b.hand.length * sin(posture.psi + b.hand.angle);
    }
    X -= hand_x;
    Z -= hand_z;
    const double D = sqrt(X * X + Z * Z);
    const double outward = X * (y + hand_z * rate) - Z * hand_x * rate;
    const double pull = D > TINY * b.arm.size ? excess(b.arm, D) * outward / D : 0;
    return pull - (y - b.hand.side) * x;
}

// The waist's turn near the given one where the slope passes upwards through zero: there the arm
// comes nearest to a point out of its reach. A bracket, then the Illinois rule.
inline double nearest_waist(const Branch& b, const double* centre, double waist) {
    const double zero = ROUNDING * b.arm.size * b.arm.size;
    const double here = slope(b, centre, waist);
    if (fabs(here) <= zero) return waist;
    const double side = here > 0 ? -1 : 1;
    double inner = waist, outer = waist, at_inner = here, at_outer = here, step = 0.02;
    while (at_outer * here > 0) {
        if (step > PI) return waist;
        inner = outer;
        at_inner = at_outer;
        outer = waist + side * step;
        at_outer = slope(b, centre, outer);
        step *= 1.5;
    }
    for (int i = 0; i < 100 && fabs(at_outer) > zero; ++i) {
        double next = (inner * at_outer - outer * at_inner) / (at_outer - at_inner);
        const bool inside = (next - inner) * (next - outer) < 0;
        if (!inside) next = 0.5 * (inner + outer);
        if (next == inner || next == outer) break;
        const double value = slope(b, centre, next);
        if (value * at_outer <= 0) {
            inner = outer;
            at_inner = at_outer;
        } else {
            at_inner *= 0.5;
        }
        outer = next;
        at_outer = value;
    }
    return outer;
}

// A branch half way: what two branches share. WRIST: C is in its place, for both turns of the
// wrist, the plain one first. PARALLEL: the hand is turned, for both elbows.
struct Half {
    Posture posture;
    double X, Z;  // from the shoulder to the end of the two bars
    double M[9];  // left to the wrist
    bool reached;
};

// The first half; not reached when C's place is out of reach and the nearest is not asked for.
inline void begin_branch(const Branch& b, const double* centre, bool nearest, Half& half) {
    const Arm& arm = b.arm;
    Posture& posture = half.posture;
    posture = Posture{};
    half.reached = turn_waist(b, centre, posture, half.X) || nearest;
    if (!half.reached) return;
    if (nearest) {
        double y;
        posture.waist = nearest_waist(b, centre, posture.waist);
        in_plane(arm, centre, posture.waist, half.X, y, half.Z);
    } else {
        half.X -= arm.shape[WAIST];
        half.Z = centre[2];
    }
    if (arm.family == PARALLEL) {
        turn_hand(b, centre, posture);
        half.X -= b.hand.length * cos(posture.psi + b.hand.angle);
        half.Z -= b.hand.length * sin(posture.psi + b.hand.angle);
    }
    const double D = sqrt(half.X * half.X + half.Z * half.Z);
    half.reached = nearest || fabs(excess(arm, D)) <= REACH * arm.size;
    if (arm.family == PARALLEL || !half.reached) return;
    bend_elbow(b, half.X, half.Z, posture);
    const double pitch = posture.upper + posture.bend - arm.shape[FORE_ANGLE];
    if (arm.axes > 0) wrist_rotation(b, posture.waist, pitch, half.M);
}

// The second half: all angles. False when there are none, or another branch stands for this one.
inline bool finish_branch(const Branch& b, Half& half, Posture& posture) {
    if (!half.reached) return false;
    if (b.arm.family == PARALLEL) {
        posture = half.posture;
        bend_elbow(b, half.X, half.Z, posture);
    } else if (b.flip && b.arm.twist[0] == 0 && b.arm.twist[2] == 0) {
        // a square wrist flips by half turns; its first turn is in the half branch
        posture = half.posture;
        posture.euler[0] += PI;
        posture.euler[1] = -posture.euler[1];
        posture.euler[2] += PI;
    } else {
        if (b.arm.axes > 0) wrist_angles(b, half.M, b.seed[3], false, half.posture);
        posture = half.posture;
    }
    return !((b.back && (posture.flags & MERGED_SIDE)) ||
             (b.down && (posture.flags & MERGED_ELBOW)) ||
             (b.flip && (posture.flags & MERGED_FLIP)));
}

// Joint values of canonical angles.
inline void to_joints(const Arm& arm, const Posture& posture, double* q) {
    const double pitch = posture.upper + posture.bend - arm.shape[FORE_ANGLE];
    q[0] = arm.sign[0] * posture.waist;
    q[1] = arm.sign[1] * (posture.upper - arm.shape[UPPER_ANGLE]);
    q[2] = arm.sign[2] * (pitch - posture.upper + arm.shape[UPPER_ANGLE]);
    int32_t i = 0;
    if (arm.family == PARALLEL) {
        q[3] = arm.sign[3] * (posture.psi - pitch);
        i = 1;
    }
    for (; i < arm.axes; ++i) {
        const double offset = arm.axes == 3 && i == 1 ? arm.offset[0] : 0;
        q[3 + i] = arm.sign[3 + i] * (posture.euler[i] - offset);
    }
}

// The canonical angles that a seed decides: waist, upper, psi, first of the wrist.
inline void seed_angles(const Arm& arm, const double* q, double* seed) {
    const double fourth = arm.joints > 3 ? arm.sign[3] * q[3] : 0;
    seed[0] = arm.sign[0] * q[0];
    seed[1] = arm.sign[1] * q[1] + arm.shape[UPPER_ANGLE];
    seed[2] = arm.sign[1] * q[1] + arm.sign[2] * q[2] + fourth;
    seed[3] = fourth;
}

}  // namespace kinegen::analytic
