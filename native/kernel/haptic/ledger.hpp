// The hand's account of energy [J]. What the hand gave is either still its own (balance), or kept
// back, or the mechanism has got it: total = balance + kept + got - forgiven. No force may take the
// balance below -reserve, and got never falls below what the mechanism may supply by itself. So
// whatever the packets say, the hand gets no more than reserve + supply.
// kernels/reference/haptic/ledger.py is the same.
#pragma once

namespace kinegen {

// The supply that a mechanism may have saved up [s].
constexpr double SUPPLY_TIME = 0.1;

struct HapticLedger {
    double total = 0;     // H: what the hand gave
    double balance = 0;   // what it may take back
    double kept = 0;      // what it may not; the mechanism may say that it got it
    double got = 0;       // what the mechanism has got of it; below zero: it supplied
    double floor = 0;     // of got
    double base = 0;      // where the mechanism's own count began
    double reported = 0;  // M: that count
    double forgiven = 0;  // debts that nobody pays

    void give(double energy) {
        total += energy;
        balance += energy;
    }
    // The mechanism's count; with is_restart it starts at any number.
    void report(double count, bool is_restart) {
        if (is_restart) base = count - got;
        reported = count;
    }
    // Takes over what the mechanism reported, as far as it can be true.
    void settle(double reserve, double power, double seconds) {
        if (got - floor < power * SUPPLY_TIME) floor -= power * seconds;
        const double target = reported - base;
        if (target > got) {
            const double want = target - got, old = want < kept ? want : kept;
            const double left = want - old, room = balance + reserve > 0 ? balance + reserve : 0;
            const double fresh = left < room ? left : room;
            kept -= old;
            balance -= fresh;
            got += old + fresh;
        } else {
            const double back = got - (target > floor ? target : floor);
            if (back > 0) {
                got -= back;
                balance += back;
            }
        }
    }
    // Whether the hand got more than it may have, which no device does that is right about its
    // place; the debt is then forgiven as far as a limit, for no force would ever pay it back.
    bool is_overdrawn(double least, double slack) {
        if (balance >= least - slack) return false;
        forgiven += least - balance;
        balance = least;
        return true;
    }
    // What the hand may take back is at most this.
    void keep(double most) {
        if (balance > most) {
            kept += balance - most;
            balance = most;
        }
    }
};

}  // namespace kinegen
