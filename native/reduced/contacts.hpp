// Contacts of the reduced engine: their shapes and memory, for the bindings and exported units.
#pragma once

#include <memory>
#include <vector>

#include "contact/own_shapes.hpp"
#include "kernel/reduced/contacts.hpp"
#include "reduced/machine.hpp"

namespace kinegen {

// Per contact that is kept for later: point, normal, distance, impulses.
constexpr int64_t KEPT_CONTACT = 7 + CONTACT_ROWS;

class ReducedTouching {
public:
    explicit ReducedTouching(ReducedEngine& engine) : engine_(engine) {}
    ReducedTouching(const ReducedTouching&) = delete;
    ReducedTouching& operator=(const ReducedTouching&) = delete;

    bool are_found() const { return shapes_ != nullptr; }

    // Lets bodies touch in all steps from now on: shapes, how far those of each link reach from its
    // origin, and the least distance from which on they count.
    void touch(std::unique_ptr<OwnShapes> shapes, std::vector<double> reach, double margin);
    // Whether steps that begin with bodies that press on each other are semi-implicit ones, with
    // another opening at which they are repeated.
    void ease(bool eases, double refine) {
        eases_ = eases;
        easy_refine_ = refine;
    }
    // The integrator and the opening of steps in which no bodies press on each other.
    void set(int32_t integrator, double refine) {
        integrator_ = integrator;
        refine_ = refine;
    }
    // A motion begins: there was no step before.
    void forget() { source_.known = found_ = touches_.held_known = 0; }

    // Runs steps; before and after each, contacts do what they do.
    int64_t run(int64_t steps, double& trial, RunStopper stop);

    // Contacts of the last step, and what each did to link b over it (6), world axes: impulse, and
    // its moment beside that of its arm.
    int32_t count() const { return found_; }
    const ContactList& list() const;
    void impulse(int32_t contact, double* out) const;
    int32_t shape_count() const { return shapes_ ? shapes_->shapes.count : 0; }
    int32_t link_of(int32_t shape) const { return shapes_->shapes.link(shape); }

    // What the next step begins with: of the last step's contacts pairs of shapes, and rows of
    // KEPT_CONTACT numbers; of its stops and dry friction their place and impulse.
    const int32_t* kept_pairs() const { return known_shapes_.data(); }
    std::vector<double> kept_rows() const;
    int32_t held_count() const { return touches_.held_known; }
    std::vector<double> kept_held() const;
    void resume(int32_t count, const int32_t* pairs, const double* rows);
    void resume_held(int32_t count, const double* rows);

    // Contacts after a step, given from outside, with impulses of 0: memory, and what they do.
    void make_touches(int32_t count, Touches& c);
    void meet_given(Touches& c);

    const Model& model() const { return *engine_.system.tree.model; }

private:
    // Before a step: what it starts with, and its order.
    void choose_order();
    // After a step: finds contacts where it ended, and lets them push.
    void meet_found();

    ReducedEngine& engine_;
    std::unique_ptr<OwnShapes> shapes_;
    TouchSource source_{};
    Touches touches_{};
    int32_t found_ = 0, integrator_ = 0;
    bool eases_ = false;
    double refine_ = 0, easy_refine_ = 0;
    std::vector<HeldGuess> held_;
    std::vector<double> reach_, v_start_, surfaces_, known_impulses_, touch_reals_;
    std::vector<int32_t> known_shapes_, link_a_found_, link_b_found_, touch_ints_;
};

}  // namespace kinegen
