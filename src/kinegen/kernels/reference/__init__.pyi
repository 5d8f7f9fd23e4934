"""The kernels in NumPy, written to be read: the specification of the compiled ones."""

from kinegen.kernels.reference.analytic.analytic import AnalyticArm as AnalyticArm
from kinegen.kernels.reference.base.model import BoundModel as BoundModel
from kinegen.kernels.reference.base.model import Evaluator as Evaluator
from kinegen.kernels.reference.batch.batch import batch_forward as batch_forward
from kinegen.kernels.reference.batch.batch import batch_grid as batch_grid
from kinegen.kernels.reference.batch.batch import batch_isa as batch_isa
from kinegen.kernels.reference.batch.batch import batch_random as batch_random
from kinegen.kernels.reference.dyads.dyads import batch_dyads as batch_dyads
from kinegen.kernels.reference.dynamics.tasks import BoundDynamics as BoundDynamics
from kinegen.kernels.reference.dynamics.tasks import batch_dynamics as batch_dynamics
from kinegen.kernels.reference.haptic.bound import HapticPoint as HapticPoint
from kinegen.kernels.reference.haptic.bounds import haptic_gate as haptic_gate
from kinegen.kernels.reference.impulse.bound import BoundImpulse as BoundImpulse
from kinegen.kernels.reference.linalg.linalg import ldlt_factor as ldlt_factor
from kinegen.kernels.reference.linalg.linalg import ldlt_solve as ldlt_solve
from kinegen.kernels.reference.linalg.linalg import qr_factor as qr_factor
from kinegen.kernels.reference.linalg.linalg import qr_null_space as qr_null_space
from kinegen.kernels.reference.linalg.linalg import qr_solve as qr_solve
from kinegen.kernels.reference.linalg.linalg import qr_solve_minimum_norm as qr_solve_minimum_norm
from kinegen.kernels.reference.linalg.linalg import svd_factor as svd_factor
from kinegen.kernels.reference.linalg.spectrum import free_motion as free_motion
from kinegen.kernels.reference.loops.mobility import BoundMotion as BoundMotion
from kinegen.kernels.reference.loops.system import BoundLoops as BoundLoops
from kinegen.kernels.reference.reduced.bound import BoundReduced as BoundReduced
from kinegen.kernels.reference.singular.monitor import (
    BoundSingularityMonitor as BoundSingularityMonitor,
)
from kinegen.kernels.reference.solver.bound import BoundSolver as BoundSolver
from kinegen.kernels.reference.solver.bound import Ticker as Ticker
