from .binormal import Binormal as Binormal
from .series import example_series as example_series
from .series import mackey_glass as mackey_glass
