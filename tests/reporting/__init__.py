import pytest

pytest.register_assert_rewrite("tests.reporting.pages_read")
