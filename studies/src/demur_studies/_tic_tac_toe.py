"""All final boards of tic-tac-toe, by enumeration (the UCI data set of that name)."""

import numpy as np

from demur._checks import input_error
from demur.typing import BoolArray

__all__ = ["tic_tac_toe"]

_LINES = ((0, 1, 2), (3, 4, 5), (6, 7, 8), (0, 3, 6), (1, 4, 7), (2, 5, 8), (0, 4, 8), (2, 4, 6))


def _wins(board: str, mark: str) -> bool:
    return any(all(board[square] == mark for square in line) for line in _LINES)


def _final_boards() -> dict[str, bool]:
    """Play all games at once, move by move; final boards with whether x has won."""
    final: dict[str, bool] = {}
    open_boards = {"b" * 9}
    for move in range(9):
        mark = "xo"[move % 2]
        reached = {
            board[:square] + mark + board[square + 1 :]
            for board in open_boards
            for square in range(9)
            if board[square] == "b"
        }
        over = {board for board in reached if _wins(board, mark) or "b" not in board}
        final |= {board: _wins(board, "x") for board in over}
        open_boards = reached - over
    return final


def tic_tac_toe(*, squares: int = 9) -> tuple[np.ndarray, BoolArray]:
    """Return the 958 final boards of tic-tac-toe in which x moves first, and whether x has won.

    Parameters
    ----------
    squares : {9, 8}
        With 8 the last corner is hidden, so that the class is no longer certain. The numbers
        printed by Ferri and Hernandez-Orallo (2004) are those of 8 squares.

    Returns
    -------
    X : array of shape (958, squares)
        "x", "o" or "b" (blank) per square, row by row; boards in alphabetical order.
    y : array of 958 bool
        True where x has won: 626 boards.

    Raises
    ------
    InputError
        For another number of squares.

    Examples
    --------
    >>> from demur_studies._tic_tac_toe import tic_tac_toe
    >>> X, y = tic_tac_toe()
    >>> X.shape, int(y.sum())
    ((958, 9), 626)
    >>> "".join(X[-1]), bool(y[-1])
    ('xxxxooxoo', True)
    """
    if squares not in (8, 9):
        raise input_error("squares", "must be 8 or 9", repr(squares))
    final = _final_boards()
    boards = sorted(final)
    marks = np.array([list(board) for board in boards])
    return marks[:, :squares], np.array([final[board] for board in boards])
