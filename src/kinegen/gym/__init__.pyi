"""Gymnasium environments: importing this package registers them, as ``kinegen/Reach-v0``."""

from kinegen.gym.motor_actions import MotorActions as MotorActions
from kinegen.gym.reach import Reach as Reach
from kinegen.gym.task import Judgement as Judgement
from kinegen.gym.task import Task as Task
from kinegen.gym.task_env import ReachEnv as ReachEnv
from kinegen.gym.task_env import TaskEnv as TaskEnv
from kinegen.gym.task_vector_env import ReachVectorEnv as ReachVectorEnv
from kinegen.gym.task_vector_env import TaskVectorEnv as TaskVectorEnv
from kinegen.gym.world_env import WorldEnv as WorldEnv
