"""Environments for learning: steps per second of many at once, beside Gymnasium's MuJoCo ones.

Run ``python -m bench.world.gym [--rounds N] [--envs N] [--steps N]``. Each row is one mechanism
with the same task twice: Kinegen's vector environment (compiled, all cores), and a ``MujocoEnv`` of
the same mechanism, written to MJCF by Kinegen, in Gymnasium's ``SyncVectorEnv`` and
``AsyncVectorEnv``, of which the faster counts. Step (2 ms), steps per action (10), actions, the
size of an observation and the reward are the same; both hold random targets with position servos.
Rounds take turns, so that both see the same machine. On a busy machine the many processes of
``AsyncVectorEnv`` get more of it than one program: the ratio of the steps per second of processor
time, against ``SyncVectorEnv``, does not depend on that. Timing decides nothing: the bar is printed
as met or missed.

Below each ratio stands what it buys: how far the frame is, after each of ten random actions, from
where the same program puts it in steps of 0.05 ms. Ours is compared with ours and MuJoCo's with
MuJoCo's, so that differences between the models do not count; how large these are stands last. Both
sides have motors without limits of speed and without backlash, which MuJoCo's actuators cannot
have.
"""

from __future__ import annotations

import argparse
import re
import tempfile
import time
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import gymnasium
import numpy as np
from gymnasium.envs.mujoco import MujocoEnv

import kinegen as kg
from bench.kinematics.drag import verdict
from bench.support.notes import note
from kinegen.gym import Reach

BAR = 2.0
"""Times the steps per second of MuJoCo's environments."""
STEP, SKIP = 2e-3, 10
FINE = 5e-5
"""Step [s] of the runs that errors are measured against."""
MECHANISMS = {"so101": "tool", "five-bar": "handle", "stewart": "handle"}
"""With the frame that reaches; the last two have loops."""
MISSING = re.compile(r", (?:speed|no_load|backlash): [^,}]+")
"""What motors may have and position actuators of MuJoCo cannot."""


def shared(name: str) -> str:
    """The mechanism as both sides can have it: motors without limits of speed and without backlash.

    With them the two would not move alike: targets far away ask for more than a motor's speed.
    """
    return MISSING.sub("", kg.load(name).to_raff())


class MujocoReach(MujocoEnv):
    """The same task as a usual environment of Gymnasium."""

    metadata = {  # noqa: RUF012
        "render_modes": ["human", "rgb_array", "depth_array", "rgbd_tuple"],
        "render_fps": round(1 / (STEP * SKIP)),
    }

    def __init__(self, file: str, like: Reach) -> None:
        size = len(like.low)
        space = gymnasium.spaces.Box(-np.inf, np.inf, (size,), np.float64)
        super().__init__(file, SKIP, observation_space=space)
        self.goals, self.goal = like.goals, like.goals[0]
        self.site = self.model.site(like.frame).id
        self.acting = [self.model.actuator(name).id for name in like.actions.names]
        joints = self.model.actuator_trnid[self.acting, 0]
        self.places = self.model.jnt_qposadr[joints]
        self.speeds = self.model.jnt_dofadr[joints]
        self.least = like.actions.least
        self.span = like.actions.greatest - like.actions.least
        self.init_qpos = self.model.key_qpos[0].copy()
        self.held = self.init_qpos[self.model.jnt_qposadr[self.model.actuator_trnid[:, 0]]]
        self.action_space = gymnasium.spaces.Box(-1, 1, (len(joints),), np.float32)

    def step(self, action: np.ndarray) -> tuple[Any, ...]:
        """One action."""
        control = self.held.copy()
        control[self.acting] = self.least + (action + 1) / 2 * self.span
        self.do_simulation(control, self.frame_skip)
        tip = self.data.site_xpos[self.site]
        distance = float(np.linalg.norm(self.goal - tip))
        return self.seen(tip), -distance, False, False, {"distance": distance}

    def seen(self, tip: np.ndarray) -> np.ndarray:
        """An observation."""
        q, v = self.data.qpos[self.places], self.data.qvel[self.speeds]
        return np.concatenate([q, v, tip, self.goal - tip])

    def reset_model(self) -> np.ndarray:
        """Begin again."""
        self.set_state(self.init_qpos, self.init_qvel)  # type: ignore[no-untyped-call]
        self.goal = self.goals[self.np_random.integers(len(self.goals))]
        return self.seen(self.data.site_xpos[self.site])


def rate(env: Any, steps: int) -> tuple[float, float]:
    """Steps of single environments per second, and per second of this process, with resets."""
    env.action_space.seed(1)
    actions = [env.action_space.sample() for _ in range(16)]
    began, used = time.perf_counter(), time.process_time()
    for k in range(steps):
        env.step(actions[k % 16])
    count = steps * env.num_envs
    return count / (time.perf_counter() - began), count / (time.process_time() - used)


def peers(like: Reach, file: Path, text: str, envs: int) -> dict[str, Callable[[], Any]]:
    """Makers of the vector environments, ours first."""

    def single() -> gymnasium.Env[Any, Any]:
        return gymnasium.wrappers.TimeLimit(MujocoReach(str(file), like), 100)

    return {
        "kinegen": lambda: gymnasium.make_vec(
            "kinegen/Reach-v0", envs, "vector_entry_point", mechanism=text, frame=like.frame,
            step=STEP, frame_skip=SKIP,
        ),
        "mujoco sync": lambda: gymnasium.vector.SyncVectorEnv([single] * envs),
        "mujoco async": lambda: gymnasium.vector.AsyncVectorEnv([single] * envs),
    }  # fmt: skip


def written(like: Reach, folder: str) -> Path:
    """The mechanism for MuJoCo: same step and gains, position servos, its integrator for them."""
    import mujoco

    raw, file = Path(folder) / "raw.mjcf", Path(folder) / "servos.xml"
    kg.export(like.model.compiled_from, raw)  # servos take rotors in backlash from a model
    spec = mujoco.MjSpec.from_string(raw.read_text(encoding="utf-8"))
    spec.option.timestep = STEP
    spec.option.integrator = mujoco.mjtIntegrator.mjINT_IMPLICITFAST
    motors = like.batch.servos.motors
    for actuator in spec.actuators:
        i = like.model.joint(actuator.name).v.start
        actuator.set_to_position(kp=float(motors.kp[i]), kv=float(motors.kd[i]))
        actuator.ctrllimited = False
        if np.isfinite(motors.effort[i]):
            actuator.forcerange = [-motors.effort[i], motors.effort[i]]
    spec.compile()
    file.write_text(spec.to_xml(), encoding="utf-8")
    return file


def errors(like: Reach, file: Path, text: str) -> dict[str, np.ndarray]:
    """Distances [m] from a fine run after each action, of ours and of MuJoCo's environment.

    The last is that of the two fine runs: how far the two models are the same.
    """
    runs, actions = 16, 10
    rng = np.random.default_rng(3)
    given = rng.uniform(-1, 1, (actions, runs, len(like.actions.names)))

    def ours(step: float) -> np.ndarray:
        skip = round(STEP * SKIP / step)
        task = Reach(text, runs, frame=like.frame, step=step, frame_skip=skip, goals=like.goals)
        tips = []
        for row in given:
            task.act(row)
            tips.append(task.tip.copy())
        return np.array(tips)

    env = MujocoReach(str(file), like)

    def theirs(step: float) -> np.ndarray:
        env.model.opt.timestep, env.frame_skip = step, round(STEP * SKIP / step)
        tips = np.empty((actions, runs, 3))
        for i in range(runs):
            env.reset_model()
            for k in range(actions):
                env.step(given[k, i])
                tips[k, i] = env.data.site_xpos[env.site]
        return tips

    fine, own = theirs(FINE), ours(FINE)
    found = {
        "kinegen": np.linalg.norm(ours(STEP) - own, axis=2),
        "mujoco": np.linalg.norm(theirs(STEP) - fine, axis=2),
        "mujoco in steps an eighth as long": np.linalg.norm(theirs(STEP / 8) - fine, axis=2),
        "one model against the other": np.linalg.norm(own - fine, axis=2),
    }
    env.close()  # type: ignore[no-untyped-call]
    return found


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--envs", type=int, default=64)
    parser.add_argument("--steps", type=int, default=200)
    parser.add_argument("--mechanism", choices=[*MECHANISMS])
    options = parser.parse_args()
    chosen = [options.mechanism] if options.mechanism else [*MECHANISMS]
    for name in chosen:
        with tempfile.TemporaryDirectory() as folder, warnings.catch_warnings():
            warnings.simplefilter("ignore")
            text = shared(name)
            like = Reach(text, frame=MECHANISMS[name], step=STEP, frame_skip=SKIP)
            file = written(like, folder)
            wrong = errors(like, file, text)
            makers = peers(like, file, text, options.envs)
            made = {kind: maker() for kind, maker in makers.items()}
            for env in made.values():
                env.reset(seed=1)
                rate(env, 5)
            best = dict.fromkeys(made, 0.0)
            ratios, shares = [], []
            for _ in range(options.rounds):
                found = {kind: rate(env, options.steps) for kind, env in made.items()}
                best = {kind: max(best[kind], found[kind][0]) for kind in best}
                others = [found[kind][0] for kind in found if kind != "kinegen"]
                ratios.append(found["kinegen"][0] / max(others))
                shares.append(found["kinegen"][1] / found["mujoco sync"][1])
            for env in made.values():
                env.close()
        for kind, value in best.items():
            print(f"{name:10} {kind:14} {value:10,.0f} steps/s of {options.envs} environments")
            note(f"{name}, {kind}", value, "steps/s", more_is_better=True)
        ratio, share = float(np.median(ratios)), float(np.median(shares))
        print("  " + verdict(ratio, BAR, f"times MuJoCo's, at least {BAR:g}"))
        print(f"  {share:.2f} times its steps per second of processor time")
        for kind, far in wrong.items():
            mean, median = 1e3 * far.mean(), 1e3 * np.median(far)
            print(f"  error of {kind}: {mean:.2f} mm on average, {median:.2f} mm median")
            note(f"{name}, error of {kind}", mean, "mm", more_is_better=False)
        note(f"{name}, ratio", ratio, "times", more_is_better=True)
        note(f"{name}, ratio by processor time", share, "times", more_is_better=True)


if __name__ == "__main__":
    main()
