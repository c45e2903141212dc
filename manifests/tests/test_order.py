"""Orders of a segment of seven frames: I P b b P B b, capitals for frames that others may refer to."""

from collections.abc import Collection, Sequence
from dataclasses import replace

import numpy as np
import pytest
from voxel_prepare.analysis.choose_order import RankedFrames, measured_best, predicted_best
from voxel_prepare.analysis.evidence import Evidence
from voxel_prepare.analysis.loss_model import LossModel, Undamaged
from voxel_prepare.analysis.measured_order import measured
from voxel_prepare.analysis.motion import NearestReferences, Prediction, nearest_references
from voxel_prepare.analysis.order import ORDERS, original, unreferenced_last
from voxel_prepare.analysis.reference_graph import ReferenceGraph
from voxel_prepare.analysis.score import Missing
from voxel_prepare.analysis.segment_analysis import OrderName
from voxel_prepare.byte_ranges import ByteRange
from voxel_prepare.repair.codec import PictureType
from voxel_prepare.repair.frames import Frame

CELLS = 100
SAMPLES = 16
FRAME_BYTES = 10

KINDS: list[tuple[PictureType, bool, int]] = [
    ("I", True, 0),
    ("P", True, 3),
    ("B", False, 1),
    ("B", False, 2),
    ("P", True, 6),
    ("B", True, 5),
    ("B", False, 4),
]
"""Type, whether others may refer to it, and when it is shown."""

FRAMES = [
    Frame(index, type_, is_reference, shown, () if type_ == "I" else (ByteRange(0, FRAME_BYTES),))
    for index, (type_, is_reference, shown) in enumerate(KINDS)
]


def prediction(reference: int, macroblocks: float) -> Prediction:
    """So much of a picture comes from the same place of another."""
    share = np.full(CELLS, macroblocks / CELLS, np.float32)
    return Prediction(reference, share, np.arange(CELLS, dtype=np.int32), macroblocks)


def make_model(predictions: Sequence[Sequence[Prediction]], frames: Sequence[Frame] = FRAMES) -> LossModel:
    """A model of pictures that are alike but for noise."""
    random = np.random.default_rng(1)
    scene = random.integers(0, 200, (CELLS, SAMPLES), np.uint8)
    nearest = nearest_references(frames)
    undamaged = [
        Undamaged(scene + random.integers(0, 50, scene.shape, np.uint8), nearest[index], predictions[index])
        for index in range(len(frames))
    ]
    return LossModel(frames, undamaged)


def make_evidence(predictions: Sequence[Sequence[Prediction]]) -> Evidence:
    """Evidence as from a decode of `FRAMES`."""
    model = make_model(predictions)
    droppable = [frame.index for frame in FRAMES if frame.unreliable]
    costs = dict(zip(droppable, model.losses([[index] for index in droppable]), strict=True))
    everything = model.losses([droppable])[0]
    return Evidence(
        frames=FRAMES,
        droppable=droppable,
        graph=ReferenceGraph(predictions, CELLS),
        losses=model.losses,
        whole=1,
        reliable_only=1 - everything,
        useful_loss=everything,
        loss_costs=costs,
    )


EVIDENCE = make_evidence(
    [
        [],
        [prediction(0, 90)],
        [prediction(0, 10), prediction(1, 20)],
        [prediction(0, 5), prediction(1, 5)],
        [prediction(1, 80)],
        [prediction(1, 30), prediction(4, 60)],
        [prediction(1, 10), prediction(5, 70)],
    ]
)


def test_nearest_references_are_those_decoded_before() -> None:
    assert nearest_references(FRAMES) == [
        NearestReferences(None, None),
        NearestReferences(0, None),
        NearestReferences(0, 1),
        NearestReferences(0, 1),
        NearestReferences(1, None),
        NearestReferences(1, 4),
        NearestReferences(1, 5),
    ]


def test_original_order_is_decode_order() -> None:
    assert original(EVIDENCE) == [1, 2, 3, 4, 5, 6]


def test_unreferenced_frames_go_last_and_the_rest_stays() -> None:
    assert unreferenced_last(EVIDENCE) == [1, 4, 5, 2, 3, 6]


def test_summed_references_count_direct_ones() -> None:
    assert EVIDENCE.graph.summed() == pytest.approx([105, 145, 0, 0, 60, 70, 0])
    assert ORDERS[OrderName.SUMMED](EVIDENCE) == [1, 5, 4, 2, 3, 6]


def test_chained_references_are_those_of_the_thesis_example() -> None:
    """Fig. 5.8: 9 macroblocks of frame 1 in frame 2, and from there 30, 45 and 8 in three others: 9 + 9 + 9 + 8."""
    predictions = [[], [prediction(0, 9)], [prediction(1, 30)], [prediction(1, 45)], [prediction(1, 8)]]
    assert ReferenceGraph(predictions, 100).chained()[0] == pytest.approx(35)


def test_chained_references_follow_no_branch_below_a_hundredth_of_the_picture() -> None:
    predictions = [[], [prediction(0, 0.9)], [prediction(1, 50)]]
    assert ReferenceGraph(predictions, 100).chained()[0] == pytest.approx(0.9)


def test_chains_may_be_longer_than_the_stack() -> None:
    predictions = [[], *([prediction(index, 100)] for index in range(1500))]
    assert ReferenceGraph(predictions, 100).chained()[0] == pytest.approx(1500 * 100)


def test_every_order_holds_each_droppable_frame_once() -> None:
    for order in ORDERS.values():
        assert sorted(order(EVIDENCE)) == EVIDENCE.droppable


def test_measured_order_drops_first_what_costs_least() -> None:
    """Most hangs on the first frame, nothing on the third; all frames have the same size."""
    order = ORDERS[OrderName.MEASURED](EVIDENCE)
    assert order[0] == 1
    assert order.index(3) > order.index(4)


def test_measured_order_fills_up_to_a_limit_of_the_loss_before_it_goes_beyond() -> None:
    """The first frame saves more for what it costs, which is more than a tenth of the useful loss."""
    costs = {1: 0.02, 2: 0.004, 3: 0.004}
    sizes = {1: 1000, 2: 100, 3: 100}
    frames = [
        Frame(index, "P", True, index, (ByteRange(0, sizes[index]),) if index in sizes else ()) for index in range(4)
    ]

    class Additive(LossModel):
        def losses(self, scenarios: Sequence[Collection[int]]) -> list[float]:
            return [sum(costs[index] for index in missing) for missing in scenarios]

    model = Additive(frames, [])
    evidence = replace(
        EVIDENCE,
        frames=frames,
        droppable=[1, 2, 3],
        losses=model.losses,
        useful_loss=0.1,
        loss_costs=costs,
    )
    assert measured(evidence)[0] == 1


@pytest.mark.parametrize(("bytes_", "chosen"), [(980, OrderName.MEASURED), (900, OrderName.ORIGINAL)])
def test_another_order_must_predict_clearly_fewer_bytes_than_the_measured_one(
    bytes_: int, chosen: OrderName, monkeypatch: pytest.MonkeyPatch
) -> None:
    def predicted(_: Evidence, name: OrderName) -> RankedFrames:
        return RankedFrames(name, [1], [0, 1000 if name is OrderName.MEASURED else bytes_], [1, 0])

    monkeypatch.setattr("voxel_prepare.analysis.choose_order.rank", predicted)
    evidence = replace(EVIDENCE, useful_loss=0.5)
    assert predicted_best(evidence, [OrderName.ORIGINAL, OrderName.MEASURED]).name is chosen


class Decodes:
    """Decodes of a segment in which every missing frame costs the same, and frames 2 and 3 only together."""

    def __init__(self) -> None:
        self.measured: list[Missing] = []

    def __call__(self, variants: Sequence[Missing]) -> list[float]:
        self.measured += variants
        return [1 - sum(0.04 for index in missing if index not in (2, 3) or {2, 3} <= missing) for missing in variants]


def contenders(monkeypatch: pytest.MonkeyPatch, orders: dict[OrderName, list[int]]) -> Evidence:
    """Evidence that predicts the same losses of all these orders."""

    def predicted(_: Evidence, name: OrderName) -> RankedFrames:
        losses = [0.24 - 0.04 * prefix for prefix in range(len(FRAMES))]
        return RankedFrames(name, orders[name], [FRAME_BYTES * prefix for prefix in range(len(FRAMES))], losses)

    monkeypatch.setattr("voxel_prepare.analysis.choose_order.rank", predicted)
    return replace(EVIDENCE, whole=1, reliable_only=0.76, useful_loss=0.12)


def test_the_order_is_chosen_by_decodes_whatever_is_predicted(monkeypatch: pytest.MonkeyPatch) -> None:
    """Three missing frames, 4, 5 and 6, cost 0.12, and 5, 3 and 6 only 0.08."""
    orders = {OrderName.MEASURED: [1, 2, 3, 4, 5, 6], OrderName.CHAINED: [1, 2, 4, 5, 3, 6]}
    evidence = contenders(monkeypatch, orders)
    best = measured_best(evidence, list(orders), Decodes())
    assert best.name is OrderName.CHAINED
    assert best.scores[3] == pytest.approx(0.92)


def test_the_same_missing_frames_are_decoded_once(monkeypatch: pytest.MonkeyPatch) -> None:
    orders = {OrderName.ORIGINAL: [1, 2, 3, 4, 5, 6], OrderName.MEASURED: [3, 2, 1, 6, 5, 4]}
    decodes = Decodes()
    measured_best(contenders(monkeypatch, orders), list(orders), decodes)
    assert len(decodes.measured) == len(set(decodes.measured))
    assert frozenset({4, 5, 6}) in decodes.measured


def test_an_order_alone_is_not_decoded(monkeypatch: pytest.MonkeyPatch) -> None:
    decodes = Decodes()
    measured_best(contenders(monkeypatch, {OrderName.SUMMED: [1, 2, 3, 4, 5, 6]}), [OrderName.SUMMED], decodes)
    assert not decodes.measured


def test_what_is_measured_scales_the_predictions_around_it() -> None:
    """Twice the predicted loss with two frames of four: with one and three frames, too, as far as the ends allow."""
    order = RankedFrames(OrderName.MEASURED, [1, 2, 3, 4], [0, 10, 20, 30, 40], [0.4, 0.3, 0.2, 0.1, 0])
    fitted = order.fitted({0: 0.2, 2: 0.6, 4: 1})
    assert fitted.predicted_losses == pytest.approx([0.8, 0.6, 0.4, 0.2, 0])
    assert fitted.bytes_for([0.2, 0.4, 0.7]) == 30 + 20 + 10


def test_a_loss_grows_with_what_is_predicted_from_the_frame() -> None:
    alone = make_model([[] for _ in FRAMES]).losses([[1]])[0]
    inherited = EVIDENCE.losses([[1]])[0]
    assert inherited > alone > 0


def test_nothing_missing_loses_nothing() -> None:
    assert EVIDENCE.losses([[], [1]])[0] == 0


def test_corrections_scale_what_a_missing_frame_costs() -> None:
    model = make_model([[] for _ in FRAMES])
    before = model.losses([[1], [4]])
    after = model.corrected({1: 0.5}, 3).losses([[1], [4]])
    assert after == pytest.approx([1.5 * before[0], 3 * before[1]], rel=1e-3)
