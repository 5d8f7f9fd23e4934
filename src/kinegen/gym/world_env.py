from gymnasium import Env


class WorldEnv(Env):
    pass
