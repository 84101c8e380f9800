"""Fixtures that are shared by all tests."""

pytest_plugins = ["tests.support.opensearch", "tests.support.profiles"]
