"""What all tests share."""

from hypothesis import settings

settings.register_profile("m4a", deadline=None)  # how long an example takes depends on what else the machine does
settings.load_profile("m4a")
