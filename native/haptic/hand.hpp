// A simulated hand: a mass held by a spring and a damper to a place that moves as a table says.
#pragma once

#include <stddef.h>

#include <vector>

namespace kinegen::python {

struct SimulatedHand {
    std::vector<double> table;  // rows: time, x, y, z
    double mass = 0.2, stiffness = 300, damping = 8;
    double x[3] = {}, v[3] = {};

    void wanted(double t, double* place, double* speed) const {
        const size_t rows = table.size() / 4;
        size_t i = 0;
        while (i + 1 < rows && table[4 * (i + 1)] <= t) ++i;
        for (int c = 0; c < 3; ++c) {
            place[c] = table[4 * i + 1 + c];
            speed[c] = 0;
        }
        if (i + 1 < rows && t > table[4 * i]) {
            const double span = table[4 * (i + 1)] - table[4 * i], s = (t - table[4 * i]) / span;
            for (int c = 0; c < 3; ++c) {
                const double rise = table[4 * (i + 1) + 1 + c] - place[c];
                place[c] += s * rise;
                speed[c] = rise / span;
            }
        }
    }
    void begin() { wanted(table[0], x, v); }
    void step(double t, double dt, const double* force) {
        double place[3], speed[3];
        wanted(t, place, speed);
        // implicit in the hand's own spring
        const double a = 1 + dt * (damping + dt * stiffness) / mass;
        for (int c = 0; c < 3; ++c) {
            const double f = force[c] + stiffness * (place[c] - x[c]) + damping * speed[c];
            v[c] = (v[c] + dt * f / mass) / a;
            x[c] += dt * v[c];
        }
    }
};

}  // namespace kinegen::python
