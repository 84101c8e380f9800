"""What all tests share."""

from hypothesis import settings

pytest_plugins = ["tests.support.opensearch", "tests.support.profiles"]

settings.register_profile("m4a", deadline=None)  # how long an example takes depends on what else the machine does
settings.load_profile("m4a")
