// The reduced engine with its memory, for whoever moves a model: the bindings and exported units.
#pragma once

#include <vector>

#include "kernel/reduced/engine.hpp"
#include "reduced/graph.hpp"

namespace kinegen {

// What a run asks between two steps whether to stop.
struct RunStopper {
    bool (*asks)(void*);
    void* of;
    bool operator()() const { return asks != nullptr && asks(of); }
};

// What is done before and after every step; nothing where there are no contacts.
struct StepContacts {
    void (*before)(void*);
    void (*after)(void*);
    void* of;
    void begin(ReducedEngine&) {
        if (before != nullptr) before(of);
    }
    void end(ReducedEngine&) {
        if (after != nullptr) after(of);
    }
};

// Runs steps; returns how many were run. A function of its own: the steps are long to compile.
int64_t run_engine(ReducedEngine& e, int64_t steps, double& trial, RunStopper stop,
                   StepContacts contacts);

class ReducedMachine {
public:
    ReducedMachine() = default;
    ReducedMachine(const ReducedMachine&) = delete;
    ReducedMachine& operator=(const ReducedMachine&) = delete;

protected:
    // Two memories: the tree is needed to count the rest. The model and the springs are there.
    void build();
    // Room for friction, ends of travel and springs of cut joints that the model got since.
    void make_room();
    // Rows again if lengths changed since: others may be empty now.
    void sift();
    // A motion begins: rows are weak against what they will be from here on.
    void forget_peaks();
    // How masses and loops are solved for: what takes the least work, unless it was chosen.
    void choose_method();
    // Points the engine to the springs.
    void point();

    // Begins a motion at q, v (nq, nv): closes the loops there. Returns whether they are closed.
    bool begin(const double* q, const double* v, double time);
    // Runs steps in which nothing touches; returns how many were run.
    int64_t run_steps(int64_t steps, RunStopper stop);
    // h c / m or h² k / m of the stiffest spring or damper here.
    double stiffness_here();
    // Goes back to a state, bit for bit: unlike begin(), nothing is closed.
    void go_back(const double* q, const double* v, const double* held_impulse, double time,
                 double work, double trial);

    std::vector<double> own_;  // the model's numbers
    Model model_;
    ReducedEngine engine_{};
    ReducedGraphMemory graph_;
    bool meets_ = false;  // whether bodies touch: that takes the matrices once a step
    int32_t held_ = 0;
    std::vector<int32_t> sprung_;  // cut joints that have rows for their springs
    double trial_ = 0;
    std::vector<int32_t> link_a_, link_b_;
    std::vector<double> points_a_, points_b_, numbers_;  // stiffness, damping, rest
    std::vector<double> seen_;                           // placements for which the rows are right
    std::vector<double> tree_reals_, reals_memory_;
    std::vector<int32_t> tree_ints_, ints_memory_;
    int32_t wanted_ = -1;  // method that was chosen, -1: none

private:
    // Cut joints with springs or dampers, by their couplings.
    std::vector<int32_t> sprung_cuts() const;
};

}  // namespace kinegen
