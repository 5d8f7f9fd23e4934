"""A small custom panel: a choice, sliders, a checkbox and a button that change a mechanism."""

from __future__ import annotations

import os

import kinegen as kg

with kg.show("four-bar", name="panel") as view:
    has_page = not os.environ.get("KINEGEN_NO_BROWSER")
    if has_page:
        view.wait_for_page()
    home = dict(view.parameters)
    which = view.choice("Link", ["crank", "coupler", "rocker"])
    length = view.slider("Length", 0.05, 0.35, value=home["crank"], unit="m")
    traced = view.checkbox("Trace the handle", True)
    reset = view.button("Reset")
    done = view.button("Done")
    kind = view.readout("Grashof")
    view.trace("handle", name="way")

    def look() -> None:
        """Show whether the shortest link can turn fully (Grashof's condition)."""
        bars = sorted(view.parameters[name] for name in ("crank", "coupler", "rocker", "ground"))
        kind.value = "yes" if bars[0] + bars[3] <= bars[1] + bars[2] else "no"

    @which.on_change
    def chosen(name: str) -> None:
        """Show the length of another link."""
        length.value = view.parameters[name]

    @length.on_change
    def changed(value: float) -> None:
        """Change the chosen link in the text."""
        try:
            view.parameters[which.value] = value
        except kg.errors.KinegenError as error:  # bars that cannot form a loop
            kind.value = str(error)
        else:
            look()

    @traced.on_change
    def switched(on: bool) -> None:
        """Switch the trace; an item with the same name replaces the previous one."""
        trace = view.trace("handle", name="way")
        if not on:
            trace.remove()

    @reset.on_press
    def back() -> None:
        """Restore all lengths."""
        view.parameters.set(home)
        length.value = home[which.value]
        look()

    look()
    if has_page:
        done.wait()
    else:
        view.parameters["coupler"] = 0.38  # what a person would do with the slider
        look()
    result = kind.value
    print(f"coupler {view.parameters['coupler']:.3f} m: Grashof {result}")

assert has_page or result == "no"
