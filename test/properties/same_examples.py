"""Property tests in Python: the examples that come of a seed, wherever they run."""

from hypothesis import HealthCheck, settings
from hypothesis.internal.conjecture import providers
from hypothesis.internal.constants_ast import Constants

NO_CONSTANTS = Constants()


def use_same_examples() -> None:
    """Has every property get the same examples for the same seed.

    Left to itself Hypothesis has others on another machine: where the environment says that it is CI it takes another
    seed than it is given, it begins with what failed there before, and one value in twenty is a constant of the modules
    that are loaded, which are others in each worker, and none where the checkout lies in a folder `test` or `tests`.
    """
    settings.register_profile(
        "tests",
        parent=settings.get_profile("default"),
        derandomize=False,
        database=None,
        print_blob=True,
        # A busy machine fails no test by being slow.
        deadline=None,
        suppress_health_check=[HealthCheck.too_slow],
    )
    settings.load_profile("tests")
    # There is no setting for it; `test_same_examples.py` fails where another version of Hypothesis has another name.
    providers._get_local_constants = lambda: NO_CONSTANTS
