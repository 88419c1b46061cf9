"""Exception-based tests: a parameter is what the submission has under that name."""

from cases import UNITS
from otter.test_files import test_case

OK_FORMAT = False
name = "units"
points = 20


def unit_test(unit):
    def test(env):
        assert env[unit.function](*unit.arguments) == unit.value

    return test_case(name=unit.name)(test)


for unit in UNITS:
    globals()[unit.name] = unit_test(unit)
