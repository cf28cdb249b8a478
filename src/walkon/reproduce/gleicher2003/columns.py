"""The columns that describe a snap-together graph of Gleicher 2003 and a character that plays on it."""

from walkon.reproduce.results import ResultColumn, ResultColumns

__all__ = ["COLUMNS"]

COLUMNS = ResultColumns(
    ResultColumn("mean_duration_s", "animation", unit="s", decimals=1),
    ResultColumn("mean_synthesis_s", "planned in", unit="s", meaning="choosing clips from hub to hub"),
    ResultColumn("total_s", "planned and posed in", unit="s", meaning="with all bodies posed and their feet held"),
    ResultColumn("graph_frames", "frames in the graph", decimals=0, paper=True, meaning="at 30 per second"),
    ResultColumn("graph_s", "graph built in", unit="s", decimals=2, headline=True, meaning="by a computer, from clips"),
    ResultColumn(
        "designer_s",
        "driven after",
        unit="s",
        decimals=0,
        paper=True,
        headline=True,
        meaning="from raw data to a character under control, with a designer's time",
    ),
    ResultColumn("hubs", "hubs", decimals=0, paper=True, headline=True, meaning="nodes of the graph"),
    ResultColumn("match_frames", "match frames", decimals=0, paper=True, headline=True),
    ResultColumn("edges", "clips from hub to hub", decimals=0, paper=True, headline=True),
    ResultColumn(
        "edges_across",
        "clips across the sets",
        decimals=0,
        meaning="between hubs of walking and hubs of rest, either way",
    ),
    ResultColumn("switch_s", "walking to sitting", unit="s", decimals=1, meaning="the least time"),
    ResultColumn("switch_back_s", "and back", unit="s", decimals=1, meaning="the least time"),
    ResultColumn(
        "bend_median_deg",
        "bent, median",
        unit="deg",
        decimals=1,
        meaning="angle by which joints of match frames are turned into the common pose",
    ),
    ResultColumn("bend_p95_deg", "bent, 95 %", unit="deg", decimals=1, meaning="95th percentile of the same"),
    ResultColumn("turn_right_deg", "turns right up to", unit="deg", decimals=0, meaning="along one clip"),
    ResultColumn("turn_left_deg", "turns left up to", unit="deg", decimals=0, meaning="along one clip"),
    ResultColumn(
        "curvature_right_1_m",
        "curvature right",
        unit="1/m",
        decimals=2,
        meaning="largest turn of a clip over the metres that it goes",
    ),
    ResultColumn("curvature_left_1_m", "curvature left", unit="1/m", decimals=2, meaning="the same to the left"),
    ResultColumn(
        "curvature_error_1_m",
        "curvature missed",
        unit="1/m",
        decimals=3,
        headline=True,
        meaning="mean difference between a wished curvature and that walked while it was wished",
    ),
    ResultColumn(
        "curvature_error_edge_1_m",
        "curvature missed by a clip",
        unit="1/m",
        decimals=3,
        meaning="mean difference between the curvature of each clip and the wish that it was chosen for",
    ),
    ResultColumn(
        "heading_error_deg",
        "heading missed",
        unit="deg",
        decimals=1,
        meaning="mean angle between the heading at the end of a clip and the one wished for",
    ),
    ResultColumn("mean_error_m", "off the wished path, mean", unit="m", decimals=3),
    ResultColumn("worst_error_m", "off the wished path, worst", unit="m", decimals=3),
    ResultColumn(
        "foot_drift_m",
        "planted feet drift",
        unit="m",
        small=True,
        decimals=2,
        meaning="largest distance of a planted point from the middle of its contact, as posed",
    ),
)
