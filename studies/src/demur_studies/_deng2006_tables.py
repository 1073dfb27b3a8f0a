"""Tables 1 and 2 of Deng et al. (2006) as printed."""

__all__ = ["METHODS", "OTHER_METHODS", "OTHER_PAPERS", "ROWS", "WINS", "printed_value"]

METHODS = ("NB", "MC", "LP14", "GA15", "GA1")
OTHER_METHODS = ("L&F", "O&G")
_NA = None  # printed as n/a
# data set -> file, then table 1 (error) and table 2 (cost) in the order of _METHODS
Printed = tuple[float | None, ...]
ROWS: dict[str, tuple[str, Printed, Printed]] = {
    "Audiology": (
        "audiology",
        (0.3095, 0.4816, 0.2869, 0.2826, 0.2872),
        (1.7720, 2.7935, 1.6386, 1.7245, 1.5194),
    ),
    "Bridges 2 (material)": (
        "bridges2_material",
        (0.1582, 0.2436, 0.2709, 0.1764, 0.2136),
        (0.8611, 1.3542, 1.4725, 1.0059, 1.2181),
    ),
    "Bridges 2 (rel-l)": (
        "bridges2_rel-l",
        (0.3164, 0.3336, 0.3081, 0.3355, 0.3455),
        (1.9355, 1.9441, 1.9003, 2.5553, 1.9875),
    ),
    "Bridges 2 (span)": (
        "bridges2_span",
        (0.2227, 0.2245, 0.2427, 0.4018, _NA),
        (1.1872, 1.6153, 1.2930, 1.9934, 1.4491),
    ),
    "Bridges 2 (type)": (
        "bridges2_type",
        (0.4564, 0.4564, 0.4654, 0.4664, 0.4655),
        (2.4585, 2.3160, 2.6020, 2.7605, 2.5220),
    ),
    "Bridges 2 (t-or-d)": (
        "bridges2_t-or-d",
        (0.1755, 0.1955, 0.1754, 0.1936, 0.2500),
        (0.9655, 0.8946, 0.9568, 1.0794, 0.9705),
    ),
    "Car": ("car", (0.1464, 0.1267, 0.1336, 0.1724, 0.1209), (0.8484, 0.8898, 0.8074, 1.6665, 0.6523)),
    "Post-Op": (
        "post-operative",
        (0.4949, 0.4881, 0.4948, 0.4990, 0.4908),
        (2.9242, 3.0450, 2.9993, 3.6611, 2.7057),
    ),
    "Horse-colic (code)": (
        "colic_code",
        (0.3173, 0.3179, 0.3172, 0.2931, 0.3120),
        (1.7915, 1.7243, 1.7863, 1.7950, 1.6989),
    ),
    "Horse-colic (surgical)": (
        "colic_surgical",
        (0.2089, 0.1710, 0.2089, 0.1791, 0.1791),
        (1.3788, 1.0060, 1.3890, 1.6364, 1.0629),
    ),
    "Horse-colic (site)": (
        "colic_site",
        (0.7634, 0.7770, 0.7634, 0.7444, 0.7661),
        (4.0892, 4.2372, 4.1084, 4.2647, 4.0809),
    ),
    "Horse-colic (subtype)": (
        "colic_subtype",
        (0.0027, 0.0027, 0.0027, 0.0027, 0.0027),
        (0.0114, 0.5741, 0.0114, 0.0113, 0.0114),
    ),
    "Horse-colic (type)": (
        "colic_type",
        (0.0409, 0.0272, 0.0409, 0.0327, 0.0354),
        (0.2225, 0.1447, 0.2172, 0.1704, 0.1970),
    ),
    "Credit": (
        "credit-g",
        (0.2490, 0.2570, 0.2490, 0.2720, 0.2580),
        (1.3203, 1.0444, 1.3951, 2.1906, 1.0531),
    ),
    "Dermatology": (
        "dermatology",
        (0.0273, 0.0192, 0.0273, 0.0273, 0.0165),
        (0.1744, 0.1105, 0.1564, 0.1775, 0.1147),
    ),
    "Ecoli": ("ecoli", (0.1516, 0.1608, 0.1545, 0.1640, 0.1368), (0.8105, 0.8514, 0.8766, 1.2116, 0.7678)),
    "Flags": ("flags", (0.3761, 0.4213, 0.3707, 0.3705, 0.3808), (2.1590, 2.2803, 2.1408, 2.3013, 1.9888)),
    "Glass": ("glass", (0.5236, 0.5472, 0.5235, 0.4260, 0.4959), (3.1308, 2.9330, 3.1301, 3.4910, 2.6720)),
    "Mushroom": (
        "mushroom",
        (0.0420, 0.0181, 0.0374, 0.0192, 0.0178),
        (0.1930, 0.0994, 0.1784, 0.1262, 0.1031),
    ),
    "Nursery": ("nursery", (0.0968, 0.0849, _NA, _NA, 0.0847), (0.5565, 0.6651, _NA, _NA, 0.4634)),
    "Image Segmentation": (
        "segment",
        (0.1974, 0.1485, 0.1974, 0.1260, 0.1727),
        (1.0855, 0.8416, 1.0855, 1.0989, 0.8952),
    ),
    "Solar Flare (common)": (
        "flare2_common",
        (0.2364, 0.1745, 0.2364, 0.1708, 0.1980),
        (1.3080, 4.1595, 1.3199, 1.1622, 0.9844),
    ),
    "Solar Flare (moderate)": (
        "flare2_moderate",
        (0.0732, 0.0356, 0.0731, 0.0338, 0.0507),
        (0.4644, 5.6085, 0.4628, 0.2749, 0.2652),
    ),
    "Solar Flare (severe)": (
        "flare2_severe",
        (0.0282, 0.0085, 0.0234, 0.0047, 0.0207),
        (0.1682, 6.0877, 0.1556, 0.0800, 0.1070),
    ),
    "Vote": ("vote", (0.0965, 0.1081, 0.0964, 0.0942, 0.0965), (0.4510, 0.3770, 0.4510, 0.5346, 0.4577)),
}
WINS = {
    "Table 1": {"MC": "11/12", "LP14": "6/5", "GA15": "13/11", "GA1": "15/9"},
    "Table 2": {"MC": "11/14", "LP14": "12/9", "GA15": "6/17", "GA1": "19/6"},
}
# wins and losses of other papers' methods against their own baselines: L&F and O&G of table 1, of table 2
OTHER_PAPERS: dict[str, tuple[str | None, str | None, str | None, str | None]] = {
    "Audiology": ("W", "L", "L", "L"),
    "Bridges 2 (material)": ("W", "W", "L", "L"),
    "Bridges 2 (rel-l)": ("W", "tie", "L", "L"),
    "Bridges 2 (span)": ("tie", None, None, None),
    "Bridges 2 (type)": ("W", "W", "L", "L"),
    "Bridges 2 (t-or-d)": ("W", None, None, None),
    "Car": ("W", "W", "W", "W"),
    "Post-Op": ("W", None, None, None),
    "Horse-colic (code)": ("W", "L", "W", "W"),
    "Horse-colic (surgical)": ("tie", None, None, None),
    "Horse-colic (site)": ("W", "L", "L", "L"),
    "Horse-colic (subtype)": ("W", "W", "W", "W"),
    "Horse-colic (type)": ("W", "L", "W", "W"),
    "Credit": ("L", None, None, None),
    "Dermatology": ("L", "tie", "L", "L"),
    "Ecoli": ("L", "tie", "L", "L"),
    "Flags": ("L", "tie", "W", "W"),
    "Glass": ("L", "L", "L", "L"),
    "Mushroom": ("W", None, None, None),
    "Nursery": ("W", "W", "W", "W"),
    "Image Segmentation": ("L", "W", "W", "W"),
    "Solar Flare (common)": ("W", "W", "W", "W"),
    "Solar Flare (moderate)": ("W", None, None, None),
    "Solar Flare (severe)": ("W", None, None, None),
    "Vote": ("L", None, None, None),
}


def printed_value(which: str, name: str, method: str) -> float | None:
    """The printed error ("Table 1") or cost ("Table 2"); None for n/a."""
    row = ROWS[name]
    return (row[1] if which == "Table 1" else row[2])[METHODS.index(method)]
