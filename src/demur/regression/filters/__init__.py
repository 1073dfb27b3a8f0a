"""Kalman filters of non-linear systems: extended, unscented, central difference, square root.

One interface (`predict`, `update`, `step`, `filter`) and one state-space model
(`KalmanModel`) for all five. Only what no maintained library offers in this form.
"""
