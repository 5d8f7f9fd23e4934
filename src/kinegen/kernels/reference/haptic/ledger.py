"""The hand's account of energy [J]: the same as native/kernel/haptic/ledger.hpp.

What the hand gave is either still its own (balance), or kept back, or the mechanism has got it:
total = balance + kept + got - forgiven. No force may take the balance below -reserve, and ``got``
never falls below what the mechanism may supply by itself. So whatever the packets say, the hand
gets no more than reserve + supply.
"""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["HapticLedger"]

SUPPLY_TIME = 0.1
"""The supply that a mechanism may have saved up [s]."""


@dataclass(slots=True)
class HapticLedger:
    """An account."""

    total: float = 0.0
    """H: what the hand gave."""
    balance: float = 0.0
    """What it may take back."""
    kept: float = 0.0
    """What it may not; the mechanism may say that it got it."""
    got: float = 0.0
    """What the mechanism has got of it; below zero: it supplied."""
    floor: float = 0.0
    """Of got."""
    base: float = 0.0
    """Where the mechanism's own count began."""
    reported: float = 0.0
    """M: that count."""
    forgiven: float = 0.0
    """Debts that nobody pays."""

    def give(self, energy: float) -> None:
        """The hand gave some."""
        self.total += energy
        self.balance += energy

    def report(self, count: float, is_restart: bool) -> None:
        """Take the mechanism's count; after a restart it may start at any number."""
        if is_restart:
            self.base = count - self.got
        self.reported = count

    def settle(self, reserve: float, power: float, seconds: float) -> None:
        """Take over what the mechanism reported, as far as it can be true."""
        if self.got - self.floor < power * SUPPLY_TIME:
            self.floor -= power * seconds
        target = self.reported - self.base
        if target > self.got:
            want = target - self.got
            old = min(want, self.kept)
            fresh = min(want - old, max(self.balance + reserve, 0.0))
            self.kept -= old
            self.balance -= fresh
            self.got += old + fresh
        else:
            back = self.got - max(target, self.floor)
            if back > 0:
                self.got -= back
                self.balance += back

    def is_overdrawn(self, least: float, slack: float) -> bool:
        """Whether the hand got more than it may have.

        No device does that is right about its place. The debt is then forgiven as far as a limit,
        for no force would ever pay it back.
        """
        if self.balance >= least - slack:
            return False
        self.forgiven += least - self.balance
        self.balance = least
        return True

    def keep(self, most: float) -> None:
        """Leave the hand at most this to take back."""
        if self.balance > most:
            self.kept += self.balance - most
            self.balance = most
